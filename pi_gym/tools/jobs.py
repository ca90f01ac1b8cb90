"""The scheduled jobs of a world: rows of the table `jobs` in the database `cron`, kept from session to session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from pi_gym.state.tables import Database, Row, Table
from pi_gym.state.world import World
from pi_gym.tools.schedule import Schedule

CRON = "cron"
JOBS = "jobs"
SET_ASIDE = "set_aside"
"""The table of jobs that belong to other sessions: they neither fire nor show."""
MAX_JOBS = 50


@dataclass(frozen=True, slots=True)
class Fired:
    """A job that fell due.

    Args:
        job: its id.
        message: what it says.
        due: ISO time at which it was due.
        before: its row until then.
        after: its row from now on, None where it is done.
    """

    job: int
    message: str
    due: str
    before: Row
    after: Row | None


def open_jobs(world: World) -> None:
    """Put the table into a world that has none yet."""
    if CRON not in world.apps:
        world.put_app(CRON, Database({JOBS: Table()}))


def choose_jobs(world: World, belongs: Callable[[int], bool]) -> None:
    """Leave a session the jobs that belong to it; the others are set aside, for a later one to which they may belong.

    Args:
        world: it is changed.
        belongs: tells of a job's id whether the session has it.
    """
    if CRON not in world.apps:
        return
    database = world.apps[CRON]
    here, aside = (database.table(name) if name in database.names else Table() for name in (JOBS, SET_ASIDE))
    leaving = {key: row for key, row in here.rows() if not belongs(key)}
    coming = {key: row for key, row in aside.rows() if belongs(key) and here.get(key) is None}
    if leaving or coming:
        database = database.put(JOBS, _moved(here, coming, leaving))
        world.put_app(CRON, database.put(SET_ASIDE, _moved(aside, leaving, coming)))


def _moved(table: Table, coming: dict[int, Row], leaving: dict[int, Row]) -> Table:
    for key in leaving:
        table = table.delete(key)
    for key, row in coming.items():
        table = table.insert(key, row) if table.get(key) is None else table.update(key, **row)
    return table


def jobs_of(world: World) -> Table:
    """The jobs of a world; `open_jobs` has been called on it."""
    return world.apps[CRON].table(JOBS)


def put_jobs(world: World, jobs: Table) -> None:
    """Set the jobs of a world."""
    world.put_app(CRON, world.apps[CRON].put(JOBS, jobs))


def job_row(message: str, schedule: Schedule, now: datetime, next_run: datetime) -> Row:
    """The row of a new job."""
    return {
        "message": message,
        "every_seconds": schedule.every_seconds,
        "cron_expr": schedule.cron_expr,
        "tz": schedule.tz,
        "at": schedule.at,
        "created_at": now.isoformat(),
        "next_run": next_run.isoformat(),
    }


def schedule_of(row: Row) -> Schedule:
    """The schedule of a job."""
    return Schedule(row["every_seconds"], row["cron_expr"], row["tz"], row["at"])


def fire_due(world: World, now: datetime, zone: str, *, reopened: bool = False) -> tuple[Fired, ...]:
    """Take all jobs that are due, in order of time, then id; each fires once, however often it fell due.

    Args:
        world: it is changed: jobs that are done go, the others get their next run.
        now: the session's clock.
        zone: the clock's zone, or "".
        reopened: the time since the last session has passed: intervals are counted from now on.
    """
    if CRON not in world.apps:
        return ()
    fired = tuple(_due(jobs_of(world), now, zone, reopened))
    if fired:
        put_jobs(world, with_fired(jobs_of(world), fired))
    return fired


def with_fired(jobs: Table, fired: tuple[Fired, ...]) -> Table:
    """The jobs after some of them have fired; rows that are not as they were before that are left alone."""
    for one in fired:
        if jobs.get(one.job) == one.before:
            jobs = jobs.delete(one.job) if one.after is None else jobs.update(one.job, **one.after)
    return jobs


def _due(jobs: Table, now: datetime, zone: str, reopened: bool) -> Iterator[Fired]:
    clock = now.isoformat()
    due = sorted((row["next_run"], key) for key, row in jobs.rows() if row["next_run"] <= clock)
    for time, key in due:
        row = jobs.get(key)
        assert row is not None
        run = now if reopened else datetime.fromisoformat(time)
        following = schedule_of(row).following(run, now, zone)
        after = None if following is None else {**row, "next_run": following.isoformat()}
        yield Fired(key, row["message"], time, row, after)
