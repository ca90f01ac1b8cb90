"""A run with a session of 200 MB: shown as far as that goes, beside the others, by a server that stays small."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.runs import records, write_run

from pi_gym.types import Event

pytestmark = pytest.mark.slow
SIZE = 200_000_000
#: What the server may hold at its peak: itself with the families, and a line of at most 32 MB as text and as values.
MAX_RSS = 200_000_000


def peak(pid: int) -> int:
    """The most memory that a process has had, in bytes."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def write_large(file: Path, events: int) -> None:
    """A session whose line has 200 MB, in so many further events, at the end of a file."""
    whole = records()[0]
    text = "word " * (SIZE // events // 5)
    more = [Event("environment", 1, 1, {"text": text})] * events
    line = replace(whole, sample=7, events=(*whole.events, *more)).to_line()
    assert len(line) >= SIZE
    with file.open("a", encoding="utf-8") as out:
        out.write(f"{line}\n{records()[1].to_line()}\n")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("events", [1, 20_000])
def test_a_session_of_200_mb_is_cut_and_the_others_are_whole(tmp_path: Path, browser: Any, events: int) -> None:
    run = write_run(tmp_path / "run", records()[:1])
    write_large(run / "trajectories.jsonl", events)
    command = [sys.executable, "-m", "pi_gym", "view", str(run), "--no-open", "--no-cache"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            page = browser.new_page()
            page.goto(url)
            page.locator(".status", has_text="3 of 3 sessions").wait_for(timeout=60_000)
            assert page.locator(".rows .row").count() == 3
            before = peak(server.pid)
            page.locator(".rows .row").nth(1).click()
            page.locator(".banner", has_text=re.compile(r"too large to show \(20\d MB\)")).wait_for(timeout=60_000)
            assert page.locator(".score b").all_inner_texts() == ["1"] * 4
            assert page.locator(".entry").count() > 5
            assert page.locator(".banner.bad").count() == 0
            with page.expect_download(timeout=60_000) as download:
                page.locator("a[download]").click()
            assert download.value.path().stat().st_size >= SIZE
            page.go_back()
            page.locator(".rows .row").nth(2).click()
            page.locator(".session .message").first.wait_for()
            assert page.locator(".banner", has_text="too large").count() == 0
            print(f"{events} events: {before / 1e6:.0f} MB with the list, {peak(server.pid) / 1e6:.0f} MB at the end")
            assert peak(server.pid) < MAX_RSS
            page.close()
        finally:
            server.terminate()
