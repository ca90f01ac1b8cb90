"""A task: one session's specification for one variant, rendered whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from pi_gym.heap import paused_collection
from pi_gym.packs.app_rows import StagedApps, id_base
from pi_gym.packs.deferred import Deferred

if TYPE_CHECKING:
    from pi_gym.packs.app_seeds import AppSeeds
    from pi_gym.predicates import Predicate
    from pi_gym.predicates.value_rules import ValueCondition
    from pi_gym.questions import Matcher
    from pi_gym.questions.choices import Choice
    from pi_gym.state import World
    from pi_gym.tools.web_corpus import WebPages


@dataclass(frozen=True, slots=True)
class Persona:
    """The persona of the user, as far as the agent and the LLM roles need it."""

    name: str
    role: str
    user: str
    voice: str
    accounts: tuple[Mapping[str, str], ...] = ()
    timezone: str = ""

    @property
    def root(self) -> str:
        """The absolute path under which the workspace is shown."""
        return f"/home/{self.user}/workspace"


@dataclass(frozen=True, slots=True)
class AppColumn:
    """The texts in one column of an app's table.

    Args:
        app: the app's name.
        table: the table's name.
        column: the column's name.
        where: conditions by column ("id" too) that select rows.
    """

    app: str
    table: str
    column: str
    where: tuple[tuple[str, ValueCondition], ...] = ()

    def __str__(self) -> str:
        return f"{self.app}.{self.table}.{self.column}"

    def text(self, world: World) -> str | None:
        """The text of the selected rows, in the order of their ids, a blank line between them; None without a row."""
        from pi_gym.predicates.value_rules import MISSING, as_text

        database = world.apps.get(self.app)
        if database is None or self.table not in database.names:
            return None
        rows = list(database.table(self.table).rows())
        for name, condition in self.where:
            rows = [(key, row) for key, row in rows if condition.holds(row.get(name, key if name == "id" else MISSING))]
        texts = [as_text(row.get(self.column)) for _, row in rows]
        return "\n\n".join(texts) if texts else None


@dataclass(frozen=True, slots=True)
class Recovery:
    """One way in which an intent can be known without asking.

    Args:
        place: the file, or the column of an app, that tells it.
        session: the earlier task that established it, or None.
        extract: by parameter name: (pattern with one group, what the group's text stands for).
        shows: a pattern that the text must match, or None.
        expected: the true values by parameter name.
    """

    place: str | AppColumn
    session: str | None
    extract: Mapping[str, tuple[str, Mapping[str, Any]]]
    shows: str | None
    expected: Mapping[str, Any]

    def text(self, world: World) -> str | None:
        """The text in the place; None where nothing is there, or where it is binary."""
        return self.place.text(world) if isinstance(self.place, AppColumn) else world.workspace.text(self.place)

    def found(self, world: World) -> dict[str, Any] | None:
        """The values read from the world by parameter name; None where the place does not tell them."""
        import re2

        text = self.text(world)
        if text is None or (self.shows is not None and not re2.search(self.shows, text)):
            return None
        values: dict[str, Any] = {}
        for name, (pattern, meaning) in self.extract.items():
            match = re2.search(pattern, text)
            if match is None:
                return None
            written = match.group(1)
            values[name] = meaning.get(written, meaning.get(" ".join(written.split()).casefold(), written))
        return values

    def holds(self, world: World) -> bool:
        """Whether the world tells the true values."""
        values = self.found(world)
        return values is not None and all(str(values[name]) == str(true) for name, true in self.expected.items())


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """A fact or a permission that a good assistant may ask about, and that is no hidden intent.

    Args:
        name: of the topic, as the task's questions have it.
        says: what the user answers.
        permission: the question is whether something may be done.
    """

    name: str
    says: str
    permission: bool = False


@dataclass(frozen=True)
class Intent(Deferred):
    """One hidden intent of a session. A pack's own have their texts and predicates made at the first look.

    Args:
        id: opaque: "i1", "i2", … in file order.
        name: the author's name for it, never shown to an agent.
        text: what the user wants.
        scope: "session" or "persistent".
        satisfied: predicate over a turn.
        reveal: what the user says to state it.
        after: predicate, or None: brought up only once it holds.
        values: names of the hidden parameters that it stands for.
        recover: the ways to know it without asking; empty where only the user knows.
        by_rule: whether rules can judge it; else only a model can.
        choices: the values that it can have, where these can be listed: they make out assumptions and plans.
        corrects: what the user says to a wrong assumption or plan; "": the reveal.
        before: predicate, or None: once it holds at a turn's end, it is too late for the wish. The user does not bring
            it up any more; it stays open, and counts as missed.
        tags: what makes it hard, by the words of docs/authoring.md.
    """

    id: str
    name: str
    text: str
    scope: Literal["session", "persistent"]
    satisfied: Predicate
    reveal: str
    after: Predicate | None
    values: tuple[str, ...]
    recover: tuple[Recovery, ...]
    by_rule: bool = True
    choices: tuple[Choice, ...] = field(default_factory=tuple)
    corrects: str = field(default_factory=str)
    before: Predicate | None = field(default_factory=lambda: None)
    tags: tuple[str, ...] = ()

    @property
    def is_beyond(self) -> bool:
        """Whether it is about what the work leaves behind: to see to that is offered, and not looked up."""
        return "beyond" in self.tags


@dataclass(frozen=True, slots=True)
class RuleScript:
    """A program that judges: it defines `score(tools_history) -> dict`, with a truth value for each of its items.

    Args:
        path: where the task says that it lies.
        source: its text; None where the pack does not hold it.
    """

    path: str
    source: str | None


@dataclass(frozen=True)
class Item(Deferred):
    """One checklist item. A pack's own have their texts and checks made at the first look.

    Args:
        id: opaque: "c1", "c2", … in file order.
        name: the author's name for it.
        text: the criterion.
        grader: who decides in the LLM mode.
        check: predicate over the whole session and its final state.
        requires: id of the item together with which a guard passes, or "".
        evidence: files and tools that the LLM grader is shown.
        weight: its share in Comp, relative to the others.
        script: judges this item in place of a grader; each of the script's own items then counts as one.
        by_rule: whether rules can judge it; else only a model can.
    """

    id: str
    name: str
    text: str
    grader: Literal["rule", "rubric"]
    check: Predicate
    requires: str
    evidence: Mapping[str, Sequence[str]]
    weight: float = 1.0
    script: RuleScript | None = None
    by_rule: bool = True


#: Steps of a solution, each with its place in the task's template: `calls`, or a `reply` and by wish what it `asks`.
Steps: TypeAlias = Sequence[tuple[int, Mapping[str, Any]]]


class ReferenceAction(str):
    """An action of a reference: its text, and what its shell commands are declared to do.

    Attributes:
        results: for each call its declared result, a JSON value for the command's answer; None where it runs none.
        step: which of the reference's steps it is in the task's template, from 0; -1 where it is none of them.
    """

    results: tuple[Mapping[str, Any] | None, ...] = ()
    step: int = -1

    @classmethod
    def of(cls, text: str, results: Sequence[Mapping[str, Any] | None], step: int = -1) -> ReferenceAction:
        """The text with its results and its place."""
        action = cls(text)
        action.results, action.step = tuple(results), step
        return action


class Home(Protocol):
    """The pack of a task, as far as the task needs to know it."""

    @property
    def name(self) -> str:
        """The pack's name."""
        ...

    @property
    def source(self) -> str:
        """The pack's source, as `load_pack` takes it."""
        ...

    @property
    def content_hash(self) -> str:
        """SHA-256 over all its files."""
        ...

    @property
    def app_seeds(self) -> AppSeeds:
        """The seed worlds of its apps."""
        ...

    @property
    def web(self) -> WebPages:
        """Its offline web."""
        ...


@dataclass(frozen=True)
class Task(Deferred):
    """One session's specification, with every template filled in. A pack's own has hidden parts made when looked at.

    Args:
        home: the pack.
        id: the task's folder name; `index` its place in the episode, from 0.
        variant: the world's number.
        request: what the opening message says; `opening` is that message as the agent sees it.
        time: ISO date and time of the opening.
        files: the seed files by path, staged when the session opens.
        apps: the rows that the task adds or changes by app, table and id, staged when the session opens.
        tools: names of tools beyond the pack's general ones.
        values: the true hidden values by parameter name.
        undrawn: by name, what the user says to a question about a wish that this variant does not hold; "": that it may
            be as the assistant likes.
        declines: the names of those of them whose words are a plain no.
        answers: what else one may ask about.
        question_budget: the number of asking clauses that the user answers, where asking is costly and a file says so;
            None: as the protocol has it.
        reminders: the `first_id` of each earlier session whose scheduled jobs still stand in this one.
        grader: string entry point of a function that takes a session's grader and gives the one that judges this task;
            "": the session's own.
    """

    home: Home
    id: str
    index: int
    variant: int
    title: str
    category: str
    group: str
    holdout: bool
    persona: Persona
    trigger: str
    request: str
    opening: str
    time: str
    needs: tuple[str, ...]
    general_tools: tuple[str, ...] | None
    tools: tuple[str, ...]
    skills: tuple[Mapping[str, str], ...]
    files: Mapping[str, bytes]
    intents: tuple[Intent, ...]
    checklist: tuple[Item, ...]
    values: Mapping[str, Any]
    apps: StagedApps = field(default_factory=dict)
    undrawn: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[KnownAnswer, ...] = field(default_factory=tuple)
    question_budget: int | None = None
    declines: frozenset[str] = frozenset()
    reminders: tuple[int, ...] = ()
    canary: str = ""
    grader: str = ""
    _solution: Callable[[Mapping[str, Any]], Steps] = field(repr=False, default=lambda values: ())
    _actions: Callable[[Steps], list[str]] = field(repr=False, default=lambda steps: [])
    _questions: Callable[[], Matcher] = field(repr=False, default=lambda: _no_questions())

    @property
    def pack(self) -> str:
        """The pack's name."""
        return self.home.name

    @property
    def pack_hash(self) -> str:
        """The content hash of the pack."""
        return self.home.content_hash

    @property
    def pack_source(self) -> str:
        """The pack's source, as `load_pack` takes it."""
        return self.home.source

    @cached_property
    def solution(self) -> Steps:
        """The steps of the model assistant, as the task's template has them, filled in; empty where it has none."""
        return self._solution({})

    @cached_property
    def reference(self) -> list[str]:
        """The action texts of the model assistant, in order; each is a `ReferenceAction`."""
        return self._actions(self.solution)

    @cached_property
    def questions(self) -> Matcher:
        """The matcher of its topics: all wishes of the pool, drawn or not, and whatever else may be asked."""
        return self._questions()

    @cached_property
    def first_id(self) -> int:
        """The id behind which its sessions count those of the records that they make."""
        return id_base(self.index)

    @cached_property
    def intents_by_rule(self) -> bool:
        """Whether rules can judge all its intents."""
        return all(intent.by_rule for intent in self.intents)

    @cached_property
    def items_by_rule(self) -> bool:
        """Whether rules can judge its whole checklist."""
        return all(item.by_rule for item in self.checklist)

    def complete(self) -> None:
        """Have everything made that waits for its first look.

        Raises:
            PackError: a text or a predicate is not as it should be; the message names file and field.
        """
        _ = self._completed

    @cached_property
    def _completed(self) -> bool:
        with paused_collection():
            super().complete()
            for part in (*self.intents, *self.checklist):
                part.complete()
            _ = self.questions, dict(self.files)
        return True

    def reference_for(self, values: Mapping[str, Any]) -> list[str]:
        """The reference as it would be for other hidden values, over the unchanged world.

        Args:
            values: new values by parameter name ("persona.decimals", "headline"); the rest stays.
        """
        return self._actions(self._solution(values))


def _no_questions() -> Matcher:
    from pi_gym.questions import Matcher

    return Matcher(())
