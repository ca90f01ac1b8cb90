"""Families of environments: what runs, exports, adapters and commands ask of one, and nothing more.

A family is one object, named by its environments' class (`SessionEnv.family`). Whoever is not of the family reads its
sessions' scores and labels by the names that it declares here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, TypeAlias

from pi_gym.apps import operations
from pi_gym.catalogue import TaskName, TaskSet
from pi_gym.dossier import Dossier, JudgedPart, Life, PutQuestion
from pi_gym.errors import PiGymError, UnknownName
from pi_gym.sampling import Split, Start
from pi_gym.session.protocol import Session
from pi_gym.session.trajectory import RETURN, Trajectory
from pi_gym.tools import Registry
from pi_gym.types import HistoryMode

#: The kind of a table's column: a type's name ("string", "int64", "float64", "bool"), "json" for any JSON value, a list
#: with the kind of its items, or a mapping of names to kinds.
ColumnKind: TypeAlias = Any
#: How many measures a line of text tells.
HEADLINE = 3


class SessionHost(Protocol):
    """The environment as a family sees it; `pi_gym.env.SessionEnv` is one.

    Attributes:
        packs: the sets of tasks that it draws from.
        split: what its seeds draw from.
        history_mode: what happened before its sessions.
        session: the live one; None before the first reset.
    """

    packs: tuple[TaskSet, ...]
    split: Split
    history_mode: HistoryMode

    @property
    def session(self) -> Session | None:
        """See the class."""
        ...

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Reset, as Gymnasium's environments do."""
        ...


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that summaries average over sessions.

    Args:
        name: of a score, of a count of the record ("turns", "steps", …), or of a label that is a number.
        title: the head of its column in tables; "": it stands in no table.
        meaning: what it is, for a legend; "": its title says it.
        decimals: shown in tables.
        weight: what a session counts in the mean over a dependency group: the name of a label that is a number; "": as
            much as any other.
        part: the number that is averaged, named as above; "": that of the measure's own name. A label that is true or
            false counts as 1 or 0.
        whole: of a rate, the numbers whose sum `part` is divided by: both are summed over all sessions first, and
            sessions without any of it are in none; empty: a plain mean.
        where: a label that is true or false, and which of these it has to be in a session that counts.
    """

    name: str
    title: str
    meaning: str = ""
    decimals: int = 3
    weight: str = ""
    part: str = ""
    whole: tuple[str, ...] = ()
    where: tuple[str, bool] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether each session that has the number counts, and counts the same."""
        return not self.whole and self.where is None

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of what it reads of a record."""
        label = () if self.where is None else self.where[:1]
        return tuple(filter(None, (self.part or self.name, *self.whole, *label, self.weight)))


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judgement in a record, as audits compare it.

    Args:
        kind: what is judged; `id` and `name` which one.
        value: what was judged; `reason` why.
        tags: further kinds under which it is counted, with the value that counts there.
    """

    kind: str
    id: str
    name: str
    value: str
    reason: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)


class Family(ABC):
    """A family of environments; subclass it, and make one object.

    Attributes:
        name: in records, keys and rows.
        scores: the names of a session's scores; "return" is one.
        measures: what summaries average, in the order of tables.
        protocols: how summaries may average, by name, the usual way first: string entry points of functions that have
            the parameters and the result of `pi_gym.runs.averages.mean_values`.
        tried: the score, 0 or 1, of which summaries say how often one of several tries at a world has it, and how often
            all; "": there is none.
        tries: by protocol, how that is found out: string entry points of functions that have the parameters and the
            result of `pi_gym.runs.tries.tries_at_worlds`.
        components: the names of the parts that a reward is made of.
        columns: by label, the kind of its column in tables.
        info_keys: what the family's info has beside the common keys: type and meaning.
        trial_maker: the string entry point of a `pi_gym.calibration.trials.TrialMaker`, and listed_trial_maker of a
            `ListedTrialMaker`; "": there is none.
        idle: the action of an agent that does nothing: it leaves the word, and nothing that counts is said.
        roles: the environment's arguments that may name a model.
        judged: the judgements that readers of a recorded session give, too.
        tallied: by label that is a list, the field by which reports count its parts.
        report: string entry point of the tables and charts that reports have of its sessions beside the common ones: a
            function of a `pi_gym.report.contestants.ReportMaterial` that gives them in order; "": none.
        judges, prover, describer, world_maker, question_check, question_draft: string entry points of what judges a
            run's sessions anew, proves tasks, describes them, makes the seed worlds of their apps, checks how they are
            asked about, and drafts that; "": there is none.
    """

    name: str = ""
    scores: tuple[str, ...] = (RETURN,)
    measures: tuple[Measure, ...] = (Measure(RETURN, "return"), Measure("turns", "turns", decimals=1))
    protocols: Mapping[str, str] = {"mean": "pi_gym.runs.averages:mean_values"}
    tried: str = ""
    tries: Mapping[str, str] = {}
    components: tuple[str, ...] = (RETURN,)
    columns: Mapping[str, ColumnKind] = {}
    info_keys: Mapping[str, tuple[type, str]] = {}
    idle: str = "I'm on it."
    roles: tuple[str, ...] = ()
    judged: tuple[JudgedPart, ...] = ()
    tallied: Mapping[str, str] = {}
    report: str = ""
    judges: str = ""
    prover: str = ""
    describer: str = ""
    world_maker: str = ""
    question_check: str = ""
    task_check: str = ""
    task_maker: str = ""
    question_draft: str = ""
    trial_maker: str = ""
    listed_trial_maker: str = ""

    @property
    def shown(self) -> list[Measure]:
        """The measures that tables show."""
        return [one for one in self.measures if one.title]

    @property
    def headline(self) -> list[Measure]:
        """The first plain ones of them, which are told where there is one line."""
        return [one for one in self.shown if one.is_plain][:HEADLINE]

    # -- opening -----------------------------------------------------------------------------------------------------

    def prepare(self, env: SessionHost, start: Start) -> Any:
        """Prepare the opening of a session; whatever can be refused is refused here, before another one is left.

        Raises:
            PackError: the task cannot be made for this variant.
            RolesNeeded: the environment's roles cannot judge it.
        """
        return None

    @abstractmethod
    def open(
        self, env: SessionHost, start: Start, prepared: Any, before: Session | None, *, env_id: str, seed: int
    ) -> Session:
        """Open a session.

        Args:
            env: the environment, with whatever settings it has.
            start: what to open.
            prepared: what `prepare` gave.
            before: in an episode that goes on, its last session, as it ended.
            env_id: for the record.
            seed: for the record; -1 where there is none.
        """

    def preview(self, env: SessionHost, pack: TaskSet, task_id: str, variant: int) -> Session:
        """A session that is opened to be looked at, whoever the environment's roles are."""
        start = Start(pack, task_id, variant)
        return self.open(env, start, self.prepare(env, start), None, env_id="", seed=-1)

    def require(self, env: SessionHost, tasks: Iterable[TaskName]) -> None:  # noqa: B027 (most can play all of theirs)
        """Raise RolesNeeded, or another PiGymError, where the environment cannot play one of these tasks at all."""

    def notes(self, env: SessionHost, tasks: Iterable[TaskName]) -> list[str]:
        """Notes on the environment's settings for whoever plays these tasks, a sentence each."""
        return []

    def replay_episode(self, env: SessionHost, pack: TaskSet, records: Sequence[Trajectory]) -> Session | None:
        """The last of an episode's recorded sessions, as it ended; None where there are no records."""
        raise PiGymError(f"sessions of the family {self.name!r} have no episodes")

    # -- what a session shows ----------------------------------------------------------------------------------------

    def info(self, session: Session) -> dict[str, Any]:
        """The family's own part of info, of the types that `info_keys` says; never None and never NaN."""
        return {}

    def debug_info(self, session: Session) -> dict[str, Any]:
        """Everything hidden, for info under "debug"."""
        return {}

    def reference(self, session: Session) -> Sequence[str]:
        """A model solution: the actions from the opening on; empty where there is none."""
        return ()

    def hidden_text(self, session: Session) -> str:
        """The texts that are hidden from the agent, for an author to read."""
        return ""

    def result_text(self, session: Session) -> str:
        """The scores of a session that is over, for a person to read."""
        scores = (f"{name} {value:.3f}" for name, value in session.scores.items() if value is not None)
        return ", ".join(scores)

    # -- records -----------------------------------------------------------------------------------------------------

    def registry(self, names: Iterable[str]) -> Registry:
        """The tools of these names; UnknownName where one does not exist."""
        return operations(names)

    @abstractmethod
    def offered(self, env: SessionHost, pack: TaskSet, task_id: str) -> Registry:
        """The tools that sessions over a task offer."""

    def judgements(self, record: Trajectory) -> list[Judgement]:
        """The judgements in a session, in its order."""
        return []

    def questions(self, record: Trajectory) -> list[PutQuestion]:
        """The questions that the agent put to the user, in order; from the record alone."""
        return []

    def lives(self, record: Trajectory) -> list[Life]:
        """The lives of what is judged, for whoever looks at the session; from the record alone."""
        return []

    def shortcomings(self, labels: Mapping[str, Any]) -> list[str]:
        """The reasons why a scored session has no full score, a few words each; from the labels of its record alone."""
        return []

    def dossiers(
        self, records: Iterable[Trajectory], packs: Mapping[str, TaskSet]
    ) -> Iterator[tuple[Trajectory, Dossier | Exception]]:
        """The records, each with what readers are shown beside the conversation, or the exception that it raised.

        Args:
            records: scored ones.
            packs: by name, with the content that the records are of.
        """
        return ((record, Dossier()) for record in records)


def load_entry(entry: str, what: str) -> Any:
    """The object behind a string entry point, "module:name".

    Args:
        entry: the entry point; "" where there is none.
        what: what it is for, for the error.

    Raises:
        UnknownName: there is none.
    """
    if not entry:
        raise UnknownName(f"there is no {what}")
    module, _, name = entry.partition(":")
    return getattr(import_module(module), name)
