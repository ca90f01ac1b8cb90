"""Pydantic models of pack.yaml, persona.yaml, episode.yaml and task.yaml.

Strings may be templates (`pi_gym.templates`) where the comment of a field says so; they are checked again, with
their values, when a variant is made.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
TaskId = Annotated[str, Field(pattern=r"^[0-9]{2}-[a-z0-9-]+$")]


class Spec(BaseModel):
    """Base of all: unknown keys are an error, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ParamSpec(Spec):
    """One value that is drawn per variant; exactly one of the four forms.

    Args:
        choices: one of these (any YAML values).
        range: an integer between two bounds, both included.
        date: an ISO date between two bounds, both included.
        value: always this.
        hidden: the user wants it and has not said it (task params only; persona preferences are all hidden).
    """

    choices: list[Any] | None = Field(default=None, min_length=2)
    range: tuple[int, int] | None = None
    date: tuple[str, str] | None = None
    value: Any = None
    hidden: bool = False

    @model_validator(mode="after")
    def _one_form(self) -> ParamSpec:
        forms = [name for name in ("choices", "range", "date", "value") if getattr(self, name) is not None]
        if len(forms) != 1:
            raise ValueError(f"expected exactly one of choices, range, date, value; got {', '.join(forms) or 'none'}")
        if self.range and self.range[0] > self.range[1]:
            raise ValueError(f"range {list(self.range)} is empty")
        if self.date:
            try:
                first, last = (date.fromisoformat(text) for text in self.date)
            except ValueError:
                raise ValueError(f"expected two ISO dates such as 2026-03-09, got {list(self.date)}") from None
            if first > last:
                raise ValueError(f"date {list(self.date)} is empty")
        return self


class PackSpec(Spec):
    """pack.yaml: one persona's whole world.

    Args:
        title: a line for lists.
        description: a paragraph for `pi-gym list` and the docs.
        benchmark: whether `PiBench-v0` draws from this pack.
        general_tools: tools that every task of the pack offers; None for the engine's general ones.
        skills: the skills that its workspace holds, the pack's own and such as all packs share; tasks offer some.
        references: whether every task has a reference, so that a past can be played.
    """

    title: str
    description: str
    benchmark: bool = True
    general_tools: list[str] | None = None
    skills: list[Slug] = Field(default_factory=list)
    references: bool = True


class AccountSpec(Spec):
    """Credentials of one app, shown to the agent."""

    app: Name
    username: str
    password: str


class PersonaSpec(Spec):
    """persona.yaml: who the user is.

    Args:
        name: full name.
        role: a line on what the person does, shown to the agent.
        user: login name; the workspace is shown as /home/<user>/workspace.
        facts: constants for templates (`persona.<key>`).
        preferences: drawn once per variant, hold across all sessions (`persona.<key>`), never shown.
        derived: templates over facts and preferences (`persona.<key>`), in order.
        accounts: credentials for the apps.
        voice: how the person writes, for the LLM user.
        timezone: the zone that the person's clock shows ("Europe/Berlin"); empty where it does not matter.
    """

    name: str
    role: str
    user: Name
    facts: dict[Name, Any] = Field(default_factory=dict)
    preferences: dict[Name, ParamSpec] = Field(default_factory=dict)
    derived: dict[Name, str] = Field(default_factory=dict)
    accounts: list[AccountSpec] = Field(default_factory=list)
    voice: str = ""
    timezone: str = ""

    @model_validator(mode="after")
    def _no_name_twice(self) -> PersonaSpec:
        names = [*self.facts, *self.preferences, *self.derived, "name", "role", "user"]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise ValueError(f"persona.{twice[0]} is defined twice (facts, preferences and derived share one space)")
        return self


class EpisodeSpec(Spec):
    """episode.yaml: the sessions in their order."""

    sessions: list[TaskId] = Field(min_length=1)

    @field_validator("sessions")
    @classmethod
    def _once(cls, sessions: list[str]) -> list[str]:
        twice = sorted({s for s in sessions if sessions.count(s) > 1})
        if twice:
            raise ValueError(f"{twice[0]} stands twice")
        return sessions


class TriggerSpec(Spec):
    """The trigger that opens the session.

    Args:
        type: a message of the user, an event of the environment, or a heartbeat.
        source: for an event, the system that sends it ("conference-portal").
        event: for an event, its name ("decision.released").
        payload: for an event, its data (templates).
    """

    type: Literal["user", "event", "heartbeat"] = "user"
    source: str = ""
    event: str = ""
    payload: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits(self) -> TriggerSpec:
        if self.type == "event" and not (self.source and self.event):
            raise ValueError("a trigger of type event needs source and event")
        if self.type != "event" and (self.source or self.event or self.payload):
            raise ValueError(f"source, event and payload belong to a trigger of type event, not {self.type}")
        return self


class DrawSpec(Spec):
    """The least and the greatest number of intents that a variant holds, the `always` ones included."""

    min: int = Field(ge=1)
    max: int = Field(ge=1)

    @model_validator(mode="after")
    def _ordered(self) -> DrawSpec:
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self


class ExtractSpec(Spec):
    """The pattern by which a value is read from a text.

    Args:
        pattern: a regular expression (RE2) with one group (template).
        map: what the group's text stands for, where it is not the value itself.
    """

    pattern: str
    map: dict[str, Any] = Field(default_factory=dict)


class RecoverSpec(Spec):
    """One way in which an intent can be known without asking.

    Args:
        session: the earlier task that established it; None where a file of this task shows it.
        intent: the intent of that task which the user stated there.
        file: where to look (template); the log of past sessions by default.
        app: the app to look in instead of a file, with `table`, `column` and optionally `where`: conditions on the
            columns that select rows (VALUE predicates, templates). The column's texts of these rows are read, by id.
        extract: by parameter name ("persona.decimals", "headline"), how its value is read there.
        shows: a regular expression (RE2, template) that the text must match, where there is no value to read.
    """

    session: TaskId | None = None
    intent: Slug | None = None
    file: str = "memory/HISTORY.md"
    app: Name | None = None
    table: Name | None = None
    where: dict[Name, Any] = Field(default_factory=dict)
    column: Name | None = None
    extract: dict[str, ExtractSpec | str] = Field(default_factory=dict)
    shows: str | None = None

    @model_validator(mode="after")
    def _says_how(self) -> RecoverSpec:
        if not self.extract and self.shows is None:
            raise ValueError("expected extract or shows: how the text tells it")
        if (self.session is None) != (self.intent is None):
            raise ValueError("session and intent go together: which intent of that session established it")
        if self.app is not None:
            if "file" in self.model_fields_set:
                raise ValueError("file and app exclude each other: one place for one way")
            if self.table is None or self.column is None:
                raise ValueError("app needs table and column: what tells it there")
        elif self.table is not None or self.column is not None or self.where:
            raise ValueError("table, column and where belong to an app")
        elif self.session is None and self.file == "memory/HISTORY.md":
            raise ValueError("expected a file of this task, an app, or session and intent")
        return self


class IntentSpec(Spec):
    """One thing the user wants and has not said.

    Args:
        name: unique in the task.
        text: the intent, for a reader and for the LLM user (template).
        scope: for this session, or a lasting preference.
        always: drawn in every variant.
        values: the hidden parameters it stands for ("persona.decimals", "headline").
        recover: "ask" where only the user knows, else the ways to know it without asking.
        satisfied_when: predicate over this turn's replies and calls and the changed files.
        reveal: what the user says to state it (template).
        after: predicate; the user brings it up only once this holds.
    """

    name: Slug
    text: str
    scope: Literal["session", "persistent"] = "session"
    always: bool = False
    values: list[str] = Field(default_factory=list)
    recover: Annotated[
        Annotated[Literal["ask"], Tag("~ask")] | Annotated[list[RecoverSpec], Tag("~ways")],
        Discriminator(lambda value: "~ways" if isinstance(value, list) else "~ask"),
    ]
    satisfied_when: Any
    reveal: str
    after: Any = None

    @field_validator("recover", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return [value] if isinstance(value, dict) else value


class CheckSpec(Spec):
    """One checklist item.

    Args:
        name: unique in the task.
        criterion: what must be true, for a reader and for the LLM grader (template).
        requires: makes it a guard: it passes only together with that item.
        grader: who decides in the LLM mode.
        check: predicate over the whole session and its final state.
        evidence: what the LLM grader is shown: {files: [...], tools: [...], apps: [...]}, globs and names; all
            replies are shown beside it, but for {replies: [last]} or {replies: [none]}. Without it: everything.

    `for:` in YAML lists intents; the item exists only where all of them are drawn.
    """

    name: Slug
    criterion: str
    needs_intents: list[Slug] = Field(default_factory=list, alias="for")
    requires: Slug | None = None
    grader: Literal["rule", "rubric"] = "rule"
    check: Any
    evidence: dict[str, list[str]] = Field(default_factory=dict)

    @field_validator("evidence")
    @classmethod
    def _known(cls, evidence: dict[str, list[str]]) -> dict[str, list[str]]:
        odd = sorted(set(evidence) - {"files", "tools", "apps", "replies"})
        if odd:
            raise ValueError(f"unknown key {odd[0]!r}; known: files, tools, apps, replies")
        replies = evidence.get("replies", [])
        if replies not in ([], ["all"], ["last"], ["none"]):
            raise ValueError(f"replies: expected [all], [last] or [none], got {replies!r}")
        return evidence


class StepSpec(Spec):
    """One action of the reference: calls, or a reply, or a question; `when` is a condition (template expression).

    A call is a mapping with `tool` and the arguments beside it; a call of `exec` also has its declared `result`.
    """

    when: Any = True
    calls: list[dict[str, Any]] | None = None
    reply: Any = None

    @model_validator(mode="after")
    def _one(self) -> StepSpec:
        if (self.calls is None) == (self.reply is None):
            raise ValueError("expected either calls or reply")
        for call in self.calls or []:
            if not isinstance(call.get("tool"), str):
                raise ValueError("every call needs a tool (a name), with the arguments beside it")
        return self


class TaskSpec(Spec):
    """task.yaml: one session, as a template.

    `reminders` are the earlier sessions whose scheduled jobs still stand in this one; the jobs of others do not fire.
    """

    title: str
    category: Annotated[str, Field(pattern=r"^[A-R]$")]
    group: Slug | None = None
    holdout: bool = False
    time: str  # ISO date and time (template)
    trigger: TriggerSpec = Field(default_factory=TriggerSpec)
    request: str  # template
    needs: list[Literal["exec"]] = Field(default_factory=list)
    reminders: list[TaskId] = Field(default_factory=list)
    tools: list[str] = Field(default_factory=list)
    skills: list[str] = Field(default_factory=list)
    apps: dict[Name, dict[Name, Any]] = Field(default_factory=dict)  # rows by app and table (templates)
    params: dict[Name, ParamSpec] = Field(default_factory=dict)
    draw: DrawSpec
    intents: list[IntentSpec] = Field(min_length=1)
    checklist: list[CheckSpec] = Field(default_factory=list)
    reference: list[StepSpec] = Field(default_factory=list)

    @model_validator(mode="after")
    def _fits_together(self) -> TaskSpec:
        names = [intent.name for intent in self.intents]
        items = [item.name for item in self.checklist]
        for kind, listed in (("intent", names), ("checklist item", items)):
            twice = sorted({n for n in listed if listed.count(n) > 1})
            if twice:
                raise ValueError(f"the {kind} {twice[0]!r} stands twice")
        always = sum(intent.always for intent in self.intents)
        if self.draw.max + 2 > len(names):
            raise ValueError(f"draw.max is {self.draw.max}; the pool of {len(names)} must be at least two larger")
        if always > self.draw.min:
            raise ValueError(f"{always} intents are always drawn, but draw.min is {self.draw.min}")
        for item in self.checklist:
            for needed in item.needs_intents:
                if needed not in names:
                    raise ValueError(f"checklist item {item.name!r}: for: no intent {needed!r}")
            if item.requires is not None and item.requires not in items:
                raise ValueError(f"checklist item {item.name!r}: requires: no checklist item {item.requires!r}")
        for intent in self.intents:
            for value in intent.values:
                if not value.startswith("persona.") and value not in self.params:
                    raise ValueError(f"intent {intent.name!r}: values: no parameter {value!r}")
        return self
