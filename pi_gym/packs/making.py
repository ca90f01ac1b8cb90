"""The parts of a task that are made of its world: the intents, the checklist, and what the user answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pi_gym.errors import PackError, SpecError
from pi_gym.packs.source import TaskSource
from pi_gym.packs.task import AppColumn, Intent, Item, KnownAnswer, Recovery
from pi_gym.packs.task_checks import TaskChecks
from pi_gym.packs.task_world import TaskWorld, Wish
from pi_gym.packs.variants import named_errors
from pi_gym.schema.task_sheet import AnswerSpec, ToldSpec

if TYPE_CHECKING:
    from pi_gym.packs.folder import PackFolder
    from pi_gym.predicates.compile import Predicate
    from pi_gym.questions import Matcher, Topic
    from pi_gym.questions.choices import Choice
    from pi_gym.questions.matcher import TopicKind
    from pi_gym.results.right_answers import Belief

HISTORY_FILE = "memory/HISTORY.md"
#: The name of the derived item that nothing was done but what had to be.
GUARD = "nothing-else"
#: The fields of a task that nobody needs who only follows its reference.
HIDDEN = ("intents", "checklist", "undrawn", "answers")


class TaskMaking:
    """The sources of the parts of one task.

    Args:
        world: the task in its world.
        canary: a mark for hidden texts.
        home: the task's pack, for what is pickled as a reference to it.
    """

    def __init__(self, world: TaskWorld, canary: str = "", home: PackFolder | None = None) -> None:
        self.world, self.canary, self.home = world, canary, home
        self.source, self.sheet, self.variant = world.source, world.sheet, world.variant
        self.checks = TaskChecks(world)

    def read_all(self) -> None:
        """See to it that all that the author wrote of wishes, drawn or not, of results and items can be read.

        Raises:
            PackError: something cannot; the message names file and field.
        """
        # Contents first: what right.py gives is the cause, a function's argument that holds it the symptom.
        for belief in self.world.answers_of.beliefs():
            for name, spec in self.sheet.results.items():
                found = self.world.answers_of.content(name, belief)
                if found is None and spec.sound and not spec.optional:
                    self._refuse_missing(name, belief)
        with named_errors(self.source, self.variant.number):
            for wish in self.world.wishes:
                self.checks.predicate(wish.spec.holds, f"{wish.field}.holds", "wish", wish)
                _ = self.world.said(wish, "wish"), self.world.said(wish, "says"), tuple(self._recoveries(wish))
            for index, item in enumerate(self.sheet.checklist):
                self.checks.predicate(item.holds, f"checklist[{index}].holds", "item")
            for name in self.sheet.results:
                self.checks.predicate({name: None}, f"results.{name}.sound", "sound")

    def _refuse_missing(self, name: str, belief: Belief) -> None:
        where = f"variant {self.variant.number}; {self.world.written(belief)}"
        reason = (
            f"right() leaves it out ({where}), so it can have no item of its own: say `optional: true`, or give it"
            " whatever is wished"
        )
        raise PackError(self.source.file, f"results.{name}", reason)

    def _kept(self, predicate: Predicate, number: str, part: str) -> Predicate:
        """The predicate of an intent or an item, as one whose pickle is a reference to it."""
        from pi_gym.packs.task_predicate import TaskPredicate

        if self.home is None:
            return predicate
        place = (self.source.folder.name, self.variant.number, self.canary, number, part)
        return TaskPredicate(predicate.root, predicate.field, self.home, place)

    def _marked(self, text: str, number: str) -> str:
        """A hidden text with its mark; one that is empty has none."""
        return f"{text} {self.canary}-{number}" if self.canary and text else text

    def part(self, name: str) -> Any:
        """One of the task's `HIDDEN` fields."""
        with named_errors(self.source, self.variant.number):
            return getattr(self, name)()

    def intents(self) -> tuple[Intent, ...]:
        """The drawn wishes, in file order."""
        drawn = [wish for wish in self.world.wishes if wish.drawn]
        return tuple(self._intent(wish, f"i{number}") for number, wish in enumerate(drawn, start=1))

    def _intent(self, wish: Wish, number: str) -> Intent:
        spec = wish.spec
        return Intent.waiting(
            ("text", "satisfied", "reveal", "after", "before", "recover", "choices", "corrects"),
            partial(self._intent_part, wish, number),
            id=number,
            name=wish.name,
            scope="persistent" if spec.use is not None else "session",
            values=(self.source.parameter(spec),) if wish.words else (),
            by_rule=True,
            tags=tuple(spec.tags),
        )

    def _intent_part(self, wish: Wish, number: str, name: str) -> Any:
        with named_errors(self.source, self.variant.number):
            match name:
                case "satisfied":
                    predicate = self.checks.predicate(wish.spec.holds, f"{wish.field}.holds", "wish", wish)
                    return self._kept(predicate, number, name)
                case "after" | "before":
                    return self._when(wish, number, name)
                case "recover":
                    return tuple(self._recoveries(wish))
                case "choices":
                    return self._choices(wish)
                case _:
                    said = {"text": "wish", "reveal": "says", "corrects": "corrects"}[name]
                    return self._marked(self.world.said(wish, said), number)

    def _when(self, wish: Wish, number: str, name: str) -> Predicate | None:
        from pi_gym.predicates.compile import compile_predicate

        raw = getattr(wish.spec, name)
        if raw is None:
            return None
        field = f"{wish.field}.{name}"
        return self._kept(
            compile_predicate(self.world.render(field, raw), field, self.source.code.checks), number, name
        )

    def _choices(self, wish: Wish) -> tuple[Choice, ...]:
        from pi_gym.questions.choices import Choice

        return tuple(Choice(str(value), words, value == wish.value) for value, words in wish.words.items())

    def _recoveries(self, wish: Wish) -> Iterator[Recovery]:
        for index, told in enumerate(wish.spec.told):
            yield self._recovery(wish, told, f"{wish.field}.told[{index}]")
        if wish.spec.told_in is not None:
            said = {value: self._first_said(wish, value) for value in wish.words}
            yield self._way(wish, HISTORY_FILE, wish.spec.told_in, said, self._first_said(wish, wish.value))

    def _first_said(self, wish: Wish, value: Any) -> str:
        """Her words in the session that settled a lasting wish."""
        lasting = self.source.lasting_wishes[wish.spec.use or ""]
        return str(self.world.render(f"{wish.field}.first", lasting.first, **wish.local(value))).strip()

    def _recovery(self, wish: Wish, told: ToldSpec, field: str) -> Recovery:
        from pi_gym.packs.app_columns import app_column

        def sentence(value: Any) -> str:
            return str(self.world.render(f"{field}.sentence", told.sentence, **wish.local(value))).strip()

        place: str | AppColumn
        if told.file is not None:
            place = str(self.world.render(f"{field}.file", told.file))
        else:
            way = {"app": told.app, "table": told.table, "column": told.column, "where": told.where}
            place = app_column(self.world.render(field, way), field)
        said = {value: sentence(value) for value in wish.words}
        return self._way(wish, place, None, said, sentence(wish.value))

    def _way(
        self, wish: Wish, place: str | AppColumn, session: str | None, said: Mapping[Any, str], true: str
    ) -> Recovery:
        """A way to know a wish: the sentence for its value stands there, or one for all its values."""
        if len(set(said.values())) < 2:
            return Recovery(place, session, {}, f"(?i){_written(true)}", {})
        name = self.source.parameter(wish.spec)
        longest = sorted(said.values(), key=len, reverse=True)
        pattern = f"(?i)({'|'.join(map(_written, longest))})"
        meaning = {" ".join(one.split()).casefold(): value for value, one in said.items()}
        return Recovery(place, session, {name: (pattern, meaning)}, None, {name: wish.value})

    def checklist(self) -> tuple[Item, ...]:
        """An item for each result that has a threshold, for each drawn wish, the author's, and the guard."""
        self.world.right(self.world.true)  # a fault of it is told before a session begins
        drafts = list(self._drafts())
        ids = {draft.name: f"c{number}" for number, draft in enumerate(drafts, start=1)}
        return tuple(self._item(draft, ids) for draft in drafts)

    def _drafts(self) -> Iterator[_Draft]:
        first = ""
        for name, spec in self.sheet.results.items():
            if spec.sound and not spec.optional:
                first = first or f"{name}-sound"
                yield _Draft(
                    f"{name}-sound",
                    "",
                    lambda name=name: f"What is handed in as {name} is there, and its core is right.",  # type: ignore[misc]
                    lambda name=name: self.checks.predicate({name: None}, f"results.{name}.sound", "sound"),  # type: ignore[misc]
                    self.checks.evidence([name]),
                )
        for wish in self.world.wishes:
            if wish.drawn:
                yield self._wish_draft(wish)
        for index, item in enumerate(self.sheet.checklist):
            if self.variant.draw.issuperset(item.needs):
                yield self._own_draft(index)
        yield _Draft(
            GUARD,
            first,
            lambda: "Nothing was changed but what had to be.",
            lambda: self.checks.guard(),
            {},
        )

    def _wish_draft(self, wish: Wish) -> _Draft:
        return _Draft(
            wish.name,
            "",
            lambda: self.world.said(wish, "wish"),
            lambda: self.checks.predicate(wish.spec.holds, f"{wish.field}.holds", "wish", wish),
            self.checks.evidence(wish.spec.holds),
        )

    def _own_draft(self, index: int) -> _Draft:
        item, field = self.sheet.checklist[index], f"checklist[{index}]"

        return _Draft(
            item.name,
            item.requires or "",
            lambda: str(self.world.render(f"{field}.criterion", item.criterion)).strip(),
            lambda: self.checks.predicate(item.holds, f"{field}.holds", "item"),
            self.checks.evidence(item.holds),
        )

    def _item(self, draft: _Draft, ids: Mapping[str, str]) -> Item:
        number = ids[draft.name]
        if draft.requires and draft.requires not in ids:
            raise SpecError(f"checklist.{draft.name}.requires", f"there is no item {draft.requires!r} in this draw")
        return Item.waiting(
            ("text", "check"),
            partial(self._item_part, draft, number),
            evidence=draft.evidence,
            id=number,
            name=draft.name,
            grader="rule",
            requires=ids.get(draft.requires, ""),
            weight=1.0,
            script=None,
            by_rule=True,
        )

    def _item_part(self, draft: _Draft, number: str, name: str) -> Any:
        with named_errors(self.source, self.variant.number):
            if name == "text":
                return self._marked(draft.text(), number)
            return self._kept(draft.check(), number, name)

    def undrawn(self) -> dict[str, str]:
        """By wish that is not drawn, what the user says of it."""
        return {
            wish.name: self._marked(self.world.said(wish, "undrawn"), f"u{wish.place + 1}")
            for wish in self.world.wishes
            if not wish.drawn
        }

    def answers(self) -> tuple[KnownAnswer, ...]:
        """The answers to what else may be asked."""
        return tuple(self._answer(number, one) for number, one in enumerate(self.sheet.answers))

    def _answer(self, number: int, given: AnswerSpec) -> KnownAnswer:
        says = str(self.world.render(f"answers[{number}].says", given.says)).strip()
        return KnownAnswer(given.topic, self._marked(says, f"a{number + 1}"), given.permission)

    @property
    def question_budget(self) -> int | None:
        """The number of asking clauses that the user answers, where asking is costly."""
        return None if self.sheet.questions is None else self.sheet.questions.budget

    def questions(self) -> Matcher:
        """The matcher of all topics."""
        return matcher_of(self.source, self.world.true_context, self.variant.number)


@dataclass(frozen=True, slots=True)
class _Draft:
    name: str
    requires: str
    text: Callable[[], str]
    check: Callable[[], Predicate]
    evidence: Mapping[str, Sequence[str]]


def _written(sentence: str) -> str:
    """An expression (RE2) for a sentence, wherever its lines are broken."""
    import re2

    return r"\s+".join(map(re2.escape, sentence.split()))


def matcher_of(source: TaskSource, context: Mapping[str, Any], number: int) -> Matcher:
    """The matcher of all topics of a task, each compiled anew only where a template of it reads otherwise."""
    from pi_gym.questions.matcher import Matcher, compile_topic

    def topic(name: str, kind: TopicKind, entry: Mapping[str, Any]) -> Topic:
        rendered = source.render(f"questions.{name}", entry, context)
        if rendered is entry:  # without templates it reads alike in all variants
            if name not in source.plain_topics:
                source.plain_topics[name] = compile_topic(name, kind, entry)
            return source.plain_topics[name]
        return source.compiled(f"questions.{name}", rendered, lambda raw: compile_topic(name, kind, raw))

    try:
        return Matcher([topic(name, kind, entry) for name, (kind, entry) in source.questions.items()])
    except SpecError as error:
        reason = f"{error.reason} (variant {number})"
        raise PackError(source.asked_file, error.field.removeprefix("questions."), reason) from error
