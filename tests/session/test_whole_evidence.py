"""The evidence of the whole session: at the end of a turn it is the turn's, with what came before."""

from __future__ import annotations

from typing import Any

from support.play import call, opened, play, write

from pi_gym.graders.base import FinalView
from pi_gym.graders.rule import RuleGrader
from pi_gym.pibench.session import PiSession
from pi_gym.predicates import Evidence
from pi_gym.types import Verdict


class KeepingGrader(RuleGrader):
    """A grader by rules that keeps the evidence which it is shown."""

    def __init__(self) -> None:
        self.seen: Evidence | None = None

    def grade(self, view: FinalView, answers: Any = None) -> tuple[Verdict, ...]:
        """See `Grader`."""
        self.seen = view.evidence
        return super().grade(view, answers)


def graded(*actions: str) -> tuple[PiSession, Evidence]:
    grader = KeepingGrader()
    session = opened(grader=grader)
    play(session, *actions)
    if not session.ended:
        session.truncate("max_turns")
    assert grader.seen is not None
    return session, grader.seen


def same(one: Evidence, other: Evidence) -> bool:
    names = ("replies", "calls", "attachments", "changes", "statuses", "earlier", "change_spans")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def test_a_grader_sees_what_evidence_made_anew_shows() -> None:
    for actions in (
        (write("a.txt", "1"), "One.", call("list_dir") + write("b.txt", "1"), "Two.", "Three."),
        ("Which format?", write("a.txt", "1") + call("message", content="Soon."), "Done."),
        (write("a.txt", "1"),),
    ):
        session, seen = graded(*actions)
        assert same(seen, session.evidence(session.log))
        assert seen.calls
        assert not seen.earlier


def test_the_whole_sessions_evidence_has_the_present_statuses_and_finds_nothing_twice() -> None:
    session = opened()
    play(session, write("a.txt", "1"), "One.")
    turn = session.turn_evidence()
    turn.found["asked"] = "found"
    session.standing = session.standing._replace(statuses=dict.fromkeys(session.standing.statuses, "provided"))
    whole = session.whole_evidence()
    assert same(whole, session.evidence(session.log))
    assert whole.found["asked"] == "found"
    session.forget_evidence()
    assert "asked" not in session.whole_evidence().found
