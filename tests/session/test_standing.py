"""The protocol's rules as functions: what follows from what judges decided."""

from __future__ import annotations

import pytest
from support.packs import protocol
from support.play import opened

from pi_gym.errors import AnswerError, SessionError
from pi_gym.pibench.standing import (
    Standing,
    grade,
    judged_items,
    rule_asked,
    rule_satisfied,
    rule_stated,
    settle_verdicts,
)
from pi_gym.questions import Asked, AskedClause
from pi_gym.rewards import RewardConfig
from pi_gym.types import Verdict
from pi_gym.users.base import Satisfied

TASK = protocol().instantiate("01-three")
OPEN = Standing.at_opening(TASK.intents)


def asked(*hits: str, misses: int = 0) -> Asked:
    clauses = (AskedClause("which?", hits, "hit"), AskedClause("and?", (), "ignored"))
    return Asked(clauses, hits, misses, 1, ())


def test_only_open_intents_are_completed_and_the_standing_before_stays_as_it_was() -> None:
    first = rule_satisfied(OPEN, TASK.intents, Satisfied({"i2": "so it is"}), 1)
    again = rule_satisfied(first.standing, TASK.intents, Satisfied({"i2": "still", "i3": "now too"}), 4)
    assert (OPEN.statuses["i2"], first.standing.statuses["i2"]) == ("open", "completed")
    assert [intent.id for intent in again.settled] == ["i3"]
    assert again.standing.turns == {"i2": 1, "i3": 4}
    assert again.notes == (("status", {"intent": "i3", "status": "completed", "needless": False, "reason": "now too"}),)


def test_a_hit_counts_once_and_in_the_order_of_the_questions() -> None:
    ruling = rule_asked(OPEN, TASK.intents, asked("i3", "i1", "i3"), 2, opened().told)
    assert [intent.id for intent in ruling.settled] == ["i3", "i1"]
    assert list(ruling.standing.turns) == ["i3", "i1"]
    assert (ruling.standing.questions, [kind for kind, _ in ruling.notes]) == (1, ["asked", "status", "status"])


def test_what_was_settled_since_is_told_in_its_order() -> None:
    one = rule_stated(OPEN, [TASK.intents[2]], 1).standing
    two = rule_satisfied(one, TASK.intents, Satisfied({"i1": ""}), 2).standing
    assert two.settled_since(OPEN) == [("provided", False), ("completed", False)]
    assert two.settled_since(one) == [("completed", False)]


def test_nothing_stated_changes_nothing() -> None:
    assert rule_stated(OPEN, [], 1).standing is OPEN


def test_verdicts_must_be_those_of_the_items() -> None:
    passed = [Verdict(item.id, "passed", "rule") for item in TASK.checklist]
    assert settle_verdicts(TASK.checklist, passed) == tuple(passed)
    for wrong in (passed[:-1], [*passed, passed[0]], [passed[1], passed[0], *passed[2:]], [*passed[:-1], "passed"]):
        with pytest.raises(SessionError, match="not those of the view's items"):
            settle_verdicts(TASK.checklist, wrong)


def test_a_verdict_that_could_not_be_given_is_no_failed_item() -> None:
    found = [Verdict(item.id, "unscored", "rubric", "the model was away") for item in TASK.checklist]
    with pytest.raises(AnswerError, match="item c1 is unscored: the model was away"):
        settle_verdicts(TASK.checklist, found)


def test_the_parts_of_an_item_stand_in_its_place_and_weigh_as_it_does() -> None:
    items = TASK.checklist[:2]
    parts = [Verdict(f"c1.{n}", "passed", "rule", part_of="c1", name=f"part {n}") for n in (1, 2)]
    verdicts = settle_verdicts(items, [*parts, Verdict("c2", "failed", "rule")])
    judged = judged_items(items, verdicts)
    assert [(item.id, item.weight) for item in judged] == [("c1.1", 1.0), ("c1.2", 1.0), ("c2", 1.0)]
    assert judged[1].name == "part 2"
    grading = grade(OPEN, judged, verdicts, (), RewardConfig(), turns=1, invalid=0)
    assert grading.scores["comp"] == pytest.approx(2 / 3)


def test_a_needless_question_counts_for_proc_and_not_for_strict_proc() -> None:
    standing = Standing({"i1": "inferred", "i2": "completed", "i3": "open"}, {}, needless=frozenset({"i1"}))
    scores = grade(standing, (), (), (), RewardConfig(), turns=2, invalid=0).scores
    assert scores == {"proc": 2 / 3, "strict_proc": 1 / 3, "comp": None, "return": pytest.approx(1 / 3)}
