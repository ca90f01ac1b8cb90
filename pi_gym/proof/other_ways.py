"""Checks of other ways through a session than the model solution's: the author's own, and those of wrong beliefs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pi_gym.packs.solution_actions import reference_actions
from pi_gym.packs.solving import solution_steps
from pi_gym.packs.source import TaskSource
from pi_gym.packs.task_checks import TaskChecks
from pi_gym.packs.task_world import TaskWorld
from pi_gym.packs.variants import make_variant
from pi_gym.proof.case import Case
from pi_gym.proof.stage import StagedPlay
from pi_gym.results.result_checks import governed
from pi_gym.schema.task_sheet import WaySpec
from pi_gym.seeding import Stream
from pi_gym.validation.report import Sheet


def check_ways(case: Case, sheet: Sheet) -> None:
    """Check that the ways of ways.yaml that fit this world get the statuses and verdicts that they say."""
    source = case.source
    played = 0
    for what, way, actions in fitting_ways(case, sheet):
        played += 1
        if actions is not None:
            _judge(case.stage.play(actions), way, f"way {what!r}", source, sheet)
    if not source.ways:
        sheet.note(
            "ways.yaml", "it has no way: write some right ones and some wrong ones, they find what nothing else does"
        )
    sheet.numbers["played"] = played


def fitting_ways(case: Case, sheet: Sheet | None = None) -> Iterator[tuple[str, WaySpec, list[str] | None]]:
    """The ways of ways.yaml that fit a case's world, with what each is and its actions.

    Args:
        case: the case.
        sheet: told where a text to replace stands nowhere; the way has no actions then.
    """
    source = case.source
    if not source.ways:
        return
    world, told = world_of(case), sheet or Sheet("ways", case.task.variant)
    for what, way in source.ways.items():
        if _fits(way, world):
            yield what, way, _actions(world, way, what, told)


def check_own_facets(case: Case, sheet: Sheet) -> None:
    """Check that whoever takes one wish for another misses this wish and its items, and nothing else."""
    source = case.source
    world, played = world_of(case), 0
    known = {wish.name: wish.value for wish in world.wishes if wish.drawn}
    quiet, checks = solved(world, known), TaskChecks(world)
    stream = Stream("validate", case.task.id, case.task.variant, "own facets")
    for wish in world.wishes:
        if not wish.drawn:
            continue
        others = stream.shuffled([value for value in (None, *wish.words) if value != wish.value])
        works = ((value, solved(world, {**known, wish.name: value})) for value in others)
        # Who knows nothing of a wish may happen to do what is wanted.
        wrong = next(((value, work) for value, work in works if work != quiet), None)
        if wrong is None:
            sheet.fail(f"wish {wish.name}", "the solution is the same whatever it is: right() does not depend on it")
            continue
        played += 1
        way = WaySpec(believing={wish.name: wrong[0]}, misses=[wish.name])
        _judge(case.stage.play(wrong[1]), way, f"taking {wish.name} for {wrong[0]!r}", source, sheet)
        for result, raw in wish.spec.holds.items():
            if result in world.places:
                check = checks.result_check(result, raw, f"{wish.field}.holds.{result}", "wish", wish)
                for name in [name for name, some in governed(check).items() if not some]:
                    sheet.note(f"wish {wish.name}", f"{name} of the {result} reads nothing here that depends on it")
    sheet.numbers["played"] = played


def world_of(case: Case) -> TaskWorld:
    """The case's task in its world."""
    variant = make_variant(case.pack, case.source, case.task.variant)
    return TaskWorld(case.source, variant, variant.values)


def _fits(way: WaySpec, world: TaskWorld) -> bool:
    wishes = {wish.name: wish for wish in world.wishes}
    wanted: Mapping[str, Sequence[Any]] = way.when if isinstance(way.when, Mapping) else dict.fromkeys(way.when, ())
    needed = {**dict.fromkeys(way.misses, ()), **wanted}
    return all(wishes[name].drawn and (not values or wishes[name].value in values) for name, values in needed.items())


def solved(world: TaskWorld, beliefs: Mapping[str, Any]) -> list[str]:
    """The model solution by somebody with these beliefs, as actions; see `pi_gym.packs.solving.solution_steps`."""
    return reference_actions(tuple(solution_steps(world, beliefs)), world.source.file, "")


def _actions(world: TaskWorld, way: WaySpec, what: str, sheet: Sheet) -> list[str] | None:
    """The way's actions; None, with a failure, where a text to replace stands nowhere."""
    field = f"ways.yaml.{what}"
    context, render = world.true_context, world.source.render
    # Who asks for a wish has it, whatever the work is like: what is missed is known without asking, and done badly.
    known = {wish.name: wish.value for wish in world.wishes if wish.name in way.misses}
    believing = {**known, **render(f"{field}.believing", way.believing, context)}
    steps: list[tuple[int, Any]] = [*solution_steps(world, believing)]
    for number, pair in enumerate(way.replace.items()):
        before, after = map(str, render(f"{field}.replace.{number}", list(pair), context))
        changed = [(index, _replaced(step, before, after)) for index, step in steps]
        if changed == steps:
            sheet.fail(f"way {what!r}", f"nothing that the solution writes or says holds {before!r}")
            return None
        steps = changed
    added = [(-1, render(f"{field}.add.{number}", step, context)) for number, step in enumerate(way.add)]
    last = len(steps) - 1 if steps and "reply" in steps[-1][1] else len(steps)
    return reference_actions([*steps[:last], *added, *steps[last:]], world.source.file, "")


def _replaced(step: Any, old: str, new: str) -> Any:
    if isinstance(step, str):
        return step.replace(old, new)
    if isinstance(step, Mapping):
        return {name: _replaced(value, old, new) for name, value in step.items()}
    if isinstance(step, list | tuple):
        return [_replaced(value, old, new) for value in step]
    return step


def _judge(run: StagedPlay, way: WaySpec, subject: str, source: TaskSource, sheet: Sheet) -> None:
    needs = {item.name: item.needs for item in source.spec.checklist}
    if run.session.error:
        sheet.fail(subject, f"the session is unscored: {run.session.error}")
        return
    for name, status in run.statuses.items():
        met = status in ("completed", "inferred")
        if name in way.misses and met:
            sheet.fail(subject, f"wish {name} is {status}, expected it to be missed: {run.reasons.get(name, '')}")
        elif name not in way.misses and not met:
            sheet.fail(subject, f"wish {name} is {status}, expected it to be met{_why(run, name)}")
    failed = {one.partition(" ")[0]: one for one in run.failed}
    for name, why in failed.items():
        if not _expected(name, way, needs.get(name, ())):
            sheet.fail(subject, f"item {why} fails, expected it to pass")
    for name in _must_fail(run, way):
        if name not in failed:
            sheet.fail(subject, f"item {name} passes, expected it to fail")


def _why(run: StagedPlay, name: str) -> str:
    failed = [one for one in run.failed if one.partition(" ")[0] == name or one.startswith(f"{name}-")]
    return f": {failed[0]}" if failed else ""


def _expected(item: str, way: WaySpec, needs: Sequence[str]) -> bool:
    """Whether an item may fail: it is a missed wish's, or for one, or the author says so."""
    own = any(item == wish or item.startswith(f"{wish}-") or wish in needs for wish in way.misses)
    return own or item in way.fails or item in way.may_fail


def _must_fail(run: StagedPlay, way: WaySpec) -> Iterator[str]:
    items = [item.name for item in run.session.task.checklist]
    yield from (name for name in (*way.fails, *way.misses) if name in items)
