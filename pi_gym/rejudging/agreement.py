"""The agreement of two judgements of the same sessions: on whatever their family judges.

Source: the paper's appendix F.1, table 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pi_gym.environments import family_named
from pi_gym.family import Judgement
from pi_gym.markdown_text import plain_markdown, table_lines
from pi_gym.rejudging.rescoring import JUDGES
from pi_gym.runs.confusion import Confusion, Findings
from pi_gym.runs.lines import RunError
from pi_gym.runs.recorded import RESCORED_FROM, read_run_json
from pi_gym.runs.run_files import RUN
from pi_gym.session import Trajectory, read_trajectories
from pi_gym.session.trajectory import SessionKey

RESCORED = "rescored"
_NOTHING_SHARED = "Two records are of one session where their keys agree."


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One judgement on which the two differ.

    Args:
        key: the session's key.
        kind: what was judged, as its family names it.
        id: which one; `name` the author's name for it.
        a, b: what each judged; `reason_a` and `reason_b` why.
    """

    key: SessionKey
    kind: str
    id: str
    name: str
    a: str
    b: str
    reason_a: str
    reason_b: str

    def to_json(self) -> dict[str, Any]:
        """The case as a JSON object."""
        found = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {"session": found.pop("key")._asdict(), **found}


@dataclass(frozen=True)
class Agreement:
    """The comparison of two judgements.

    Args:
        a, b: their names.
        family: of the sessions; "" where none is judged by both.
        sessions: judged by both; `only_a` and `only_b` by one alone.
        rates: by what was judged.
        cases: where they differ, in the order of the first one's sessions.
    """

    a: str
    b: str
    family: str
    sessions: int
    only_a: int
    only_b: int
    rates: Mapping[str, Confusion]
    cases: tuple[Disagreement, ...]

    def to_json(self) -> dict[str, Any]:
        """The comparison as a JSON object."""
        return {
            "a": self.a,
            "b": self.b,
            "family": self.family,
            "sessions": self.sessions,
            "only_a": self.only_a,
            "only_b": self.only_b,
            "rates": {name: rate.to_json() for name, rate in self.rates.items()},
            "cases": [one.to_json() for one in self.cases],
        }

    def markdown(self) -> str:
        """The comparison for reading."""
        lines = [
            f"# Agreement: {plain_markdown(self.a)} (A) and {plain_markdown(self.b)} (B)",
            "",
            f"{self.sessions} sessions judged by both; {self.only_a} by A alone, {self.only_b} by B alone.",
            *([] if self.sessions else [_NOTHING_SHARED]),
            "",
        ]
        rows = []
        for name, rate in self.rates.items():
            share = rate.agreement.value
            shown = ("-", "-") if share is None else (f"{100 * share:.2f} %", f"{100 * (1 - share):.2f} %")
            rows.append((name, str(rate.judged), *shown, rate.kappa.text()))
        lines += table_lines(("judgement", "judged", "agreement", "disagreement", "Cohen's kappa"), rows, range(1, 5))
        lines += ["", f"## Cases ({len(self.cases)})", ""]
        if not self.cases:
            lines.append("None.")
        for one in self.cases:
            key = one.key
            place = f"{key.pack}/{key.task_id}, variant {key.variant}, sample {key.sample}"
            lines += [
                f"- **{one.kind} {one.id} {one.name}** in {place}",
                f"  - A: {one.a}. {plain_markdown(one.reason_a)}",
                f"  - B: {one.b}. {plain_markdown(one.reason_b)}",
            ]
        return "\n".join(lines) + "\n"


def compare(a: Iterable[Trajectory], b: Iterable[Trajectory], *, names: tuple[str, str] = ("A", "B")) -> Agreement:
    """Compare two judgements of the same sessions, matched by their keys.

    Args:
        a: scored records.
        b: others of the same sessions, in any order.
        names: what to call the two.

    Raises:
        RunError: records of one key are of different sessions: what is judged in them differs.
    """
    pairs: dict[str, list[list[Findings]]] = {}
    others = {record.key: record for record in b}
    matched = alone = 0
    of = ""
    cases: list[Disagreement] = []
    for one in a:
        other = others.pop(one.key, None)
        if other is None:
            alone += 1
            continue
        matched += 1
        of, family = one.family, family_named(one.family)
        judged = family.judgements(one), family.judgements(other)
        _require_same(one, *judged)
        found: dict[str, list[Findings]] = {}
        for first, second in zip(*judged, strict=True):
            for tag in dict.fromkeys([*first.tags, *second.tags]):
                values = first.tags.get(tag, first.value), second.tags.get(tag, second.value)
                found.setdefault(tag, []).append(values)
            if first.value != second.value:
                what = first.kind, first.id, first.name, first.value, second.value, first.reason, second.reason
                cases.append(Disagreement(one.key, *what))
        for tag, several in found.items():
            pairs.setdefault(tag, []).append(several)
    rates = {name: Confusion.of(sessions) for name, sessions in sorted(pairs.items())}
    return Agreement(*names, of, matched, alone, len(others), rates, tuple(cases))


def compare_runs(a: str | Path, b: str | Path | None = None) -> Agreement:
    """Compare two folders of judgements.

    Args:
        a: a run's folder, or a file of trajectories.
        b: another judgement of its sessions; None: the run that `a` re-scores, or the one re-scoring in its folder
            "rescored".

    Raises:
        RunError: there is nothing to compare with, or a folder cannot be read.
    """
    first = Path(a)
    if not first.exists():
        raise RunError(f"{first}: there is no such run")
    second = Path(b) if b is not None else _counterpart(first)
    if b is None and read_run_json(first).get(RESCORED_FROM):
        first, second = second, first  # the judgement of the run itself comes first
    try:
        return compare(read_trajectories(first), read_trajectories(second), names=(_label(first), _label(second)))
    except (OSError, ValueError) as error:
        raise RunError(f"{first} and {second} cannot be compared: {error}") from error


def rescored_folders(run: Path) -> list[Path]:
    """The re-scorings in a run's own folder."""
    return sorted(path.parent for path in (run / RESCORED).glob(f"*/{RUN}"))


def _counterpart(run: Path) -> Path:
    source = read_run_json(run).get(RESCORED_FROM)
    if source:
        return run / str(source)
    found = rescored_folders(run)
    if len(found) == 1:
        return found[0]
    if found:
        raise RunError(f"{run} was re-scored several times; name one: {', '.join(map(str, found))}")
    raise RunError(f"{run} was not re-scored; do so with `pi-gym rescore`, or name a second run to compare with")


def _label(run: Path) -> str:
    name, judges = run.resolve().name, read_run_json(run).get(JUDGES)
    if not judges:
        return name
    told = ", ".join(f"{role} {found.get('model', found['name'])}" for role, found in judges.items())
    return f"{name} ({told})"


def _require_same(record: Trajectory, one: Sequence[Judgement], other: Sequence[Judgement]) -> None:
    if [(part.kind, part.id) for part in one] != [(part.kind, part.id) for part in other]:
        raise RunError(f"the two records of {record.key} judge different things; they are not of the same session")
