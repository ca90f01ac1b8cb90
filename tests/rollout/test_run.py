from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
import rollout_agents
from rollout_agents import MARKS, Interrupted
from rollout_cases import ENV_ID, content, keys, lines, run
from support.packs import TINY, copy_pack

from pi_gym.errors import UnknownName
from pi_gym.rollout import RunError, collect
from pi_gym.runs.run_json import plain
from pi_gym.runs.store import clear_run
from pi_gym.session import Trajectory, read_trajectories


def test_the_reference_reaches_everything_and_the_silent_agent_nothing():
    best, worst = run("reference", variants=[0, 1, 2]), run("silent", variants=[0, 1, 2])
    assert (best.mean("proc"), best.mean("comp"), best.overall["return"].mean) == (1.0, 1.0, 1.0)
    assert (worst.mean("proc"), worst.mean("comp"), worst.overall["return"].mean) == (0.0, 0.0, 0.0)
    assert best.scored == worst.scored == 9


def test_a_run_without_a_folder_gives_its_trajectories_in_the_plans_order():
    summary = run("silent", sessions=7, split="train", seed=3)
    assert [t.key for t in summary.trajectories] == [summary.plan.key(s) for s in summary.plan.sessions]
    assert all(isinstance(t, Trajectory) and t.seed == 3 for t in summary.trajectories)


def test_the_folder_holds_the_plan_the_sessions_and_the_summary(tmp_path):
    summary = run("reference", sessions=6, split="train", out=tmp_path / "a" / "run")
    folder = summary.out
    assert sorted(entry.name for entry in folder.iterdir()) == [
        "metrics.jsonl", "run.json", "run.lock", "summary.json", "trajectories.jsonl", "unscored.jsonl",
    ]  # fmt: skip
    assert [t.key for t in read_trajectories(folder)] == [summary.plan.key(s) for s in summary.plan.sessions]
    assert json.loads((folder / "summary.json").read_text()) == summary.to_json()
    asked = json.loads((folder / "run.json").read_text())
    assert asked["agent"] == "reference"
    assert asked["history_mode"] == "reference"
    assert asked["split"] == "train"
    assert len(asked["packs"]["tiny"]) == 64


def test_an_agent_with_chance_acts_the_same_whatever_was_played_before(tmp_path):
    whole = run("random", variants=[3, 4], sessions=12, out=tmp_path / "whole")
    assert len({tuple(t.actions) for t in read_trajectories(tmp_path / "whole")}) == 12, "samples must differ"
    half = run("random", tasks=["03-ping"], variants=[4], out=tmp_path / "half")
    assert half.scored == 1
    assert set(content(tmp_path / "half")) < set(content(whole.out))


def test_an_agent_that_raises_leaves_its_session_unscored_and_the_others_go_on(tmp_path):
    summary = run("rollout_agents:Raising", variants=[0, 1], out=tmp_path)
    assert (summary.scored, summary.unscored, summary.error_kinds) == (4, 2, {"policy": 2})
    for line in lines(tmp_path, "unscored.jsonl"):
        assert line["task_id"] == "01-list"
        assert line["error_kind"] == "policy"
        assert line["error"].startswith("RuntimeError: no idea")
        assert line["turns"] == 1
        assert line["scores"].get("proc") is None
    assert {line["task_id"] for line in lines(tmp_path)} == {"02-memo", "03-ping"}
    assert len(list(read_trajectories(tmp_path / "unscored.jsonl"))) == 2


def test_where_an_agent_failed_is_told_and_logged_and_trajectories_know_no_machine(tmp_path):
    summary = run("rollout_agents:Raising", variants=[0, 1], out=tmp_path)
    with Path(rollout_agents.__file__).open() as file:
        line = next(number for number, text in enumerate(file, start=1) if "no idea" in text)
    assert summary.first_error == f"RuntimeError: no idea \ufffd, in rollout_agents.py line {line}"
    log = (tmp_path / "errors.log").read_text(encoding="utf-8")
    for variant in (0, 1):
        assert f"tiny/01-list, variant {variant}, seed 0, history reference, sample 0 (policy)\n" in log
    assert log.count(f'File "{rollout_agents.__file__}", line {line}, in act') == 2
    for name in ("unscored.jsonl", "trajectories.jsonl", "summary.json", "run.json"):
        assert str(Path(__file__).parent) not in (tmp_path / name).read_text(encoding="utf-8")
    clear_run(tmp_path)
    assert not tmp_path.exists()


def test_workers_tell_where_an_agent_failed(tmp_path):
    two = run("rollout_agents:Raising", variants=[0, 1], workers=2, out=tmp_path / "two")
    one = run("rollout_agents:Raising", variants=[0, 1])
    assert two.first_error == one.first_error != ""
    assert (tmp_path / "two" / "errors.log").read_text(encoding="utf-8").count("Traceback") == 2


def test_an_agent_that_exits_does_not_end_the_run():
    assert run("rollout_agents:Exiting").error_kinds == {"policy": 3}


def test_a_resume_tries_unscored_sessions_again_and_leaves_scored_ones(tmp_path):
    run("rollout_agents:Raising", out=tmp_path)
    before = content(tmp_path)
    summary = run("rollout_agents:Raising", out=tmp_path, resume=True)
    assert (summary.scored, summary.unscored, summary.missing) == (2, 1, 0)
    assert content(tmp_path) == before
    assert len(lines(tmp_path, "unscored.jsonl")) == 2


def test_a_task_that_cannot_be_opened_is_our_failure_and_unscored(tmp_path):
    pack = tmp_path / "pack"
    copy_pack(TINY, pack)
    code = pack / "tasks" / "02-memo" / "right.py"
    code.write_text(code.read_text().replace("return {", 'raise ValueError("no fern")\n    return {', 1))
    summary = run("silent", env_kwargs={"pack": str(pack), "history": "none"})
    assert (summary.scored, summary.error_kinds) == (2, {"engine": 1})
    broken = next(t for t in summary.trajectories if not t.scored)
    assert broken.task_id == "02-memo"
    assert "PackError" in broken.error
    assert summary.first_error == broken.error


def test_an_interrupt_leaves_a_folder_that_can_be_resumed(tmp_path, monkeypatch):
    monkeypatch.setenv(MARKS, str(tmp_path))
    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted(), variants=[0, 1], out=out)
    assert json.loads((out / "summary.json").read_text())["missing"] == 2
    summary = run(Interrupted(), variants=[0, 1], out=out, resume=True)
    assert (summary.scored, summary.missing) == (6, 0)
    assert len(set(keys(out))) == len(keys(out)) == 6


def test_progress_is_told_at_the_start_and_after_every_session(tmp_path):
    told = []
    run("reference", sessions=3, out=tmp_path, progress=told.append)
    assert [(p.done, p.total, p.means["proc"]) for p in told] == [(0, 3, None), (1, 3, 1.0), (2, 3, 1.0), (3, 3, 1.0)]
    again = []
    run("reference", sessions=3, out=tmp_path, resume=True, progress=again.append)
    assert [(p.done, p.earlier) for p in again] == [(3, 3)]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"workers": 0}, "workers"),
        ({"sessions": 0}, "sessions"),
        ({"seed": -1}, "seed"),
        ({"variants": [True]}, "variants"),
        ({"env_kwargs": {"split": "train"}}, "argument of its own"),
        ({"resume": True}, "folder in 'out'"),
        ({"out": ""}, "got an empty text"),
        ({"variants": [1, 1]}, "variant 1 is given twice"),
        ({"tasks": ["01-list", "01-list"]}, "task '01-list' is given twice"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments, told):
    with pytest.raises(ValueError, match=told):
        run("silent", **arguments)


def test_unknown_environments_list_the_known_ones():
    with pytest.raises(UnknownName, match="Did you mean 'PiBench-v0'"):
        collect("PiBnch-v0", "silent")
    with pytest.raises(ValueError, match="no environment of pi_gym"):
        collect("CartPole-v1", "silent")
    with pytest.raises(UnknownName, match="Nope"):
        collect("pi_gym:PiBench-Nope-v0", "silent")
    with pytest.raises(UnknownName, match="nowhere"):
        collect("nowhere:PiBench-v0", "silent")


def test_a_pack_that_has_changed_since_is_another_run(tmp_path):
    run("silent", out=tmp_path)
    asked = json.loads((tmp_path / "run.json").read_text())
    asked["packs"]["tiny"] = "0" * 64
    (tmp_path / "run.json").write_text(json.dumps(asked))
    with pytest.raises(RunError, match=r"holds another run \(packs was"):
        run("silent", out=tmp_path, resume=True)


def test_secrets_are_not_kept():
    @dataclass
    class Config:
        api_key: str
        model: str
        max_tokens: int

    kept = plain({"user": Config("sk-123", "m", 5), "call": plain})
    assert kept["user"] == {"type": Config.__qualname__, "api_key": "(not kept)", "model": "m", "max_tokens": 5}
    assert kept["call"] == "pi_gym.runs.run_json:plain"


def test_the_id_may_name_its_module():
    summary = collect(f"pi_gym:{ENV_ID}", "silent", sessions=1, env_kwargs={"pack": str(TINY)})
    assert summary.trajectories[0].env_id == ENV_ID
