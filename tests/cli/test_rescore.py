"""`rescore` and `audit`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import ChatServer
from support.packs import TINY
from typer.testing import CliRunner

from pi_gym.cli.main import app


def invoke(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    done = invoke("rollout", "PiBench-v0", "--pack", TINY, "--agent", "silent", "--out", tmp_path / "run", "--quiet")
    assert done.exit_code == 0, done.output
    return tmp_path / "run"


def test_a_run_is_re_scored_into_its_own_folder_and_audited(run: Path) -> None:
    done = invoke("rescore", run, "--quiet")
    assert done.exit_code == 0, done.output
    assert "3 sessions judged: Proc 0.000, strict Proc 0.000, Comp 0.000" in done.stdout
    assert (run / "rescored" / "rule+rule" / "trajectories.jsonl").exists()
    report = invoke("audit", run)
    assert report.exit_code == 0, report.output
    assert "| intents: status | 5 | 100.00 % | 0.00 % |" in report.stdout


def test_the_report_is_written_as_asked(run: Path, tmp_path: Path) -> None:
    invoke("rescore", run, "--out", tmp_path / "again")
    for name in ("report.md", "report.json"):
        done = invoke("audit", run, tmp_path / "again", "--out", tmp_path / name)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "report.md").read_text() == done.stdout
    assert json.loads((tmp_path / "report.json").read_text())["sessions"] == 3


def test_a_re_scoring_averages_by_the_protocol_asked_for(run: Path, tmp_path: Path) -> None:
    done = invoke("rescore", run, "--out", tmp_path / "again", "--protocol", "official")
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "again" / "summary.json").read_text())["protocol"] == "official"
    wrong = invoke("rescore", run, "--out", tmp_path / "more", "--protocol", "offical")
    assert wrong.exit_code == 2
    assert "Known: official, paper" in wrong.stderr


def test_errors_are_one_line(run: Path, tmp_path: Path) -> None:
    for arguments in (("audit", run), ("rescore", tmp_path / "none"), ("audit", tmp_path / "none", run)):
        done = invoke(*arguments)
        assert done.exit_code == 1
        assert done.stderr.count("\n") == 1, done.stderr


def test_a_served_model_judges(run: Path) -> None:
    pytest.importorskip("pi_gym.models.answerer")

    def judge(body: Any) -> Any:
        properties = body["response_format"]["json_schema"]["schema"]["properties"]
        return {"content": json.dumps({name: {"reason": "so", "decision": "YES"} for name in properties})}

    with ChatServer(judge) as server:
        done = invoke("rescore", run, "--role", f"user=toy@{server.url}", "--role", f"grader=toy@{server.url}",
                      "--all-items", "--cache", "off")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "Proc 1.000, Comp 1.000" in done.stdout
    folder = run / "rescored" / "toy+toy"
    assert server.url not in (folder / "run.json").read_text()
    assert "(user toy, grader toy" in invoke("audit", folder).stdout


def test_a_model_that_is_down_leaves_sessions_unscored(run: Path) -> None:
    pytest.importorskip("pi_gym.models.answerer")
    with ChatServer(lambda body: (400, "no")) as server:
        done = invoke("rescore", run, "--role", f"user=toy@{server.url}", "--cache", "off", "--quiet")
    assert done.exit_code == 1
    assert "3 sessions are unscored (3 model)" in done.stderr
