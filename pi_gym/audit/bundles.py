"""Bundles: one recorded session each, as a judge reads it: everything but who played it, and what it scored."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from pi_gym.dossier import Dossier, PutQuestion
from pi_gym.errors import PiGymError
from pi_gym.family import Family, Judgement
from pi_gym.runs.lines import RunError, explained
from pi_gym.runs.recorded import RecordedRun
from pi_gym.runs.store import write_json
from pi_gym.session.conversation import conversation
from pi_gym.session.trajectory import SessionKey, Trajectory, read_trajectories

#: The characters of one text that a bundle shows.
MOST_CHARS = 20_000
#: Behind a question of which the user takes no notice any more.
PAST = " [past the questions that the user answers]"


def session_name(key: SessionKey) -> str:
    """The name of a session in an audit: its task, and a mark that does not tell who played it.

    >>> session_name(SessionKey("plain", "Mini-v0", "pibench", "mini", "01-list", 7, 0, "none", 0))
    '01-list-d638f944'
    """
    mark = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_-]', '-', key.task_id)}-{mark}"


def judged_names(family: Family, record: Trajectory) -> dict[str, list[str]]:
    """The names under which a verdict's file speaks of the parts of a session, by part."""
    found = family.judgements(record)
    return {part.key: [judged_name(one) for one in found if one.kind == part.kind] for part in family.judged}


def judged_name(judgement: Judgement) -> str:
    """The name under which a verdict's file speaks of something judged."""
    return judgement.name or judgement.id


def write_bundles(
    run: str | Path, out: str | Path, *, pack: str | Path | None = None
) -> tuple[list[str], dict[str, str]]:
    """Write NAME.md and NAME.json for every scored session of a run.

    Args:
        run: a run's folder, or a file of trajectories.
        out: the folder; what it holds of other sessions stays.
        pack: where the sessions' pack lies; None: where the run had it.

    Returns:
        The names of the sessions written, and by name of those that could not be, why.

    Raises:
        RunError: the run cannot be read, or the folder not be written.
        StateMismatch: a pack's content is not the recorded one.
    """
    recorded, folder = RecordedRun(run, pack), Path(out)
    written: list[str] = []
    failed: dict[str, str] = {}
    with explained(folder, "cannot be written"):
        folder.mkdir(parents=True, exist_ok=True)
    for record, found in recorded.family.dossiers(read_trajectories(run), recorded.packs):
        name = session_name(record.key)
        if isinstance(found, Exception):
            failed[name] = f"{record.key}: {found}"
            continue
        head, text = _head(name, recorded.family, record), _text(name, recorded.family, record, found)
        with explained(folder, "cannot be written"):
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
            write_json(folder / f"{name}.json", head)
        written.append(name)
    return written, failed


def bundles_folder(run: Path) -> Path:
    """The folder of a run's bundles where none is named: beside the run, whose own folder holds the scores."""
    return run.with_name(f"{run.stem if run.is_file() else run.resolve().name}-bundles")


def _head(name: str, family: Family, record: Trajectory) -> dict[str, Any]:
    asked = [
        {"question": number, "turn": one.turn, "text": one.text}
        for number, one in enumerate(family.questions(record), start=1)
    ]
    return {"session": name, **judged_names(family, record), "questions": asked}


def _text(name: str, family: Family, record: Trajectory, dossier: Dossier) -> str:
    judgements = family.judgements(record)
    lines = [f"# Session {name}", "", f"Task {record.task_id}."]
    for part in family.judged:
        lines += ["", f"## {part.title}", ""]
        of_part = [one for one in judgements if one.kind == part.kind]
        lines += [
            f"- **{judged_name(one)}**: {' '.join(dossier.texts.get((one.kind, one.id), '').split())}"
            for one in of_part
        ]
        lines += [] if of_part else ["None."]
    lines += ["", "## Conversation", ""]
    turns = {turn: [*said] for turn, said in groupby(conversation(record), key=lambda one: one.turn)}
    for turn in sorted({*turns, *dossier.changes}):
        lines += [f"### Turn {turn}", ""]
        for one in turns.get(turn, ()):
            message = one.message
            calls = [json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
                     for call in message.tool_calls]  # fmt: skip
            who = {"assistant": "agent", "tool": "result"}.get(message.role, message.role)
            head = f"#### {who}{', refused' if one.rejected else ''}"
            lines += [head, "", *_fenced("\n".join([*filter(None, [message.content]), *calls]))]
        if turn in dossier.changes:
            lines += [f"#### files changed in turn {turn}", "", *_fenced(dossier.changes[turn])]
    for title, text in dossier.final.items():
        lines += [f"## {title}", "", *_fenced(text)]
    lines += ["## Questions of the agent, and what the user answered", "", *_asked(family.questions(record))]
    return "\n".join(lines).rstrip() + "\n"


def _asked(questions: Sequence[PutQuestion]) -> Iterator[str]:
    if not questions:
        yield "None."
    numbered = enumerate(questions, start=1)
    for turn, group in groupby(numbered, key=lambda one: one[1].turn):
        several = [*group]
        yield f"Turn {turn}:"
        yield ""
        yield from (f"{number}. {' '.join(one.text.split())}{'' if one.heard else PAST}" for number, one in several)
        yield ""
        answer = several[0][1].answer
        yield from ("The user then:", "", *_fenced(answer)) if answer else ("No message of the user followed.", "")


def _fenced(text: str) -> list[str]:
    """A text between fences that none of its lines can close, cut to size."""
    shown = text.rstrip("\n")
    if len(shown) > MOST_CHARS:
        shown = f"{shown[:MOST_CHARS]}\n[cut: {MOST_CHARS} of {len(shown)} characters are shown]"
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, shown, fence, ""]


def played_runs(runs: Sequence[Path]) -> list[Path]:
    """Those of some runs that have a scored session; others may have been begun, and nobody has come to their end.

    Raises:
        RunError: one cannot be read, or none has.
    """
    found = [run for run in runs if next(_records(run), None) is not None]
    if not found:
        raise RunError(f"{', '.join(map(str, runs))}: no scored session")
    return found


def _records(run: str | Path) -> Iterator[Trajectory]:
    """The scored records of a run, a re-scored one too."""
    try:
        yield from read_trajectories(run)
    except (OSError, ValueError) as error:
        raise RunError(f"{run} cannot be read: {error}") from error


def sessions_by_name(runs: Sequence[str | Path]) -> dict[str, Trajectory]:
    """The records of some runs by the names of their sessions.

    Raises:
        RunError: a run cannot be read.
        PiGymError: two runs hold one session.
    """
    found: dict[str, Trajectory] = {}
    for run in runs:
        for record in _records(run):
            name = session_name(record.key)
            if name in found:
                raise PiGymError(f"{run} holds the session {record.key}, which another of the runs holds too")
            found[name] = record
    return found
