"""A scenario in one world: everything that a session needs, drawn and filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pi_gym.phone.phone_desk import Owner
from pi_gym.predicates.compile import Predicate
from pi_gym.state import World
from pi_gym.types import ToolCall

#: Ids of rows: those of the shared world are below, those of a scenario, of habits, of events, of noise, and those that
#: agent and person add begin here.
FIRST_OWN, FIRST_HABIT, FIRST_EVENT, FIRST_NOISE, FIRST_ADDED = 1_000, 4_000, 5_000, 100_000, 500_000


@dataclass(frozen=True, slots=True)
class PlannedEvent:
    """Something that will happen from outside.

    Args:
        name: in the scenario; "" of noise.
        call: the operation.
        at: virtual seconds after the opening, or after the last of `after`.
        after: the events before it.
        when: holds before it happens; None: nothing is asked.
        unless: where it holds at the time, the event does not happen.
        row: the id that a row gets which it makes.
    """

    name: str
    call: ToolCall
    at: float
    after: tuple[str, ...] = ()
    when: Predicate | None = None
    unless: Predicate | None = None
    row: int = FIRST_NOISE


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A step of the person's plan.

    Args:
        call: the action, on whatever screen offers it.
        shows: what that screen shows: the mail that is open.
        after: events that they know of before.
        turn: the turn before which they do not.
        when: holds before; None: nothing is asked.
    """

    call: ToolCall
    shows: Mapping[str, Any] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    turn: int = 0
    when: Predicate | None = None


@dataclass(frozen=True, slots=True)
class Help:
    """The help that is wanted.

    Args:
        acts: what is to be done, each as the acts of which one is enough; all of them are named.
        may: acts that may be named beside.
        names: essential facts, by name the texts of which one is enough.
        wrong: facts that a proposal must not name.
        things: further words for objects of acts, by the object's name.
        known: further days and times that it may name, as `find_facts` gives them.
        rivals: by the name of an essential fact, the texts that stand for it in other worlds.
        strangers: first names, in lower case, of people who have nothing to do with it; `cast` of those who have.
        old: days and times that no longer hold, which it may name beside what does.
        told: all that the scenario's own rows, files and events say; days, times and amounts that are not in it are
            invented.
        after: events before which it is too early.
        look: what the person looks at first.
        why_not: their words for a proposal that they reject.
        habit: acts that may be named for a habit of theirs, and the texts of which one is then named; `habit_known` are
            days and times that it may name then.
    """

    acts: tuple[frozenset[str], ...]
    may: frozenset[str]
    names: Mapping[str, tuple[str, ...]]
    wrong: tuple[str, ...]
    things: tuple[tuple[str, tuple[str, ...]], ...]
    known: frozenset[str]
    old: frozenset[str]
    told: str
    rivals: Mapping[str, frozenset[str]]
    strangers: frozenset[str]
    cast: frozenset[str]
    after: tuple[str, ...]
    look: tuple[PlanStep, ...] = ()
    why_not: tuple[str, ...] = ()
    habit: tuple[frozenset[str], tuple[str, ...]] = (frozenset(), ())
    habit_known: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Solution:
    """The model solution.

    Args:
        look: read-only calls before the proposal.
        propose: the proposal.
        calls: what is done once it was accepted.
        report: what is said then.
    """

    look: tuple[ToolCall, ...]
    propose: str
    calls: tuple[ToolCall, ...]
    report: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario in one world.

    Args:
        pack: the set that it is of; `pack_hash` the hash of that set's content.
        id: its name; `variant` the world's number.
        title: a line for lists.
        time: the virtual clock at the opening.
        owner: the person.
        world: the phone at the opening; sessions fork it.
        events: what happens from outside.
        plan: what the person does.
        help: the help that is wanted; None where none is.
        goal: holds once that is done, as a habit of the owner's wants it; None where no help is wanted.
        own_goal: the same without the habit.
        lost: holds once the own goal cannot be met any more, or was; None: it always can.
        keep: by app and table the rows that the agent may change: ids, "created", or None for any.
        keep_files: files and folders that it may change.
        solution: the model solution; None where no help is wanted.
        noise: events that have nothing to do with it, to draw from.
        habit: the name of what the owner wants of whatever is done for them; "" where they want nothing.
        values: everything drawn, for debugging.
    """

    pack: str
    pack_hash: str
    id: str
    variant: int
    title: str
    time: datetime
    owner: Owner
    world: World
    events: tuple[PlannedEvent, ...]
    plan: tuple[PlanStep, ...]
    help: Help | None
    goal: Predicate | None
    own_goal: Predicate | None
    lost: Predicate | None
    keep: Mapping[tuple[str, str], frozenset[int | str] | None]
    solution: Solution | None
    keep_files: tuple[str, ...] = ()
    noise: tuple[ToolCall, ...] = ()
    habit: str = ""
    values: Mapping[str, Any] = field(default_factory=dict, repr=False)
