"""The families that are installed, through all that is above a session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env
from support.toy_tokenizer import END, ToyTokenizer
from typer.testing import CliRunner

import pi_gym
from pi_gym.adapters.trl import EnvironmentFactory, SessionRollout, make_dataset, session_reward
from pi_gym.cli.main import app
from pi_gym.environments import base_env, family_of
from pi_gym.export import export
from pi_gym.export.forms import FILES
from pi_gym.rollout.agents import agents_of
from pi_gym.sampling import FIRST_VALIDATION
from pi_gym.session.actions import parse_action
from pi_gym.session.conversation import conversation

#: Runs a few sessions in a process of its own, and prints their records.
PLAY = """
import json
import sys
import pi_gym
env_id, env_kwargs, *tasks = sys.argv[1:]
env_kwargs = json.loads(env_kwargs)
for record in pi_gym.collect(env_id, "reference", tasks=tasks, variants=[0, 5], env_kwargs=env_kwargs).trajectories:
    print(record.to_line())
"""


@dataclass(frozen=True)
class Installed:
    """A family as tests play it.

    Args:
        env_id: an environment of its.
        tasks: three tasks.
        best: the return of a reference, at most.
        drawn: arguments of the environment by which chance has a part in its sessions.
    """

    env_id: str
    tasks: tuple[str, str, str]
    best: float
    drawn: dict[str, Any]

    @property
    def family(self) -> Any:
        return family_of(self.env_id)

    def collected(self, agent: str = "reference", **options: Any) -> Any:
        return pi_gym.collect(self.env_id, agent, **{"tasks": self.tasks, "variants": [0, 5, 9], **options})


FAMILIES = [
    Installed("PiBench-Mini-v0", ("01-sign", "02-order", "03-slip"), 1.0, {}),
    Installed(
        "Pare-v0",
        ("stranded-friend", "moved-appointment", "note-for-a-friend"),
        2.0,
        {"noise": "high", "tool_failure": "low"},
    ),
]


@pytest.fixture(scope="module", params=FAMILIES, ids=lambda one: one.env_id)
def installed(request: pytest.FixtureRequest) -> Installed:
    found: Installed = request.param
    return found


@pytest.fixture(scope="module")
def run(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run by the reference."""
    out = tmp_path_factory.mktemp("run") / "run"
    installed.collected(out=out)
    return out


@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_the_checker_accepts_it_without_a_warning(installed: Installed, render_mode: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make(installed.env_id, render_mode=render_mode)
        check_env(env.unwrapped)
        env.close()


@pytest.mark.slow
def test_processes_and_many_at_a_time_give_what_one_does(installed: Installed, run: Path, tmp_path: Path) -> None:
    installed.collected(out=tmp_path / "two", workers=2, concurrency=2)
    files = [folder / "trajectories.jsonl" for folder in (run, tmp_path / "two")]
    one, two = (sorted(path.read_text().splitlines()) for path in files)
    assert len(one) == 9
    assert one == two
    assert (run / "summary.json").read_bytes() == (tmp_path / "two" / "summary.json").read_bytes()


@pytest.mark.slow
def test_records_depend_on_no_process_no_order_and_no_hash_seed(installed: Installed) -> None:
    def lines(seed: str, tasks: Sequence[str]) -> list[str]:
        played = [sys.executable, "-c", PLAY, installed.env_id, json.dumps(installed.drawn), *tasks]
        done = subprocess.run(played, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return sorted(done.stdout.splitlines())

    assert lines("0", installed.tasks) == lines("4242", installed.tasks[::-1])


def test_every_baseline_of_the_family_plays_it(installed: Installed) -> None:
    for agent in agents_of(installed.family.name):
        summary = installed.collected(agent, variants=[5], env_kwargs={"strict": True})
        assert (summary.scored, summary.faulty) == (3, 0), agent
        best = max(one.scores["return"] for one in summary.trajectories)
        assert (best == installed.best) == (agent in ("reference", "memory", "propose-again")), agent


def test_each_split_draws_worlds_of_its_own(installed: Installed) -> None:
    drawn = {}
    for split in ("test", "validation", "train"):
        env = gym.make(installed.env_id, split=split, disable_env_checker=True)
        drawn[split] = {env.reset(seed=seed)[1]["variant"] for seed in range(12)}
    assert drawn["test"] == {0}
    assert all(1 <= variant < FIRST_VALIDATION for variant in drawn["train"])
    assert all(variant >= FIRST_VALIDATION for variant in drawn["validation"])
    assert min(len(drawn["train"]), len(drawn["validation"])) > 6


def test_a_world_is_another_one_in_each_variant(installed: Installed) -> None:
    env = gym.make(installed.env_id, disable_env_checker=True)
    family = base_env(env).family
    for task in installed.tasks:
        hidden = set()
        for variant in range(6):
            env.reset(options={"task": task, "variant": variant})
            session = base_env(env).session
            assert session is not None
            hidden.add(family.hidden_text(session))
        assert len(hidden) >= 4


# -- exports ---------------------------------------------------------------------------------------------------------


def test_a_table_has_every_label_in_its_column(installed: Installed, run: Path, tmp_path: Path) -> None:
    records = list(pi_gym.read_trajectories(run))
    rows = read(export(run, tmp_path / "x.parquet").path)
    for row, record in zip(rows, records, strict=True):
        for name in installed.family.columns:
            assert row[name] == record.labels[name], name
        for name in installed.family.scores:
            assert row[name] == record.scores[name], name
        assert (row["family"], row["task_id"], row["variant"]) == (record.family, record.task_id, record.variant)


def test_every_format_is_written_and_holds_the_conversations(run: Path, tmp_path: Path) -> None:
    spoken = [[one.message.to_openai() for one in conversation(record)] for record in pi_gym.read_trajectories(run)]
    for form in FILES:
        assert export(run, tmp_path / form, format=form).rows == len(spoken)
    lines = [json.loads(line) for line in (tmp_path / "chat").read_text().splitlines()]
    assert [line["messages"] for line in lines] == spoken
    actions = sum(message["role"] == "assistant" for messages in spoken for message in messages)
    assert export(run, tmp_path / "steps", format="sft", rows="step").rows == actions
    turns = export(run, tmp_path / "turns", format="sft", rows="turn").rows
    assert len(spoken) < turns <= actions


def read(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = __import__("pyarrow.parquet").parquet.read_table(path).to_pylist()
    return rows


# -- trainers --------------------------------------------------------------------------------------------------------


def test_methods_of_a_trained_environment_reach_the_references_return(installed: Installed) -> None:
    rows = make_dataset(installed.env_id, split="train", size=6, seed=1)
    for row in rows:
        environment: Any = EnvironmentFactory(installed.env_id)()
        environment.reset(**row)
        session = environment._session.session
        *before, last = map(parse_action, installed.family.reference(session))
        for action in before:
            for call in action.calls:
                assert getattr(environment, call.name)(**call.arguments)
            if not action.calls:
                environment.reply_to_user(action.content)
        completion = [{"role": "assistant", "content": last.content}]
        for call in last.calls:
            getattr(environment, call.name)(**call.arguments)
        assert session.ended == bool(last.calls)
        (reward,) = session_reward([], [completion], [environment])
        (record,) = pi_gym.collect(
            installed.env_id, "reference", tasks=[row["task"]], variants=[row["variant"]]
        ).trajectories
        assert reward == record.scores["return"]


def test_a_rollout_marks_what_the_policy_wrote(installed: Installed) -> None:
    rows = make_dataset(installed.env_id, split="train", size=4, seed=2, for_rollout=True)
    env = gym.make(installed.env_id, disable_env_checker=True)
    references = []
    for row in rows:
        env.reset(options={"task": row["task"], "variant": row["variant"]})
        session = base_env(env).session
        assert session is not None
        references.append(list(installed.family.reference(session)))
    tokenizer = ToyTokenizer()
    left = [list(actions) for actions in references]

    def generate(prompts: list[list[int]], trainer: Any) -> Any:
        going = [actions for actions in left if actions]
        assert len(going) == len(prompts)
        return [tokenizer(one.pop(0) + END, add_special_tokens=False)["input_ids"] for one in going], None

    trainer = SimpleNamespace(processing_class=tokenizer, args=SimpleNamespace(max_completion_length=1_000_000))
    rollout = SessionRollout(installed.env_id, generate=generate)
    out = rollout([row["prompt"] for row in rows], trainer)
    for ids, mask, actions in zip(out["completion_ids"], out["env_mask"], references, strict=True):
        made = "".join(tokenizer.decode([one]) for one, ours in zip(ids, mask, strict=True) if ours)
        assert made == "".join(action + END for action in actions)
    assert max(session_reward([], [], None, pi_result=out["pi_result"])) == installed.best


# -- commands --------------------------------------------------------------------------------------------------------


def command(*arguments: object, text: str = "", status: int = 0) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments], input=text)
    assert result.exit_code == status, result.output
    return result.stderr if status else result.stdout


def test_commands_list_show_play_and_export(installed: Installed, tmp_path: Path) -> None:
    task, out = installed.tasks[0], tmp_path / "run"
    listed = command("list", installed.env_id)
    assert all(name in listed for name in installed.tasks)
    assert f"agents: {', '.join(agents_of(installed.family.name))}" in listed
    shown = command("show", task, "--variant", "3", "--hidden")
    assert "=== reference ===" in shown
    arguments = ("rollout", installed.env_id, "--task", task, "--variant", "5", "--quiet", "--out", out)
    assert "written to" in command(*arguments)
    assert "1 session in 1 row" in command("export", out)
    (record,) = pi_gym.read_trajectories(out)
    assert record.scores["return"] == installed.best


def test_a_session_is_played_an_action_a_call(installed: Installed, tmp_path: Path) -> None:
    state, out, task = tmp_path / "state", tmp_path / "run", installed.tasks[0]
    env = gym.make(installed.env_id, disable_env_checker=True)
    env.reset(options={"task": task, "variant": 5})
    session = base_env(env).session
    assert session is not None
    command("play", installed.env_id, "--task", task, "--variant", 5, "--state", state, "--out", out)
    for action in installed.family.reference(session):
        told = json.loads(command("play", "--state", state, "--json", "--action", "-", text=json.dumps(action)))
    assert told["over"]
    (record,) = pi_gym.read_trajectories(out)
    assert record.scores["return"] == installed.best


def test_a_run_that_rules_judge_alone_cannot_be_judged_anew(tmp_path: Path) -> None:
    pi_gym.collect("Pare-v0", "silent", sessions=1, out=tmp_path / "run")
    told = command("rescore", tmp_path / "run", status=2)
    assert "no way to judge sessions of pare anew" in told
