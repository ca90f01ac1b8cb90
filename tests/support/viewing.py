"""Runs to look at, and a server that shows them."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pi_gym.viewer.replayed import Replays
from pi_gym.viewer.server import PageServer
from pi_gym.viewer.viewed_runs import ViewedRuns


@contextmanager
def served(*places: Path) -> Iterator[PageServer]:
    """A server over these places, which has read them."""
    runs = ViewedRuns(places, cached=False)
    runs.index()
    with PageServer(runs, Replays(runs)) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()


def get(server: PageServer, path: str) -> Any:
    """The JSON that the server answers."""
    with urllib.request.urlopen(server.url + path, timeout=30) as answer:
        return json.load(answer)


def all_rows(runs: ViewedRuns) -> list[dict[str, Any]]:
    """The last row of each session."""
    told = json.loads(runs.rows(0, 0))
    return [*{row["id"]: row for row in told["rows"]}.values()]


def unfold(page: Any) -> None:
    """Open all that is folded, and wait until it is filled, which the browser does when it has time."""
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    page.wait_for_function(
        "() => [...document.querySelectorAll('details[open]')].every((one) => one.childElementCount > 1)"
    )
