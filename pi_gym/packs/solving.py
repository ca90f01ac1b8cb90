"""The model solution of a task, made of what is right for what is known at each step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pi_gym.errors import PackError, SpecError, unknown
from pi_gym.packs.edits_of import file_calls
from pi_gym.packs.task_world import TaskWorld
from pi_gym.packs.variants import VariantValues
from pi_gym.schema.task_sheet import SolutionStepSpec


class Solving:
    """The model solution while it is made: what is known, and what was written already.

    Args:
        world: the task in its world.
        beliefs: by wish what it is taken to be, without asking; None: nothing is thought of it.
    """

    def __init__(self, world: TaskWorld, beliefs: Mapping[str, Any]) -> None:
        self.world, self.source = world, world.source
        steps = world.sheet.solution
        asks = any(step.ask is not None for step in steps)
        self.open = [
            wish for wish in world.wishes if wish.drawn and asks and not wish.told and wish.name not in beliefs
        ]
        known = {wish.name: wish.value for wish in world.wishes if wish.stands and (wish.told or not asks)}
        self.belief = tuple({**known, **beliefs}.get(wish.name) for wish in world.wishes)
        self.written: dict[str, str] = {}

    def steps(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """The steps that are taken, filled in, each with its place in the task's template."""
        for index, step in enumerate(self.world.sheet.solution):
            field = f"solution[{index}]"
            context = self.world.context(self.belief)
            when = self.source.render(f"{field}.when", step.when, context)
            if not isinstance(when, bool):
                raise SpecError(f"{field}.when", f"expected true or false, got {when!r}; use one '{{{{ … }}}}'")
            made = self._step(step, field, context) if when else None
            if made is not None:
                yield index, made

    def _step(self, step: SolutionStepSpec, field: str, context: Mapping[str, Any]) -> Mapping[str, Any] | None:
        if step.reply is not None:
            return {"reply": self.source.render(f"{field}.reply", step.reply, context)}
        if step.ask is not None:
            return self._ask(step.ask, field, context)
        if step.read is not None:
            calls = [_read_call(path) for path in self.source.render(f"{field}.read", step.read, context)]
        elif step.log_in is not None:
            calls = [self._log_in(app, f"{field}.log_in") for app in step.log_in]
        elif step.calls is not None:
            calls = [
                one
                for call in self.source.render(f"{field}.calls", step.calls, context)
                for one in _each_call(call, f"{field}.calls")
            ]
        elif step.do is not None:
            calls = self._done(step.do, context)
        else:
            calls = [call for name in step.write or () for call in self._write(name, f"{field}.write")]
        return {"calls": calls} if calls else None

    def _log_in(self, app: str, field: str) -> dict[str, Any]:
        account = next((one for one in self.source.accounts if one.app == app), None)
        if account is None:
            raise SpecError(field, unknown("account", app, [one.app for one in self.source.accounts]))
        return {"tool": f"{app}__login", "username": account.username, "password": account.password}

    def _ask(self, around: Any, field: str, context: Mapping[str, Any]) -> Mapping[str, Any] | None:
        waiting, self.open = self.open, []
        told = {wish.name for wish in waiting}
        self.belief = tuple(
            wish.value if wish.name in told else known
            for wish, known in zip(self.world.wishes, self.belief, strict=True)
        )
        if not waiting:
            return None
        asked = self.source.questions
        questions: dict[str, str] = {}
        for wish in waiting:
            examples = asked[wish.name][1]["asked"]
            if not examples:
                reason = "expected an example in `asked`: the model solution asks with the first"
                raise PackError(self.source.asked_file, f"{wish.name}.asked", reason)
            questions[wish.name] = str(self.source.render(f"questions.{wish.name}.asked", examples, context)[0])
        text = "{{ questions }}" if around == "undecided" else around
        within = {**context, "questions": "\n".join(questions.values())}
        return {"reply": self.source.render(f"{field}.ask", text, within), "asks": questions}

    def _done(self, name: str, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        maker = self.source.code.makers.get(name)
        if maker is None:
            raise PackError(self.source.code_file, name, "the solution calls it (`do`), but there is no such function")
        try:
            return [dict(call) for call in maker(context["world"], context["wishes"])]
        except Exception as error:
            reason = f"{name}() raised {type(error).__name__}: {error} (variant {self.world.variant.number})"
            raise PackError(self.source.code_file, name, reason) from error

    def _write(self, name: str, field: str) -> list[dict[str, Any]]:
        from pi_gym.results.joined import separated
        from pi_gym.results.place import FilePlace, NewFilePlace, is_sent

        place = self.world.places[name]
        if is_sent(place):
            return self._sent(name)
        if not isinstance(place, FilePlace | NewFilePlace):
            reason = (
                f"{name} is no file and no message: write `calls`, or `do` with a function of right.py that gives them"
            )
            raise SpecError(field, reason)
        document = self.world.document(name, self.belief)
        if document is None:
            return []
        calls = []
        folder = document.path.rpartition("/")[0]
        for file, text in separated(document.path, document.text):
            path = f"{folder}/{file}".lstrip("/")
            old = self.written[path] if path in self.written else self.world.seed(path)
            self.written[path] = text
            calls += file_calls(path, old, text)
        return calls

    def _sent(self, name: str) -> list[dict[str, Any]]:
        """The calls that send the messages of a result, but for what they carry."""
        from pi_gym.authoring.messages import send_calls

        given = self.world.given(name, self.belief) or ()
        return send_calls(*([given] if isinstance(given, Mapping) else given))


def solution_steps(world: TaskWorld, beliefs: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The steps of the solution by somebody with these beliefs about wishes, who asks for the others only.

    Args:
        world: the task in its world.
        beliefs: by wish what it is taken to be; None: nothing is thought of it.
    """
    return Solving(world, beliefs).steps()


def solution_over(
    world: TaskWorld, values: VariantValues, overrides: Mapping[str, Any]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The steps of the solution, filled in for some hidden values over the same world."""
    over = world if not overrides else TaskWorld(world.source, world.variant, values)
    # Of a wish that nobody asks for and nothing tells, a belief changes the work only where it is given.
    believed = {
        wish.name: wish.value
        for wish in over.wishes
        if not wish.drawn and over.source.parameter(wish.spec) in overrides
    }
    return solution_steps(over, believed)


def _each_call(call: Mapping[str, Any], field: str) -> Iterator[dict[str, Any]]:
    """A call as it is written, or one for each of the values or arguments under `each`."""
    shared = {name: value for name, value in call.items() if name != "each"}
    each = call.get("each", [{}])
    if isinstance(each, Mapping):
        each = [{name: value} for name, values in each.items() for value in values]
    if each is None:  # what right() does not give is not done
        return
    if not isinstance(each, Sequence) or not all(isinstance(one, Mapping) for one in each):
        raise SpecError(f"{field}.each", f"expected arguments by name, a list of such, or nothing, got {each!r:.80}")
    yield from ({**shared, **one} for one in each)


def _read_call(path: str) -> dict[str, Any]:
    if path.endswith("/**"):
        return {"tool": "list_dir", "path": path.removesuffix("/**"), "recursive": True}
    if path.endswith("/"):
        return {"tool": "list_dir", "path": path.rstrip("/") or "."}
    return {"tool": "read_file", "path": path}
