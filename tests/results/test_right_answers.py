"""What is right whatever the other wishes are: governed places, tokens, fewest, extra, what makes a result sound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.results import answers, aspect, fault, wish

NAMES = ("oak", "ash", "elm", "fir")
KEY = ("name",)


def table(wishes: Mapping[str, Any]) -> str:
    """A table whose costs one wish doubles, from which another leaves a row out, and that a third sorts."""
    rows = {name: (number + 3) * (wishes["double"] or 1) for number, name in enumerate(NAMES)}
    if wishes["without"]:
        del rows[wishes["without"]]
    listed = sorted(rows) if wishes["sorted"] else list(rows)
    return "| name | cost |\n|---|---|\n" + "".join(f"| {name} | {rows[name]} |\n" for name in listed)


POOL = (wish("double", 2, None, 3), wish("without", "elm", None, "fir"), wish("sorted", True, None))
KNOWN = answers(table, *POOL)
BELIEFS = st.fixed_dictionaries(
    {"double": st.sampled_from([None, 2, 3]), "without": st.sampled_from([None, "elm", "fir"]), "sorted": st.booleans()}
)


@given(BELIEFS)
def test_a_wish_holds_in_what_is_right_for_it_whatever_else_was_believed(belief: Mapping[str, Any]) -> None:
    handed = table(belief)
    costs, rows, order = (aspect("table", name, key=KEY) for name in ("cells", "rows", "order"))
    assert (fault(costs, handed, KNOWN, of="double") == "") == (belief["double"] == 2)
    assert (fault(rows, handed, KNOWN, of="without") == "") == (belief["without"] == "elm")
    assert (fault(order, handed, KNOWN, of="sorted") == "") == belief["sorted"]


@given(BELIEFS)
def test_an_item_holds_only_where_all_drawn_wishes_do(belief: Mapping[str, Any]) -> None:
    handed = table(belief)
    right = {"double": 2, "without": "elm", "sorted": True}
    rows = aspect("table", "rows", {"extra": 0}, key=KEY)
    faults = [fault(aspect("table", name, key=KEY), handed, KNOWN, "item") for name in ("cells", "order")]
    assert (([*faults, fault(rows, handed, KNOWN, "item")]) == ["", "", ""]) == (belief == right)


@given(BELIEFS)
def test_a_result_is_sound_whatever_single_wish_is_wrong(belief: Mapping[str, Any]) -> None:
    wrong = sum(belief[one.name] not in (one.true, *([False] if one.true is None else [])) for one in POOL)
    asked = aspect("table", "rows", {"least": 1.0, "extra": 0}, key=KEY)
    if wrong <= 1:
        assert fault(asked, table(belief), KNOWN, "sound") == ""


@pytest.mark.parametrize(
    ("rows", "sound"),
    [
        (["oak", "ash"], True),
        (["oak"], False),
        (["oak", "ash", "elm", "fir"], True),
        (["oak", "ash", "yew"], False),
        (["oak", "ash", "oak"], False),
        ([], False),
    ],
)
def test_what_is_sure_must_be_there_and_what_is_never_right_must_not(rows: list[str], sound: bool) -> None:
    handed = "| name | cost |\n|---|---|\n" + "".join(f"| {name} | 1 |\n" for name in rows)
    asked = aspect("table", "rows", {"least": 0.7, "extra": 0}, key=KEY)
    assert (fault(asked, handed, KNOWN, "sound") == "") == sound


def test_a_threshold_on_what_always_depends_on_a_wish_says_that_it_tells_nothing() -> None:
    known = answers(lambda wishes: f"|name|cost|\n|-|-|\n|oak|{wishes['w']}|\n", wish("w", 1, 2))
    assert "all of it depends on some wish" in fault(aspect("table", "cells", key=KEY), "x", known, "sound")


def test_other_mistakes_are_other_wishes_matters_and_slips_are_forgiven() -> None:
    handed = table({"double": 2, "without": "elm", "sorted": True})
    costs = aspect("table", "cells", key=KEY)
    assert fault(costs, handed.replace("| oak | 6 |", "| oak | 7 |"), KNOWN, of="double") != ""
    assert (
        fault(aspect("table", "cells", {"slips": 1}, key=KEY), handed.replace("| 6 |", "| 7 |"), KNOWN, of="double")
        == ""
    )
    assert (
        fault(aspect("table", "cells", {"tolerance": 1}, key=KEY), handed.replace("| 6 |", "| 7 |"), KNOWN, of="double")
        == ""
    )
    assert fault(aspect("table", "order", key=KEY), handed.replace("| 6 |", "| 7 |"), KNOWN, of="sorted") == ""


def test_a_file_without_the_places_that_a_wish_governs_does_not_hold() -> None:
    for name in ("cells", "order"):
        assert fault(
            aspect("table", name, key=KEY), "Nothing of it.", KNOWN, of="double" if name != "order" else "sorted"
        )


def verdicts(wishes: Mapping[str, Any]) -> str:
    """One of three is entered: "barred" takes the ash out, the oak is next in line, and "short" makes it too costly."""
    found = {"ash": "possible", "oak": "costly" if wishes["short"] else "possible", "fir": "possible"}
    if wishes["barred"] == "yes":
        found["ash"] = "barred"
    best = next(name for name in (wishes["best"], "oak") if found[name] != "barred")
    found[best] = "entered"
    return "| name | cost |\n|---|---|\n" + "".join(f"| {name} | {verdict} |\n" for name, verdict in found.items())


VERDICTS = answers(verdicts, wish("barred", "no", "yes"), wish("best", "fir", "ash"), wish("short", None, True))


@given(
    st.fixed_dictionaries(
        {
            "barred": st.sampled_from(["no", "yes"]),
            "best": st.sampled_from(["fir", "ash"]),
            "short": st.sampled_from([None, True]),
        }
    )
)
def test_a_wish_holds_where_another_one_changes_what_it_governs_for_a_third(belief: Mapping[str, Any]) -> None:
    # Only where the ash is believed to be the best does "barred" govern the oak's verdict, which "short" changes too.
    costs = aspect("table", "cells", key=KEY)
    assert (fault(costs, verdicts(belief), VERDICTS, of="barred") == "") == (belief["barred"] == "no")


def text(wishes: Mapping[str, Any]) -> str:
    """A text with a number that one wish sets, another for another wish, and one that always stands there."""
    return f"Of 100 rows, {wishes['share'] or 'some'} are new; {wishes['late'] or 'none'} came late."


NUMBERS = answers(text, wish("share", 17, None, 23), wish("late", 5, None, 9))


@pytest.mark.parametrize(
    ("handed", "share", "late"),
    [
        ("17 of 100 are new, 5 late", True, True),
        ("17 of 100 are new", True, False),
        ("17 of 100 are new, 9 late", True, False),
        ("23 of 100 are new, 5 late", False, True),
        ("17 or 23 of 100 are new, 5 late", False, True),
        ("17, and 5 or 9", True, False),
        ("17, 5, and 42 of something else", True, True),
        ("", False, False),
    ],
)
def test_tokens_are_wanted_wherever_they_stand_and_those_of_other_values_are_not(
    handed: str, share: bool, late: bool
) -> None:
    asked = aspect("text", "numbers")
    assert (fault(asked, handed, NUMBERS, of="share") == "") == share
    assert (fault(asked, handed, NUMBERS, of="late") == "") == late


def test_a_result_that_is_not_wanted_for_some_value_is_not_asked_for() -> None:
    sometimes = answers(lambda wishes: "x" if wishes["w"] else None, wish("w", True, None))
    assert fault(aspect("text", "numbers"), "", sometimes) == ""


def test_right_is_made_once_for_each_belief() -> None:
    made: list[tuple[Any, ...]] = []

    def counted(wishes: Mapping[str, Any]) -> str:
        made.append(tuple(wishes.values()))
        return table(wishes)

    known = answers(counted, *POOL)
    for _ in range(3):
        for one in POOL:
            fault(aspect("table", "cells", key=KEY), "x", known, of=one.name)
    assert len(made) == len(set(made))
