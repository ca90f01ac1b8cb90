"""Measure `pi-gym view` over many sessions: python -m bench.viewer [SESSIONS]; needs chromium and playwright.

Copies of a few recorded sessions, as other samples, are written to a temporary folder. The time to the first rows is
from the start of the command to the first row in a browser that runs already: cold without a kept index, warm with one.
The files are in the system's cache in both cases.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TRIES = 5
_FRAMES = """async () => {
  const box = document.querySelector(".scroller"), times = [];
  let last = performance.now();
  for (let n = 0; n < 200; n += 1) {
    box.scrollTop += 400;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  return times;
}"""


def write_sessions(folder: Path, count: int) -> int:
    """Write a run of so many sessions; gives its size in bytes."""
    from pi_gym.rollout import collect

    collect("PiBench-Researcher-v0", "reference", split="test", sessions=20, out=folder / "seed")
    lines = (folder / "seed" / "trajectories.jsonl").read_text(encoding="utf-8").splitlines()
    run = folder / "many"
    run.mkdir()
    (run / "run.json").write_text((folder / "seed" / "run.json").read_text(encoding="utf-8"), encoding="utf-8")
    with (run / "trajectories.jsonl").open("w", encoding="utf-8") as file:
        for number in range(count):
            line = lines[number % len(lines)]
            file.write(line.replace('"sample":0', f'"sample":{number}', 1) + "\n")
    return (run / "trajectories.jsonl").stat().st_size


def opened(folder: Path, browser: Any) -> dict[str, Any]:
    """The figures of opening a run once."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    begun = time.perf_counter()
    command = [sys.executable, "-m", "pi_gym", "view", str(folder), "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            page.goto(url)
            page.wait_for_selector(".rows .row")
            first = time.perf_counter() - begun
            page.locator(".status:not(:text('reading'))").wait_for(timeout=300_000)
            whole = time.perf_counter() - begun
            frames = sorted(page.evaluate(_FRAMES))
            begun = time.perf_counter()
            page.locator(".rows .row").nth(20).click()
            page.wait_for_selector(".session")
            session = time.perf_counter() - begun
        finally:
            server.terminate()
    return {
        "first_rows_s": round(first, 2),
        "all_rows_s": round(whole, 2),
        "frame_ms_median": round(statistics.median(frames), 1),
        "frame_ms_p99": round(frames[len(frames) * 99 // 100], 1),
        "open_session_s": round(session, 2),
    }


def main() -> None:
    """Print the figures, cold and warm: median and worst of some tries."""
    from playwright.sync_api import sync_playwright

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        os.environ["XDG_CACHE_HOME"] = f"{name}/cache"
        size = write_sessions(Path(name), count)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        browser.new_page().goto("about:blank")
        print(json.dumps({"sessions": count, "MB": round(size / 1e6)}))
        os.sync()  # else the disk is still at work for the files that were just written
        for state in ("cold", "warm"):
            tries = []
            for _ in range(TRIES):
                if state == "cold":
                    shutil.rmtree(os.environ["XDG_CACHE_HOME"], ignore_errors=True)
                tries.append(opened(Path(name) / "many", browser))
            figures = {
                one: [statistics.median(part[one] for part in tries), max(part[one] for part in tries)]
                for one in tries[0]
            }
            print(json.dumps({"state": state, **figures}), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
