"""A family that pi_gym does not know goes through all that is above a session."""

from __future__ import annotations

import importlib
import itertools
import json
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env
from support.commands import pi_gym_command

import pi_gym
from pi_gym.adapters.trl import EnvironmentFactory, make_dataset, session_reward
from pi_gym.export import export
from pi_gym.info import INFO_KEYS
from pi_gym.session.conversation import conversation
from pi_gym.tools import Registry, ToolContext, operation

HERE = Path(__file__).parent
ID = "guess_game:Guess-v0"
SOURCES = Path(pi_gym.__file__).parent


@pytest.fixture(autouse=True)
def _on_the_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    return


def command(*arguments: str, text: str = "") -> str:
    """What `pi-gym` prints in a process of its own."""
    return pi_gym_command("--import", "guess_game", *arguments, text=text)


def bisect(messages: list[Any], tools: list[Any]) -> str:
    """A policy that finds the number."""
    low, high = 1, 1000
    said = [(one["role"], one["content"]) for one in messages]
    for (_, guess), (_, answer) in itertools.pairwise(said):
        if answer == "Higher.":
            low = int(guess) + 1
        elif answer == "Lower.":
            high = int(guess) - 1
    return str((low + high) // 2)


def test_pi_gym_knows_nothing_of_it() -> None:
    for path in SOURCES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not [word for word in ("guess_game", "GuessGame", "Guess-v0", '"guess"') if word in text], path


def test_it_obeys_gymnasium_and_has_the_common_info() -> None:
    env = gym.make(ID)
    check_env(env.unwrapped, skip_render_check=True)
    _, info = env.reset(seed=0, options={"task": "small", "variant": 3})
    keys = {**INFO_KEYS, "guesses": (int, "")}
    assert set(info) == set(keys)
    action = '<tool_call>{"name": "halve", "arguments": {"low": 1, "high": 9}}</tool_call>'
    observation, reward, *_, info = env.step(action)
    assert "5" in observation["history"]
    assert reward == -0.05
    assert all(type(info[name]) is kind for name, (kind, _) in keys.items())
    secret = env.unwrapped.session.secret  # type: ignore[attr-defined]
    _, reward, terminated, _, info = env.step(str(secret))
    assert (reward, terminated, info["scored"]) == (0.95, True, True)
    assert info["scores"] == {"found": 1.0, "return": 0.9}


def test_many_at_a_time_in_one_environment() -> None:
    envs = gym.make_vec(ID, num_envs=3, split="validation")
    envs.reset(seed=1)
    observations, rewards, *_, infos = envs.step(["5", "5", "x"])
    assert len(observations["history"]) == len(rewards) == 3
    assert infos["guesses"].tolist() == [1, 1, 1]
    envs.close()


def test_collected_by_two_processes_exported_and_judged_by_its_own_measures(tmp_path: Path) -> None:
    summary = pi_gym.collect(
        ID, "test_second_family:bisect", sessions=6, split="train", workers=2, out=tmp_path / "run"
    )
    assert (summary.scored, summary.mean("found")) == (6, 1.0)
    assert list(summary.overall) == ["found", "return", "turns"]
    records = list(pi_gym.read_trajectories(tmp_path / "run"))
    assert {(record.family, record.pack) for record in records} == {("guess", "numbers")}
    table = export(tmp_path / "run")
    rows = __import__("pyarrow.parquet").parquet.read_table(table.path).to_pylist()
    assert [row["secret"] for row in rows] == [record.labels["secret"] for record in records]
    assert {"found", "return", "guess"} & set(rows[0]) == {"found", "return"}
    sft = export(tmp_path / "run", format="sft")
    assert (table.rows, sft.rows) == (6, 6)


@pytest.mark.slow
def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "run"
    code = (
        "import pi_gym, time\n"
        "def slow(messages, tools):\n    time.sleep(0.01)\n    return '1'\n"
        f"pi_gym.collect({ID!r}, slow, sessions=40, split='train', out={str(out)!r}, resume=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    begin = monotonic()
    lines = out / "trajectories.jsonl"
    while not (lines.exists() and lines.read_bytes().count(b"\n") >= 3):
        assert process.poll() is None
        assert monotonic() - begin < 60
        sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = [record.key for record in pi_gym.read_trajectories(out)]
    assert 3 <= len(before) < 40
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)
    keys = [record.key for record in pi_gym.read_trajectories(out)]
    assert keys[: len(before)] == before
    assert len(keys) == len(set(keys)) == 40


def test_sessions_are_picklable_forks_are_independent() -> None:
    env = gym.make(ID)
    env.reset(seed=0, options={"task": "small", "variant": 3})
    session: Any = env.unwrapped.session  # type: ignore[attr-defined]
    session.apply("1")
    fork, again = session.fork(), pickle.loads(pickle.dumps(session))
    fork.apply("2")
    assert session.trajectory().to_line() == again.trajectory().to_line() != fork.trajectory().to_line()


def test_trained_by_trl() -> None:
    rows = make_dataset(ID, size=2)
    assert [row["pack"] for row in rows] == ["numbers"] * 2
    environment: Any = EnvironmentFactory(ID)()
    assert "Guess it" in environment.reset(**rows[0])
    assert environment.halve(low=1, high=9) == "5"
    assert environment.reply_to_user("0") == "Higher."
    logged: dict[str, float] = {}
    said = [{"role": "assistant", "content": str(environment._session.session.secret)}]
    rewards = session_reward([""], [said], [environment], log_metric=logged.__setitem__)
    assert rewards == [0.85]
    assert logged["pi_gym/found"] == 1.0


def test_the_command_line_has_it(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    assert "Guess-v0" in command("list", "--ids")
    assert "Numbers from 1 up" in command("list", "Guess-v0")
    shown = command("show", "small", "--variant", "3", "--hidden")
    assert "Guess it" in shown
    assert "the number is" in shown
    assert "found" in command("rollout", "Guess-v0", "--agent", "reference", "--out", out)
    assert "2 sessions in 2 rows" in command("export", out, "--format", "chat", "--min-return", "0.9")
    played = command("play", "Guess-v0", "--task", "small", "--json", text='{"action": "0"}\n').splitlines()
    assert json.loads(played[1])["info"]["guesses"] == 1
    assert "Higher." in command("play", "Guess-v0", "--task", "small", text="0\n\n/quit\n")


@operation("read")
def ask_user(context: ToolContext, question: str) -> str:
    """Ask somebody.

    Args:
        question: what is asked.
    """
    return "It is the seventh."


def test_a_tool_of_its_own_may_have_any_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """The record tells which results come later; the middle looks at no tool's name."""
    game = importlib.import_module("guess_game")
    tools = Registry([ask_user])
    monkeypatch.setattr(game, "TOOLS", tools)
    monkeypatch.setattr(game.GuessSession, "registry", tools)
    call = '<tool_call>{"name": "ask_user", "arguments": {"question": "Which?"}}</tool_call>'
    actions = itertools.chain([call], itertools.repeat("1"))
    record = pi_gym.collect("Guess-v0", lambda messages, tools: next(actions), sessions=1).trajectories[0]
    spoken = [one.message for one in conversation(record)]
    results = [(one.content, one.tool_call_id) for one in spoken if one.role == "tool"]
    assert results == [("It is the seventh.", next(one.tool_calls[0].id for one in spoken if one.tool_calls))]


def test_a_task_can_be_looked_at_under_history_own() -> None:
    env = gym.make(ID).unwrapped
    env.history_mode = "own"
    assert env.family.preview(env.twin(), env.packs[0], env.packs[0].task_ids[0], 0).messages


def test_its_roles_are_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pi_gym", "--import", "guess_game", "rollout", "Guess-v0", "--role", "user=rule"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "pi-gym: Unknown role of guess 'user'. There are none.\n"


def test_a_session_is_kept_between_calls_and_its_outcome_is_a_run(tmp_path: Path) -> None:
    state, out = str(tmp_path / "state"), tmp_path / "run"
    opened = command("play", ID, "--task", "small", "--variant", "3", "--state", state, "--out", str(out), "--json")
    assert json.loads(opened)["steps"] == 0
    told = json.loads(command("play", "--state", state, "--json", "--action", "-", text='"1"'))
    assert (told["new_messages"][-1]["content"], told["over"]) == ("Higher.", False)
    secret = 3 * 7919 % 10 + 1
    assert "session over" in command("play", "--state", state, "--action", "-", text=f"{secret}\n")
    (record,) = pi_gym.read_trajectories(out)
    assert (record.family, record.scores["found"]) == ("guess", 1.0)


def test_it_is_audited_although_judges_have_nothing_of_its_own_to_judge(tmp_path: Path) -> None:
    audit, state = tmp_path / "audit", tmp_path / "state"
    assert "4 sessions" in command("audit", "--plan", ID, "--out", str(audit))
    sheet = (audit / "sheet.csv").read_text().splitlines()
    session, brief, _, task, variant, *_ = sheet[1].split(",")
    run, verdicts = audit / "runs" / brief, audit / "verdicts"
    begin = next(line for line in (audit / "begin.sh").read_text().splitlines() if session in line)
    assert f"play {ID} --task {task} --variant {variant} --agent {brief}" in begin
    command(
        "play", ID, "--task", task, "--variant", variant, "--agent", brief, "--state", str(state), "--out", str(run)
    )
    command("play", "--state", str(state), "--action", "-", text=str(int(variant) * 7919 % 10 + 1))
    command("audit", "--bundle", str(run))
    page = (run.with_name(f"{brief}-bundles") / f"{session}.md").read_text()
    assert "Guess it" in page
    verdicts.mkdir()
    (verdicts / f"{session}.A.json").write_text(json.dumps({"questions": [], "unfair": "A guess is no work."}))
    found = command("audit", str(run), "--verdicts", str(verdicts))
    assert "| helpful, history" in found
    assert "A guess is no work." in found
