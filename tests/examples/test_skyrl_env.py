"""The example of an environment of SkyRL's: what it tells the model, what it pays, and what it does without a score."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from support.asking import AskingGrader
from support.outsiders import by_gym, calling, need, saying, scripted, text_of
from support.scripts import EXAMPLES, loaded

import pi_gym
from pi_gym.adapters.session_play import single_session_env
from pi_gym.adapters.session_row import SessionRow, plan_rows
from pi_gym.errors import SessionError
from pi_gym.models.scripted import ScriptedModel
from pi_gym.types import Answer

skyrl_gym = need("skyrl_gym", "skyrl-gym")
from skyrl_gym.envs.registration import deregister  # noqa: E402
from skyrl_gym.metrics import aggregate_for_environment  # noqa: E402

example = loaded("skyrl_env")

MINI = "PiBench-Mini-v0"
SIGN = SessionRow("01-sign", 1, 0)
MOVES = [calling("read_file", path="notes.txt"), saying("What should the last line be?")]
PLAY = scripted(MOVES)


def down() -> dict[str, Any]:
    """Arguments of an environment whose grader is out of reach."""
    return {"grader": AskingGrader(), "responder": ScriptedModel(lambda _: Answer(error="the server is down"))}


@pytest.fixture
def registered() -> Iterator[Any]:
    """Registers a class of the example's; it is forgotten at the end."""
    yield lambda made: skyrl_gym.register(id=example.NAME, entry_point=made)
    deregister(example.NAME)


def made(row: SessionRow = SIGN, *, max_turns: int = 0) -> Any:
    """An environment as SkyRL makes it, and what it opens with."""
    columns = {**asdict(row), "max_turns": max_turns}
    return skyrl_gym.make(example.NAME, env_config={}, extras=columns)


def played(env: Any, script: Any = PLAY) -> list[dict[str, Any]]:
    """The steps of a session."""
    env.init([{"role": "user", "content": "-"}])
    steps: list[dict[str, Any]] = []
    while not steps or not steps[-1]["done"]:
        steps.append(env.step(text_of(script(len(steps)))))
    return steps


def test_rows_are_the_sessions_that_would_be_collected(tmp_path: Path) -> None:
    path = tmp_path / "data" / "train.jsonl"
    command = [sys.executable, EXAMPLES / "skyrl_env.py", "--size", 5, "--seed", 3, "--out", path]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    planned = plan_rows(single_session_env(MINI, {"split": "train"}), 5, 3)
    assert [SessionRow.of(row) for row in rows] == planned
    assert {row["env_class"] for row in rows} == {example.NAME}


def test_the_model_is_told_of_the_tools_and_given_the_session_s_own_opening(registered: Any) -> None:
    registered(example.text_env(MINI))
    env = made()
    (system, *said), _ = env.init([{"role": "user", "content": "of the row"}])
    assert "<tool_call>" in system["content"]
    assert "write_file(path: str, content: str)" in system["content"]
    assert said == [{"role": "user", "content": env.play.opening[-1]["content"]}]


def test_observations_are_messages_and_the_return_is_paid_at_the_end(registered: Any) -> None:
    registered(example.text_env(MINI))
    env = made()
    steps = played(env)
    assert [one["role"] for step in steps[:2] for one in step["observations"]] == ["tool", "user"]
    assert {frozenset(one) for step in steps for one in step["observations"]} == {frozenset({"role", "content"})}
    (expected,) = by_gym(MINI, {}, [SIGN], [PLAY])
    assert [step["reward"] for step in steps] == [0.0] * (len(steps) - 1) + [expected.score]
    metrics = env.get_metrics()
    assert (metrics["scored"], metrics["cut_short"], metrics["return"]) == (1.0, 0.0, expected.score)
    assert {"proc", "comp"} <= set(metrics)


def test_the_trainer_s_limit_ends_a_session_and_it_is_graded_as_things_stand(registered: Any) -> None:
    registered(example.text_env(MINI))
    env = made(max_turns=2)
    steps = played(env)
    (expected,) = by_gym(MINI, {}, [SIGN], [scripted(MOVES, then=None)])
    assert [step["reward"] for step in steps] == [0.0, expected.score]
    assert env.get_metrics()["cut_short"] == 1.0


def test_an_unscored_session_is_an_error_unless_a_reward_is_named(registered: Any) -> None:
    registered(example.text_env(MINI, **down()))
    env = made()
    with pytest.raises(SessionError, match=r"01-sign/1 is unscored.*the server is down"):
        played(env)
    assert env.get_metrics() == {"scored": 0.0}


def test_metrics_are_means_over_the_scored_sessions(registered: Any) -> None:
    broken = example.text_env(MINI, unscored_reward=0.0, **down())
    registered(example.text_env(MINI))
    whole, failed = made(), broken(extras=asdict(SIGN))
    assert played(whole)[-1]["reward"] > 0
    assert played(failed)[-1]["reward"] == 0.0
    means = aggregate_for_environment(example.NAME, [whole.get_metrics(), failed.get_metrics()])
    assert means["scored"] == 0.5
    assert means["return"] == whole.get_metrics()["return"]


def test_many_sessions_play_in_threads(registered: Any) -> None:
    registered(example.text_env(MINI))
    rows = [SessionRow(task, variant, 0) for task in ("01-sign", "02-order") for variant in range(20)]
    scripts = [PLAY, scripted(MOVES[1:]), scripted([]), PLAY] * 10
    with ThreadPoolExecutor(16) as threads:
        paid = list(threads.map(lambda row, script: played(made(row), script)[-1]["reward"], rows, scripts))
    assert paid == [one.score for one in by_gym(MINI, {}, rows, scripts)]
    assert len(set(paid)) > 1


def test_what_is_hidden_from_the_agent_is_in_no_observation(registered: Any) -> None:
    registered(example.text_env("PiBench-Researcher-v0"))
    env = made(SessionRow("03-paper-alert", 2, 0))
    opening, extra = env.init([])
    steps = [env.step(text_of(PLAY(number))) for number in range(3)]
    task = pi_gym.load_pack("researcher").instantiate("03-paper-alert", 2)
    hidden = [text for text in (task.canary, *(one.text for one in (*task.intents, *task.checklist))) if text]
    assert len(hidden) > 3
    shown = json.dumps([opening, extra, [(step["observations"], step["metadata"]) for step in steps]])
    assert not [text for text in hidden if json.dumps(text)[1:-1] in shown]


def test_a_row_that_names_no_session_says_what_is_missing(registered: Any) -> None:
    registered(example.text_env(MINI))
    with pytest.raises(ValueError, match="expected 'task' as str"):
        skyrl_gym.make(example.NAME, env_config={}, extras={"max_turns": 3})
