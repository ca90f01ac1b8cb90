"""The operation `cron`: adding, listing, removing; what it keeps in the world, and what falls due."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from pi_gym.state import World
from pi_gym.tools import EVERY, GENERAL, ToolContext, ToolResult
from pi_gym.tools.cron import MAX_MESSAGE_CHARS
from pi_gym.tools.jobs import MAX_JOBS, fire_due, jobs_of
from pi_gym.types import ToolCall

NOW = "2026-03-09T14:05:00"


@pytest.fixture
def context() -> ToolContext:
    return ToolContext(World(), clock=NOW, ids=300_000)


def run(context: ToolContext, action: str, **arguments: Any) -> ToolResult:
    return EVERY.run(ToolCall("cron", {"action": action, **arguments}), context)


def fired(context: ToolContext, now: str, **options: Any) -> list[tuple[int, str, str]]:
    found = fire_due(context.world, datetime.fromisoformat(now), "", **options)
    return [(one.job, one.due, one.message) for one in found]


def rows(context: ToolContext) -> dict[int, Any]:
    return dict(jobs_of(context.world).rows())


def test_cron_is_offered_only_where_it_is_named() -> None:
    assert "cron" not in GENERAL
    assert "cron" in EVERY


def test_a_job_is_a_row_with_an_id_of_the_session(context: ToolContext) -> None:
    result = run(context, "add", message=" Call Ana ", at="2026-03-09T15:00")
    assert result.text == "Scheduled job 300001 (next run 2026-03-09T15:00:00): Call Ana"
    run(context, "add", message="Stretch", every_seconds=1800)
    assert rows(context)[300_001] == {
        "message": "Call Ana",
        "every_seconds": None,
        "cron_expr": None,
        "tz": None,
        "at": "2026-03-09T15:00",
        "created_at": NOW,
        "next_run": "2026-03-09T15:00:00",
    }
    assert rows(context)[300_002]["next_run"] == "2026-03-09T14:35:00"


def test_the_list_shows_every_job_with_its_next_run(context: ToolContext) -> None:
    assert run(context, "list").text == "Scheduled: 0"
    run(context, "add", message="Mail", cron_expr="0 9 * * 1-5", tz="Europe/Berlin")
    run(context, "add", message="Stretch", every_seconds=1800)
    assert run(context, "list").text.split("\n") == [
        "Scheduled: 2",
        "job 300001 ('0 9 * * 1-5' Europe/Berlin, next run 2026-03-10T09:00:00): Mail",
        "job 300002 (every 1800 s, next run 2026-03-09T14:35:00): Stretch",
    ]


def test_the_longest_list_shows_every_job(context: ToolContext) -> None:
    long = {"cron_expr": f"{'0,' * 40}0 9 * * 1", "tz": "America/Argentina/Buenos_Aires"}
    for _ in range(MAX_JOBS):
        assert run(context, "add", message="x" * MAX_MESSAGE_CHARS, **long).ok
    text = run(context, "list").text
    assert all(f"job {key} (" in text for key in rows(context))
    assert "result cut" not in text


def test_a_removed_job_is_gone_and_its_id_is_not_given_again(context: ToolContext) -> None:
    run(context, "add", message="a", every_seconds=60)
    assert run(context, "remove", job_id=300_001).text == "Removed job 300001."
    assert rows(context) == {}
    assert "300002" in run(context, "add", message="b", every_seconds=60).text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"action": "add", "every_seconds": 60}, "message is empty"),
        ({"action": "add", "message": "x" * (MAX_MESSAGE_CHARS + 1), "every_seconds": 60}, "at most 2000"),
        ({"action": "add", "message": "x"}, "exactly one of every_seconds, cron_expr and at"),
        ({"action": "add", "message": "x", "at": "2026-03-09T14:00"}, "future"),
        ({"action": "add", "message": "x", "every_seconds": "60"}, "expected an integer"),
        ({"action": "remove"}, "job_id is missing"),
        ({"action": "remove", "job_id": 5}, "There is no job 5; scheduled: none"),
        ({"action": "delete"}, 'one of "add", "list", "remove"'),
    ],
)
def test_a_faulty_call_says_what_is_wrong_and_schedules_nothing(
    context: ToolContext, arguments: dict[str, Any], says: str
) -> None:
    before = context.world.state_hash()
    result = EVERY.run(ToolCall("cron", arguments), context)
    assert not result.ok
    assert says in result.text
    assert context.world.state_hash() == before


def test_there_is_a_limit_on_the_number_of_jobs(context: ToolContext) -> None:
    for _ in range(MAX_JOBS):
        assert run(context, "add", message="x", every_seconds=60).ok
    assert "remove one first" in run(context, "add", message="x", every_seconds=60).text
    run(context, "remove", job_id=300_001)
    assert run(context, "add", message="x", every_seconds=60).ok


def test_due_jobs_fire_by_time_then_id_and_one_off_jobs_vanish(context: ToolContext) -> None:
    run(context, "add", message="late", at="2026-03-09T14:20")
    run(context, "add", message="soon", at="2026-03-09T14:10")
    run(context, "add", message="soon too", at="2026-03-09T14:10")
    run(context, "add", message="tomorrow", at="2026-03-10T14:10")
    assert fired(context, "2026-03-09T14:09:59") == []
    assert [message for _, _, message in fired(context, "2026-03-09T14:20:00")] == ["soon", "soon too", "late"]
    assert [row["message"] for row in rows(context).values()] == ["tomorrow"]
    assert fired(context, "2026-03-09T14:30:00") == []


def test_a_recurring_job_fires_once_and_keeps_its_beat_within_a_session(context: ToolContext) -> None:
    run(context, "add", message="x", every_seconds=60)
    assert fired(context, "2026-03-09T14:09:10") == [(300_001, "2026-03-09T14:06:00", "x")]
    assert rows(context)[300_001]["next_run"] == "2026-03-09T14:10:00"


def test_after_a_pause_between_sessions_intervals_count_from_the_opening(context: ToolContext) -> None:
    run(context, "add", message="x", every_seconds=3600)
    run(context, "add", message="y", cron_expr="0 9 * * *")
    assert len(fired(context, "2026-03-12T10:20:00", reopened=True)) == 2
    assert [row["next_run"] for row in rows(context).values()] == ["2026-03-12T11:20:00", "2026-03-13T09:00:00"]


def test_a_world_without_jobs_is_left_as_it_is() -> None:
    world = World()
    before = world.apps
    assert fire_due(world, datetime(2026, 1, 1), "") == ()
    assert world.apps is before
