"""Sub-agents in sessions and environments: when there is one, what it is given, what comes back."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from support.packs import protocol, three
from support.play import call, opened, play, step

from pi_gym.apps import all_tools
from pi_gym.pibench.env import PiEnv
from pi_gym.pibench.opening import choose_tools
from pi_gym.pibench.replay import replay
from pi_gym.pibench.session import PiSession
from pi_gym.rollout import collect
from pi_gym.session import SubagentTask, Trajectory
from pi_gym.session.subagents import SubagentResponder
from pi_gym.tools.file_changes import MAX_TAKEN_FILES
from pi_gym.tools.spawn import SubagentReport
from pi_gym.types import Answer

SPAWN = call("spawn", task="Write the draft.", label="draft")
SOURCE = protocol().source


def drafting(task: SubagentTask) -> str:
    """A sub-agent that writes a file, deletes one and makes a folder."""
    task.workspace.write("draft.txt", f"draft for {task.label}\n".encode())
    task.workspace.delete("shape.txt")
    task.workspace.make_folder("new")
    return f"Done: {task.task}"


def failing(task: SubagentTask) -> str:
    raise RuntimeError(f"no server at {object()!r}")


def env_with(subagent: object, **options: object) -> PiEnv:
    env = PiEnv(SOURCE, history="none", subagent=subagent, **options)  # type: ignore[arg-type]
    env.reset(seed=0, options={"task": "01-three", "variant": 0})
    return env


def session_of(env: PiEnv) -> PiSession:
    assert env.session is not None
    return env.session


# -- when there is one -----------------------------------------------------------------------------------------------


def test_spawn_is_declared_and_offered_only_where_somebody_answers() -> None:
    assert "spawn" in all_tools()
    for tools in ("task", "all"):
        assert "spawn" not in choose_tools(three(), tools)  # type: ignore[arg-type]
        assert "spawn" in choose_tools(three(), tools, subagent=True)  # type: ignore[arg-type]
    assert len(choose_tools(three(), "all", subagent=True)) == len(choose_tools(three(), "all")) + 1


def test_the_environment_offers_it_with_a_policy_and_not_without() -> None:
    for subagent, offered in ((drafting, True), (None, False)):
        env = PiEnv(SOURCE, history="none", subagent=subagent)
        observation, info = env.reset(options={"task": "01-three"})
        assert ("spawn" in [tool["function"]["name"] for tool in info["tools"]]) is offered
        assert ("spawn(task: str" in observation["history"]) is offered


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match="subagent"):
        PiEnv(SOURCE, subagent="gpt")  # type: ignore[arg-type]


# -- what it does ----------------------------------------------------------------------------------------------------


def test_the_report_is_the_result_and_its_changes_are_kept() -> None:
    env = env_with(drafting)
    assert session_of(env).world.workspace.text("shape.txt")
    observation, _, terminated, truncated, info = env.step(SPAWN)
    assert info["new_messages"][1]["content"] == "Done: Write the draft."
    workspace = session_of(env).world.workspace
    assert workspace.text("draft.txt") == "draft for draft\n"
    assert workspace.text("shape.txt") is None
    assert workspace.is_folder("new")
    assert "+draft for draft" in observation["workspace_diff"]
    assert (terminated, truncated, info["error"]) == (False, False, "")


def test_a_sub_agent_may_say_itself_what_is_brought_back() -> None:
    def policy(task: SubagentTask) -> SubagentReport:
        task.workspace.write("scratch.txt", b"mine")
        return SubagentReport("ok", files={"kept.txt": b"kept"})

    env = env_with(policy)
    env.step(SPAWN)
    workspace = session_of(env).world.workspace
    assert (workspace.text("kept.txt"), workspace.text("scratch.txt")) == ("kept", None)


def test_too_many_changes_are_not_kept() -> None:
    def policy(task: SubagentTask) -> str:
        for number in range(MAX_TAKEN_FILES + 1):
            task.workspace.write(f"f{number}", b"")
        return "ok"

    env = env_with(policy)
    *_, info = env.step(SPAWN)
    assert "none of its changes to files were kept" in info["new_messages"][1]["content"]
    assert session_of(env).world.workspace.blob("f0") is None


@pytest.mark.parametrize("policy", [failing, lambda task: None, lambda task: {"report": "x"}])
def test_a_policy_that_fails_leaves_the_session_unscored(policy: object) -> None:
    env = env_with(policy)
    _, reward, terminated, truncated, info = env.step(SPAWN)
    assert reward != reward
    assert (terminated, truncated, info["scored"], info["error_kind"]) == (False, True, False, "policy")
    assert "spawn (call): " in info["error"]


def test_the_error_says_where_it_was_raised_and_holds_no_address() -> None:
    env = env_with(failing)
    *_, info = env.step(SPAWN)
    assert "RuntimeError: no server at <object object at 0x...> (" in info["error"]
    assert f"{__name__}:" in info["error"]


def test_a_session_with_a_sub_agent_is_marked_and_replays_without_one() -> None:
    env = env_with(drafting)
    env.step(SPAWN)
    env.step("Done.")
    record = session_of(env).trajectory()
    assert record.nondeterministic
    line = record.to_line()
    again = replay(Trajectory.from_json(json.loads(line)), pack=protocol())
    assert again.trajectory().to_line() == line
    assert again.world.state_hash() == session_of(env).world.state_hash()


def test_a_call_where_nobody_answers_is_an_unknown_tool() -> None:
    record = step(opened(tools="all"), SPAWN)
    assert record.messages[1].content.startswith("Error: Unknown tool 'spawn'")


def test_an_ask_that_a_sub_agent_cannot_answer_is_an_error() -> None:
    env = PiEnv(SOURCE, history="none", tools="all", exec_backend="off")
    env.answerers.shell = SubagentResponder(drafting)
    env.reset(options={"task": "01-three"})
    *_, info = env.step(call("exec", command="ls"))
    assert "a sub-agent answers no asks of kind 'shell'" in info["error"]


def test_rollouts_play_with_a_sub_agent() -> None:
    kwargs = {"pack": SOURCE, "subagent": drafting, "history": "none"}
    summary = collect("pi_gym:PiBench-v0", Spawning(), env_kwargs=kwargs, tasks=["01-three"])
    (trajectory,) = summary.trajectories
    assert [event.data["ask"] for event in trajectory.events if event.kind == "ask"] == ["policy"]
    assert trajectory.scored


class Spawning:
    """An agent that has its work done."""

    name = "spawning"

    def reset(self, observation: object, info: object, env: object) -> None:
        self.steps = 0

    def act(self, observation: object, info: object) -> str:
        self.steps += 1
        return SPAWN if self.steps == 1 else "Done."


# -- waiting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [SPAWN, call("exec", command="ls")])
def test_the_workspace_of_a_waiting_ask_is_the_sessions_own_after_a_pickle(action: str) -> None:
    session = opened(three(), subagent=True, tools="all")
    play(session, call("write_file", path="note.txt", content="here"))
    session.apply(action)
    copy: PiSession = pickle.loads(pickle.dumps(session))
    (ask,), (other,) = session.pending, copy.pending
    payload, again = ask.request.payload, other.request.payload  # type: ignore[union-attr]
    assert again["workspace"].text("note.txt") == "here"
    assert again["workspace"].state_hash() == payload["workspace"].state_hash()
    assert {key: again[key] for key in again if key != "workspace"} == {
        key: payload[key] for key in payload if key != "workspace"
    }
    again["workspace"].write("note.txt", b"changed")
    assert copy.world.workspace.text("note.txt") == "here"
    for one in (session, copy):
        one.answer("a1", Answer({"unavailable": "no"}))
    assert copy.trajectory().to_line() == session.trajectory().to_line()


def test_a_pickle_of_a_waiting_session_holds_no_file_that_the_pack_has() -> None:
    session = opened(three(), subagent=True)
    files = [blob.data for _, blob in session.world.workspace.walk() if len(blob.data) > 8]
    session.apply(SPAWN)
    written = pickle.dumps(session)
    assert files
    assert not [data for data in files if data in written]


def test_a_session_can_go_on_from_a_file(tmp_path: Path) -> None:
    session = opened(three(), subagent=True)
    session.apply(SPAWN)
    (tmp_path / "session").write_bytes(pickle.dumps(session))
    copy: PiSession = pickle.loads((tmp_path / "session").read_bytes())
    responder = SubagentResponder(drafting)
    for one in (session, copy):
        for ask, answer in zip(one.pending, responder(one.pending), strict=True):
            one.answer(ask.id, answer)
    assert copy.world.workspace.text("draft.txt") == "draft for draft\n"
    assert copy.trajectory().to_line() == session.trajectory().to_line()
