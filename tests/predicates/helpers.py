"""Evidence by hand: what the session found, what is there now, what was said and called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.predicates import Evidence, Outcome, compile_predicate
from pi_gym.state import Workspace


def evidence(
    now: Mapping[str, str | bytes | None] | None = None, start: Mapping[str, str | bytes] | None = None, **rest: Any
) -> Evidence:
    """Evidence where `now` overwrites the files of `start` (None deletes one)."""
    workspace = Workspace({path: _data(text) for path, text in (start or {}).items()})
    mark = workspace.mark()
    for path, text in (now or {}).items():
        if text is None:
            workspace.delete(path)
        else:
            workspace.write(path, _data(text))
    return Evidence(now=workspace, start=workspace.at(mark), changes=workspace.changes(mark), **rest)


def _data(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def check(spec: Any, found: Evidence, **options: Any) -> Outcome:
    """The outcome of a spec on evidence; both outcomes say why."""
    outcome = compile_predicate(spec, "check", **options).test(found)
    assert outcome.why
    return outcome


def reads(condition: Any, text: str) -> bool:
    """Whether a reply meets a TEXT condition."""
    return check({"reply": condition}, Evidence(replies=(text,))).holds
