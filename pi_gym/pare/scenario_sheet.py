"""The form of a scenario's file, scenario.yaml: what an author may write (docs/authoring_pare.md).

Strings may be templates over what a variant draws; they are checked again, with its values, when a world is made.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pi_gym.schema.specs import Name, ParamSpec, Spec

#: The name of an operation of the phone: "Emails__reply_to_email".
Called = Annotated[str, Field(pattern=r"^[A-Z][a-z]+__[a-z][a-z_]*$")]
Rows = dict[str, dict[str, dict[Name, dict[str, Any]]]]


class CallSheet(BaseModel):
    """One operation of the phone with its arguments, which stand beside `do`."""

    model_config = ConfigDict(extra="allow", frozen=True)

    do: Called

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments by name."""
        extra = self.model_extra or {}
        return {name: value for name, value in extra.items() if name not in type(self).model_fields}


class ScenarioCall(CallSheet):
    """A call of a scenario, which some of its worlds may leave out.

    Args:
        skip: where true, the call is none of this world's, and nothing waits for it.
    """

    skip: bool | str = False


class EventSheet(ScenarioCall):
    """An event: an operation from outside, and when it happens.

    Args:
        at: virtual seconds after the opening; with `after`, after the last of those events.
        after: events that have happened before.
        when: predicates over the state of the phone that hold before; looked at once the rest is so.
        unless: predicates over the state of the phone: where they hold when it is due, it does not happen.
    """

    at: float | str = 0.0
    after: list[Name] = Field(default_factory=list)
    when: Any = None
    unless: Any = None


class StepSheet(ScenarioCall):
    """A step of the person's plan: an operation on a screen of the phone, to which they find the way.

    Args:
        after: events that they know of before; the notification is enough.
        turn: the turn before which they do not.
        when: predicates over the state of the phone that hold before.
        shows: what the screen has to show on which it is done, by what screens hold ("email_id" of the open mail); of a
            step that opens something itself it says again what that is, and can be left out.
    """

    after: list[Name] = Field(default_factory=list)
    turn: int = Field(default=0, ge=0)
    when: Any = None
    shows: dict[str, Any] = Field(default_factory=dict)


class HelpSheet(Spec):
    """The help that is wanted: what a right proposal names.

    Args:
        wanted: whether it is wanted in this world; a template.
        acts: what is to be done, by the names of `pi_gym.pare.act_words`, each a name or several of which one is
            enough; all of them are named, and no other. A template may say which.
        may: acts that may be named beside.
        names: essential facts: by name a text, a number, or a list of texts of which one is enough.
        wrong: facts that make a proposal wrong where it names them. Those of other worlds are such, so that nobody
            names all at once: templates see `others.PARAM`, the choices that were not drawn. The first names of
            people who are not in the cast are wrong by themselves, in what is offered.
        things: further words for the objects of acts: `{event: [visit, dentist]}`.
        known: further days and times that a proposal may name, as the world tells of them.
        old: days and times that no longer hold; it may name them beside what does.
        after: events before which it is too early.
        look: what the person looks at first, where they have not seen it: actions of theirs, each as in the plan.
        why_not: what they say where they reject; they have words of their own where it is left out.
    """

    wanted: bool | str = True
    acts: list[str | list[str]] = Field(min_length=1)
    may: list[str] = Field(default_factory=list)
    names: dict[Name, Any] = Field(default_factory=dict)
    wrong: list[Any] | str = Field(default_factory=list)
    things: dict[Name, list[str]] = Field(default_factory=dict)
    known: list[Any] | str = Field(default_factory=list)
    old: list[Any] | str = Field(default_factory=list)
    after: list[Name] = Field(default_factory=list)
    look: list[StepSheet] = Field(default_factory=list)
    why_not: list[str] = Field(default_factory=list)


class ReferenceSheet(Spec):
    """The model solution: a proposal, the calls that carry it out, and what is reported.

    Args:
        look: read-only calls before the proposal, once the evidence is there.
        propose: what the agent says.
        calls: what it then does.
        report: what it says when it has.
    """

    look: list[ScenarioCall] = Field(default_factory=list)
    propose: str
    calls: list[ScenarioCall] = Field(min_length=1)
    report: str = "Done."


#: What a scenario can begin with.
Trigger: TypeAlias = Literal["message", "mail", "calendar", "reminder", "order", "ride", "listing", "silence"]
#: The families of themes.
Theme: TypeAlias = Literal[
    "bookings", "cancellations", "conflicts", "contacts", "deadlines", "discounts", "emergencies", "expenses",
    "files", "groups", "housing", "invitations", "notes", "purchases", "reminders", "rides", "sharing",
]  # fmt: skip


class ScenarioSheet(Spec):
    """scenario.yaml: one session of a person with their phone, a template over worlds.

    Args:
        title: a line for lists.
        about: a sentence or two on what happens, for authors and readers.
        themes: what it is about, for lists and measures.
        trigger: what it begins with.
        holdout: kept out of training.
        time: the virtual clock at the opening, ISO 8601; a template.
        params: what is drawn per variant.
        cast: the people of the world that it speaks of, by the name under which it does.
        values: templates over all that, in order, for templates.
        apps: rows beside the shared world, by app, table and a name for the row; `ids.NAME` is its id.
        files: files of the phone, by path.
        events: what happens from outside, by name; `ids.NAME` is the id of the row that an event makes.
        plan: what the person does.
        help: the help that is wanted; null where none ever is.
        goal: predicates over the final state, where help is wanted.
        lost: predicates that hold once the goal cannot be met any more.
        keep: rows that the agent may change or make, by app and table: names of rows, "created", or "any".
        keep_files: files of the phone that the agent may change or make, by path; of a folder all that is below it.
        reference: the model solution; null where no help ever is wanted.
    """

    title: str
    about: str
    themes: list[Theme] = Field(min_length=1)
    trigger: Trigger
    holdout: bool = False
    time: str
    params: dict[Name, ParamSpec] = Field(default_factory=dict)
    cast: list[Name] = Field(default_factory=list)
    values: dict[Name, Any] = Field(default_factory=dict)
    apps: Rows = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    events: dict[Name, EventSheet] = Field(default_factory=dict)
    plan: list[StepSheet] = Field(default_factory=list)
    help: HelpSheet | None = None
    goal: Any = None
    lost: Any = None
    keep: dict[str, dict[str, list[str | int] | str]] = Field(default_factory=dict)
    keep_files: list[str] = Field(default_factory=list)
    reference: ReferenceSheet | None = None

    @model_validator(mode="after")
    def _whole(self) -> ScenarioSheet:
        if (self.help is None) != (self.reference is None) or (self.help is None) != (self.goal is None):
            raise ValueError("help, goal and reference come together, or none of them does")
        known = set(self.events)
        places = [("plan", step.after) for step in self.plan]
        places += [(f"events.{name}", event.after) for name, event in self.events.items()]
        places += [("help.after", self.help.after)] if self.help is not None else []
        for place, names in places:
            missing = sorted(set(names) - known)
            if missing:
                raise ValueError(f"{place}: there is no event {missing[0]!r}; there are {', '.join(known) or 'none'}")
        _require_possible(self.events)
        return self


def _require_possible(events: dict[str, EventSheet]) -> None:
    """See to it that no event waits for itself."""
    done: set[str] = set()
    while ready := [name for name, event in events.items() if name not in done and set(event.after) <= done]:
        done.update(ready)
    left = sorted(set(events) - done)
    if left:
        raise ValueError(f"events.{left[0]}: it can never happen: its `after` leads back to itself ({', '.join(left)})")
