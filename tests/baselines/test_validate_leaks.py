"""The search for canaries finds what a leaking user says, and only what is hidden at that moment."""

from __future__ import annotations

from pathlib import Path

from pi_gym import load_pack
from pi_gym.models.role_requests import Answers
from pi_gym.proof.case import Case, make_case
from pi_gym.proof.leaks import CANARY, check_leaks, marks
from pi_gym.users.base import Decision, TurnView
from pi_gym.users.rule import RuleUser
from pi_gym.validation.report import Sheet


class TalkativeUser(RuleUser):
    """Says more than it should."""

    name = "talkative"

    def __init__(self, said: str) -> None:
        self.said = said

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str:
        """What a user says, and every text of one kind."""
        hidden = {
            "intents": [intent.text for intent in view.task.intents],
            "criteria": [item.text for item in view.task.checklist],
            "undrawn": [text for text in view.task.undrawn.values() if text],
            "reference": view.task.reference,
            "stated": [intent.text for intent in decision.intents],
        }
        return "\n".join([super().message(view, decision, answers), *hidden[self.said]])


def case() -> Case:
    return make_case(load_pack(Path(__file__).parent / "sound"), "01-scale", 1)


def leaked(said: str) -> list[str]:
    sheet = Sheet("leaks", 1)
    check_leaks(case(), sheet, TalkativeUser(said))
    return [finding.subject for finding in sheet.findings if "reaches the agent" in finding.reason]


def test_an_honest_user_leaks_nothing() -> None:
    sheet = Sheet("leaks", 1)
    check_leaks(case(), sheet)
    assert sheet.findings == []
    assert leaked("stated") == []


def test_open_intents_are_found() -> None:
    # What was asked for or told is hidden no more; the silent agent is told the first and should not hear the others.
    names = [intent.name for intent in case().task.intents]
    assert names[0] not in leaked("intents")
    assert set(names[1:]) <= {subject.removeprefix("intent ") for subject in leaked("intents")}


def test_criteria_are_found() -> None:
    assert {f"item {item.name}" for item in case().task.checklist} <= set(leaked("criteria"))


def test_answers_to_what_nobody_asked_are_found() -> None:
    assert "undrawn sorted" in leaked("undrawn")


def test_the_reference_is_found() -> None:
    assert "reference" in leaked("reference")


def test_marks_are_read_whole() -> None:
    assert marks(f"a {CANARY}-i1, {CANARY}-i12. {CANARY}-reference {CANARY}-c3\n i4") == {
        "i1",
        "i12",
        "reference",
        "c3",
    }
    assert marks("i1 c1 reference") == set()
