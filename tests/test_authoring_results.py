"""Helpers that read and write results: what is left of a signal, intervals of effects, what is assumed, beliefs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.authoring import assays, logs, measures, mends, own_choices, telling, trial_effects

FORMS = tuple(assays.LEFT_HEADS)


def _files(texts: dict[str, str], start: dict[str, str] | None = None) -> Any:
    before = start or {}
    return SimpleNamespace(
        text=lambda path: texts.get(path),
        created=[path for path in texts if path not in before],
        start=SimpleNamespace(text=lambda path: before.get(path)),
    )


@given(st.floats(1, 99), st.sampled_from(FORMS), st.integers(3, 5), st.sampled_from(["", " %"]))
def test_what_is_left_is_read_as_it_was_written(left: float, form: str, digits: int, unit: str) -> None:
    (cell,) = assays.left_cells(left, [form], digits, unit)
    head = ["compound", "gene", assays.LEFT_HEADS[form]]
    assert assays.left_of_row(head, ["a", "b", cell]) == pytest.approx(left, abs=0.6)


@pytest.mark.parametrize("cell", ["void", "", "-"])
def test_a_cell_without_a_number_says_nothing_of_what_is_left(cell: str) -> None:
    assert assays.left_of_row(["a", "b", "left %"], ["x", "y", cell]) is None
    assert assays.left_of_row(["a", "b"], ["x"]) is None


@pytest.mark.parametrize("form", FORMS)
def test_a_table_is_reckoned_where_most_of_it_is_of_the_right_size(form: str) -> None:
    about = {f"c{n} / klk3": 10.0 * (n + 1) for n in range(6)}

    def table(times: float) -> str:
        rows = [f"c{n},KLK3,{assays.left_cells(one * times, [form])[0]},ok\n" for n, one in enumerate(about.values())]
        return f"compound,gene,{assays.LEFT_HEADS[form]},verdict\n" + "".join(rows)

    assert assays.reckoned(_files({"out/t.csv": table(1.2)}), "out/", about)
    assert not assays.reckoned(_files({"out/t.csv": table(0.3)}), "out/", about)
    assert not assays.reckoned(_files({"out/t.csv": table(1.2)}), "out/", about, columns=5)
    assert not assays.reckoned(_files({"out/t.csv": table(1), "out/u.csv": table(1)}), "out/", about)


@given(st.floats(0.5, 5000))
def test_a_potency_is_the_same_in_each_unit(half: float) -> None:
    nanomolar, negative, micromolar = (float(measures.written_potency(half, one)) for one in ("nM", "pDC50", "uM"))
    assert nanomolar == pytest.approx(half, abs=0.06)
    assert 10 ** (9 - negative) == pytest.approx(half, rel=0.02)
    assert 1000 * micromolar == pytest.approx(half, rel=0.006)


PAGE = "| line | effect | interval |\n| --- | --- | --- |\n| A | 0.66 | {} |\n| B | 0.71 | {} |\n"


@pytest.mark.parametrize(
    ("cells", "ratios", "others"),
    [
        (("0.57 to 0.81", "0.60–0.84"), True, False),
        (("95 % CI 0.57 to 0.81", "(0.60, 0.84)"), True, False),
        (("0.57 to 0.81", "-"), False, False),
        (("-", "none"), False, True),
        (("0.57", "0.6"), False, False),
    ],
)
def test_ratios_have_their_intervals_and_nothing_else_has(cells: tuple[str, str], ratios: bool, others: bool) -> None:
    evidence = _files({"page.md": PAGE.format(*cells)})
    assert trial_effects.interval_fits(evidence, "page.md", "hr", ["a", "b"]) is ratios
    assert trial_effects.interval_fits(evidence, "page.md", "months", ["a", "b"]) is others
    assert not trial_effects.interval_fits(evidence, "page.md", "hr", ["c"])


SENTENCES = {"sites": "It ran at {} sites.", "age": "Age was {} years.", "men": "There were {} men."}
FIGURES = {"sites": ("84", "112"), "age": ("71.2", "67.9"), "men": ("506", "493")}


@given(st.sets(st.sampled_from([*SENTENCES]), min_size=1), st.sampled_from(["was", "struck", "list", None]))
def test_a_draft_is_mended_where_it_is_wrong_and_shows_it_in_its_way(wrong: set[str], how: str | None) -> None:
    facts = mends.draft_facts(SENTENCES, FIGURES, wrong)
    draft = "\n".join(facts["prose"].values())
    changes, listed, below = mends.mending(SENTENCES, {name: FIGURES[name] for name in facts["wrong"]}, how)
    for old, new in changes.items():
        assert draft.count(old) == 1
        draft = draft.replace(old, new)
    evidence = _files({"draft.md": draft + below})
    assert mends.mended(evidence, "draft.md", facts["pairs"])
    assert mends.shown(evidence, "draft.md", how or "silent", facts["pairs"]) is (len(wrong) >= 3)
    assert listed.count("\n") == len(wrong) == int(facts["many"][0])


@pytest.mark.parametrize(("how", "there"), [("tag", "(assumed)"), ("column", "basis"), ("section", "## Assumed")])
def test_what_is_assumed_is_apart_in_one_way(how: str, there: str) -> None:
    pages = {
        "tag": "| pair | gain |\n| --- | --- |\n| A | 3 (assumed) |\n| B | 4 |\n",
        "column": "| pair | gain | basis |\n| --- | --- | --- |\n| A | 3 | assumed |\n| B | 4 | computed |\n",
        "section": "| pair | gain |\n| --- | --- |\n| A | - |\n| B | 4 |\n\n## Assumed\n\n- A: 3\n",
    }
    assert there in pages[how]
    for way in pages:
        evidence = _files({"out/page.md": pages[how]})
        assert own_choices.assumed_apart(evidence, "out/", way, "A") is (way == how)
    assert not own_choices.assumed_apart(_files({"out/page.md": pages[how]}), "out/", how, "B")


def test_what_a_page_shows_of_a_thing_is_told_by_star_and_section() -> None:
    page = "# Map\n\n| **alpha** |\n| beta (*) |\n\nClash: beta\n\n## Not on our list\n\n* gamma\n"
    shown = {
        name: own_choices.ways_shown(page, name, "not on our list", "clash") for name in ("Alpha", "beta", "gamma")
    }
    assert shown == {"Alpha": {"plain"}, "beta": {"star"}, "gamma": {"apart"}}
    assert own_choices.ways_shown(page, "delta", "not on our list") == set()
    assert own_choices.ways_shown(page, "beta", "not on our list") == {"star", "plain"}


def test_labels_are_read_whatever_they_are_dressed_in() -> None:
    assert own_choices.said_in_lines("- **Route:** `B`\n> yield %: 18\nno label\nRoute: C\n") == {
        "route": "C",
        "yield %": "18",
    }


def test_notes_and_logs_are_read_by_line() -> None:
    rows = {61: {"content": " Gro M \n\n~~Ketil L~~\n"}}
    evidence = SimpleNamespace(apps={"simple_note": SimpleNamespace(table=lambda _: rows)})
    assert logs.note_lines(evidence, 61) == ["Gro M", "~~Ketil L~~"]
    assert logs.note_lines(evidence, 62) == []
    for now, one in (("a\nb\n", True), ("a\n", False), ("a\nb\nc\n", False)):
        assert logs.gained_one(_files({"log.md": now}, {"log.md": "a\n"}), "log.md") is one


@given(st.lists(st.sampled_from(["mean", "median", "nearest"]), unique=True, min_size=1))
def test_beliefs_that_are_one_apart_differ_in_one_thing(hows: list[str]) -> None:
    found = telling.by_belief(lambda *values: values, hows, [True, False], [None, 5])
    assert len(found) == 4 * len(hows)
    assert all(found[telling.belief(*values)] == values for values in found.values())
    pairs = [*telling.one_apart(found)]
    assert all(sum(a != b for a, b in zip(one, other, strict=True)) == 1 for one, other in pairs)
    # Of each belief one other differs in the second and one in the third thing, and all other hows in the first.
    assert 2 * len(pairs) == len(found) * (2 + len(hows) - 1)
