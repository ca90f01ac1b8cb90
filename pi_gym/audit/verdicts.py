"""Verdict files: what one judge found in one session, read and checked against what there was to judge."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_gym.audit.bundles import judged_names
from pi_gym.dossier import JudgedPart
from pi_gym.environments import family_named
from pi_gym.errors import BadArgument, unknown
from pi_gym.session.trajectory import Trajectory

#: The number of mistakes that one message tells.
MOST_MISTAKES = 20


@dataclass(frozen=True, slots=True)
class Opinion:
    """A judge's word on one thing.

    Args:
        value: one of the part's values.
        why: in the judge's words.
        unfair: the judge calls what is demanded unfair.
    """

    value: str
    why: str
    unfair: bool = False


@dataclass(frozen=True, slots=True)
class SessionVerdict:
    """The verdict of one judge on one session.

    Args:
        session: its name.
        judge: who judged.
        opinions: by part's key and by name.
        beside: by number, why a question was answered beside the point.
        unfair: remarks on the task as a whole.
    """

    session: str
    judge: str
    opinions: Mapping[str, Mapping[str, Opinion]]
    beside: Mapping[int, str]
    unfair: str


def read_verdicts(folder: str | Path, sessions: Mapping[str, Trajectory]) -> list[SessionVerdict]:
    """The verdicts in a folder, one file NAME.JUDGE.json each, in the order of the files' names.

    Args:
        folder: holds the files.
        sessions: by name, those that may be judged.

    Raises:
        BadArgument: there is none, or some are not as they should be; each mistake is told with file, field, what was
            expected and what was found.
    """
    files = sorted(Path(folder).glob("*.json"))
    if not files:
        raise BadArgument(f"--verdicts {folder}: expected a folder with files NAME.JUDGE.json, found none")
    found: list[SessionVerdict] = []
    mistakes: list[str] = []
    for path in files:
        before = len(mistakes)
        verdict = _verdict(path, sessions, mistakes)
        if len(mistakes) == before and verdict is not None:
            found.append(verdict)
    if mistakes:
        left = len(mistakes) - MOST_MISTAKES
        more = [f"and {left} more"] if left > 0 else []
        raise BadArgument("verdicts are not as they should be\n  " + "\n  ".join([*mistakes[:MOST_MISTAKES], *more]))
    return found


def _verdict(path: Path, sessions: Mapping[str, Trajectory], mistakes: list[str]) -> SessionVerdict | None:
    name, _, judge = path.name.removesuffix(".json").partition(".")
    if not judge:
        mistakes.append(f"{path.name}: expected a name NAME.JUDGE.json, got one without a judge")
        return None
    if name not in sessions:
        mistakes.append(f"{path.name}: {unknown('session', name, sessions)}")
        return None
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        mistakes.append(f"{path.name}: expected JSON: {error}")
        return None
    record = sessions[name]
    family = family_named(record.family)
    reader = _Reader(path.name, mistakes)
    parts = {part.key: part for part in family.judged}
    names = judged_names(family, record)
    opinions: dict[str, dict[str, Opinion]] = {}
    beside: dict[int, str] = {}
    unfair = ""
    for key, value in reader.entries("the file", raw, [*parts, "questions", "unfair"]):
        if key in parts:
            opinions[key] = reader.part(parts[key], value, names[key])
        elif key == "questions":
            beside = reader.questions(value, len(family.questions(record)))
        elif isinstance(value, str):
            unfair = value
        else:
            reader.wrong(key, 'a text, "" where nothing is', value)
    return SessionVerdict(name, judge, opinions, beside, unfair)


class _Reader:
    """A reader of one file; whatever is not as expected becomes a mistake."""

    def __init__(self, name: str, mistakes: list[str]) -> None:
        self._name, self._mistakes = name, mistakes

    def wrong(self, field: str, expected: str, found: object) -> None:
        text = json.dumps(found, ensure_ascii=False)
        self._mistakes.append(
            f"{self._name}: {field}: expected {expected}, got {text[:100]}{'…' if len(text) > 100 else ''}"
        )

    def entries(self, field: str, raw: object, keys: Collection[str]) -> list[tuple[str, Any]]:
        """The entries of what should be an object with just these keys."""
        if not isinstance(raw, dict):
            self.wrong(field, "an object", raw)
            return []
        self._mistakes += [f"{self._name}: {field}: {key!r} is missing" for key in keys if key not in raw]
        self._mistakes += [f"{self._name}: {field}: {unknown('name', key, keys)}" for key in raw if key not in keys]
        return [(key, value) for key, value in raw.items() if key in keys]

    def part(self, part: JudgedPart, raw: object, names: Collection[str]) -> dict[str, Opinion]:
        read = self._criterion if part.is_criterion else self._status
        return dict(read(part, self.entries(part.key, raw, names)))

    def _status(self, part: JudgedPart, raw: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Opinion]]:
        for name, one in raw:
            match one:
                case [str(value), str(why)] if value in part.values:
                    yield name, Opinion(value, why)
                case _:
                    self.wrong(f"{part.key}.{name}", f"[{' | '.join(part.values)}, why]", one)

    def _criterion(self, part: JudgedPart, raw: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Opinion]]:
        for name, one in raw:
            match one:
                case [bool(holds), str(why), bool(unfair)]:
                    yield name, Opinion(part.values[0 if holds else 1], why, unfair)
                case _:
                    self.wrong(f"{part.key}.{name}", "[holds: true | false, why, unfair: true | false]", one)

    def questions(self, raw: object, count: int) -> dict[int, str]:
        if not isinstance(raw, list):
            self.wrong("questions", "a list", raw)
            return {}
        seen: list[int] = []
        beside: dict[int, str] = {}
        for place, one in enumerate(raw):
            match one:
                case {"question": int(number), "beside_the_point": bool(missed), "why": str(why)} if len(one) == 3:
                    seen.append(number)
                    beside |= {number: why} if missed else {}
                case _:
                    self.wrong(f"questions[{place}]", '{"question": n, "beside_the_point": true | false, "why"}', one)
        if len(seen) == len(raw) and sorted(seen) != [*range(1, count + 1)]:
            self.wrong("questions", f"each number of 1 to {count} once" if count else "none", seen)
        return beside
