"""The check that all that an author wrote can be read, and that the files of a pack fit together.

A session reads what it needs of its task, and of that the variant's own share; here everything is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pi_gym.apps import apps_of
from pi_gym.errors import SpecError
from pi_gym.packs import Pack
from pi_gym.packs.app_columns import check_column, check_tables
from pi_gym.packs.app_rows import check_row_tables
from pi_gym.packs.making import TaskMaking
from pi_gym.packs.pool import PoolIntent, PoolWay
from pi_gym.packs.source import TaskSource
from pi_gym.packs.task_world import TaskWorld
from pi_gym.packs.variants import make_variant
from pi_gym.predicates import check_shape


def check_coherence(pack: Pack, tasks: Iterable[str] | None = None) -> None:
    """See to it that a pack's files can be read and fit together.

    Args:
        pack: a pack with predicates.
        tasks: ids of the tasks to look at; None: all.

    Raises:
        PackError: they do not; the message names file and field.
    """
    _ = pack.general_tools, pack.base
    for name in pack.task_ids if tasks is None else tasks:
        source = pack.source_of(name)
        source.check()
        _ = source.tools
        for skill in source.spec.skills:
            pack.skill(skill)
        try:
            _check_task(pack, source)
        except SpecError as error:
            raise source.fault(error.field, error.reason) from error
        variant = make_variant(pack, source, 0)
        TaskMaking(TaskWorld(source, variant, variant.values)).read_all()


def _check_task(pack: Pack, source: TaskSource) -> None:
    check_row_tables(source.apps)
    check_tables(source.row_tables())
    for field, spec in source.predicates():
        check_tables(check_shape(spec, field).tables)
    for intent in source.pool:
        for way in intent.ways:
            if way.column is not None:
                _check_app_column(pack, source, way.column, way.field)
            if way.session is not None:
                _check_session(pack, source, intent, way)


def _check_app_column(pack: Pack, source: TaskSource, way: Mapping[str, Any], field: str) -> None:
    check_column(way, field)
    if way["app"] not in apps_of([*source.tools, *(pack.general_tools or ())]):
        raise SpecError(f"{field}.app", f"the task offers no tool of {way['app']!r}, so nobody can look")


def _check_session(pack: Pack, source: TaskSource, intent: PoolIntent, way: PoolWay) -> None:
    """The earlier session is one that established the intent in every variant, and that training may see."""
    name, before, field = source.folder.name, pack.task_ids[: source.place], way.field
    if way.session not in before:
        raise SpecError(field, f"{way.session!r} is not a session before {name!r}")
    earlier = pack.source_of(way.session)
    # A lasting wish may have another name there.
    same = (one for one in earlier.pool if one.name == way.intent or (one.persistent and one.values == intent.values))
    found = next(same, None)
    if found is None or not found.always:
        raise SpecError(field, f"{way.intent!r} must be a wish of {way.session} that is always drawn")
    if earlier.spec.holdout and not source.spec.holdout:
        reason = f"{way.session} is holdout and {name} is not; no such task may recover from it"
        raise SpecError(field, reason)
