"""A content that was judged before is judged as it would be alone: what is kept of it is of it, and of its check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from predicates.helpers import evidence
from support.results import answers, aspect, wish

from pi_gym.predicates import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import Node, ParseContext
from pi_gym.results.content import Letter, Letters, Record, Records, ResultContent, ResultText, digest
from pi_gym.results.facets import Demand, kinds
from pi_gym.results.place import FilePlace
from pi_gym.results.result_checks import AskedCheck, AskedDemand, AskedFacet, JudgedContent, ResultCheck
from pi_gym.results.right_answers import MAX_JUDGED, RightAnswers
from pi_gym.state import Changes

ROWS = {"oak": 3, "ash": 4, "elm": 5}


def table(wishes: Mapping[str, Any]) -> str:
    """A table whose costs one wish doubles, and from which another leaves a row out."""
    rows = {name: cost * (wishes["double"] or 1) for name, cost in ROWS.items() if name != wishes["without"]}
    return "| name | cost |\n|---|---|\n" + "".join(f"| {name} | {cost} |\n" for name, cost in rows.items())


def known() -> RightAnswers:
    return answers(table, wish("double", 2, None, 3), wish("without", "elm", None, "ash"))


def demand(name: str, argument: Any) -> AskedDemand:
    facet = kinds()["table"].facets[name]
    assert isinstance(facet, Demand)
    return AskedDemand(facet, facet.parse(Node(argument, name, ParseContext(None))))


class Said:
    """The check that a reply was given: what it looks at is no matter of the content."""

    def test(self, evidence: Evidence) -> Outcome:
        return Outcome(bool(evidence.replies), "said" if evidence.replies else "not said")

    def footprint(self) -> Footprint:
        return Footprint.of("anything")


def checks(right: RightAnswers) -> list[ResultCheck]:
    """Checks that ask alike for other wishes, scopes and results."""
    cells, rows = (aspect("table", name, key=("name",)) for name in ("cells", "rows"))
    sound: tuple[AskedFacet, ...] = (aspect("table", "rows", {"extra": 1}, key=("name",)),)
    one = ResultCheck("out", FilePlace("out.md", new=True), sound, (cells,), lambda: right, "wish", "double")
    return [
        one,
        replace(one, wish="without"),
        replace(one, asked=(rows,), wish="without"),
        replace(one, asked=(cells, rows), scope="item", wish=""),
        replace(one, asked=(), scope="sound", wish=""),
        replace(one, asked=(demand("keeps", 0.9),)),
        replace(one, asked=(demand("keeps", 0.1), demand("count", 2))),
        replace(one, asked=(cells, AskedCheck(Said())), scope="item", wish=""),
        replace(one, asked=(aspect("table", "cells", {"tolerance": 4.5}, key=("name",)),)),
        replace(one, asked=(aspect("table", "cells", {"extra": 0}, key=("name",)),), scope="item", wish=""),
        replace(one, asked=(aspect("table", "cells", {"rows": ["oak"], "extra": 0}, key=("name",)),), scope="item"),
        replace(one, sound=(demand("count", 2),)),
        replace(one, scope="item", wish=""),
        replace(one, place=FilePlace("out.md", new=False), asked=(demand("keeps", 0.75),)),
        replace(one, place=FilePlace("out.md", new=False)),
        replace(one, place=FilePlace("other.md", new=True)),
    ]


def moments() -> list[Evidence]:
    texts = [table({"double": a, "without": b}) for a, b in product((None, 2, 3), (None, "elm", "ash"))]
    found = [
        evidence({"out.md": text}, replies=replies) for text in (*texts, "", "no table") for replies in ((), ("",))
    ]
    found += [evidence({"out.md": text}, {"out.md": texts[0] + "more\n" * 9}) for text in texts]
    found += [evidence({"out.md": text}, {"out.md": f"{text}more\n"}) for text in texts]
    return [*found, evidence({"other.md": texts[4]}), evidence()]


def test_each_check_finds_in_each_content_what_it_finds_alone() -> None:
    shared = checks(known())
    each = [[checks(known())[number].test(moment) for moment in moments()] for number in range(len(shared))]
    alone = [list(outcomes) for outcomes in zip(*each, strict=True)]
    for _ in range(2):
        assert [[one.test(moment) for one in shared] for moment in moments()] == alone
    assert [[one.test(moment) for one in shared[::-1]][::-1] for moment in moments()[::-1]][::-1] == alone
    assert all(len({outcome.holds for outcome in outcomes}) == 2 for outcomes in each)


def test_one_facet_for_a_sound_result_and_for_an_item_finds_for_each() -> None:
    rows = (aspect("table", "rows", key=("name",)),)
    check = replace(checks(known())[3], sound=rows, asked=rows)
    assert check.test(evidence({"out.md": table({"double": 2, "without": "elm"})})).holds
    assert not check.test(evidence({"out.md": table({"double": 2, "without": "ash"})})).holds


def test_kept_lines_are_those_that_stood_in_this_file() -> None:
    keeps = demand("keeps", 1.0)
    faults = [keeps.fault(ResultText("out.md", "a\nb\n", before)) for before in ("a\n", "a\nb\nc\n", "b\n", None)]
    assert [bool(fault) for fault in faults] == [False, True, False, False]


def test_checks_of_two_worlds_on_one_moment_keep_apart() -> None:
    ours, theirs = known(), answers(lambda wishes: "| name | cost |\n|---|---|\n| fir | 9 |\n", *known().pool)
    moment = evidence({"out.md": table({"double": 2, "without": "elm"})})
    assert [one.test(moment).holds for one in (checks(ours)[3], checks(theirs)[3])] == [True, False]
    one = checks(ours)[3]
    of_both = [replace(one, answers=lambda right=right: right) for right in (ours, theirs)]
    assert [check.test(moment).holds for check in of_both] == [True, False]


@pytest.mark.parametrize("extra", [0, 1])
@given(st.sampled_from([None, 2, 3, 7]), st.sampled_from([None, "elm", "ash", "oak"]), st.sampled_from([0.7, 1.0, 1.5]))
def test_what_reads_as_right_is_as_sound_as_a_look_at_all_beliefs_finds(
    extra: int, double: int | None, without: str | None, least: float
) -> None:
    handed = ResultText("out.md", table({"double": double, "without": without}))
    for right in (known(), answers(lambda wishes: None, *known().pool)):
        for name in ("cells", "rows", "columns"):
            asked = aspect("table", name, {"extra": extra, "least": least}, key=("name",))
            judged = JudgedContent(handed, {})
            whole = asked._sound(
                judged.read(asked.aspect, asked.reading), right.for_sound("out", asked.aspect, asked.reading)
            )
            assert asked.fault(judged, "out", right, "sound", "") == whole


def test_what_reads_as_right_is_sound_though_all_of_it_hangs_on_some_wish() -> None:
    def written(cost: int) -> str:
        return f"| name | cost |\n|---|---|\n| fir | {cost} |\n"

    right = answers(lambda wishes: written(wishes["cost"]), wish("cost", 3, 4))
    asked = aspect("table", "cells", key=("name",))

    def fault(cost: int) -> str:
        handed = ResultText("out.md", written(cost))
        return asked.fault(JudgedContent(handed, {}), "out", right, "sound", "")

    assert fault(3) == ""
    assert "nothing sure" in fault(4)


CONTENTS: list[ResultContent | None] = [
    None,
    *(
        ResultText(path, text, before, day)
        for path, text, before, day in product(("a", "ab"), ("", "b", "bc"), (None, "", "b", "c"), ("", "2026-03-09"))
    ),
    *(
        Letters((Letter((to,), ResultText("", body), subject=subject, extra=extra),))
        for to, body, subject, extra in product("xy", "xy", "xy", ({}, {"thread": 1}, {"thread": "1"}))
    ),
    Letters((Letter(("x",), ResultText("", "x")), Letter(("x",), ResultText("", "x")))),
    *(
        Records((Record("k", {"n": value}, deleted),))
        for value in (1, 1.0, "1", True, None)
        for deleted in (True, False)
    ),
    Records(()),
]


def test_contents_that_differ_in_anything_have_other_digests() -> None:
    assert len({digest(one) for one in CONTENTS}) == len(CONTENTS)
    assert digest(ResultText("a", "x\ud800")) != digest(ResultText("a", "x\ud801"))
    assert digest(replace(CONTENTS[1])) == digest(CONTENTS[1])  # type: ignore[type-var]


def test_the_contents_judged_last_are_known_and_no_more() -> None:
    right = known()
    contents = [ResultText("out.md", str(number)) for number in range(MAX_JUDGED + 1)]
    kept = [right.found_in(one) for one in contents]
    assert all(right.found_in(one) is found for one, found in zip(contents[1:], kept[1:], strict=True))
    assert right.found_in(contents[0]) is not kept[0]
    assert all(one is not other for one, other in combinations(kept, 2))


def test_right_contents_that_are_alike_are_one_object_and_others_are_not() -> None:
    right = known()
    for one, other in combinations(right.beliefs(), 2):
        same = right.content("out", one) == right.content("out", other)
        assert (right.content("out", one) is right.content("out", other)) == same


def test_a_function_that_makes_a_result_sound_is_asked_of_each_scope_of_a_moment() -> None:
    said = replace(checks(known())[0], sound=(AskedCheck(Said()),))
    turn = evidence({"out.md": table({"double": 2, "without": "elm"})}, replies=("Here it is.",))
    assert said.test(turn).holds
    silent = turn.at_same_moment(replies=(), earlier=turn.replies)
    assert turn.found
    assert silent.found == turn.found
    assert not said.test(silent).holds


def test_evidence_of_another_state_finds_all_anew() -> None:
    check = checks(known())[0]
    moment = evidence({"out.md": table({"double": 2, "without": "elm"})})
    assert check.test(moment).holds
    assert not check.test(replace(moment, changes=Changes())).holds
