"""`export`: a run that was rolled out, into each form, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from support.packs import TINY
from typer.testing import CliRunner

from pi_gym.cli.main import app


def invoke(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    done = invoke("rollout", "PiBench-v0", "--pack", TINY, "--out", out, "--variant", 0, "--variant", 1, "--quiet")
    assert done.exit_code == 0, done.output
    return out


@pytest.mark.parametrize(
    ("options", "name", "rows"),
    [
        ([], "sessions.parquet", "6 sessions in 6 rows"),
        (["--format", "chat", "--thoughts"], "chat.jsonl", "6 sessions in 6 rows"),
        (["--format", "sft", "--rows", "step"], "sft.parquet", "6 sessions in 20 rows"),
    ],
    ids=["parquet", "chat", "sft"],
)
def test_a_run_is_written_beside_its_lines(run: Path, options: list[str], name: str, rows: str) -> None:
    done = invoke("export", run, *options)
    assert (done.exit_code, done.stdout) == (0, f"{rows}, written to {run / name}\n"), done.output
    count = len(pq.read_table(run / name)) if name.endswith("parquet") else (run / name).read_text().count("\n")
    assert f"in {count} rows" in rows
    again = invoke("export", run, *options)
    assert again.exit_code == 1
    assert "is there already; replace it by --force" in again.stderr
    assert invoke("export", run, *options, "--force").exit_code == 0


def test_what_is_left_out_is_told(run: Path, tmp_path: Path) -> None:
    done = invoke("export", run, "--format", "chat", "--min-return", 1.5, "--out", tmp_path / "x")
    assert done.exit_code == 0
    assert done.stdout == f"0 sessions in 0 rows, written to {tmp_path / 'x'}\nleft out: 6 below the least return\n"
    assert (tmp_path / "x").read_bytes() == b""


def test_a_rescored_run_is_a_run(run: Path, tmp_path: Path) -> None:
    assert invoke("rescore", run, "--out", tmp_path / "again", "--quiet").exit_code == 0
    texts = []
    for source in (run, tmp_path / "again"):
        assert invoke("export", source, "--format", "chat", "--out", tmp_path / "x", "--force").exit_code == 0
        texts.append([json.loads(line)["messages"] for line in (tmp_path / "x").read_text().splitlines()])
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["--format", "jsonl"], 2, "Unknown format 'jsonl'"),
        (["--format", "sft", "--rows", "steps"], 2, "Did you mean 'step'"),
        (["--rows", "step"], 2, "goes with the format 'sft' only"),
        (["--thoughts"], 2, "in its column of actions"),
        (["--min-return", "nan"], 2, "finite number"),
        (["--min-return", "0.5", "--include-unscored"], 2, "include_unscored"),
        (["--out", ""], 2, "empty text"),
        (["--out", "."], 1, "is a folder"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused_in_a_line(run: Path, arguments: list[str], status: int, told: str) -> None:
    done = invoke("export", run, *arguments)
    assert done.exit_code == status, done.output
    assert told in done.stderr
    assert "Traceback" not in done.output


def test_no_run_is_told(tmp_path: Path) -> None:
    done = invoke("export", tmp_path / "nope")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "there is no such run" in done.stderr
