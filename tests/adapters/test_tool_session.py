"""Sessions for agents that have nothing but tools: what they are shown, and what is written of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.asking import AskingGrader

import pi_gym
from pi_gym.adapters.mcp.tool_session import OPEN, ToolSession, ToolSessions
from pi_gym.adapters.reply_tool import REPLY
from pi_gym.adapters.session_play import BROKEN, OVER
from pi_gym.errors import BadArgument, SandboxNeeded, UnknownName
from pi_gym.models.scripted import ScriptedModel
from pi_gym.runs.lines import RunError
from pi_gym.runs.store import AlreadyScored
from pi_gym.types import Answer

MINI = "PiBench-Mini-v0"


def sessions(out: Path, **env_kwargs: Any) -> ToolSessions:
    return ToolSessions(MINI, env_kwargs, out, "me")


def records(out: Path) -> list[Any]:
    return list(pi_gym.read_trajectories(out)) if (out / "trajectories.jsonl").exists() else []


def play(session: ToolSession, *replies: str) -> list[tuple[str, bool]]:
    return [session.call(REPLY, {"content": text}) for text in replies]


def test_the_tools_are_the_session_s_with_two_more(tmp_path: Path) -> None:
    session = sessions(tmp_path).begin("01-sign", 1)
    assert [one["name"] for one in session.functions()] == [OPEN, "read_file", "write_file", REPLY]
    assert all(one["parameters"]["type"] == "object" for one in session.functions())


def test_the_opening_is_what_the_agent_is_told(tmp_path: Path) -> None:
    text, failed = sessions(tmp_path).begin("01-sign", 1).call(OPEN, {})
    env = pi_gym.registration.gym.make(MINI, disable_env_checker=True)
    _, info = env.reset(seed=0, options={"task": "01-sign", "variant": 1})
    assert not failed
    assert all(message["content"].strip() in text for message in info["new_messages"])


def test_a_session_is_written_when_it_ends_and_the_agent_is_told_no_score(tmp_path: Path) -> None:
    session = sessions(tmp_path, max_turns=2).begin("01-sign", 1)
    heard = [session.call(OPEN, {}), *play(session, "What should the last line be?", "Done.", "Bye.")]
    (record,) = records(tmp_path)
    assert session.over
    assert (record.agent, record.task_id, record.variant, record.sample) == ("me", "01-sign", 1, 0)
    assert heard[-2] == (OVER, False)
    assert heard[-1] == (OVER, True)
    assert json.loads((tmp_path / "summary.json").read_text())["scored"] == 1
    told = " ".join(text for text, _ in heard)
    assert not any(word in told.lower() for word in ("score", "proc", "comp", f"{record.return_:.2f}"))


def test_a_session_that_its_host_leaves_is_graded_as_things_stand(tmp_path: Path) -> None:
    session = sessions(tmp_path).begin("01-sign", 1)
    play(session, "What should the last line be?")
    session.end()
    session.end()
    (record,) = records(tmp_path)
    assert record.end_reason == "left open"
    assert 0 < record.return_ < 1
    assert play(session, "Hm.") == [(OVER, True)]


def test_a_session_that_nobody_looked_at_leaves_nothing(tmp_path: Path) -> None:
    session = sessions(tmp_path).begin("01-sign", 1)
    session.functions()
    session.end()
    assert records(tmp_path) == []


def test_a_failure_of_ours_is_unscored_and_no_words_of_it_reach_the_agent(tmp_path: Path) -> None:
    down = ScriptedModel(lambda _: Answer(error="the server is down"))
    session = sessions(tmp_path, grader=AskingGrader(), responder=down).begin("01-sign", 1)
    heard = play(session, "Hm.")
    session.end()
    assert records(tmp_path) == []
    (line,) = (tmp_path / "unscored.jsonl").read_text().splitlines()
    assert not json.loads(line)["scored"]
    assert "server is down" in json.loads(line)["error"]
    assert all("server" not in text for text, _ in heard)


def test_whatever_a_session_raises_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = sessions(tmp_path).begin("01-sign", 1)
    assert session._play is not None
    monkeypatch.setattr(session._play, "act", lambda action: 1 / 0)
    assert play(session, "Hm.") == [(BROKEN, True)]
    (line,) = (tmp_path / "unscored.jsonl").read_text().splitlines()
    assert json.loads(line)["error"].startswith("ZeroDivisionError")


def test_what_cannot_be_written_is_tried_again_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = sessions(tmp_path, max_turns=1).begin("01-sign", 1)
    add, full = session._run.add, [True]

    def adding(*arguments: Any) -> None:
        if full:
            raise RunError("no space left")
        add(*arguments)

    monkeypatch.setattr(session._run, "add", adding)
    assert play(session, "Hm.") == [(OVER, False)]
    with pytest.raises(RunError):
        session.end()
    full.clear()
    session.end()
    assert len(records(tmp_path)) == 1


def test_a_session_that_was_played_is_not_played_again(tmp_path: Path) -> None:
    desk = sessions(tmp_path, max_turns=1)
    for sample in (0, 1):
        play(desk.begin("01-sign", 1, sample=sample), "Hm.")
    with pytest.raises(RunError, match="already"):
        desk.begin("mini/01-sign", 1)
    assert [record.sample for record in records(tmp_path)] == [0, 1]
    with pytest.raises(RunError, match="another run"):
        ToolSessions(MINI, {}, tmp_path, "somebody else").begin("01-sign", 2)


def test_of_two_servers_that_play_one_session_the_first_to_end_it_has_the_score(tmp_path: Path) -> None:
    first, second = (sessions(tmp_path).begin("01-sign", 1) for _ in range(2))
    play(first, "What should the last line be?")
    assert play(second, "Done.")[0][1] is False
    second.end()
    for _ in range(2):
        with pytest.raises(AlreadyScored):
            first.end()
    assert first.over
    assert play(first, "Hm.") == [(OVER, True)]
    assert len(records(tmp_path)) == 1


def test_what_names_no_session_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="01-sign"):
        sessions(tmp_path).begin("01-sing")
    with pytest.raises(BadArgument, match="variant"):
        sessions(tmp_path).begin("01-sign", -1)
    with pytest.raises(BadArgument, match="history='own'"):
        sessions(tmp_path, history="own")


def test_a_phone_is_played_by_tools_too(tmp_path: Path) -> None:
    session = ToolSessions("Pare-v0", {}, tmp_path, "me").begin("stranded-friend")
    text, failed = session.call("AgentUI__wait", {})
    assert not failed
    assert "turn" in text.lower()
    play(session, "Shall I do something about it?")
    session.end()
    (record,) = records(tmp_path)
    assert record.family == "pare"
    assert record.scored


def test_a_task_whose_commands_nothing_runs_is_refused_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi_gym.env.why_no_shell", lambda answerers: "bwrap: not found")
    pack = pi_gym.load_pack("researcher")
    task = next(one for one in pack.task_ids if "exec" in pack.card(one).needs)
    with pytest.raises(SandboxNeeded, match=task):
        ToolSessions("PiBench-Researcher-v0", {}, tmp_path, "me").begin(task)
    assert records(tmp_path) == []


def test_the_command_says_that_the_package_is_missing() -> None:
    code = (
        "import sys; sys.modules['mcp'] = None; sys.argv = ['pi-gym', 'mcp', 'PiBench-Mini-v0', '--task', '01-sign',"
        " '--out', 'x']\nfrom pi_gym.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'pi-gym[mcp]'" in done.stderr
