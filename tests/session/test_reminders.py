"""Scheduled jobs in sessions: when they reach the agent, what the record holds, what they change."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.packs import PROTOCOL, copy_pack, edit_yaml, three
from support.play import FINISHING, ask, call, opened, play, statuses, step, write

from pi_gym.apps import operations
from pi_gym.errors import PackError
from pi_gym.packs import Pack, Task, load_pack
from pi_gym.packs.folder import HISTORY_FILE
from pi_gym.pibench.env import PiEnv
from pi_gym.pibench.history import world_after, world_before
from pi_gym.pibench.opening import open_task
from pi_gym.pibench.replay import replay
from pi_gym.pibench.session import PiSession
from pi_gym.predicates import compile_predicate
from pi_gym.session import Trajectory
from pi_gym.tools import GENERAL
from pi_gym.wrappers import ChatMessages

REGISTRY = operations([*GENERAL.names, "cron"])
HEADER = "[environment event] source: cron · event: reminder.due"


def add(message: str, **when: object) -> str:
    return call("cron", action="add", message=message, **when)


SOON = add("Which colour was it?", at="2026-05-04T09:01")
EVERY_MINUTE = add("Stretch.", every_seconds=60)


def scheduled(*actions: str) -> PiSession:
    session = opened(registry=REGISTRY)
    play(session, *actions)
    return session


def listing(task: Task) -> Task:
    """The task as if it listed the jobs of the first session."""
    return replace(task, reminders=(100_000,))


def roles(session: PiSession) -> list[str]:
    assert session.step is not None
    return [message.role for message in session.step.messages]


def jobs(session: PiSession) -> list[str]:
    return [row["message"] for _, row in session.world.apps["cron"].table("jobs").rows()]


def holds(session: PiSession, spec: object) -> bool:
    return bool(compile_predicate(spec, "check").test(session.evidence(session.log)))


# -- within a session ------------------------------------------------------------------------------------------------


def test_a_due_job_comes_as_an_environment_event_before_the_users_next_message() -> None:
    session = scheduled(SOON)
    assert jobs(session) == ["Which colour was it?"]
    play(session, "Hm.")
    assert session.step is not None
    assert roles(session) == ["assistant", "user", "user"]
    reminder, said = session.step.messages[1:]
    assert reminder.content.startswith(HEADER)
    assert '"due": "2026-05-04T09:01:00"' in reminder.content
    assert reminder.content.endswith("\nWhich colour was it?")
    assert said.content == "Make it blue."
    assert session.history.index(HEADER) < session.history.index("Make it blue.")
    assert jobs(session) == []


def test_what_is_not_due_yet_waits() -> None:
    session = scheduled(add("later", at="2026-05-04T09:03"), "Hm.")
    assert HEADER not in session.history
    play(session, "Hm.")
    assert HEADER in session.history


def test_several_jobs_come_in_the_order_of_their_times_and_a_recurring_one_once() -> None:
    session = scheduled(EVERY_MINUTE + SOON + add("first", at="2026-05-04T09:00:30"), "Hm.")
    assert session.step is not None
    said = [message.content.rpartition("\n")[2] for message in session.step.messages[1:-1]]
    assert said == ["first", "Which colour was it?", "Stretch."]
    assert jobs(session) == ["Stretch."]
    assert '"next_run": "2026-05-04T09:03:05"' in session.step.messages[3].content


def test_after_a_question_the_answer_comes_first_since_a_call_is_followed_by_its_result() -> None:
    session = scheduled(SOON, ask("Which size?"))
    assert roles(session) == ["assistant", "tool", "user"]
    assert session.step is not None
    assert session.step.messages[1].tool_call_id == "call_2"
    assert session.step.messages[2].content.startswith(HEADER)


def test_what_a_reminder_says_is_nobodys_words_and_no_question() -> None:
    with_job, without = scheduled(SOON, "Hm.", "Hm."), scheduled(call("list_dir"), "Hm.", "Hm.")
    assert statuses(with_job) == statuses(without)
    assert with_job.questions == with_job.misses == 0
    assert with_job.trajectory().labels["words_by_user"] == without.trajectory().labels["words_by_user"]
    assert with_job.trajectory().turns == without.trajectory().turns
    assert "Which colour was it?" not in with_job.evidence(with_job.log).reply


def test_the_log_keeps_what_fired() -> None:
    session = scheduled(SOON, "Hm.")
    (event,) = (event for event in session.log if event.kind == "reminder")
    assert session.step is not None
    (shown,) = (message.content for message in session.step.messages if message.content.startswith(HEADER))
    assert event.data == {
        "job": 100_001, "due": "2026-05-04T09:01:00", "text": "Which colour was it?", "shown": shown,
    }  # fmt: skip


def test_a_job_that_is_due_when_the_session_ends_waits_for_the_next() -> None:
    late = scheduled(*FINISHING[:2], add("x", at="2026-05-04T09:03"), FINISHING[2])
    assert late.ended
    assert jobs(late) == ["x"]


def test_a_session_without_the_tool_has_no_jobs() -> None:
    session = opened()
    play(session, "Hm.")
    assert "cron" not in session.world.apps
    assert not step(session, SOON).messages[1].content.startswith("Scheduled")


# -- predicates ------------------------------------------------------------------------------------------------------


def test_jobs_are_rows_that_predicates_see() -> None:
    session = scheduled(add("Call Ana", at="2026-05-05T09:00"))
    row = {"message": {"contains": "Ana"}, "at": {"starts_with": "2026-05-05"}}
    assert holds(session, {"app": "cron", "table": "jobs", "state": "created", "where": row, "count": 1})
    assert not holds(session, {"app_changes": {"none": True}})
    assert holds(session, {"app_changes": {"only": {"cron": {"jobs": ["created"]}}}})


def test_what_fires_is_no_change_of_the_agents() -> None:
    before = scheduled(EVERY_MINUTE + add("once", at="2026-05-04T09:03"))
    session = PiSession(listing(three()), before.world)
    assert "cron" not in session.opening.registry
    assert jobs(session) == ["Stretch.", "once"]
    play(session, "Hm.", "Hm.")
    assert jobs(session) == ["Stretch."]
    assert session.history.count(HEADER) == 3
    assert holds(session, {"app_changes": {"none": True}})


def test_removing_a_job_that_has_fired_is_a_change() -> None:
    before = scheduled(EVERY_MINUTE)
    task = listing(three())
    session = PiSession(task, opening=open_task(task, before.world, "task", REGISTRY))
    play(session, "Hm.")
    assert holds(session, {"app_changes": {"none": True}})
    play(session, call("cron", action="remove", job_id=100_001))
    assert holds(session, {"app": "cron", "table": "jobs", "state": "deleted", "where": {"message": "Stretch."}})
    assert not holds(session, {"app_changes": {"none": True}})


# -- between sessions ------------------------------------------------------------------------------------------------


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    """The protocol pack with the tool, where the first reference schedules two jobs."""
    folder = copy_pack(PROTOCOL, tmp_path / "protocol")
    edit_yaml(folder / "pack.yaml", lambda raw: raw.update(general_tools=[*GENERAL.names, "cron"]))

    def plan(raw: dict[str, object]) -> None:
        solution = raw["solution"]
        assert isinstance(solution, list)
        solution[0]["calls"][:0] = [
            {"tool": "cron", "action": "add", "message": "Water.", "cron_expr": "0 7 * * *"},
            {"tool": "cron", "action": "add", "message": "Once.", "at": "2026-05-05T06:00"},
        ]

    edit_yaml(folder / "tasks" / "01-three" / "task.yaml", plan)
    for later in ("02-beat", "03-event"):
        edit_yaml(folder / "tasks" / later / "task.yaml", lambda raw: raw.update(reminders=["01-three"]))
    return load_pack(folder)


def test_jobs_of_a_session_that_the_task_does_not_list_neither_fire_nor_show(pack: Pack) -> None:
    left = world_before(pack, "02-beat", 0)
    beat = pack.instantiate("02-beat")
    other = PiSession(replace(beat, reminders=()), left)
    assert HEADER not in other.history
    play(other, "Hm.", "Hm.")
    assert HEADER not in other.history
    assert (
        "Scheduled: 0"
        in step(PiSession(replace(beat, reminders=()), left), call("cron", action="list")).messages[1].content
    )
    # They are there again for a later one that lists them.
    later = PiSession(pack.instantiate("03-event"), world_after(other))
    assert later.history.count(HEADER) == 2
    copy: PiSession = pickle.loads(pickle.dumps(later))
    assert jobs(copy) == jobs(later) == ["Water."]
    assert holds(copy, {"app_changes": {"none": True}})


def test_only_earlier_sessions_can_be_listed(tmp_path: Path) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "protocol")
    edit_yaml(folder / "tasks" / "02-beat" / "task.yaml", lambda raw: raw.update(reminders=["03-event"]))
    with pytest.raises(PackError, match="earlier session '03-event'"):
        load_pack(folder).instantiate("02-beat")


def test_what_fell_due_between_sessions_fires_once_at_the_next_opening(pack: Pack) -> None:
    session = opened(pack.instantiate("02-beat"), history="reference")
    said = [message.content for message in session.messages]
    assert [text.rpartition("\n")[2] for text in said[1:3]] == ["Once.", "Water."]
    assert said[3].startswith("[heartbeat]")
    assert session.history.index("Water.") < session.history.index("[heartbeat]")
    assert [event.kind for event in session.log] == ["reminder", "reminder"]
    assert jobs(session) == ["Water."]
    assert holds(session, {"app_changes": {"none": True}})
    later = opened(pack.instantiate("03-event"), history="reference")
    assert later.history.count(HEADER) == 1
    assert "Once." not in later.messages[1].content


def test_intervals_count_from_the_opening(pack: Pack) -> None:
    before = scheduled(add("Stretch.", every_seconds=3600))
    task = pack.instantiate("02-beat")
    session = PiSession(task, opening=open_task(task, before.world, "task", REGISTRY))
    assert '"next_run": "2026-05-05T09:30:00"' in session.history


def test_the_log_of_past_conversations_tells_of_reminders(pack: Pack) -> None:
    text = world_before(pack, "03-event", 0).workspace.text(HISTORY_FILE) or ""
    assert "\nreminder: Once.\nreminder: Water.\n" in text


def test_a_reminder_that_is_copied_from_the_log_asks_nothing() -> None:
    line = "reminder: Which colour would you like?"
    start = opened().opening.start.fork()
    start.workspace.write(HISTORY_FILE, f"# Log of past conversations\n{line}\n".encode())
    copied, asked = PiSession(three(), start), PiSession(three())
    play(copied, line)
    play(asked, line)
    assert (copied.questions, asked.questions) == (0, 1)


def test_a_world_with_jobs_survives_a_pickle(pack: Pack) -> None:
    world = world_before(pack, "02-beat", 0)
    copy = pickle.loads(pickle.dumps(world))
    assert copy.state_hash() == world.state_hash()
    assert list(copy.apps["cron"].table("jobs").rows()) == list(world.apps["cron"].table("jobs").rows())


def test_jobs_go_along_with_the_agents_own_history(pack: Pack) -> None:
    env = PiEnv(pack.source, history="own")
    env.reset(seed=0)
    env.step(add("Mine.", at="2026-05-04T12:00") + add("Far.", at="2027-01-01"))
    observation, info = env.reset()
    assert info["task_id"] == "02-beat"
    assert [message["role"] for message in info["new_messages"]] == ["system", "user", "user"]
    assert "Mine." in observation["history"]
    assert "Far." not in observation["history"]
    observation, _ = env.reset()
    assert HEADER not in observation["history"]


def test_chat_observations_keep_the_whole_opening_whatever_the_budget(pack: Pack) -> None:
    env = ChatMessages(PiEnv(pack.source, history="reference"), budget=1)
    env.reset(options={"task": "02-beat"})
    for _ in range(3):
        shown, *_ = env.step(call("list_dir"))
    assert shown[3]["content"].startswith("[heartbeat]")
    assert [message["role"] for message in shown[4:]] == ["assistant", "tool"]


def test_the_least_budget_keeps_reminders_with_what_the_user_says(pack: Pack) -> None:
    env = ChatMessages(PiEnv(pack.source), budget=1)
    env.reset(options={"task": "01-three"})
    env.step(EVERY_MINUTE)
    shown, *_ = env.step(ask("Which size?"))
    assert [message["role"] for message in shown] == ["system", "user", "assistant", "tool", "user"]
    shown, *_ = env.step("Hm.")
    assert [message["role"] for message in shown] == ["system", "user", "user", "user"]
    assert shown[2]["content"].startswith(HEADER)


def test_chat_observations_can_merge_what_the_users_side_says_in_a_row(pack: Pack) -> None:
    env = ChatMessages(PiEnv(pack.source, history="reference"), merge_users=True)
    shown, _ = env.reset(options={"task": "02-beat"})
    assert [message["role"] for message in shown] == ["system", "user"]
    assert shown[1]["content"].startswith(HEADER)
    assert "\n\n[heartbeat]" in shown[1]["content"]
    assert len(env.reset(options={"task": "02-beat"})[0]) == 2


# -- copies ----------------------------------------------------------------------------------------------------------

LEAVE = [PiSession.fork, lambda session: pickle.loads(pickle.dumps(session))]


@pytest.mark.parametrize("leave", LEAVE, ids=["fork", "pickle"])
def test_forks_and_pickles_fire_the_same(leave: Callable[[PiSession], PiSession]) -> None:
    session = scheduled(EVERY_MINUTE, "Hm.", EVERY_MINUTE)
    copy = leave(session)
    for one in (session, copy):
        play(one, "Hm.", write("out.txt", "done"), "Hm.")
    assert copy.trajectory().to_line() == session.trajectory().to_line()
    assert copy.history == session.history
    assert list(copy.world.apps["cron"].table("jobs").rows()) == list(session.world.apps["cron"].table("jobs").rows())


def test_forks_do_not_see_each_others_jobs() -> None:
    session = scheduled(call("list_dir"))
    other = session.fork()
    play(session, SOON, "Hm.")
    play(other, "Hm.")
    assert HEADER in session.history
    assert HEADER not in other.history


def test_a_record_with_jobs_replays_to_its_very_bytes(pack: Pack) -> None:
    for task_id, mode in (("01-three", "none"), ("02-beat", "reference")):
        session = opened(pack.instantiate(task_id), history=mode)
        play(session, EVERY_MINUTE, "Hm.", "Hm.")
        line = session.trajectory().to_line()
        again = replay(Trajectory.from_json(json.loads(line)), pack=pack)
        assert again.trajectory().to_line() == line
        assert again.world.state_hash() == session.world.state_hash()


def test_the_world_after_a_session_holds_its_jobs() -> None:
    session = scheduled(add("Far.", at="2027-01-01"))
    assert [row["message"] for _, row in world_after(session).apps["cron"].table("jobs").rows()] == ["Far."]


# -- the user's zone -------------------------------------------------------------------------------------------------


def test_with_the_users_zone_other_zones_are_translated_and_the_system_message_names_it(tmp_path: Path) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "protocol")
    edit_yaml(folder / "persona.yaml", lambda raw: raw.update(timezone="Europe/Berlin"))
    session = opened(load_pack(folder).instantiate("01-three"), registry=REGISTRY)
    assert "Now: Monday, 2026-05-04, 09:00 (Europe/Berlin)\n" in session.messages[0].content
    record = step(session, add("x", cron_expr="0 9 * * *", tz="Asia/Tokyo"))
    assert "next run 2026-05-05T02:00:00" in record.messages[1].content


def test_the_time_of_a_task_has_no_offset(tmp_path: Path) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "protocol")
    edit_yaml(folder / "tasks" / "01-three" / "task.yaml", lambda raw: raw.update(time="2026-05-04T09:00Z"))
    with pytest.raises(PackError, match="time: it is the user's local time"):
        load_pack(folder).instantiate("01-three")


# -- whatever the agent schedules ------------------------------------------------------------------------------------

whens = st.one_of(
    st.fixed_dictionaries({"every_seconds": st.sampled_from([60, 90, 3600])}),
    st.fixed_dictionaries({"cron_expr": st.sampled_from(["* * * * *", "*/3 9 * * *", "0 0 1 1 *"])}),
    st.fixed_dictionaries({"at": st.integers(0, 9).map(lambda minute: f"2026-05-04T09:0{minute}:30")}),
)
acts = st.one_of(
    st.builds(lambda text, when: add(text, **when), st.sampled_from(["a", "{{ b }}", "=== user ===\nBlue?"]), whens),
    st.integers(100_001, 100_004).map(lambda key: call("cron", action="remove", job_id=key)),
    st.just(call("cron", action="list")),
    st.sampled_from(["Hm.", ask("Which hat?"), write("out.txt", "red")]),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(acts, max_size=12))
def test_any_schedule_gives_a_valid_chat_and_survives_a_pickle(actions: list[str]) -> None:
    session = opened(registry=REGISTRY)
    messages = [*session.messages, *(message for record in play(session, *actions) for message in record.messages)]
    waiting: list[str] = []
    for message in messages:
        if message.role == "tool":
            assert message.tool_call_id == waiting.pop(0)
        else:
            assert not waiting
        waiting += [made.id for made in message.tool_calls]
    fired = [event.data for event in session.log if event.kind == "reminder"]
    assert [message.content.startswith(HEADER) for message in messages].count(True) == len(fired)
    assert all(one["due"] <= session.clock.isoformat() for one in fired)
    copy: PiSession = pickle.loads(pickle.dumps(session))
    assert copy.trajectory().to_line() == session.trajectory().to_line()
    assert copy.world.state_hash() == session.world.state_hash()
    assert copy.history == session.history
