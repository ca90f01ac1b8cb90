"""The server of the page: only GET, only our hosts, only the page's files."""

from __future__ import annotations

import http.client
import re
import socket
from contextlib import closing
from pathlib import Path

import pytest
from support.runs import records, write_run
from support.viewing import get, served

from pi_gym.errors import BadArgument
from pi_gym.viewer.page_files import csp_hash, page_files
from pi_gym.viewer.server import PageServer


def ask(server: PageServer, method: str, path: str, host: str | None = None) -> tuple[int, str, str]:
    """Status, policy and text of an answer."""
    with closing(http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=20)) as connection:
        connection.putrequest(method, path, skip_host=host is not None)
        if host is not None:
            connection.putheader("Host", host)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Security-Policy"], answer.read().decode()


@pytest.mark.parametrize(
    ("method", "path", "host", "status"),
    [
        ("GET", "/", None, 200),
        ("GET", "/?", "localhost:1", 200),
        ("GET", "/main.js", None, 404),
        ("GET", "/api/rows", "evil.example", 421),
        ("GET", "/", "127.0.0.1.evil.example:80", 421),
        ("GET", "/", "", 421),
        ("GET", "/../../../../etc/passwd", None, 404),
        ("GET", "/%2e%2e/setup.cfg", None, 404),
        ("GET", "/page/../server.py", None, 404),
        ("GET", "/server.py", None, 404),
        ("GET", "/", "[", 400),
        ("GET", "/api/nothing", None, 404),
        ("GET", "/api/line?id=../../x", None, 404),
        ("POST", "/api/rows", None, 405),
        ("DELETE", "/", None, 405),
    ],
)
def test_requests_get_what_they_may(tmp_path: Path, method: str, path: str, host: str | None, status: int) -> None:
    with served(write_run(tmp_path / "run", records()[:1])) as server:
        found, policy, _ = ask(server, method, path, host)
        assert found == status
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_a_session_and_its_line_are_given_by_its_name(tmp_path: Path) -> None:
    one = records()[0]
    with served(write_run(tmp_path / "run", [one])) as server:
        (row,) = get(server, "api/rows")["rows"][:1]
        assert get(server, f"api/session?id={row['id']}")["row"]["task_id"] == one.task_id
        assert ask(server, "GET", f"/api/line?id={row['id']}")[2] == one.to_line()
        assert "problem" in get(server, "api/session?id=nothing")
        assert "problem" in get(server, f"api/dossier?id={row['id']}")  # its pack is the tests' own


def test_a_port_in_use_is_refused_in_a_line(tmp_path: Path) -> None:
    with served(write_run(tmp_path / "run", records()[:1])) as server, socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(BadArgument, match="choose another --port"):
            PageServer(server.runs, server.replays, port=other.getsockname()[1])


def test_the_page_is_one_file_whose_policy_allows_what_is_in_it_and_nothing_else(tmp_path: Path) -> None:
    with served(write_run(tmp_path / "run", records()[:1])) as server:
        _, policy, page = ask(server, "GET", "/")
    inside = re.findall(r"<(?:script|style)[^>]*>(.*?)</(?:script|style)>", page, re.S)
    assert len(inside) == 2
    assert {csp_hash(text) for text in inside} == {*re.findall(r"'sha256-[^']+'", policy)}
    assert not re.search(r"(?:src|href)=", page.partition("<script")[0])
    assert all("innerHTML" not in data.decode() for data in page_files().values())
