"""The web in whole sessions: offline in the call, online as an ask whose answer is recorded."""

from __future__ import annotations

import pickle
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.packs import PROTOCOL, copy_pack, protocol
from support.play import call, opened, settle, step

from pi_gym.packs import load_pack
from pi_gym.pibench.env import PiEnv
from pi_gym.pibench.replay import replay
from pi_gym.web import LiveWeb

PAGE = "---\ntitle: Roses\nurl: https://garden.example/roses\ndate: 2026-01-10\n---\n\nCut roses **in March**.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = copy_pack(PROTOCOL, tmp_path / "gardener")
    (copy / "web").mkdir()
    (copy / "web" / "roses.md").write_text(PAGE)
    return copy


def test_a_session_searches_its_packs_web_and_stays_deterministic(folder: Path) -> None:
    session = opened(load_pack(folder).instantiate("01-three"), tools="all")
    found = step(session, call("web_search", query="when do roses grow"))
    assert found.messages[-1].content.startswith(
        "1. Roses\n   https://garden.example/roses (2026-01-10)\n   Cut **roses**"
    )
    page = step(session, call("web_fetch", url="garden.example/roses", extractMode="text"))
    assert page.messages[-1].content.endswith("Cut roses in March.")
    trajectory = session.trajectory()
    assert not trajectory.nondeterministic
    assert replay(trajectory, pack=load_pack(folder)).trajectory() == trajectory


def test_a_pickled_session_has_its_web_again(folder: Path) -> None:
    session = opened(load_pack(folder).instantiate("01-three"), tools="all")
    step(session, call("web_search", query="roses"))
    data = pickle.dumps(session)
    assert b"Cut roses **in March**" not in data
    again = pickle.loads(data)
    assert step(again, call("web_fetch", url="garden.example/roses")) == step(
        session, call("web_fetch", url="garden.example/roses")
    )


def test_a_broken_page_fails_at_the_first_look_and_not_at_the_opening(folder: Path) -> None:
    (folder / "web" / "roses.md").write_text("roses")
    session = opened(load_pack(folder).instantiate("01-three"), tools="all")
    session.apply(call("web_search", query="roses"))
    assert (session.ended, session.scored, session.error_kind) == (True, False, "engine")
    assert "web/roses.md" in session.error


def test_a_pack_without_pages_says_so() -> None:
    record = step(opened(tools="all"), call("web_search", query="roses"))
    assert record.invalid
    assert "has no pages" in record.messages[-1].content


def test_a_notebook_edited_in_a_session_is_a_change_of_the_workspace() -> None:
    env = PiEnv(protocol().source, history="none", tools="all")
    env.reset(options={"task": "01-three"})
    arguments = {"path": "work.ipynb", "cell_index": 0, "new_source": "1 + 1", "edit_mode": "insert"}
    observation = env.step(call("notebook_edit", **arguments))[0]
    assert '+    "1 + 1"' in observation["workspace_diff"]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(b"Live roses.")

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.mark.skipif(
    any(find_spec(name) is None for name in ("ddgs", "trafilatura", "urllib3")),
    reason="the live web needs pip install 'pi-gym[web]'",
)
def test_a_live_page_is_recorded_and_replayed_without_a_network() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/"
    env = PiEnv(protocol().source, history="none", tools="all", web=LiveWeb(allow_private=True))
    env.reset(options={"task": "01-three"})
    observation = env.step(call("web_fetch", url=url))[0]
    server.shutdown()
    server.server_close()
    assert "Live roses." in observation["history"]
    assert env.session is not None
    trajectory = env.session.trajectory()
    assert trajectory.nondeterministic
    assert replay(trajectory, pack=protocol()).trajectory() == trajectory


def test_private_addresses_are_refused_as_the_environment_comes() -> None:
    env = PiEnv(protocol().source, history="none", tools="all", web="live")
    env.reset(options={"task": "01-three"})
    history = env.step(call("web_fetch", url="http://127.0.0.1:9/"))[0]["history"]
    assert "not on the public internet" in history or "is not available here" in history
    assert env.session is not None
    settle(env.session)
    assert not env.session.ended
