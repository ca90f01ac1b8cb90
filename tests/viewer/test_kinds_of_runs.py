"""Real runs of several kinds in the page: kept prompts, own histories, sub-agents, a phone, a run in progress."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import ChatServer
from support.packs import TINY, protocol
from support.play import call
from support.runs import write_run
from support.served_roles import fitting
from support.viewing import get, served, unfold

from pi_gym.pibench.env import PiEnv
from pi_gym.rollout import collect
from pi_gym.session import SubagentTask, Trajectory
from pi_gym.viewer.server import PageServer
from pi_gym.viewer.static_page import write_page

pytestmark = pytest.mark.slow

SECRET = "<b>They said</b> so."


def answer(body: Any) -> dict[str, Any]:
    """The answer of a server that agrees to nothing, and says something hostile where no schema is asked for."""
    form = body.get("response_format")
    return {
        "content": SECRET if form is None else json.dumps(fitting(form["json_schema"]["schema"])).replace("YES", "NO")
    }


def opened(browser: Any, server: PageServer, place: int = 0) -> Any:
    """The page at a session, in the order of the rows, once it was played again and all in it is unfolded."""
    page = browser.new_page()
    row = server.runs.sessions[place].session.row
    page.goto(f"{server.url}#/s/{row['id']}")
    page.locator(".session").wait_for()
    page.get_by_text("playing it again").wait_for(state="detached")
    unfold(page)
    return page


def test_prompts_that_were_kept_are_shown_with_their_answers(tmp_path: Path, browser: Any) -> None:
    command = [sys.executable, "-m", "pi_gym", "rollout", "PiBench-v0", "--pack", str(TINY), "--agent", "silent"]
    with ChatServer(answer) as model:
        roles = ["--role", f"user=toy@{model.url}", "--role", f"grader=toy@{model.url}", "--cache", "off"]
        more = [*roles, "--sessions", "1", "--keep-prompts", "--quiet", "--out", str(tmp_path / "run")]
        done = subprocess.run([*command, *more], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        asked = [message["content"] for body in model.bodies for message in body["messages"]]
    with served(tmp_path) as server:
        page = opened(browser, server)
        shown = page.locator(".entry.note pre").all_text_contents()
        assert asked
        assert [one for one in asked if one not in shown] == []
        assert page.locator(".entry.note summary", has_text="asked the model for user").count() > 0
        assert any(SECRET in one for one in shown)
        assert page.locator("main b", has_text="They said").count() == 0
        assert page.locator(".banner").count() == 0
        page.close()


def test_sessions_with_a_history_of_their_own_are_played_again_after_what_came_before(
    tmp_path: Path, browser: Any
) -> None:
    kwargs = {"pack": str(TINY), "history": "own"}
    collect("PiBench-v0", "reference", env_kwargs=kwargs, split="test", out=tmp_path / "run")
    with served(tmp_path) as server:
        assert {one.session.row["history_mode"] for one in server.runs.sessions} == {"own"}
        assert len(server.runs.sessions) == 3
        for place, found in enumerate(server.runs.sessions):
            page = opened(browser, server, place)
            assert page.locator(".banner").count() == 0, page.locator(".banner").all_inner_texts()
            dossier = get(server, f"api/dossier?id={found.session.row['id']}")
            assert page.locator("summary", has_text="files changed in turn").count() == len(dossier["changes"])
            page.close()


def test_a_sub_agents_task_report_and_files_are_shown(tmp_path: Path, browser: Any) -> None:
    def drafting(task: SubagentTask) -> str:
        task.workspace.write("draft.txt", b"a draft by somebody else\n")
        return f"Done: {task.task}"

    env = PiEnv(protocol().source, history="none", subagent=drafting)
    env.reset(seed=0, options={"task": "01-three", "variant": 0})
    env.step(call("spawn", task="Write the draft.", label="draft"))
    env.step("Done.")
    assert env.session is not None
    record = Trajectory.from_json(env.session.trajectory().to_json())
    with served(write_run(tmp_path / "run", [record])) as server:
        page = opened(browser, server)
        text = page.locator(".call", has_text="spawn").inner_text()
        assert "Write the draft." in text
        assert "Done: Write the draft." in text
        page.close()


def test_a_phones_proposals_have_lives_and_its_changed_rows_are_shown(tmp_path: Path, browser: Any) -> None:
    for agent in ("reference", "silent"):
        collect("Pare-v0", agent, split="test", sessions=1, out=tmp_path / agent)
    changed = []
    with served(tmp_path) as server:
        for place, proposals in enumerate((1, 0)):
            page = opened(browser, server, place)
            lives = page.locator(".life").all_inner_texts()
            assert lives[0].startswith("goal")
            assert sum("proposal" in one for one in lives) == proposals
            changed.append(page.locator(".side .diff .plus").count())
            assert page.locator(".banner").count() == 0
            # What the phone showed first stands there once.
            opening = page.locator(".message.user .said").first.inner_text()
            assert [*page.locator(".message.user .said").all_inner_texts()].count(opening) == 1
            page.close()
    assert changed[0] > changed[1] > 0  # what others sent, and what the agent did beside it


@pytest.mark.parametrize("static", [False, True])
def test_side_by_side_shows_what_each_changed(tmp_path: Path, browser: Any, static: bool) -> None:
    for agent in ("reference", "silent"):
        collect("PiBench-Researcher-v0", agent, split="test", sessions=1, out=tmp_path / agent)
    with served(tmp_path) as server:
        page = browser.new_page()
        left, right = (one.session.row["id"] for one in server.runs.sessions)
        out = tmp_path / "page.html"
        if static:
            write_page(server.runs, out, replays=server.replays)
        page.goto(f"{out.as_uri() if static else server.url}#/c/{left}/{right}")
        page.locator("#difference", has_text="first difference").wait_for()
        page.locator(".cell summary", has_text="files changed in turn").first.wait_for()
        page.get_by_text("playing it again").first.wait_for(state="detached")
        cells = page.locator(".cell").evaluate_all(
            "all => all.map((one) => one.querySelectorAll('.diff .plus').length)"
        )
        assert sum(cells[::2]) > 0
        assert sum(cells[1::2]) == 0
        page.close()


def test_a_rollout_that_goes_on_is_followed_to_its_end(tmp_path: Path, browser: Any) -> None:
    file = tmp_path / "run" / "trajectories.jsonl"
    command = [sys.executable, "-m", "pi_gym", "rollout", "PiBench-v0", "--pack", str(TINY), "--split", "train"]
    process = subprocess.Popen([*command, "--sessions", "120", "--quiet", "--out", str(file.parent)])
    try:
        while not (file.exists() and file.read_bytes().count(b"\n") >= 3):
            assert process.poll() is None
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGSTOP)  # so that it is still under way when the page is there
        with served(tmp_path) as server:
            page = browser.new_page()
            page.goto(server.url)
            page.locator(".status", has_text=" sessions").wait_for()
            assert 3 <= int(page.locator(".status").inner_text().split()[0]) < 120
            page.locator(".rows .row").first.click()
            page.locator(".session .message").first.wait_for()
            os.kill(process.pid, signal.SIGCONT)
            page.go_back()
            page.locator(".status", has_text="120 of 120").wait_for(timeout=60_000)
            assert page.locator(".problems").count() == 0
            page.close()
    finally:
        process.send_signal(signal.SIGCONT)
        assert process.wait(timeout=60) == 0
