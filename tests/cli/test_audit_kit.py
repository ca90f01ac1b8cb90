"""The whole of an audit by processes: planned, played blind, bundled, judged, compared."""

from __future__ import annotations

import csv
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.commands import pi_gym_command
from support.packs import TINY, tiny
from typer.testing import CliRunner

from pi_gym.cli.main import app

PI_GYM = [sys.executable, "-m", "pi_gym"]


def act(state: Path, action: object) -> None:
    pi_gym_command("play", "--state", state, "--json", "--action", "-", text=json.dumps(action))


def call(*arguments: object, status: int = 0) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == status, done.output
    return done.stderr if status else done.stdout


def judged(bundle: Path, verdicts: Path, judge: str) -> dict[str, Any]:
    """A verdict that a program writes from the head of a bundle alone."""
    head = json.loads(bundle.read_text())
    raw = {
        "intents": {name: ["inferred", ""] for name in head["intents"]},
        "checklist": {name: [True, "", False] for name in head["checklist"]},
        "questions": [{"question": one["question"], "beside_the_point": False, "why": ""} for one in head["questions"]],
        "unfair": "",
    }
    verdicts.mkdir(exist_ok=True)
    (verdicts / f"{head['session']}.{judge}.json").write_text(json.dumps(raw))
    return head


@pytest.mark.slow
def test_an_audit_from_the_sheet_to_the_comparison(tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    told = call("audit", "--plan", "PiBench-v0", "--pack", TINY, "--out", folder)
    assert "judged twice" in told
    with (folder / "sheet.csv").open() as file:
        row = next(row for row in csv.DictReader(file) if row["task"] == "01-list" and row["brief"] == "plain")
    script = (folder / "begin.sh").read_text().splitlines()
    (folder / "begin.sh").write_text("\n".join([*script[:3], *(line for line in script if row["session"] in line)]))
    command = tmp_path / "pi-gym"
    command.write_text(f'#!/bin/sh\nexec {shlex.join(PI_GYM)} "$@"\n')
    command.chmod(0o755)
    for _ in range(2):  # what has begun is left alone
        subprocess.run(["sh", folder / "begin.sh"], env={**os.environ, "PI_GYM": str(command)}, check=True, timeout=100)
    state, run = folder / "players" / row["session"], folder / "runs" / "plain"
    assert "no scored session" in call("audit", "--bundle", run, "--pack", TINY, status=1)
    for action in tiny().instantiate("01-list", int(row["variant"])).reference:
        act(state, action)
    assert "bundles in" in call("audit", "--bundle", run, "--pack", TINY)
    bundles = folder / "runs" / "plain-bundles"
    assert sorted(path.name for path in bundles.iterdir()) == [f"{row['session']}.json", f"{row['session']}.md"]
    head = judged(bundles / f"{row['session']}.json", folder / "verdicts", "A")
    out = tmp_path / "audit.json"
    (begun := folder / "runs" / "helpful").mkdir()
    (begun / "trajectories.jsonl").touch()
    page = call("audit", begun, run, "--verdicts", folder / "verdicts", "--out", out)
    found = json.loads(out.read_text())
    assert found == json.loads(call("audit", run, "--verdicts", folder / "verdicts", "--json"))
    assert found["apart"]["item"]["rules and judges"] == {
        "value": 0.0,
        "low": None,
        "high": None,
        "of": len(head["checklist"]),
    }
    assert "| plain, history reference | rules | 1 | 1.000 |" in page
    assert found["groups_judged"]["plain, history reference"]["proc"]["value"] == 1.0


def test_briefs_are_printed_and_say_what_players_may_know() -> None:
    for name in ("helpful", "plain", "judge", "pare-helpful", "pare-plain", "pare-judge"):
        text = call("audit", "--brief", name)
        assert text.rstrip().endswith(":")
        judges = name.endswith("judge")
        assert ("play --state FOLDER --action FILE" in text) != judges
        if not judges:
            assert not [word for word in ("score", "intent", "checklist", "judge", "test") if word in text]
    assert "Did you mean 'judge'" in call("audit", "--brief", "jugde", status=2)


def test_what_does_not_go_together_is_refused() -> None:
    assert "RUN" in call("audit", status=2)
    assert "--bundle and --brief" in call("audit", "--bundle", "--brief", "judge", status=2)
    assert "--out" in call("audit", "--plan", "PiBench-v0", status=2)
    assert "got more" in call("audit", "a", "b", "c", status=2)
    assert "validation" in call("audit", "--plan", "PiBench-Researcher-v0", "--split", "valid", "--out", "x", status=2)
