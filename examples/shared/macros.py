"""Macro-actions: what an assistant may do next in a session, made of what the package knows of its task.

No task has knowledge of its own here. In a session of PiBench the macro-actions are the looks of the model solution
(one for each file, or one for each of its steps where that makes more than `MOST` in all), one question for each topic
of questions.yaml, two that ask for many at once, one for each result that is written, one for each further step of
calls, an announced value, the closing reply, an empty-handed one, and the last action again. In one of Pare they are
the solution's looks, its proposal, a proposal that fits everything, the last proposal again, waiting, the solution's
calls, its report, and the last action again; where no help is wanted they are those of the scenario's next world, so
that which macro-actions there are tells nothing. A step of calls that look and of calls that change something is two
macro-actions.

Results are written, and calls made, as is right for what the session has shown so far: a wish is known once the
sentence that tells it was read, or the user said it, and till then nothing is thought of it. So the assistant is
privileged in how work is done, and not in what is wanted. An `Assistant` also says how things stand, as features of
each macro-action: that is what a policy over them goes by.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import pi_gym
from pi_gym.errors import PiGymError
from pi_gym.packs import referred_pack
from pi_gym.packs.solution_actions import calls_of
from pi_gym.packs.solving import solution_steps
from pi_gym.packs.task import ReferenceAction
from pi_gym.packs.task_world import TaskWorld, Wish
from pi_gym.packs.variants import make_variant
from pi_gym.pare.facts import wanted_facts
from pi_gym.pare.scenario import Scenario
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare.session import PareSession
from pi_gym.proof.memorised import own_questions
from pi_gym.questions import asking_clauses
from pi_gym.results.joined import separated
from pi_gym.results.place import FilePlace, NewFilePlace, is_sent
from pi_gym.session.protocol import Session
from pi_gym.types import ToolCall

Floats = NDArray[np.float64]

#: Macro-actions of a task, up to which each file that is looked at has one of its own.
MOST = 25
WAITING = "One moment."
ASKING_NOTHING = "Anything else?"
OFFER = "Shall I take care of this for you?"
_NOTHING = ToolCall("read_file", {"path": "there is no such file"})
_WORLDS = 512


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro-action.

    Args:
        role: its kind, the same in all tasks of a family.
        name: what it is about, in the task's words: a path, a topic, a result; "" where its role says all.
        step: the place of its step in the model solution, or its number among those of its role.
    """

    role: str
    name: str = ""
    step: int = 0

    def __str__(self) -> str:
        return f"{self.role} {self.name}".rstrip()


class Assistant(ABC):
    """Plays macro-actions in one session, and says how things stand.

    Attributes:
        macros: the macro-actions of the session; `done` by their places whether each was done.
    """

    #: The kinds of macro-actions, and what is said of each of them in `state`.
    roles: ClassVar[tuple[str, ...]]
    facts: ClassVar[tuple[str, ...]]

    def __init__(self, macros: Iterable[Macro]) -> None:
        self.macros = tuple(macros)
        self.done = [False] * len(self.macros)
        self._last = ""

    @classmethod
    def width(cls) -> int:
        """The number of features of a macro-action."""
        return len(cls.roles) * len(cls.facts)

    def act(self, place: int) -> str:
        """The action that a macro-action stands for as things stand."""
        macro = self.macros[place]
        action = (self._last or self.idle) if macro.role == "repeat" else self._action(macro)
        self.done[place] = True
        self._last = action
        return action

    @property
    def idle(self) -> str:
        """The action of somebody who waits."""
        return WAITING

    @abstractmethod
    def _action(self, macro: Macro) -> str: ...

    @abstractmethod
    def hear(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """Take in what the opening or a step brought.

        Args:
            messages: in OpenAI chat format; the agent's own are passed over.
        """

    @abstractmethod
    def said(self, place: int) -> Mapping[str, float]:
        """The facts about a macro-action itself, by their names, in the order of `facts`, behind the first."""

    @abstractmethod
    def standing(self) -> Mapping[str, float]:
        """The facts about the session, by their names, in the order of `facts`, which they end."""

    def state(self) -> Floats:
        """The features of every macro-action: its facts, at the place of its role. Shape (macro-actions, `width`)."""
        found = np.zeros((len(self.macros), len(self.roles), len(self.facts)))
        standing = list(self.standing().values())
        for place, macro in enumerate(self.macros):
            found[place, self.roles.index(macro.role)] = [1.0, *self.said(place).values(), *standing]
        return found.reshape(len(self.macros), -1)

    def places(self, *roles: str) -> list[int]:
        """The places of the macro-actions of some roles."""
        return [place for place, macro in enumerate(self.macros) if macro.role in roles]

    def all_done(self, *roles: str) -> bool:
        """Whether every macro-action of some roles was done."""
        return all(self.done[place] for place in self.places(*roles))


def assistant_of(session: Session, messages: Iterable[Mapping[str, Any]] = ()) -> Assistant:
    """The assistant for an open session.

    Args:
        session: of either family.
        messages: those of the opening, in chat format.

    Raises:
        TypeError: the session is of another family.
    """
    if isinstance(session, pi_gym.PiSession):
        assistant: Assistant = DeskAssistant(session)
    elif isinstance(session, PareSession):
        assistant = PhoneAssistant(session)
    else:
        raise TypeError(f"expected a session of PiBench or of Pare, got {type(session).__name__}")
    assistant.hear(messages)
    return assistant


# -- PiBench -----------------------------------------------------------------------------------------------------------


@lru_cache(_WORLDS)
def world_of(source: str, pack_hash: str, task_id: str, variant: int) -> TaskWorld:
    """A task in one world, the whole pool of its wishes included."""
    pack = referred_pack(source, pack_hash)
    template = pack.source_of(task_id)
    drawn = make_variant(pack, template, variant)
    return TaskWorld(template, drawn, drawn.values)


@lru_cache(_WORLDS)
def questions_of(source: str, pack_hash: str, task_id: str, variant: int) -> Mapping[str, str]:
    """How one asks, by topic: the wishes of the pool, drawn or not, and what else is answered.

    It is the topic's first example in questions.yaml, or where there is none a plain question of its words there. The
    topics of what the person wishes in other tasks are left out.
    """
    matcher = referred_pack(source, pack_hash).instantiate(task_id, variant).questions
    found = {}
    for topic in matcher.topics:
        if topic.kind == "lasting":
            continue
        heard = (one for one in own_questions(topic) if any(topic.name in matcher.aims(c) for c in asking_clauses(one)))
        found[topic.name] = next(heard, "")
    return {name: question for name, question in found.items() if question}


class DeskAssistant(Assistant):
    """Plays macro-actions in a session of PiBench.

    Args:
        session: just opened.

    Attributes:
        guesses: by wish what it is taken to be as long as nothing is known of it; empty unless somebody guesses.
    """

    roles = ("look", "ask", "ask open", "ask all", "write", "do", "announce", "reply", "wait", "repeat")
    facts = ("always", "done", "stale", "known", "looked", "written", "acted", "asked", "told")

    def __init__(self, session: pi_gym.PiSession) -> None:
        task = session.task
        self.session, self.world = session, world_of(task.pack_source, task.pack_hash, task.id, task.variant)
        self.questions = questions_of(task.pack_source, task.pack_hash, task.id, task.variant)
        self._heard: set[str] = set()
        self._steps: dict[Any, dict[int, Mapping[str, Any]]] = {}
        self._told = {wish.name: [plain(one) for one in _telling(self.world, wish)] for wish in self.world.wishes}
        self._words = {wish.name: [plain(one) for one in _words(self.world, wish)] for wish in self.world.wishes}
        for number, one in enumerate(self.world.sheet.answers):
            self._words[one.topic] = [plain(str(self.world.render(f"answers[{number}].says", one.says)))]
        self._left = {name: text for name, text in self._told.items() if text}
        self.guesses: dict[str, Any] = {}
        self._announced = 0
        self._spoken_to = self._asked = False
        self._made: dict[Macro, Any] = {}
        self._own: dict[str, list[str]] = {}
        self._documents: dict[Any, dict[str, str]] = {}
        super().__init__(self._macros())

    # -- the macro-actions -------------------------------------------------------------------------------------------

    def _macros(self) -> Iterator[Macro]:
        sheet = self.world.sheet.solution
        writes = dict.fromkeys(name for step in sheet for name in step.write or () if not self._is_sent(name))
        rest = [Macro("ask", name, number) for number, name in enumerate(self.questions)]
        rest += [Macro("ask open"), Macro("ask all")]
        rest += [Macro("write", name, number) for number, name in enumerate(writes)]
        looks, files = [], []
        for number, step in enumerate(sheet):
            if step.read is not None:
                looks.append(Macro("look", f"step {number}", number))
                paths = self.world.source.render(f"solution[{number}].read", step.read, self.world.true_context)
                files += [Macro("look", path, number) for path in paths]
            elif step.log_in is not None:
                found = [Macro("look", f"log in to {', '.join(step.log_in)}", number)]
                looks, files = looks + found, files + found
            elif step.calls is not None or step.do is not None:
                calls = self.steps(self.world.true).get(number, {}).get("calls", ())
                found = [Macro("look", f"step {number}", number)] if any(map(self._looks, calls)) else []
                looks, files = looks + found, files + found
                if not all(map(self._looks, calls)) or not calls:
                    rest.append(Macro("do", f"step {number}", number))
            elif any(map(self._is_sent, step.write or ())):
                rest.append(Macro("do", f"step {number}", number))
        rest += [Macro(role) for role in ("announce", "reply", "wait", "repeat")]
        return iter([*(files if len(files) + len(rest) <= MOST else looks), *rest])

    def _is_sent(self, result: str) -> bool:
        """Whether a result is messages, which are sent and not written anew."""
        return is_sent(self.world.places[result])

    def _looks(self, call: Mapping[str, Any]) -> bool:
        """Whether a call changes nothing: it reads, logs in, or runs a command that leaves no file."""
        tool = call["tool"]
        if tool == "exec":
            return not (call.get("result") or {}).get("files")
        return tool.endswith("__login") or self.session.registry.get(tool).effect == "read"

    # -- what is known -----------------------------------------------------------------------------------------------

    def hear(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """See the class; a wish is known once its sentence was read, or the user spoke of it."""
        for message in messages:
            if message["role"] not in ("user", "tool"):
                continue
            text = plain(message["content"])
            told = [name for name, ways in self._left.items() if any(one in text for one in ways)]
            if message["role"] == "user":
                told += [name for name, words in self._words.items() if any(one in text for one in words)]
                self._spoken_to = self._spoken_to or bool(set(told) - self._heard)
            self._heard.update(told)
            for name in told:
                self._left.pop(name, None)

    def knows(self, topic: str) -> bool:
        """Whether the session has told what a topic's answer is."""
        return topic in self._heard

    def forget(self, topics: Iterable[str]) -> None:
        """Take topics for unknown, whatever was said of them, so that guesses hold."""
        self._heard.difference_update(topics)

    @property
    def belief(self) -> tuple[Any, ...]:
        """By wish what is known of it, or else guessed; None where nothing is, or it is not wanted."""
        return tuple(
            true if wish.name in self._heard else self.guesses.get(wish.name)
            for wish, true in zip(self.world.wishes, self.world.true, strict=True)
        )

    def steps(self, belief: tuple[Any, ...]) -> Mapping[int, Mapping[str, Any]]:
        """The steps of the model solution for a belief about all wishes, by their places; none where it fails."""
        if belief not in self._steps:
            names = (wish.name for wish in self.world.wishes)
            try:
                self._steps[belief] = dict(solution_steps(self.world, dict(zip(names, belief, strict=True))))
            except PiGymError:
                self._steps[belief] = {}
        return self._steps[belief]

    # -- actions -----------------------------------------------------------------------------------------------------

    def _action(self, macro: Macro) -> str:
        self._spoken_to = self._spoken_to and macro.role not in ("ask", "ask open", "ask all", "reply", "wait")
        match macro.role:
            case "look" | "do":
                self._made[macro] = self._content(macro)
                return _calls(self._work(macro), macro.step)
            case "write":
                self._made[macro] = self._content(macro)
                return self._write(macro.name)
            case "ask":
                return self.questions[macro.name]
            case "ask open":
                self._asked = True
                return self.asking(name for name in self.questions if not self.knows(name))
            case "ask all":
                return self.asking(self.questions)
            case "announce":
                return self._announcement()
            case "reply":
                return self._reply()
            case _:
                return WAITING

    def asking(self, topics: Iterable[str]) -> str:
        """A reply that asks for some topics."""
        return "\n".join(self.questions[name] for name in topics) or ASKING_NOTHING

    def _work(self, macro: Macro) -> list[Mapping[str, Any]]:
        """The calls that a macro-action makes of its step; those that look and those that do are of two."""
        calls = self.steps(self.belief).get(macro.step, {}).get("calls", ())
        if self.world.sheet.solution[macro.step].write is not None:
            return [call for call in calls if "__" in call["tool"]]  # its files are written by themselves
        if self.world.sheet.solution[macro.step].read is not None and not macro.name.startswith("step "):
            return [call for call in calls if call["path"] == (macro.name.removesuffix("/**").rstrip("/") or ".")]
        return [call for call in calls if self._looks(call) == (macro.role == "look")]

    def _write(self, name: str) -> str:
        files = self.session.world.workspace
        made = self.documents(name, self.belief)
        # No tool deletes a file: what was written under another name is emptied.
        left = {path: "" for path in self._own.get(name, ()) if path not in made}
        self._own[name] = list(made)
        changed = {path: text for path, text in {**left, **made}.items() if files.text(path) != text}
        return _calls([{"tool": "write_file", "path": path, "content": text} for path, text in changed.items()], 0)

    def documents(self, name: str, belief: tuple[Any, ...]) -> dict[str, str]:
        """The files of a result as they are right for a belief, by path; none where it is not wanted."""
        key = (name, belief)
        if key not in self._documents:
            self._documents[key] = self._rendered(name, belief)
        return self._documents[key]

    def _rendered(self, name: str, belief: tuple[Any, ...]) -> dict[str, str]:
        try:
            place = self.world.places[name]
            found = self.world.document(name, belief) if isinstance(place, FilePlace | NewFilePlace) else None
        except PiGymError:
            return {}
        if found is None:
            return {}
        folder = found.path.rpartition("/")[0]
        return {f"{folder}/{file}".lstrip("/"): text for file, text in separated(found.path, found.text)}

    def _announcement(self) -> str:
        """A plan that names the next value of a wish of which nothing is known."""
        open_ones = [wish for wish in self.world.wishes if wish.words and not self.knows(wish.name)]
        values = [words[0] for wish in open_ones for words in wish.words.values()]
        if not values:
            return WAITING
        self._announced += 1
        return f"I will take this one: {values[(self._announced - 1) % len(values)]}."

    def _reply(self) -> str:
        replies = [step["reply"] for step in self.steps(self.belief).values() if "reply" in step]
        return str(replies[-1]).strip() if replies else "It is done."

    # -- features ----------------------------------------------------------------------------------------------------

    def _content(self, macro: Macro) -> Any:
        """The work of a macro-action as it would be done now, to compare."""
        if macro.role == "write":
            return self.documents(macro.name, self.belief)
        return self._work(macro) if macro.role == "do" else None

    def is_stale(self, macro: Macro) -> bool:
        """Whether work that was done would be done otherwise by what is known since."""
        return macro in self._made and self._made[macro] != self._content(macro)

    def is_up_to_date(self, *roles: str) -> bool:
        """Whether all work of some roles is done, as is right for what is known."""
        return all(self.done[place] and not self.is_stale(self.macros[place]) for place in self.places(*roles))

    def said(self, place: int) -> Mapping[str, float]:
        """See the class."""
        macro = self.macros[place]
        known = macro.role == "ask" and self.knows(macro.name)
        known = known or (macro.role == "ask open" and all(map(self.knows, self.questions)))
        stale = macro.role in ("write", "do") and self.is_stale(macro)
        return {"done": self.done[place] and not stale, "stale": stale, "known": known}

    def standing(self) -> Mapping[str, float]:
        """See the class."""
        return {
            "looked": self.all_done("look"),
            "written": self.is_up_to_date("write"),
            "acted": self.is_up_to_date("do"),
            "asked": self._asked,
            "told": self._spoken_to,
        }


def _telling(world: TaskWorld, wish: Wish) -> Iterator[str]:
    """The sentences that tell a wish's true value, each of which is enough; none where only the user can tell it."""
    for number, told in enumerate(wish.spec.told):
        field = f"{wish.field}.told[{number}].sentence"
        yield str(world.render(field, told.sentence, **wish.local(wish.value)))
    if wish.spec.told_in is not None:
        first = world.source.lasting_wishes[wish.spec.use or ""].first
        yield str(world.render(f"{wish.field}.first", first, **wish.local(wish.value)))


def _words(world: TaskWorld, wish: Wish) -> Iterator[str]:
    """What the user says of a wish: to state it, to correct somebody, or that it is not wanted."""
    for name in ("says", "corrects") if wish.drawn else ("undrawn",):
        if world.source.text(wish.spec, name):
            yield world.said(wish, name)


def plain(text: str) -> str:
    """A text to look for, or in: small letters, one blank for any white space, nothing escaped as JSON does."""
    return " ".join(text.replace("\\n", " ").replace('\\"', '"').split()).casefold()


def _calls(made: Sequence[Mapping[str, Any]], number: int) -> str:
    """The action of some calls as a solution has them, with what their commands are declared to do."""
    found = calls_of({"calls": made}, number) or [(_NOTHING, None)]
    return ReferenceAction.of("\n".join(call.to_text() for call, _ in found), [result for _, result in found])


# -- Pare --------------------------------------------------------------------------------------------------------------


@lru_cache(_WORLDS)
def planned(task_id: str, variant: int) -> Scenario:
    """The scenario in this world where help is wanted in it, else in the next one in which it is."""
    scenarios = installed_scenarios()
    while (found := scenarios.instantiate(task_id, variant)).solution is None:
        variant += 1
    return found


class PhoneAssistant(Assistant):
    """Plays macro-actions in a session of Pare.

    Args:
        session: just opened.
    """

    roles = ("look", "propose", "offer", "propose again", "wait", "do", "report", "repeat")
    facts = ("always", "done", "next", "acting", "pending", "due", "backed", "looked", "acted", "refused", "agreed")

    def __init__(self, session: PareSession) -> None:
        self.session = session
        plan = planned(session.scenario.id, session.scenario.variant)
        assert plan.solution is not None
        assert plan.help is not None
        self.solution = plan.solution
        self._after = plan.help.after
        named = ([words for text in texts for words in _named(text)] for texts in plan.help.names.values())
        self._facts = [texts for texts in named if texts]
        self._proposed = ""
        self._text = ""
        looks = [Macro("look", call.name, number) for number, call in enumerate(self.solution.look)]
        calls = [Macro("do", call.name, number) for number, call in enumerate(self.solution.calls)]
        words = [Macro(role) for role in ("propose", "offer", "propose again", "wait")]
        super().__init__([*looks, *words, *calls, Macro("report"), Macro("repeat")])

    @property
    def idle(self) -> str:
        """See the class."""
        return ""

    def hear(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """See the class."""
        heard = (message["content"] for message in messages if message["role"] in ("user", "tool"))
        self._text = " ".join([self._text, *map(plain, heard)])

    @property
    def due(self) -> bool:
        """Whether what the proposal answers to has come in; so it does too where no help is wanted."""
        return bool(self.session.happened.knows(self._after))

    @property
    def backed(self) -> float:
        """The share of the names in the proposal that the session has shown."""
        shown = [any(one in self._text for one in texts) for texts in self._facts]
        return sum(shown) / len(shown) if shown else 1.0

    def _action(self, macro: Macro) -> str:
        match macro.role:
            case "look":
                return self.solution.look[macro.step].to_text()
            case "do":
                return self.solution.calls[macro.step].to_text()
            case "propose":
                self._proposed = self.solution.propose
                return self._proposed
            case "offer":
                self._proposed = OFFER
                return self._proposed
            case "propose again":
                return self._proposed or self.solution.propose
            case "report":
                return self.solution.report
            case _:
                return self.idle

    def said(self, place: int) -> Mapping[str, float]:
        """See the class."""
        macro = self.macros[place]
        earlier = (other for other in self.places(macro.role) if other < place)
        return {"done": self.done[place], "next": not self.done[place] and all(self.done[one] for one in earlier)}

    def standing(self) -> Mapping[str, float]:
        """See the class."""
        now = self.session.standing
        return {
            "acting": now.mode == "execute",
            "pending": now.mode == "waiting",
            "due": self.due,
            "backed": self.backed,
            "looked": self.all_done("look"),
            "acted": self.all_done("do"),
            "refused": now.rejected + now.replaced > 0,
            "agreed": now.accepted > 0,
        }


def _named(text: str) -> Iterator[str]:
    """The text of a fact as it is looked for; none of a day, a time or a number, which are written in many ways."""
    yield from (words for kind, words in wanted_facts(text) if kind == "words")
