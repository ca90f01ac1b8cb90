"""Pydantic models of pack.yaml, persona.yaml, episode.yaml and task.yaml.

Strings may be templates (`pi_gym.templates`) where the comment of a field says so; they are checked again, with
their values, when a variant is made.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

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
        wishes: the lasting wishes that the person has of those that packs share, beside the pack's own.
        references: whether every task has a reference, so that a past can be played.
    """

    title: str
    description: str
    benchmark: bool = True
    general_tools: list[str] | None = None
    skills: list[Slug] = Field(default_factory=list)
    wishes: list[Slug] = Field(default_factory=list)
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
