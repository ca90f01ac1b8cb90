"""Seeing to a page: each way holds for itself and for none of the others, whatever else stands there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.errors import SpecError
from pi_gym.predicates.node import Node, ParseContext
from pi_gym.results.content import ResultText
from pi_gym.results.facets import Demand, kinds
from pi_gym.results.traces import WAYS

MARKS = ["(preliminary)", "wrong:"]
#: What is wrong, and what is right: figures, names, a day, and texts of which one has the other inside.
PAIRS = [
    ("0.58", "0.66"),
    ("Ulvik 10", "Lyngkrem"),
    ("34 %", "41 %"),
    ("2026-05-13", "2026-05-18"),
    ("paper missing", "paper missing until Tuesday"),
    ("12 bottles (counted)", "12 bottles"),
    ("-3.41", "-3.29"),
]
#: Lines with something wrong in them, and lines that only look like it.
FORMS = [
    "KLK3 falls to {} of the vehicle.",
    "It was read twice. The second time it was {}, they say.",
    "| ESD-121 | {} | yes |",
    "ESD-121,{},2026-05-04",
    "- {} (MT), on the quay",
    "2026-05-04 | {} | seen",
]
OTHERS = [
    "# Log",
    "",
    "| --- | --- | --- |",
    "KLK3 falls to 10.58 in one, to 0.583 and 0.58.1 in another.",
    "- Ulvik 100 is not on the list (preliminary)",
    "~~ESD-114,0.91,2026-05-02~~",
    "This line is wrong: nobody says so yet.",
    "0.66, 41 %, Lyngkrem, -3.29 and 12 bottles stand here too, since 18 May 2026.",
    "Ketil counts on Thursdays.",
    "<!-- 0.58, Ulvik 10 and 34 % were in the draft -->",
]


def holds(how: str | list[str], before: list[str], now: list[str], old: str, new: str, **more: int) -> bool:
    facet = kinds()["text"].facets["seen_to"]
    assert isinstance(facet, Demand)
    argument = {"how": how, "old": old, "new": new, "marks": MARKS, **more}
    condition = facet.parse(Node(argument, "seen_to", ParseContext(None)))
    return not condition.fault(ResultText("page.md", "\n".join(now), "\n".join(before)))


def done(how: str, page: list[str], old: str, new: str, mark: str, place: int) -> list[str]:
    """A page that was seen to in one way; lines with the old are those in which `\\x00` stands for it."""
    wrong = "\x00"
    to = {
        "mended": new,
        "marked": f"{old} {mark}" if mark[0] == "(" else f"{old} <!-- {mark} ask Siri -->",
        "struck": f"~~{old}~~ {new}",
    }
    if how in to:
        return [line.replace(wrong, to[how]) for line in page]
    if how == "gone":
        return [line for line in page if wrong not in line]
    added = [line.replace(wrong, old) for line in page]
    at = place % (len(added) + 1)
    return [*added[:at], f"2026-05-05 MT: it is {new} there", *added[at:]]


@st.composite
def pages(draw: st.DrawFn) -> list[str]:
    lines = draw(st.lists(st.sampled_from(OTHERS), max_size=8))
    wrong = draw(st.lists(st.sampled_from(FORMS), min_size=1, max_size=3))
    return draw(st.permutations([*lines, *(one.format("\x00") for one in wrong)]))


@given(
    page=pages(),
    pair=st.sampled_from(PAIRS),
    mark=st.sampled_from(MARKS),
    place=st.integers(0, 20),
    how=st.sampled_from(WAYS),
    windows=st.booleans(),
    other=st.sampled_from([*OTHERS, "Siri reads this."]),
)
def test_a_way_holds_for_itself_and_for_none_of_the_others(
    page: list[str], pair: tuple[str, str], mark: str, place: int, how: str, windows: bool, other: str
) -> None:
    old, new = pair
    before = [line.replace("\x00", old) for line in page]
    # Whatever else was mended on the page meanwhile, line for line, is nobody's matter here.
    rest = [place for place, line in enumerate(page) if "\x00" not in line]
    changed = [f"{other} Seen." if rest and place == rest[-1] and line else line for place, line in enumerate(page)]
    for work in (page, changed if new not in other else page):
        now = done(how, work, old, new, mark, place)
        now = [f"{line}\r" for line in now] if windows else now
        assert [one for one in WAYS if holds(one, before, now, old, new)] == [how]


@given(
    before=pages(),
    now=st.lists(
        st.one_of(
            st.sampled_from(OTHERS),
            st.builds(
                str.format,
                st.sampled_from(FORMS),
                st.sampled_from(["OLD", "NEW", "~~OLD~~", "~~OLD~~ NEW", "OLD (preliminary)", "OLD, now NEW", ""]),
            ),
        ),
        max_size=8,
    ),
    kept=st.integers(0, 8),
    pair=st.sampled_from(PAIRS),
    most=st.integers(0, 9),
)
def test_whatever_a_page_has_become_two_ways_never_hold(
    before: list[str], now: list[str], kept: int, pair: tuple[str, str], most: int
) -> None:
    old, new = pair
    start = [line.replace("\x00", old) for line in before]
    page = [*start[:kept], *(line.replace("OLD", old).replace("NEW", new) for line in now), *start[kept + 1 :]]
    for text in (page, now):
        assert sum(holds(how, start, text, old, new, most=most) for how in WAYS) <= 1


@given(page=pages(), pair=st.sampled_from(PAIRS))
def test_who_leaves_a_page_has_seen_to_nothing(page: list[str], pair: tuple[str, str]) -> None:
    before = [line.replace("\x00", pair[0]) for line in page]
    assert not any(holds(how, before, before, *pair) for how in WAYS)
    assert not any(holds(how, before, [*before, ""], *pair) for how in WAYS)


BEFORE = ["# Log", "KLK3 falls to 0.58 here. It is not 0.70.", "and 0.58 there"]


@pytest.mark.parametrize(
    ("how", "now"),
    [
        ("mended", ["# Log", "KLK3 falls to 0.66 here.", "and 0.58 there"]),  # one of two places
        ("mended", ["# Log", "KLK3 falls to 0.66 here.", "and there <!-- 0.58 -->", "~~0.58~~"]),
        ("mended", ["# Log", "KLK3 falls here.", "and there"]),
        ("mended", ["# Log", "KLK3 falls to <!-- 0.66 --> here.", "and there"]),
        ("marked", ["# Log", "KLK3 falls to 0.58 here. It is not 0.70 (preliminary).", "and 0.58 (preliminary)"]),
        ("marked", ["# Log", BEFORE[1], "and 0.58 (preliminary) there"]),
        ("struck", ["# Log", "KLK3 falls to ~~0.58~~ 0.66 here.", "and 0.58 there"]),
        ("struck", ["# Log", "KLK3 falls to ~~0.58~~ here.", "and ~~0.58~~ there"]),  # and what is right?
        ("line", [*BEFORE, "a line", "a line more", "one more", "it is 0.66"]),
        ("line", [*BEFORE, "it is 0.67"]),
        ("line", ["# Log", "KLK3 fell to 0.58 here.", "and 0.58 there", "it is 0.66"]),
        ("gone", ["# Log", "KLK3 falls here. It is not 0.70.", "and there"]),
        ("gone", ["# Log", "(taken out)", "nothing"]),
    ],
)
def test_half_a_way_is_none(how: str, now: list[str]) -> None:
    assert not holds(how, BEFORE, now, "0.58", "0.66")


@given(page=pages(), pair=st.sampled_from(PAIRS), mark=st.sampled_from(MARKS), place=st.integers(0, 20))
def test_of_several_ways_any_will_do_and_no_other(
    page: list[str], pair: tuple[str, str], mark: str, place: int
) -> None:
    before = [line.replace("\x00", pair[0]) for line in page]
    for ways in (["mended", "line"], ["marked", "struck", "gone"]):
        held = [how for how in WAYS if holds(ways, before, done(how, page, *pair, mark, place), *pair)]
        assert held == [how for how in WAYS if how in ways]
    assert not holds([*WAYS], before, before, *pair)


@pytest.mark.parametrize(
    ("now", "held"),
    [
        (["# Log", "KLK3 falls to 0.66 here.", "and 0.66 there", "Corrections: 0.58, now 0.66"], True),
        (["# Log", "KLK3 falls to ~~0.58~~ 0.66 here.", "and ~~0.58~~ 0.66 there", "- 0.66 and not 0.58. MT"], True),
        (["# Log", "KLK3 falls to 0.66 here (May: 0.58 before).", "and 0.66 there [was 0.58]"], True),
        ([*BEFORE[:2], "and 0.66 there", "Corrections: 0.58, now 0.66"], False),
        (["# Log", "KLK3 falls to 0.66 here.", "and 0.58 there, not 0.66"], False),
        (["# Log", "KLK3 falls to 0.66 here.", "and 0.58 there, not 0.66", "Corrections: 0.58, now 0.66"], False),
        (["# Log", "KLK3 falls here.", "and there", "Corrections: 0.58, now 0.66"], False),
        (["# Log", "KLK3 falls to 0.66 here.", "and 0.66 there", "it was 0.58 in April"], False),
    ],
)
def test_where_several_ways_will_do_a_list_of_corrections_may_stand_beside_one(now: list[str], held: bool) -> None:
    assert holds(["mended", "struck"], BEFORE, now, "0.58", "0.66") is held
    assert not holds("mended", BEFORE, now, "0.58", "0.66")


def test_lines_on_what_was_corrected_are_gained_too() -> None:
    now = ["# Log", "KLK3 falls to 0.66 here.", "and 0.66 there", "Corrections: 0.58, now 0.66", "0.58 is 0.66. MT"]
    assert holds(["mended", "struck"], BEFORE, now, "0.58", "0.66", most=2)
    assert not holds(["mended", "struck"], BEFORE, now, "0.58", "0.66", most=1)


def test_comments_and_tables_are_read_as_people_read_them() -> None:
    row = ["| drug | left |", "| --- | --- |", "| ESD-121 | 34 % |"]
    assert holds("marked", row, [*row[:2], "| ESD-121 | 34 % | (preliminary) |"], "34 %", "41 %")
    assert holds("marked", ["It is 0.58."], ["It is 0.58. (preliminary)"], "0.58", "0.66")
    # A day is that day in any style, on either side.
    assert holds("mended", ["held on 13 May"], ["held on May 18, 2026"], "2026-05-13", "2026-05-18")


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ({"how": "mended", "old": "a"}, "'new' is missing"),
        ({"how": "line", "old": "a"}, "'new' is missing"),
        ({"how": ["gone", "line"], "old": "a"}, "'new' is missing"),
        ({"how": "marked", "old": "a"}, "'marks' is missing"),
        ({"how": "gone"}, "'old' is missing"),
        ({"how": "away", "old": "a"}, "one of mended, marked, struck, line, gone"),
        ({"how": "gone", "old": "a", "new": "A"}, "something else than what is wrong"),
        ({"how": "gone", "old": "a", "mark": "b"}, "marks"),
    ],
)
def test_what_is_missing_is_said(argument: dict[str, str], said: str) -> None:
    facet = kinds()["table"].facets["seen_to"]
    assert isinstance(facet, Demand)
    with pytest.raises(SpecError, match=said):
        facet.parse(Node(argument, "seen_to", ParseContext(None)))


def test_an_author_may_bound_what_a_page_gains() -> None:
    now = ["# Log", "KLK3 falls to 0.66 here.", "and 0.66 there", "(MT)"]
    assert holds("mended", BEFORE, now, "0.58", "0.66")
    assert holds("mended", BEFORE, now, "0.58", "0.66", most=1)
    assert not holds("mended", BEFORE, now, "0.58", "0.66", most=0)


def test_a_page_that_never_had_it_cannot_be_seen_to() -> None:
    assert not holds("gone", ["# Log"], ["# Log", "x"], "0.58", "0.66")
