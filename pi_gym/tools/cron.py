"""Reminders and recurring jobs on the session's clock.

Here they are only written down; the session fires them (`pi_gym.pibench.reminders`).
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolContext, ToolError, operation
from pi_gym.tools.jobs import MAX_JOBS, job_row, jobs_of, open_jobs, put_jobs
from pi_gym.tools.schedule import BadSchedule, Schedule

MAX_MESSAGE_CHARS = 2_000
_LISTED_CHARS = 120  # so that a list of all jobs there may be fits into one result


@operation("write")
def cron(
    context: ToolContext,
    action: Literal["add", "list", "remove"],
    message: str = "",
    every_seconds: int | None = None,
    cron_expr: str | None = None,
    tz: str | None = None,
    at: str | None = None,
    job_id: int | None = None,
) -> str:
    """Schedule a reminder or a recurring job, list what is scheduled, or remove a job. When a job is due you get its
    message as an environment event, before the user's next message or at the start of a later conversation that
    carries on with this work. Times are the user's local time.

    Args:
        action: what to do.
        message: for add, what you want to be told.
        every_seconds: for add, the time between two runs, at least 60.
        cron_expr: for add, five fields: minute, hour, day of month, month, day of week ("0 9 * * 1-5").
        tz: for cron_expr, the time zone that it is meant in ("Europe/Berlin"); the user's own by default.
        at: for add, the ISO time of a single reminder ("2026-03-09T14:30").
        job_id: for remove, the job's id.
    """
    open_jobs(context.world)
    if action == "add":
        return _add(context, message, Schedule(every_seconds, cron_expr, tz, at))
    if action == "remove":
        return _remove(context, job_id)
    rows = list(jobs_of(context.world).rows())
    return "\n".join([f"Scheduled: {len(rows)}", *(_line(key, row, _LISTED_CHARS) for key, row in rows)])


def _add(context: ToolContext, message: str, schedule: Schedule) -> str:
    if not message.strip():
        raise ToolError("The message is empty; write what you want to be told.")
    if len(message) > MAX_MESSAGE_CHARS:
        raise ToolError(f"The message has {len(message)} characters; at most {MAX_MESSAGE_CHARS} are possible.")
    jobs = jobs_of(context.world)
    if len(jobs) >= MAX_JOBS:
        raise ToolError(f"{len(jobs)} jobs are scheduled, which is as many as there may be; remove one first.")
    now = datetime.fromisoformat(context.clock)
    try:
        next_run = schedule.first(now, context.zone)
    except BadSchedule as error:
        raise ToolError(f"Nothing was scheduled: {error}") from None
    key = jobs.free_key(context.ids + 1)
    row = job_row(message.strip(), schedule, now, next_run)
    put_jobs(context.world, jobs.insert(key, row))
    return f"Scheduled {_line(key, row)}"


def _remove(context: ToolContext, job_id: int | None) -> str:
    jobs = jobs_of(context.world)
    known = ", ".join(str(key) for key, _ in jobs.rows()) or "none"
    if job_id is None:
        raise ToolError(f"job_id is missing: the id of the job to remove; scheduled: {known}.")
    if jobs.get(job_id) is None:
        raise ToolError(f"There is no job {job_id}; scheduled: {known}.")
    put_jobs(context.world, jobs.delete(job_id))
    return f"Removed job {job_id}."


def _line(key: int, row: Row, most: int = MAX_MESSAGE_CHARS) -> str:
    if row["every_seconds"] is not None:
        when = f"every {row['every_seconds']} s, "
    elif row["cron_expr"] is not None:
        when = f"{row['cron_expr']!r}{' ' + row['tz'] if row['tz'] else ''}, "
    else:
        when = ""
    message = row["message"] if len(row["message"]) <= most else f"{row['message'][:most]}…"
    return f"job {key} ({when}next run {row['next_run']}): {message}"
