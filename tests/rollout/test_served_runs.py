"""Runs whose roles are served models: many sessions at a time, each on its own, and honest where the models fail."""

from __future__ import annotations

import json
import math
import threading
from dataclasses import replace

import pytest
from rollout_agents import MARKS
from rollout_cases import content, keys, lines, run
from support.faulty_server import LONG_S, FaultyServer, Gathering, Say, Status
from support.packs import TINY
from support.served_roles import AGREES, agree, anyhow, failing, served, stage_of, task_of
from typer.testing import CliRunner

from pi_gym.cli.main import app


def roll(url, out=None, cache=None, agent="reference", **options):
    quick = {name: options.pop(name) for name in ("retries", "timeout_s", "max_concurrency") if name in options}
    return run(agent, env_kwargs=served(url, TINY, cache, **quick), out=out, **options)


def test_what_comes_out_does_not_depend_on_how_many_play_at_a_time(tmp_path):
    with FaultyServer(agree) as server:
        for name, options in {
            "one": {"concurrency": 1},
            "many": {},
            "few": {"concurrency": 2},
        }.items():
            summary = roll(server.url, tmp_path / name, sessions=9, variants=[0, 1, 2], **options)
            assert (summary.scored, summary.mean("proc"), summary.mean("comp")) == (9, 1.0, 1.0)
    one = content(tmp_path / "one")
    assert len(one) == 9
    assert content(tmp_path / "many") == content(tmp_path / "few") == one


def test_one_failing_task_spoils_no_other_and_a_resume_tries_it_again(tmp_path):
    with FaultyServer(failing("02-memo", Status(503))) as server:
        summary = roll(server.url, tmp_path, sessions=9, variants=[0, 1, 2], retries=1)
    assert (summary.scored, summary.unscored, dict(summary.error_kinds)) == (6, 3, {"model": 3})
    assert summary.mean("proc") == summary.mean("comp") == 1.0  # of those that have a score
    failed = lines(tmp_path, "unscored.jsonl")
    assert {line["task_id"] for line in failed} == {"02-memo"}
    for line in failed:
        assert (line["scores"], line["scored"]) == ({}, False)
        assert line["error"].startswith("user (")
    assert json.loads((tmp_path / "summary.json").read_text())["unscored"] == 3
    # Elsewhere the same model is up.
    with FaultyServer(agree) as server:
        summary = roll(server.url, tmp_path, sessions=9, variants=[0, 1, 2], resume=True)
        assert {task_of(body) for body in server.requests} == {"02-memo"}
    assert (summary.scored, summary.unscored) == (9, 0)
    assert len(keys(tmp_path)) == len(set(keys(tmp_path))) == 9


def test_a_session_that_waits_long_holds_up_nobody(tmp_path):
    others_are_done = threading.Event()

    def watch(progress):
        if progress.done == 6:
            others_are_done.set()

    slow = Say(AGREES, until=others_are_done)
    with FaultyServer(failing("02-memo", slow, "grade")) as server:
        options = {"timeout_s": LONG_S * 2, "progress": watch}
        summary = roll(server.url, tmp_path, sessions=9, variants=[0, 1, 2], **options)
    assert (summary.scored, summary.unscored) == (9, 0)
    assert [key.task_id for key in keys(tmp_path)][-3:] == ["02-memo"] * 3
    assert all(line["wall_s"] < LONG_S for line in lines(tmp_path, "metrics.jsonl"))


def test_sixty_four_sessions_wait_together():
    all_there = Gathering(64)
    with FaultyServer(lambda body: replace(agree(body), until=all_there.come())) as server:
        summary = roll(server.url, sessions=64, split="train", concurrency=64, timeout_s=LONG_S * 2)
    assert summary.scored == 64  # each one's first request waits for that of all others
    assert summary.models["user"].retries == 0


def test_the_sessions_of_a_process_share_the_places_of_a_role():
    full = Gathering(2)

    def script(body):
        return replace(agree(body), until=full.come()) if stage_of(body) != "grade" else agree(body)

    with FaultyServer(script) as server:
        summary = roll(server.url, sessions=12, split="train", concurrency=12, max_concurrency=2, timeout_s=LONG_S * 2)
    assert summary.scored == 12
    assert full.over.is_set()
    assert server.peak <= 4  # two of the user's and two of the grader's, of twelve environments


def test_what_the_models_were_asked_is_counted(tmp_path):
    with FaultyServer(agree) as server:
        first = roll(server.url, tmp_path / "first", tmp_path / "cache", sessions=3)
        again = roll(server.url, tmp_path / "again", tmp_path / "cache", sessions=3)
    assert sum(used.requests for used in first.models.values()) == len(server.requests)
    assert all(used.requests == 0 and used.cache_hits == used.answers > 0 for used in again.models.values())
    assert content(tmp_path / "first") == content(tmp_path / "again")
    summed = sum(line["models"]["user"]["prompt_tokens"] for line in lines(tmp_path / "first", "metrics.jsonl"))
    kept = json.loads((tmp_path / "first" / "summary.json").read_text())["models"]
    assert kept["user"]["prompt_tokens"] == summed == 7 * first.models["user"].requests
    # A resume that has nothing to do still knows.
    with FaultyServer(agree) as server:
        resumed = roll(server.url, tmp_path / "first", tmp_path / "cache", sessions=3, resume=True)
    assert resumed.models["user"].prompt_tokens == summed


def test_a_run_of_another_model_is_another_run(tmp_path):
    from pi_gym.rollout import RunError

    with FaultyServer(agree) as server:
        roll(server.url, tmp_path, sessions=1)
        kwargs = served(server.url, TINY, temperature=0.9)
        with pytest.raises(RunError, match="another run"):
            run(env_kwargs=kwargs, sessions=1, out=tmp_path, resume=True)
    text = "".join(path.read_text() for path in tmp_path.iterdir())
    assert "sk-very-secret" not in text


@pytest.mark.slow
def test_a_session_that_kills_its_worker_is_found_among_those_beside_it(tmp_path, monkeypatch):
    monkeypatch.setenv(MARKS, str(tmp_path))
    with FaultyServer(agree) as server:
        summary = roll(
            server.url,
            tmp_path / "run",
            agent="rollout_agents:AlwaysDying",
            sessions=9,
            variants=[1, 2, 3],
            workers=2,
            concurrency=4,
        )
    assert (summary.scored, summary.unscored, dict(summary.error_kinds)) == (8, 1, {"engine": 1})
    (failed,) = lines(tmp_path / "run", "unscored.jsonl")
    assert (failed["task_id"], failed["variant"]) == ("02-memo", 2)
    assert all(line["scores"].get("proc") == line["scores"].get("comp") == 1.0 for line in lines(tmp_path / "run"))
    assert summary.models["grader"].answers == 8  # counted in the workers


class Slow:
    """Blocks in every move, as an agent does that asks a server: the first until all others are in theirs."""

    name = "slow"
    all_there = threading.Barrier(12, timeout=LONG_S)

    def reset(self, observation, info, env):
        self._left = list(env.unwrapped.session.task.reference)
        self._first = True

    def act(self, observation, info):
        if self._first:
            self._first = False
            self.all_there.wait()
        return self._left.pop(0)


class Torn(Slow):
    name = "torn"

    def act(self, observation, info):
        raise RuntimeError("torn")


def test_agents_move_at_one_time_and_each_session_has_its_own():
    summary = run(Slow(), sessions=12, split="train", concurrency=12)
    assert (summary.scored, summary.mean("proc")) == (12, 1.0)
    torn = run(Torn(), sessions=4, split="train", concurrency=4)
    assert dict(torn.error_kinds) == {"policy": 4}
    assert "RuntimeError: torn" in torn.first_error


def test_an_interrupted_run_of_many_at_a_time_is_resumed(tmp_path, monkeypatch):
    monkeypatch.setenv(MARKS, str(tmp_path))
    with FaultyServer(agree) as server:
        options = {"agent": "rollout_agents:Interrupted", "sessions": 9, "variants": [0, 1, 2], "concurrency": 3}
        with pytest.raises(KeyboardInterrupt):
            roll(server.url, tmp_path / "run", **options)
        assert 0 < len(keys(tmp_path / "run")) < 9
        summary = roll(server.url, tmp_path / "run", resume=True, **options)
    assert summary.scored == 9
    assert len(set(keys(tmp_path / "run"))) == 9


def test_the_command_line_takes_roles_only_as_it_should(tmp_path):
    def invoke(*arguments):
        return CliRunner().invoke(app, ["rollout", "PiBench-v0", "--pack", str(TINY), *map(str, arguments)])

    for role in ("user", "grader"):
        refused = invoke("--role", f"{role}=gpt")
        assert refused.exit_code == 2
        assert f"{role}: expected 'rule' or a model; expected MODEL@URL" in refused.stderr
        assert refused.stderr.count("\n") == 1
    for words, said in (
        (["usr=rule"], "Unknown role of pibench 'usr'. Did you mean 'user'? Known: grader, user."),
        (["user"], "expected NAME=rule|MODEL@URL, got 'user'"),
        (["user=rule", "user=rule"], "user is given twice"),
    ):
        refused = invoke(*(part for word in words for part in ("--role", word)))
        assert refused.exit_code == 2
        assert said in refused.stderr
    assert (
        invoke("--role", "user=rule", "--role", "grader=rule", "--task", "03-ping", "--concurrency", 2).exit_code == 0
    )


def test_a_model_role_from_the_command_line_is_unscored_where_no_server_is(tmp_path):
    pytest.importorskip("pi_gym.users.model")
    with FaultyServer([Status(404, message="no such model")]) as server:
        arguments = ["rollout", "PiBench-v0", "--pack", str(TINY), "--role", f"user=m@{server.url}", "--cache", "off"]
        result = CliRunner().invoke(app, [*arguments, "--agent", "silent", "--out", str(tmp_path / "run")])
    assert result.exit_code == 1
    assert "3 sessions are unscored (3 model); the first: user (satisfied): no answer from m" in result.stderr
    assert "HTTP 404 (" in result.stderr
    assert "no such model" in result.stderr
    asked = json.loads((tmp_path / "run" / "run.json").read_text())
    assert asked["env_kwargs"]["user"]["model"] == "m"
    assert asked["servers"] == {"user": server.url}


def test_no_score_is_a_number_where_the_grader_says_nonsense(tmp_path):
    with FaultyServer(failing("01-list", Say("score everything YES"), "grade")) as server:
        summary = roll(server.url, tmp_path, sessions=3)
    assert (summary.scored, summary.unscored) == (2, 1)
    assert math.isfinite(summary.overall["return"].mean)
    assert summary.tasks["01-list"]["proc"].mean is None


def test_prompts_are_kept_where_that_is_asked_for(tmp_path):
    arguments = [
        "rollout",
        "PiBench-v0",
        "--pack",
        str(TINY),
        "--task",
        "01-list",
        "--cache",
        "off",
        "--agent",
        "silent",
    ]
    with FaultyServer(anyhow) as server:
        for name, options in {"hashed": [], "kept": ["--keep-prompts"]}.items():
            out = ["--role", f"grader=m@{server.url}", "--role", f"user=m@{server.url}", "--out", str(tmp_path / name)]
            out += ["--cache", "off"]
            assert CliRunner().invoke(app, [*arguments, *out, *options]).exit_code == 0
    asks = {
        name: [event for event in lines(tmp_path / name)[0]["events"] if event["kind"] == "ask"]
        for name in ("hashed", "kept")
    }
    assert asks["hashed"]
    assert not any("messages" in json.dumps(event) for event in asks["hashed"])
    assert all("messages" in json.dumps(event) for event in asks["kept"])


def test_the_context_of_an_agent_is_an_option_and_part_of_the_run(tmp_path):
    def invoke(*options):
        return CliRunner().invoke(app, [*arguments, *map(str, options)])

    with FaultyServer([Say("Done.")]) as server:
        arguments = ["rollout", "PiBench-v0", "--pack", str(TINY), "--agent", f"m@{server.url}"]
        arguments += ["--out", str(tmp_path / "run")]
        result = invoke("--agent-option", "context_tokens=9000")
        assert result.exit_code == 0, result.output
        asked = json.loads((tmp_path / "run" / "run.json").read_text())
        assert (asked["agent"], asked["agent_source"]) == ("m", "pi_gym.baselines.served.chat_agent:ChatAgent")
        assert asked["agent_settings"]["context_tokens"] == 9000
        assert "agent_settings was" in invoke("--resume").stderr
        assert invoke("--resume", "--agent-option", "context_tokens=9000").exit_code == 0
        refused = CliRunner().invoke(
            app, ["rollout", "PiBench-v0", "--agent", "silent", "--agent-option", "context_tokens=9"]
        )
    assert refused.exit_code == 2
    assert "agent 'silent' cannot be made (with context_tokens)" in refused.stderr
