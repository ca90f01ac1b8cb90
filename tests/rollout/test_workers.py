from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from rollout_agents import MARKS, Slow
from rollout_cases import content, lines, run

from pi_gym.errors import PiGymError
from pi_gym.rollout.engines.workers import MAX_ATTEMPTS

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def marks(tmp_path, monkeypatch):
    folder = tmp_path / "marks"
    folder.mkdir()
    monkeypatch.setenv(MARKS, str(folder))
    return folder


def test_a_killed_worker_is_replaced_and_its_sessions_played_again(tmp_path, marks):
    variants = [0, 1, 2, 3]
    summary = run("rollout_agents:DyingOnce", variants=variants, workers=2, out=tmp_path / "two")
    assert (marks / "died").exists()
    assert (summary.scored, summary.unscored) == (12, 0)
    # By now nobody dies, and one process does what the two did.
    run("rollout_agents:DyingOnce", variants=variants, out=tmp_path / "one")
    assert content(tmp_path / "two") == content(tmp_path / "one")
    for name in ("summary.json", "run.json"):
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()


def test_a_session_that_kills_its_worker_every_time_is_unscored_and_the_others_go_on(tmp_path):
    summary = run("rollout_agents:AlwaysDying", variants=[1, 2], workers=2, out=tmp_path / "run")
    assert (summary.scored, summary.missing, summary.error_kinds) == (5, 0, {"engine": 1})
    (line,) = lines(tmp_path / "run", "unscored.jsonl")
    assert (line["task_id"], line["variant"]) == ("02-memo", 2)
    assert f"died {MAX_ATTEMPTS} times" in line["error"]
    assert "-9" in line["error"]


def test_workers_that_cannot_begin_say_why():
    with pytest.raises(PiGymError, match=r"cannot begin: agent .*: OSError: no model here"):
        run("rollout_agents:Unstartable", sessions=4, workers=2)


def test_what_cannot_travel_is_refused_with_the_way_out():
    agent = Slow()
    agent.lock = threading.Lock()
    with pytest.raises(PiGymError, match=r"cannot be pickled .* module:Class or module:function, or use workers=1"):
        run(agent, sessions=4, workers=2)


def test_workers_that_are_just_beginning_hear_no_interrupt(tmp_path):
    # In a process of its own: only the first worker of a process was ever in danger.
    code = (
        "from rollout_agents import Masked; from rollout_cases import run; from support.packs import TINY;"
        "run('silent', workers=2, sessions=2, env_kwargs={'pack': str(TINY), 'responder': Masked()})"
    )
    here = Path(__file__).parent
    variables = {**os.environ, MARKS: str(tmp_path), "PYTHONPATH": os.pathsep.join([str(here), str(here.parent)])}
    process = subprocess.Popen([sys.executable, "-c", code], env=variables)
    assert process.wait(100) == 0
    masks = {path.name: path.read_text() for path in tmp_path.glob("mask-*")}
    masks.pop(f"mask-{process.pid}", None)
    assert set(masks.values()) == {"True"}  # the second worker may begin when all is done
