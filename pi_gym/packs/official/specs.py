"""Pydantic models of the files of a persona in the official layout.

Strict about what is known: an unknown key is an error. Tolerant of slips that published files have: a checklist that is
empty, a long-term goal that YAML reads as a mapping, several words for one kind of trigger.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from pi_gym.schema.specs import Spec
from pi_gym.state.paths import normalise

Version = Literal["v2"]
Text = Annotated[str, Field(pattern=r"\S")]
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
MAX_WEIGHT = 1_000_000
#: Words for a session that no user opens.
ENVIRONMENT = ("env", "environment", "environmental_signal")


class Open(BaseModel):
    """Base of what we read nothing from that matters: unknown keys are kept aside."""

    model_config = ConfigDict(extra="allow", frozen=True)


class ListedTask(Spec):
    """One entry of episode.yaml: a task, and the earlier ones that it builds on."""

    task_id: Id
    depends_on: tuple[Id, ...] = ()

    @field_validator("depends_on", mode="before")
    @classmethod
    def _empty(cls, value: Any) -> Any:
        return value or ()


class OfficialEpisode(Spec):
    """episode.yaml."""

    schema_version: Version
    episode_id: Text
    user_id: Id
    tasks: tuple[ListedTask, ...] = Field(min_length=1)
    runtime: Any = None

    @field_validator("tasks")
    @classmethod
    def _in_order(cls, tasks: tuple[ListedTask, ...]) -> tuple[ListedTask, ...]:
        seen: list[str] = []
        for listed in tasks:
            if listed.task_id in seen:
                raise ValueError(f"{listed.task_id} stands twice")
            for number, earlier in enumerate(listed.depends_on):
                if earlier not in seen:
                    raise ValueError(f"{listed.task_id}: depends_on: {earlier!r} is not a task before it")
                if earlier in listed.depends_on[:number]:
                    raise ValueError(f"{listed.task_id}: depends_on: {earlier!r} stands twice")
            seen.append(listed.task_id)
        return tasks


class OfficialProfile(Spec):
    """profile.yaml: who the user is."""

    schema_version: Version
    user_id: Id
    role: str = ""
    preferences: dict[str, Any] = Field(default_factory=dict)
    long_term_goals: tuple[str, ...] = ()

    @field_validator("preferences")
    @classmethod
    def _plain(cls, value: dict[str, Any]) -> dict[str, Any]:
        for name, preferred in value.items():
            if not isinstance(preferred, str | int | float):
                raise ValueError(f"{name}: expected a text, a number or a bool, got {type(preferred).__name__}")
        return value

    @field_validator("long_term_goals", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        # A goal with a colon in it is a mapping to YAML.
        if not isinstance(value, list):
            return () if value is None else value
        return [
            "; ".join(f"{key}: {text}" for key, text in goal.items()) if isinstance(goal, dict) else goal
            for goal in value
        ]


class OfficialTools(Spec):
    """tools.yaml: the app tools that the persona's tasks offer."""

    tool_names: tuple[Text, ...] = ()

    @field_validator("tool_names", mode="before")
    @classmethod
    def _empty(cls, value: Any) -> Any:
        return value or ()


class OfficialTrigger(Spec):
    """The trigger that opens a session."""

    type: Literal["user", "user_query", "env", "environment", "environmental_signal"] = "user"


class HiddenIntent(Spec):
    """One thing that the user wants and has not said."""

    content: Text
    status: Literal["not_provided", "provided"] = "not_provided"


class OfficialIntent(Spec):
    """The opening request, and what it leaves unsaid."""

    initial_input: Text
    hidden_intent: tuple[HiddenIntent, ...] = Field(min_length=1)

    @field_validator("initial_input", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        # An event that stands there without quotes is a mapping to YAML.
        return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


class Criterion(Spec):
    """One item of the checklist."""

    criterion: Text
    weight: float = Field(default=1.0, gt=0, le=MAX_WEIGHT, allow_inf_nan=False, strict=True)


class ToolPaths(Spec):
    """The dotted paths into a tool's calls whose values the official grader shows."""

    call: tuple[Text, ...] = ()
    result: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _some(self) -> ToolPaths:
        if not (self.call or self.result):
            raise ValueError("expected at least one path under call or result")
        return self


class Objectives(Spec):
    """The objectives that a task is graded on."""

    checklist: tuple[Criterion, ...] = ()
    files_read: tuple[Text, ...] = ()
    tools: tuple[Annotated[dict[Text, ToolPaths], Field(min_length=1)], ...] = ()
    tools_evaluation_path: str = ""

    @field_validator("checklist", "files_read", "tools", mode="before")
    @classmethod
    def _empty(cls, value: Any) -> Any:
        return value or ()

    @field_validator("files_read")
    @classmethod
    def _inside(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        """Paths in the workspace."""
        for path in paths:
            if not normalise(path):
                raise ValueError(f"expected the paths of files, got {path!r}")
        return paths

    @field_validator("tools_evaluation_path", mode="before")
    @classmethod
    def _no_path(cls, value: Any) -> Any:
        return value or ""

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The tools, as the task writes them."""
        return tuple(name for entry in self.tools for name in entry)


class OfficialTask(Spec):
    """task.yaml: one session."""

    schema_version: Version
    task_id: Id
    user_id: Id
    environment_id: str = ""
    title: str = ""
    description: str = ""
    task_type: str = ""
    trigger: OfficialTrigger = Field(default_factory=OfficialTrigger)
    intent: OfficialIntent
    objectives: Objectives = Field(default_factory=Objectives)
    metadata: Open = Field(default_factory=Open)

    @field_validator("objectives", "metadata", "trigger", mode="before")
    @classmethod
    def _empty(cls, value: Any) -> Any:
        return {} if value is None else value

    @field_validator("environment_id", "title", "description", "task_type", mode="before")
    @classmethod
    def _no_text(cls, value: Any) -> Any:
        return "" if value is None else value

    @property
    def graded(self) -> bool:
        """Whether it has anything to grade."""
        return bool(self.objectives.checklist or self.objectives.tools_evaluation_path)
