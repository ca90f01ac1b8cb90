"""The comparison of rules and judges: how often they are apart, what two readers call unfair, the scores by group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from pi_gym.audit.bundles import judged_name, sessions_by_name
from pi_gym.audit.verdicts import SessionVerdict, read_verdicts
from pi_gym.dossier import JudgedPart
from pi_gym.environments import family_named
from pi_gym.errors import PiGymError
from pi_gym.family import Family
from pi_gym.runs.confusion import Confusion, Findings
from pi_gym.runs.intervals import Interval, mean, share
from pi_gym.session.trajectory import RETURN, Trajectory

RULES = "rules"


@dataclass(frozen=True, slots=True)
class Apart:
    """One thing on which two are apart.

    Args:
        session: its name.
        kind: of what was judged; `name` which one.
        a, b: who; "rules" for the record's own judgement.
        found_a, found_b: what each found; `why_a` and `why_b` why.
    """

    session: str
    kind: str
    name: str
    a: str
    b: str
    found_a: str
    found_b: str
    why_a: str
    why_b: str


@dataclass(frozen=True, slots=True)
class Complaint:
    """A thing that judges call unfair, or an answer that they see beside the point.

    Args:
        where: the task of an item, which is the same in all its sessions; the session of a question.
        name: of the item; the question's words.
        judges: who says so, each once.
        whys: in their words.
    """

    where: str
    name: str
    judges: tuple[str, ...]
    whys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """The outcome of an audit.

    Args:
        family: of the sessions.
        sessions: in the runs; `judged` of these by one judge or more, `judged_twice` by two or more.
        judges: their names.
        apart: by kind of judgement, "rules and judges" and "two judges": how often they are apart.
        found: likewise, what the two found: the table, and Cohen's kappa.
        unsettled: judgements of the rules that are none of what judges can find; they are compared with nothing.
        groups: by group of sessions (who played, under which history) and measure, the mean score.
        groups_judged: likewise, as the judges have it, of the sessions that they judged.
        without_history: by who played and measure, the score that is lost without history, of the same tasks.
        cases: where two are apart.
        unfair: the items called so, those by most judges first; `items` of how many of the tasks'.
        beside: the answers seen beside the point; `questions` of how many that were judged.
        remarks: (session, judge, text) on tasks as a whole.
    """

    family: str
    sessions: int
    judged: int
    judged_twice: int
    judges: tuple[str, ...]
    apart: Mapping[str, Mapping[str, Interval]]
    found: Mapping[str, Mapping[str, Confusion]]
    unsettled: int
    groups: Mapping[str, Mapping[str, Interval]]
    groups_judged: Mapping[str, Mapping[str, Interval]]
    without_history: Mapping[str, Mapping[str, Interval]]
    cases: tuple[Apart, ...]
    unfair: tuple[Complaint, ...]
    items: int
    beside: tuple[Complaint, ...]
    questions: int
    remarks: tuple[tuple[str, str, str], ...]

    def to_json(self) -> dict[str, Any]:
        """The outcome as a JSON object."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}


def compare_verdicts(runs: Sequence[str | Path], folder: str | Path) -> Audit:
    """Compare the judgements in the records of some runs with the verdicts of readers.

    Args:
        runs: folders of one family's runs, or files of trajectories.
        folder: of verdict files, see `read_verdicts`.

    Raises:
        RunError: a run cannot be read.
        BadArgument: verdicts are not as they should be.
        PiGymError: the runs are of several families.
    """
    records = sessions_by_name(runs)
    names = sorted({record.family for record in records.values()})
    if len(names) > 1:
        raise PiGymError(f"the runs are of several families ({', '.join(names)}); compare those of one")
    verdicts = read_verdicts(folder, records)
    return _Comparison(family_named(names[0]), records, verdicts).audit()


class _Comparison:
    def __init__(self, family: Family, records: Mapping[str, Trajectory], verdicts: Sequence[SessionVerdict]) -> None:
        self._family, self._records, self._verdicts = family, records, verdicts
        self._by_session: dict[str, list[SessionVerdict]] = defaultdict(list)
        for one in verdicts:
            self._by_session[one.session].append(one)
        self._cases: list[Apart] = []
        self._unsettled = 0

    def audit(self) -> Audit:
        """All of it."""
        found = {part.kind: self._found(part) for part in self._family.judged}
        apart = {kind: {between: _apart(table) for between, table in tables.items()} for kind, tables in found.items()}
        shown = [one.name for one in self._family.shown if one.name in self._family.scores and one.name != RETURN]
        groups, judged = self._scores(shown)
        return Audit(
            self._family.name,
            len(self._records),
            len(self._by_session),
            sum(len(several) > 1 for several in self._by_session.values()),
            tuple(sorted({one.judge for one in self._verdicts})),
            apart,
            found,
            self._unsettled,
            _means(groups),
            _means(judged),
            self._without_history(shown),
            tuple(self._cases),
            *self._unfair(),
            *self._beside(),
            tuple((one.session, one.judge, one.unfair) for one in self._verdicts if one.unfair.strip()),
        )

    def _found(self, part: JudgedPart) -> dict[str, Confusion]:
        with_rules: list[list[Findings]] = []
        with_judges: list[list[Findings]] = []
        for name, verdicts in self._by_session.items():
            rules = self._rules(part, name)
            found = [(one.judge, {key: (each.value, each.why) for key, each in one.opinions[part.key].items()})
                     for one in verdicts]  # fmt: skip
            with_rules.append([pair for one in found for pair in self._pairs(name, part.kind, (RULES, rules), one)])
            # Which judge stands first says nothing but the order of their names.
            with_judges.append([pair for two in combinations(found, 2) for pair in self._pairs(name, part.kind, *two)])
        return {"rules and judges": Confusion.of(with_rules), "two judges": Confusion.of(with_judges)}

    def _rules(self, part: JudgedPart, session: str) -> dict[str, tuple[str, str]]:
        found = {
            judged_name(one): (part.same.get(one.value, one.value), one.reason)
            for one in self._family.judgements(self._records[session])
            if one.kind == part.kind
        }
        settled = {name: one for name, one in found.items() if one[0] in part.values}
        self._unsettled += len(found) - len(settled)
        return settled

    def _pairs(
        self,
        session: str,
        kind: str,
        one: tuple[str, Mapping[str, tuple[str, str]]],
        other: tuple[str, Mapping[str, tuple[str, str]]],
    ) -> list[Findings]:
        pairs = []
        for name in [name for name in one[1] if name in other[1]]:
            (found_a, why_a), (found_b, why_b) = one[1][name], other[1][name]
            pairs.append((found_a, found_b))
            if found_a != found_b:
                self._cases.append(Apart(session, kind, name, one[0], other[0], found_a, found_b, why_a, why_b))
        return pairs

    def _scores(self, measures: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The scores by group and measure: those of the records, and the judges'."""
        groups: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        judged: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for name, record in self._records.items():
            group = group_of(record)
            for measure in measures:
                if (value := record.scores.get(measure)) is not None:
                    groups[group][measure].append(value)
            for part in self._family.judged:
                found = [[*one.opinions[part.key].values()] for one in self._by_session.get(name, ())]
                shares = [fmean(each.value in part.credited for each in one) for one in found if one]
                if shares and part.measure:
                    judged[group][part.measure].append(fmean(shares))
        return groups, judged

    def _without_history(self, measures: Sequence[str]) -> dict[str, dict[str, Interval]]:
        scores: dict[tuple[str, str, str], dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
        for one in self._records.values():
            for measure in measures:
                if (value := one.scores.get(measure)) is not None:
                    scores[one.agent, measure, one.history_mode][one.pack, one.task_id].append(value)
        lost: dict[str, dict[str, Interval]] = defaultdict(dict)
        for agent, measure, mode in sorted(scores):
            if mode != "none":
                continue
            without, there = scores[agent, measure, "none"], scores.get((agent, measure, "reference"), {})
            pairs = [fmean(there[task]) - fmean(values) for task, values in without.items() if task in there]
            if pairs:
                lost[agent][measure] = mean(pairs)
        return dict(lost)

    def _unfair(self) -> tuple[tuple[Complaint, ...], int]:
        said: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        items: set[tuple[str, str]] = set()
        for verdict in self._verdicts:
            record = self._records[verdict.session]
            for part in (part for part in self._family.judged if part.is_criterion):
                for name, found in verdict.opinions[part.key].items():
                    place = f"{record.pack}/{record.task_id}", name
                    items.add(place)
                    if found.unfair:
                        said[place].append((verdict.judge, f"{found.why} ({verdict.session})"))
        return _complaints(said), len(items)

    def _beside(self) -> tuple[tuple[Complaint, ...], int]:
        said: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        count = 0
        for name, verdicts in self._by_session.items():
            questions = self._family.questions(self._records[name])
            count += len(questions)
            for verdict in verdicts:
                for number, why in verdict.beside.items():
                    said[name, f"{number}. {questions[number - 1].text}"].append((verdict.judge, why))
        return _complaints(said), count


def _apart(found: Confusion) -> Interval:
    """The share of what two find differently."""
    return share(
        (sum(count for (a, b), count in pairs.items() if a != b), sum(pairs.values())) for pairs in found.sessions
    )


def group_of(record: Trajectory) -> str:
    """The group of sessions that a record is counted in: who played, and under which history."""
    return f"{record.agent}, history {record.history_mode}"


def _means(groups: Mapping[str, Mapping[str, list[float]]]) -> dict[str, dict[str, Interval]]:
    return {
        group: {measure: mean(values) for measure, values in found.items()} for group, found in sorted(groups.items())
    }


def _complaints(said: Mapping[tuple[str, str], Sequence[tuple[str, str]]]) -> tuple[Complaint, ...]:
    found = [
        Complaint(
            where,
            name,
            tuple(dict.fromkeys(judge for judge, _ in several)),
            tuple(f"{judge}: {why}" for judge, why in several),
        )
        for (where, name), several in said.items()
    ]
    return tuple(sorted(found, key=lambda one: (-len(one.judges), one.where, one.name)))


def _plain(value: Any) -> Any:
    """A value of an audit as JSON has it."""
    if isinstance(value, Interval | Confusion):
        return value.to_json()
    if isinstance(value, Apart | Complaint):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value
