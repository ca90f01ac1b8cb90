"""`report`, and arguments of the environment on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import pi_gym
from pi_gym.cli.main import app


def invoked(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def rollout(out: Path, env_id: str, *arguments: str) -> Path:
    result = invoked("rollout", env_id, "--agent", "silent", "--sessions", "2", "--quiet", "--out", out, *arguments)
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two runs of one family under different noise, and one of another family."""
    folder = tmp_path_factory.mktemp("runs")
    return {
        "calm": rollout(folder / "calm", "Pare-v0", "--env-option", "max_turns=4"),
        "loud": rollout(folder / "loud", "Pare-v0", "--env-option", "max_turns=4", "--env-option", "noise=high"),
        "other": rollout(folder / "other", "PiBench-Mini-v0"),
    }


def test_arguments_of_the_environment_reach_its_sessions(runs: dict[str, Path]) -> None:
    for record in pi_gym.read_trajectories(runs["loud"]):
        assert (record.config["noise"], record.config["max_turns"], record.turns) == (6.0, 4, 4)


def test_runs_stand_side_by_side_with_what_they_differ_in(runs: dict[str, Path]) -> None:
    result = invoked("report", runs["calm"], runs["loud"])
    head, calm, loud, *told = (line.split() for line in result.stdout.splitlines())
    assert head[:5] == ["run", "noise", "sessions", "success", "score"]
    assert (calm[:3], loud[:3]) == ([str(runs["calm"]), "-", "2"], [str(runs["loud"]), "high", "2"])
    assert [" ".join(words) for words in told] == [
        f"not comparable: {runs['loud']} and {runs['calm']}: noise: it is not given in one and 'high' in the other."
    ]
    lines = invoked("report", runs["calm"], runs["loud"], "--json").stdout.splitlines()
    assert [json.loads(line)["settings"] for line in lines] == [{"noise": None}, {"noise": "high"}]
    assert json.loads(lines[0])["overall"]["acceptance_rate"]["mean"] is None


def test_any_family_is_reported_on_alone(runs: dict[str, Path]) -> None:
    assert "Proc" in invoked("report", runs["other"]).stdout
    result = invoked("report", runs["other"], runs["calm"])
    assert result.exit_code == 1
    assert "of several families, pare, pibench" in result.stderr


def test_a_run_without_a_summary_is_told(runs: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text((runs["calm"] / "run.json").read_text())
    result = invoked("report", tmp_path)
    assert result.exit_code == 1
    assert "has no summary.json; finish it with --resume" in result.stderr


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("noise=loud", "noise: expected a number or one of none, low, medium, high, got 'loud'"),
        ("tool_failure=2", "tool_failure: expected a number from 0 to 1, got 2"),
        ("nois=low", "Unknown argument 'nois'. Did you mean 'noise'?"),
        ("noise", "expected NAME=VALUE"),
    ],
)
@pytest.mark.parametrize("command", ["rollout", "play"])
def test_an_argument_that_does_not_fit_is_told_in_a_line(command: str, option: str, told: str) -> None:
    result = invoked(command, "Pare-v0", "--env-option", option)
    assert result.exit_code == 2
    assert told in result.stderr
    assert isinstance(result.exception, SystemExit)


def test_a_session_played_by_hand_takes_them_too() -> None:
    line = json.dumps({"action": ""})
    arguments = ["play", "Pare-v0", "--task", "stranded-friend", "--json", "--env-option", "max_turns=1"]
    result = CliRunner().invoke(app, arguments, input=f"{line}\n")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout.splitlines()[1])["truncated"] is True
