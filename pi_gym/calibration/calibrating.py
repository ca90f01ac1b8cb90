"""Calibrating: putting trials to the models of roles, many at one time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from pi_gym.calibration.calibration_outcome import Calibration, TrialOutcome
from pi_gym.calibration.role_models import RoleModels, RolePlayer
from pi_gym.calibration.trials import ListedTrialMaker, Trial, TrialMaker
from pi_gym.catalogue import TaskSet
from pi_gym.environments import base_env, make_env
from pi_gym.errors import BadArgument, PiGymError
from pi_gym.family import Family, load_entry
from pi_gym.rejudging.courses import run_courses
from pi_gym.runs.plan import named_task
from pi_gym.sampling import FIRST_VALIDATION
from pi_gym.seeding import Stream

#: How many tasks are drawn where none is named, worlds of each, and trials of one origin in a world.
TASKS, VARIANTS, MOST = 4, 1, 4
WIDTH = 16


def calibrate(
    env_id: str,
    roles: Mapping[str, RolePlayer],
    *,
    tasks: int | Sequence[str] = TASKS,
    variants: int = VARIANTS,
    trials: int = MOST,
    lists: Path | None = None,
    seed: int = 0,
    concurrency: int = WIDTH,
    env_kwargs: Mapping[str, Any] | None = None,
    progress: Callable[[int, int, str], None] | None = None,
    **options: Any,
) -> Calibration:
    """Find out how far models decide as the rules do.

    Args:
        env_id: the environment.
        roles: by role, "MODEL@URL", a `ModelConfig` or a function of asks; roles that are left out stay with the rules.
        tasks: how many, drawn by the seed, or their names.
        variants: worlds of each task, of the validation split.
        trials: of each origin (wrong ways, questions, …) in a world, at most so many.
        lists: a folder of lists by other writers, `TASK.yaml` or `PACK/TASK.yaml`; of each at most `trials` an origin.
        seed: draws tasks and trials.
        concurrency: the most trials at one time.
        env_kwargs: arguments of the environment, such as `pack`.
        progress: told what is done, of how many, and what was done last.
        options: of served models, over what a config says.

    Raises:
        UnknownName: no such environment, task or role.
        BadArgument: no role is played by a model, a number is below 1, or there is no list of the tasks.
        PackError: a list is not of its form.
        ModelAway: a served model does not answer; nothing was begun.
        PiGymError: the tasks have no rules.
    """
    for name, value in (("variants", variants), ("trials", trials), ("concurrency", concurrency)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise BadArgument(f"{name}: expected an integer of 1 or more, got {value!r}")
    base = base_env(make_env(env_id, dict(env_kwargs or {})))
    family, packs = base.family, base.packs
    base.close()
    models = RoleModels.of(family, roles, **options)
    try:
        maker: TrialMaker = load_entry(family.trial_maker, f"way to calibrate the roles of {family.name}")
        worlds = list(_worlds(packs, tasks, variants, seed))
        listed = [] if lists is None else list(_listed(lists, worlds))
        models.probe()
        begin = perf_counter()
        made = [
            trial
            for pack, task_id, variant in worlds
            for trial in maker(pack, task_id, variant, roles=models.roles, most=trials, seed=seed)
        ]
        made += _of_lists(family, listed, roles=models.roles, most=trials, seed=seed)
        found = dict(_outcomes(made, models, concurrency, progress))
        settings = {
            "worlds": [f"{pack.name}/{task_id}, variant {variant}" for pack, task_id, variant in worlds],
            "content": {pack.name: pack.content_hash for pack, _, _ in worlds},
            "trials": trials,
            "lists": [f"{pack.name}/{task_id}" for pack, task_id, _ in listed],
            "seed": seed,
        }
        ordered = tuple(found[one.id] for one in made)
        return Calibration(env_id, models.to_json(), settings, ordered, models.usage(), perf_counter() - begin)
    finally:
        models.close()


def _worlds(
    packs: Sequence[TaskSet], tasks: int | Sequence[str], variants: int, seed: int
) -> Iterator[tuple[TaskSet, str, int]]:
    by_name = {pack.name: pack for pack in packs}
    known = [(pack.name, task_id) for pack in packs for task_id in pack.task_ids]
    if isinstance(tasks, int):
        if tasks < 1:
            raise BadArgument(f"tasks: expected 1 or more, got {tasks}")
        drawn = set(Stream("calibrate", "tasks", seed).sample(known, min(tasks, len(known))))
        chosen = [one for one in known if one in drawn]
    else:
        chosen = list(dict.fromkeys(named_task(packs, name) for name in tasks))
    if not chosen:
        raise PiGymError("there is no task to calibrate on")
    for name, task_id in chosen:
        pack = by_name[name]
        numbers = [0] if pack.card(task_id).fixed else range(FIRST_VALIDATION, FIRST_VALIDATION + variants)
        yield from ((pack, task_id, number) for number in numbers)


def _listed(lists: Path, worlds: Sequence[tuple[TaskSet, str, int]]) -> Iterator[tuple[TaskSet, str, Path]]:
    """The list of each task that has one."""
    if not lists.is_dir():
        raise BadArgument(f"lists: expected a folder of lists, TASK.yaml or PACK/TASK.yaml; {lists} is none")
    there = 0
    for pack, task_id in dict.fromkeys((pack, task_id) for pack, task_id, _ in worlds):
        files = (lists / pack.name / f"{task_id}.yaml", lists / f"{task_id}.yaml")
        for file in filter(Path.is_file, files):
            there += 1
            yield pack, task_id, file
            break
    if not there:
        named = ", ".join(dict.fromkeys(task_id for _, task_id, _ in worlds))
        raise BadArgument(f"lists: {lists} has none of the tasks {named}; expected TASK.yaml or PACK/TASK.yaml")


def _of_lists(family: Family, listed: Sequence[tuple[TaskSet, str, Path]], **options: Any) -> Iterator[Trial]:
    if listed:
        maker: ListedTrialMaker = load_entry(family.listed_trial_maker, f"way to read lists for {family.name}")
        for pack, task_id, file in listed:
            yield from maker(pack, task_id, file, **options)


def _outcomes(
    trials: Sequence[Trial], models: RoleModels, width: int, progress: Callable[[int, int, str], None] | None
) -> Iterator[tuple[str, TrialOutcome]]:
    courses = ((trial, trial.course()) for trial in trials)
    for done, end in enumerate(run_courses(courses, models.answerer, width), start=1):
        trial = end.key
        outcome = TrialOutcome(trial.id, trial.origin, duration_s=end.duration_s)
        if end.result is None:
            yield trial.id, replace(outcome, error=end.error, error_kind=end.kind)
        else:
            yield trial.id, replace(outcome, pairs=end.result)
        if progress is not None:
            progress(done, len(trials), trial.id)
