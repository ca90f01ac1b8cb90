"""`rollout`, `demo` and `validate`."""

from __future__ import annotations

import json
import sys
from collections import Counter

import pytest
from support.packs import TINY, copy_pack, edit_yaml
from typer.testing import CliRunner

from pi_gym import read_trajectories
from pi_gym.cli.main import app

ENV_ID = "PiBench-v0"
ITEM = {"name": "own", "criterion": "It is as the rule says."}


def invoke(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def roll(*arguments: object):
    return invoke("rollout", ENV_ID, "--pack", TINY, *arguments)


def test_rollout_prints_the_means_and_where_they_are(tmp_path):
    result = roll("--agent", "reference", "--sessions", 6, "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    row = next(line for line in result.stdout.splitlines() if line.startswith("all"))
    assert row.split()[:11] == ["all", "6", "1.000", "±", "0.000", "1.000", "±", "0.000", "1.000", "±", "0.000"]
    assert f"written to {tmp_path / 'run'}" in result.stdout


def test_rollout_prints_how_groups_of_episodes_went(tmp_path):
    out = tmp_path / "run"
    result = roll("--agent", "random", "--history", "own", "--group-size", 2, "--sessions", 12, "--out", out)
    assert result.exit_code == 0, result.output
    assert "2 of 2 groups of 2 have a score for every member; their return: std 0." in result.stdout
    assert "episodes" not in result.stdout
    records = list(read_trajectories(out))
    assert {record.history_mode for record in records} == {"own"}
    assert {record.group_id for record in records} == {"tiny/v0/s0/g0", "tiny/v0/s0/g1"}
    refused = roll("--history", "own", "--group-size", 2, "--sessions", 5)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "ask for 4 or 6" in refused.stderr


def test_rollout_says_that_episodes_stopped(tmp_path, monkeypatch):
    (tmp_path / "stopping_agent.py").write_text(
        "class Stopping:\n"
        "    name = 'stopping'\n"
        "    def reset(self, observation, info, env): self.info = info\n"
        "    def act(self, observation, info):\n"
        "        return 'Done.' if info['task_id'] == '01-list' else None\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    result = roll("--agent", "stopping_agent:Stopping", "--history", "own", "--sessions", 6)
    assert result.exit_code == 1
    assert (
        "2 of 2 episodes stopped at a session without a score; 2 sessions of the plan were not played" in result.stdout
    )
    assert "2 sessions are unscored (2 policy)" in result.stderr


def test_a_session_in_which_something_of_ours_broke_fails_the_run(tmp_path):
    folder = copy_pack(TINY, tmp_path / "tiny")
    task = folder / "tasks" / "03-ping"
    (task / "right.py").write_text("def check_it(evidence):\n    return 1 / 0\n")
    edit_yaml(task / "task.yaml", lambda raw: raw.update(checklist=[ITEM | {"holds": {"check": "it"}}]))
    options = ("--pack", folder, "--agent", "silent", "--history", "none", "--sessions", 3, "--out", tmp_path / "run")
    result = invoke("rollout", ENV_ID, *options)
    assert result.exit_code == 1, result.output
    last = result.stderr.splitlines()[-1]
    assert last.startswith("pi-gym: 1 session met an error of pi_gym's own, so this is no result yet; ")
    assert last.split("the first: ")[1].startswith("rule checklist[0].holds: ZeroDivisionError: division by zero (")
    rows = {line.split("  ")[0]: line.split() for line in result.stdout.splitlines()}
    assert rows["all"][1] == "3"
    assert "2" in rows["all, where nothing broke"]
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["faulty"], summary["scored"], summary["unscored"]) == (1, 3, 0)
    again = invoke("rollout", ENV_ID, *options, "--resume")
    assert again.exit_code == 1, "a resume tells it too"


def test_validate_reports_a_rule_that_raises(tmp_path):
    folder = copy_pack(TINY, tmp_path / "tiny")
    task = folder / "tasks" / "01-list"
    with (task / "right.py").open("a") as code:
        code.write("\n\ndef check_broken(evidence):\n    return 1 / 0\n")
    edit_yaml(task / "task.yaml", lambda raw: raw["checklist"][0].update(holds={"check": "broken"}))
    result = invoke("validate", folder, "--task", "01-list", "--variants", 1, "--quiet")
    assert result.exit_code == 1
    assert "ZeroDivisionError" in result.stdout


def test_rollout_takes_tasks_and_variants(tmp_path):
    result = roll("--agent", "silent", "--task", "03-ping", "--variant", 5, "--variant", 6, "--out", tmp_path)
    assert result.exit_code == 0
    played = [json.loads(line) for line in (tmp_path / "trajectories.jsonl").read_text().splitlines()]
    assert [(line["task_id"], line["variant"]) for line in played] == [("03-ping", 5), ("03-ping", 6)]


def test_an_existing_run_is_refused_in_one_line(tmp_path):
    roll("--agent", "silent", "--out", tmp_path)
    result = roll("--agent", "silent", "--out", tmp_path)
    assert result.exit_code == 1
    assert "--resume" in result.stderr
    assert result.stderr.count("\n") == 1
    assert roll("--agent", "silent", "--out", tmp_path, "--resume").exit_code == 0
    assert "seed was 0, now 1" in roll("--agent", "silent", "--out", tmp_path, "--resume", "--seed", 1).stderr


def test_unscored_sessions_are_said_and_change_the_exit_status(tmp_path, monkeypatch):
    (tmp_path / "sulking_agent.py").write_text(
        "class Sulking:\n"
        "    name = 'sulking'\n"
        "    def reset(self, observation, info, env): pass\n"
        "    def act(self, observation, info): raise RuntimeError('no')\n"
    )
    monkeypatch.chdir(tmp_path)  # agents are found where one stands
    monkeypatch.setattr(sys, "path", list(sys.path))
    result = roll("--agent", "sulking_agent:Sulking", "--out", tmp_path / "run")
    assert result.exit_code == 1
    told = "3 sessions are unscored (3 policy); the first: RuntimeError: no, in sulking_agent.py line 4"
    assert told in result.stderr
    assert str(tmp_path / "run" / "errors.log") in result.stderr
    assert "Traceback" not in result.output
    one = roll("--agent", "sulking_agent:Sulking", "--task", "02-memo")
    assert one.stderr == "pi-gym: 1 session is unscored (1 policy); it: RuntimeError: no, in sulking_agent.py line 4\n"


def test_an_agent_that_cannot_be_made_is_one_line_and_its_own_frames(tmp_path, monkeypatch):
    (tmp_path / "needy_agents.py").write_text(
        "class Needy:\n"
        "    def __init__(self, model): pass\n"
        "class Failing:\n"
        "    def __init__(self): raise OSError('no model')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    needy, failing = roll("--agent", "needy_agents:Needy"), roll("--agent", "needy_agents:Failing")
    assert needy.exit_code == failing.exit_code == 2
    assert needy.stderr.count("\n") == 1
    assert "'model'" in needy.stderr
    first, *frames = failing.stderr.splitlines()
    assert first.endswith("OSError: no model")
    assert [line for line in frames if "File" in line] == [
        f'  File "{tmp_path / "needy_agents.py"}", line 4, in __init__'
    ]


def test_a_broken_pack_is_told_with_its_reason(tmp_path):
    pack = copy_pack(TINY, tmp_path / "pack")
    code = pack / "tasks" / "02-memo" / "right.py"
    code.write_text(code.read_text().replace("def right(", "def right(world, wishes):\n    1 / 0\n\n\ndef was("))
    result = invoke("rollout", ENV_ID, "--pack", pack, "--agent", "silent", "--history", "none")
    assert result.exit_code == 1
    assert "1 session is unscored (1 engine); it: PackError: " in result.stderr
    assert "ZeroDivisionError" in result.stderr
    assert "02-memo/right.py" in result.stderr


def test_an_agent_whose_actions_are_mostly_rejected_hears_of_it(tmp_path, monkeypatch):
    (tmp_path / "fumbling_agent.py").write_text(
        "class Fumbling:\n"
        "    name = 'fumbling'\n"
        "    def reset(self, observation, info, env): pass\n"
        "    def act(self, observation, info): return '</tool_call>'\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    result = roll("--agent", "fumbling_agent:Fumbling", "--task", "02-memo", "--out", tmp_path / "run")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["invalid_actions"] == summary["steps"] > 0
    assert f"{summary['steps']} of {summary['steps']} actions were rejected" in result.stdout
    assert "were rejected" not in roll("--agent", "silent").stdout


def test_a_run_of_other_variants_than_the_splits_says_so(tmp_path):
    roll("--agent", "silent", "--variant", 5, "--out", tmp_path / "five")
    roll("--agent", "silent", "--out", tmp_path / "test")
    for name in ("run.json", "summary.json"):
        assert json.loads((tmp_path / "five" / name).read_text())["split"] == "explicit"
        assert json.loads((tmp_path / "test" / name).read_text())["split"] == "test"


def test_tasks_that_need_a_shell_are_left_out_where_that_is_asked_for_and_refused_elsewhere(tmp_path):
    pack = copy_pack(TINY, tmp_path / "pack")
    edit_yaml(pack / "tasks" / "02-memo" / "task.yaml", lambda raw: raw.update(needs=["exec"]))
    out = tmp_path / "run"
    arguments = ["rollout", ENV_ID, "--pack", pack, "--agent", "silent", "--history", "none", "--exec-backend", "off"]
    without = ["--exclude-needs", "exec"]
    refused = invoke(*arguments, "--out", out)
    assert refused.exit_code == 1
    assert not refused.stdout
    (line,) = refused.stderr.splitlines()
    assert "need: 02-memo: the shell is turned off" in line
    assert "--exclude-needs exec" in line
    assert not out.exists()
    result = invoke(*arguments, *without, "--out", out)
    assert result.exit_code == 0, result.output
    assert "left out by --exclude-needs exec: 02-memo" in result.stdout
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["exclude_needs"], summary["skipped_tasks"]) == (["exec"], ["02-memo"])
    only = invoke(*arguments, *without, "--task", "02-memo")
    assert only.exit_code == 2
    assert "'02-memo' needs exec, which exclude_needs=('exec',) leaves out" in only.stderr
    unknown = invoke(*arguments, "--exclude-needs", "exe")
    assert unknown.exit_code == 2
    assert "Did you mean 'exec'" in unknown.stderr


def demo(out, *arguments: object):
    return invoke("demo", "--pack", TINY, "--out", out, "--variants", 2, "--num-envs", 1, *arguments)


def test_demo_compares_three_agents_and_writes_their_runs(tmp_path):
    out = tmp_path / "demo"
    result = demo(out)
    assert result.exit_code == 0, result.output
    table, _ = result.stdout.split("\nProc: ")
    rows = {line.split()[0]: line.split() for line in table.splitlines() if line}
    heads = " ".join(table.splitlines()[0].split())
    assert heads == "agent sessions Proc strict Proc Comp return turns questions"
    assert rows["reference"][1:5] == ["6", "1.000", "1.000", "1.000"]
    assert rows["silent"][1:5] == ["6", "0.000", "0.000", "0.000"]
    assert "asking" in rows
    assert "Comp: share of checklist items passed; " in result.stdout
    assert "; reference sees each task's solution." in result.stdout
    summary = json.loads((out / "summary.json").read_text())
    assert summary["agents"]["reference"]["overall"]["proc"]["mean"] == 1.0
    keys = [trajectory.key for trajectory in read_trajectories(out)]
    assert Counter(key[0] for key in keys) == {"reference": 6, "silent": 6, "asking": 6}
    assert len(set(keys)) == 18
    assert (out / "metrics.jsonl").read_text().count("\n") == 18
    assert {entry.name for entry in out.iterdir()} == {
        *("trajectories.jsonl", "unscored.jsonl", "metrics.jsonl", "summary.json", "demo.json")
    }


def test_demo_without_a_pack_plays_some_of_everybody_and_tells_each_family_apart(tmp_path, monkeypatch):
    from pi_gym.cli import demo as module

    monkeypatch.setattr(module, "SPREAD", {"mini": "PiBench-Mini-v0", "pare": "Pare-v0"})
    monkeypatch.setattr(module, "SPREAD_TASKS", 2)
    out = tmp_path / "demo"
    result = invoke("demo", "--out", out, "--num-envs", 1, "--quiet")
    assert result.exit_code == 0, result.output
    assert "No sandbox" not in result.stdout
    assert "left out" not in result.stdout
    heads = [line.split() for line in result.stdout.splitlines() if line.startswith("who ")]
    assert [line[:3] for line in heads] == [["who", "agent", "sessions"]] * 2
    rows = [line.split() for line in result.stdout.splitlines() if line.startswith(("Mini ", "Pare "))]
    assert [row[:3] for row in rows] == [
        [who, agent, "4"]
        for who, third in (("Mini", "asking"), ("Pare", "propose-everything"))
        for agent in ("reference", "silent", third)
    ]
    parts = json.loads((out / "summary.json").read_text())["parts"]
    assert [part["env_id"] for part in parts] == ["PiBench-Mini-v0", "Pare-v0"]
    for part in ("mini", "pare"):
        assert len({record.key for record in read_trajectories(out / part)}) == 12


def test_the_demo_has_sessions_of_both_people_and_of_pare_and_none_needs_a_shell():
    from pi_gym.cli.demo import SPREAD, SPREAD_TASKS, _spread
    from pi_gym.cli.finding import open_environment

    assert set(SPREAD) == {"researcher", "pharmacist", "pare"}
    for env_id in SPREAD.values():
        (pack,) = open_environment(env_id, {}).packs
        tasks = _spread(env_id)
        assert len(set(tasks)) == SPREAD_TASKS
        assert tasks == sorted(tasks, key=pack.task_ids.index)
        assert not any(pack.card(task).needs for task in tasks)


def test_demo_starts_anew_and_deletes_only_what_it_wrote(tmp_path):
    out = tmp_path / "demo"
    demo(out)
    before = (out / "trajectories.jsonl").read_bytes()
    (out / "asking").mkdir()
    (out / "asking" / "notes.txt").write_text("mine")
    (out / "mine").mkdir()
    refused = demo(out)
    assert refused.exit_code == 1
    assert "'notes.txt', which no demo wrote" in refused.stderr
    assert (out / "asking" / "notes.txt").read_text() == "mine"
    assert (out / "trajectories.jsonl").read_bytes() == before
    (out / "asking" / "notes.txt").unlink()
    assert demo(out).exit_code == 0
    assert (out / "trajectories.jsonl").read_bytes() == before
    assert (out / "mine").is_dir()


def test_demo_leaves_other_folders_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    result = demo(tmp_path)
    assert result.exit_code == 1
    assert "choose another --out" in result.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("suffix", ["json", "md"])
def test_validate_writes_its_report_and_says_whether_all_holds(tmp_path, suffix):
    out = tmp_path / "reports" / f"report.{suffix}"
    result = invoke("validate", TINY, "--task", "01-list", "--variants", 1, "--out", out)
    from support.packs import tiny

    from pi_gym.proof import validate_pack

    report = validate_pack(tiny(), ["01-list"], 1, 1, None)
    assert result.exit_code == (0 if report.ok else 1)
    if suffix == "json":
        assert json.loads(out.read_text()) == {"tiny": json.loads(json.dumps(report.to_json()))}
    else:
        assert out.read_text().strip() == report.markdown().strip()
    assert report.markdown().strip() in result.stdout


def test_validate_writes_both_forms_into_a_folder(tmp_path):
    out = tmp_path / "proof"
    result = invoke("validate", TINY, "--task", "01-list", "--variants", 1, "--out", out)
    assert sorted(path.name for path in out.iterdir()) == ["validation.json", "validation.md"]
    assert (out / "validation.md").read_text().strip() in result.stdout
    assert json.loads((out / "validation.json").read_text())["tiny"]["tasks"][0]["task_id"] == "01-list"


def test_validate_judges_a_whole_pack_on_request():
    assert "The pack as a whole: FAILS" not in invoke("validate", TINY, "--variants", 1).stdout
    result = invoke("validate", TINY, "--variants", 1, "--whole")
    assert result.exit_code == 1
    assert "- episode, sessions: 3, expected 20" in result.stdout
