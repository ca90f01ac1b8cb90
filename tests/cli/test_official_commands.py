"""The commands over a folder in the official layout."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from support.official import GARDENER, ScriptedGrader, ScriptedUser, answering
from typer.testing import CliRunner

from pi_gym.cli.main import app
from pi_gym.cli.play_terminal import play_terminal
from pi_gym.graders.model import ModelGrader
from pi_gym.rollout import collect

ENV_ID = "PiBench-Researcher-v0"


def told(*arguments: object, status: int = 0) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == status, result.output
    return result.output


def test_list_names_tasks_groups_and_slips() -> None:
    text = told("list", GARDENER)
    for name in ("gardener_task_001", "gardener_task_004", "model roles judge its tasks"):
        assert name in text
    assert "warning: tasks/gardener_task_004/task.yaml: objectives.tools_evaluation_path: this copy lacks" in text


def test_show_has_the_opening_and_on_request_what_is_hidden() -> None:
    shown = told("show", "gardener_task_002", "--pack", GARDENER)
    assert "Two more beds" in shown
    assert "Sort them by bed" not in shown
    hidden = told("show", "gardener_task_002", "--pack", GARDENER, "--hidden")
    assert "i2 intent-2 (session): Sort them by bed." in hidden
    assert "can be known from" not in hidden


@pytest.mark.parametrize("command", [["play", ENV_ID], ["rollout", ENV_ID, "--agent", "silent", "--quiet"]])
def test_what_needs_a_judge_says_what_to_pass(command: list[str]) -> None:
    text = told(*command, "--pack", GARDENER, status=2)
    assert text.startswith("pi-gym: task 'gardener_task_")
    assert "--role user=MODEL@URL --role grader=MODEL@URL" in text


def test_who_leaves_a_session_is_graded_by_the_models(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    env = gym.make(
        ENV_ID, pack=GARDENER, user=ScriptedUser(), grader=ScriptedGrader(), responder=answering(), debug=True
    )
    monkeypatch.setattr("builtins.input", lambda prompt: "/quit")
    play_terminal(env, 0, {"task": "gardener_task_004"})
    said = capsys.readouterr().out
    assert "passed  The citrus is named before anything else." in said
    assert "unknown  [tools] data/gardener/scripts/gardener_task_004_gmail.py" in said
    assert "=== Proc 0.000, strict Proc 0.000, return 0.000" in said


SERVED = ["--role", "user=m@http://127.0.0.1:9/v1", "--role", "grader=m@http://127.0.0.1:9/v1"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["show", "gardener_task_001", "--variant", "3"], "one world, 0; got 3"),
        (["play", ENV_ID, "--variant", "3", *SERVED], "one world, 0; got 3"),
        (["rollout", ENV_ID, "--agent", "silent", "--quiet", "--variant", "2", *SERVED], "has one world, 0"),
        (["rollout", ENV_ID, "--agent", "silent", "--quiet", "--history", "reference", *SERVED], "use history='own'"),
        (["rollout", ENV_ID, "--agent", "silent", "--quiet", "--split", "train", *SERVED], "has no tasks"),
    ],
)
def test_what_the_layout_does_not_have_is_refused_at_once(command: list[str], message: str) -> None:
    text = told(*command, "--pack", GARDENER, status=2)
    assert text.startswith("pi-gym: ")
    assert message in text


def test_the_reference_agent_says_that_there_is_none() -> None:
    text = told("rollout", ENV_ID, "--quiet", "--pack", GARDENER, "--task", "gardener_task_001", *SERVED, status=1)
    assert "1 session is unscored (1 policy)" in text
    assert "task 'gardener_task_001' has no reference" in text


def test_rollout_knows_the_protocols() -> None:
    text = told("rollout", ENV_ID, "--agent", "silent", "--protocol", "offical", status=2)
    assert "Did you mean 'official'?" in text


def test_validate_opens_every_task_and_says_what_it_cannot_prove(tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    text = told("validate", GARDENER, "--quiet", "--out", out)
    assert "they have no predicates and no references. So nothing is proved of" in text
    assert "this copy lacks data/gardener/scripts/gardener_task_004_gmail.py" in text
    report = json.loads(out.read_text())["gardener"]
    assert [task["checks"][0]["check"] for task in report["tasks"]] == ["opening"] * 4


def test_validate_notes_an_opening_that_gives_an_intent_away(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(GARDENER, tmp_path / "gardener"))
    file = copy / "tasks" / "gardener_task_001" / "task.yaml"
    file.write_text(file.read_text().replace("Please make", "Every label names the sowing month. Please make"))
    assert "opening, intent i1 (variant 0): the opening says it, word for word" in told("validate", copy, "--quiet")


def test_validate_fails_where_a_task_cannot_be_opened(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(GARDENER, tmp_path / "gardener"))
    (copy / "tasks" / "gardener_task_001" / "link").symlink_to(file := copy / "episode.yaml")
    assert file.exists()
    told("validate", copy, "--quiet", status=1)


def test_a_grader_that_no_item_is_for_is_told(tmp_path: Path) -> None:
    nobody = "grader=m@http://127.0.0.1:9/v1"
    done = CliRunner().invoke(
        app, ["rollout", ENV_ID, "--pack", "mini", "--agent", "silent", "--quiet", "--role", nobody]
    )
    assert done.exit_code == 0, done.output
    assert "the grader's model is not asked: rules judge all checklist items of these tasks" in done.stdout.splitlines()
    kwargs = {"pack": GARDENER, "user": ScriptedUser(), "grader": ModelGrader(), "responder": answering()}
    tasks = {"gardener_task_001": 1, "gardener_task_002": 0}
    for name, count in tasks.items():
        assert len(collect(ENV_ID, "silent", tasks=[name], env_kwargs=kwargs).plan.notes) == count
    summary = collect(ENV_ID, "silent", tasks=["gardener_task_001"], env_kwargs=kwargs, out=tmp_path / "run")
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["notes"] == list(summary.plan.notes)
