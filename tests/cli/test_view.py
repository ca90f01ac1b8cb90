"""`pi-gym view`, as a process and as one file."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from support.runs import records, write_run
from typer.testing import CliRunner

from pi_gym.cli.main import app


def test_it_serves_until_it_is_interrupted_and_leaves_nothing_in_the_run(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", records())
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    command = [sys.executable, "-m", "pi_gym", "view", str(tmp_path), "--no-open", "--no-cache"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            assert url.startswith("http://127.0.0.1:")
            with urllib.request.urlopen(url, timeout=30) as answer:
                assert b"<title>pi-gym view</title>" in answer.read()
            server.send_signal(signal.SIGINT)
            _, err = server.communicate(timeout=30)
        finally:
            server.kill()
    assert (server.returncode, err) == (0, "")
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_one_file_is_not_written_over_unless_that_is_asked_for(tmp_path: Path) -> None:
    run, out = write_run(tmp_path / "run", records()), tmp_path / "out.html"
    command = ["view", str(run), "--no-cache", "--static", str(out)]
    assert CliRunner().invoke(app, command).exit_code == 0
    page = out.read_text(encoding="utf-8")
    again = CliRunner().invoke(app, command)
    assert again.exit_code == 1
    assert "--force" in again.stderr
    assert CliRunner().invoke(app, [*command, "--force"]).exit_code == 0
    assert out.read_text(encoding="utf-8") == page
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.html", "run"]


def test_lines_of_another_version_are_told_where_one_file_is_written(tmp_path: Path) -> None:
    run, out = write_run(tmp_path / "run", records()), tmp_path / "out.html"
    file = run / "trajectories.jsonl"
    first, *others = file.read_text().splitlines(keepends=True)
    file.write_text("".join([first.replace('"format":1', '"format":9'), *others]))
    done = CliRunner().invoke(app, ["view", str(run), "--no-cache", "--static", str(out)])
    assert done.exit_code == 1
    assert f"{len(others)} sessions" in done.stdout
    assert "trajectories.jsonl, line 1: not a trajectory" in done.stderr
    assert "format 9" in done.stderr


@pytest.mark.parametrize("place", ["missing", "empty"])
def test_a_place_without_runs_is_refused_in_a_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    done = CliRunner().invoke(app, ["view", str(tmp_path / place)])
    assert done.exit_code == 1
    assert done.stderr.startswith("pi-gym: ")
    assert "Traceback" not in done.stderr
