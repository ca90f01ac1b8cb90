"""The atom `attached`: files that a message carried, and whether they still are what was sent."""

from __future__ import annotations

from typing import Any

import pytest
from support.play import call, opened, play, write

from pi_gym.errors import SpecError
from pi_gym.pibench.session import PiSession
from pi_gym.predicates import Evidence, compile_predicate
from pi_gym.predicates.evidence import SentFile
from pi_gym.tools.outgoing import content_hash

from .helpers import check, evidence


def sent(path: str, data: bytes = b"x", text: str = "Here it is.") -> SentFile:
    return SentFile(path, content_hash(data), text)


def found(*files: SentFile, now: dict[str, str | bytes | None] | None = None) -> Evidence:
    return evidence(now or {"out/a.pdf": b"x", "b.md": b"x"}, attachments=files)


@pytest.mark.parametrize(
    ("spec", "files", "holds"),
    [
        ({"attached": "out/a.pdf"}, [sent("out/a.pdf")], True),
        ({"attached": "out/*.pdf"}, [sent("b.md"), sent("out/a.pdf")], True),
        ({"attached": "out/"}, [sent("out/a.pdf")], True),
        ({"attached": "out/a.pdf"}, [], False),
        ({"attached": "out/a.pdf"}, [sent("b.md")], False),
        ({"attached": "out/a.pdf"}, [sent("out/a.pdf", b"earlier")], False),
        ({"attached": "out/a.pdf"}, [sent("out/a.pdf", b"earlier"), sent("out/a.pdf")], True),
        ({"attached": "out/a.pdf", "same": False}, [sent("out/a.pdf", b"earlier")], True),
        ({"attached": "gone.md"}, [sent("gone.md")], False),
        ({"attached": "gone.md", "same": False}, [sent("gone.md")], True),
        ({"attached": "**", "count": 1}, [sent("b.md"), sent("b.md")], True),
        ({"attached": "**", "count": 1}, [sent("b.md"), sent("out/a.pdf")], False),
        ({"attached": "**", "count": 0}, [], True),
        ({"attached": "**", "count": 0}, [sent("b.md")], False),
        ({"attached": "b.md", "message": {"contains": "final"}}, [sent("b.md", text="The final one.")], True),
        ({"attached": "b.md", "message": {"contains": "final"}}, [sent("b.md", text="A draft.")], False),
    ],
)
def test_files_that_were_sent(spec: Any, files: list[SentFile], holds: bool) -> None:
    assert check(spec, found(*files)).holds is holds


def test_the_reason_names_what_is_wrong() -> None:
    assert "is not any more what was sent" in check({"attached": "b.md"}, found(sent("b.md", b"old"))).why
    assert "'b.md' was sent" in check({"attached": "c.md"}, found(sent("b.md"))).why
    why = check({"attached": "b.md", "message": {"contains": "final"}}, found(sent("b.md"))).why
    assert "sent with a message that" in why


@pytest.mark.parametrize("spec", [{"attached": ""}, {"attached": 3}, {"attached": "a", "sam": 1}, {"attached": ["a"]}])
def test_a_faulty_spec_is_refused(spec: Any) -> None:
    with pytest.raises(SpecError):
        compile_predicate(spec, "check")


# -- in sessions -----------------------------------------------------------------------------------------------------


def holds(session: PiSession, spec: Any) -> bool:
    return bool(compile_predicate(spec, "check").test(session.evidence(session.log)))


def test_a_message_with_a_file_is_recorded_with_the_contents_hash() -> None:
    session = opened()
    play(session, write("out.txt", "one") + call("message", content="First.", media=["out.txt", "/home/x/y"]))
    play(session, call("message", content="See.", media=["out.txt"]) + call("message", content="No file."))
    replies = [event.data for event in session.log if event.kind == "reply"]
    assert replies[0] == {
        "text": "See.\n[attached: out.txt]",
        "how": "message",
        "attached": [{"path": "out.txt", "sha256": content_hash(b"one")}],
    }
    assert replies[1] == {"text": "No file.", "how": "message"}


def test_the_line_that_names_the_files_is_no_word_of_the_agents() -> None:
    session = opened()
    play(session, write("invoice.txt", "one") + call("message", content="", media=["invoice.txt"]))
    play(session, call("message", content="Two\nlines.", media=["invoice.txt"]))
    for text in ("attached", "invoice"):
        assert not holds(session, {"attached": "invoice.txt", "message": {"contains": text}})
    assert holds(session, {"attached": "invoice.txt", "message": {"equals": "Two\nlines."}})


def test_what_was_sent_and_then_changed_was_not_sent() -> None:
    session = opened()
    play(session, write("out.txt", "one") + call("message", content="See.", media=["out.txt"]))
    assert holds(session, {"attached": "out.txt", "message": {"contains": "see"}})
    play(session, write("out.txt", "two"))
    assert not holds(session, {"attached": "out.txt"})
    assert holds(session, {"attached": "out.txt", "same": False})
    play(session, call("message", content="Again.", media=["out.txt"]))
    assert holds(session, {"attached": "out.txt"})


def test_writing_the_line_of_an_attachment_sends_nothing() -> None:
    session = opened()
    play(session, write("out.txt", "one") + call("message", content="[attached: out.txt]"), "[attached: out.txt]")
    assert not holds(session, {"attached": "out.txt", "same": False})


def test_each_turn_has_its_own_attachments() -> None:
    session = opened()
    play(session, write("out.txt", "one") + call("message", content="See.", media=["out.txt"]), "Hm.")
    assert not session.evidence(session.log.since(session.in_turn.start)).attachments
    assert session.evidence(session.log).attachments == (SentFile("out.txt", content_hash(b"one"), "See."),)
