"""The page in a browser: what agents wrote is text and nothing else, served and as one file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.runs import failed, record, records, write_run
from support.viewing import served, unfold

from pi_gym.types import Event
from pi_gym.viewer.replayed import Replays
from pi_gym.viewer.static_page import write_page
from pi_gym.viewer.viewed_runs import ViewedRuns

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(1)</script><!--<script>",
    "</title></style></textarea></main><svg onload=alert(1)>",
    "javascript:alert(1) [a](javascript:alert(1)) ![i](http://127.0.0.1:9/x.png)",
    "\u202ereversed\u202c \u2066isolate\u2069 \u200f",
    "nul \x00 escape \x1b[31mred\x1b[0m \ufeff \u2028\u2029 lone \ud800",
    "{{7*7}} ${7*7} <%= 7*7 %> &lt;b&gt; &#60;",
    '<iframe srcdoc="<script>parent.alert(1)</script>"></iframe><base href="http://127.0.0.1:9/">',
    "# head\n<details open ontoggle=alert(1)>**bold**</details>\n```html\n<b>\n```",
    "long " * 3000,
)  # fmt: skip
#: What the page makes none of, and a text that was taken for HTML would.
FOREIGN = "main script, main img, main iframe, main svg, main base, main style"


def hostile_run(folder: Path) -> Path:
    """A run whose every text is hostile."""
    base = record("Hm.", "Hm.", "Hm.")
    deep: Any = "bottom"
    for _ in range(300):
        deep = {"</script>": [deep]}
    sessions = []
    for number, text in enumerate(HOSTILE):
        call = {"id": "c1", "name": text, "arguments": {text: text, "deep": deep}}
        events = (
            Event("agent", 1, 1, {"action": text, "content": text, "calls": [call], "thought": text, "fault": text}),
            Event("call", 1, 1, {"id": "c1", "name": text, "arguments": {}, "result": text, "ok": True}),
            Event("user", 1, 1, {"text": text, "how": "answer", "intents": ["i1"], "call": ""}),
            Event("odd", 1, 1, {"text": text}),
        )
        sessions.append(replace(base, sample=number, agent=f"{text[:80]}{number}", opening=("s", text), events=events))
    folder.mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    lines = (json.dumps(one.to_json(), separators=(",", ":")) for one in sessions)  # lone surrogates need escapes
    (folder / "trajectories.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return folder


@contextmanager
def watched(browser: Any, **options: Any) -> Iterator[tuple[Any, list[str]]]:
    """A page, and what it did that it must not."""
    page, seen = browser.new_page(**options), list[str]()
    page.on("dialog", lambda dialog: (seen.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("console", lambda message: seen.append(f"console {message.text}"))
    page.on("pageerror", lambda error: seen.append(f"error {error}"))
    page.on("request", lambda request: seen.append(f"request {request.url}"))
    yield page, seen
    page.close()


def written(runs: ViewedRuns, out: Path) -> str:
    write_page(runs, out, replays=Replays(runs))
    return out.as_uri()


@pytest.mark.slow
@pytest.mark.parametrize("static", [False, True])
def test_hostile_texts_are_shown_as_they_are_and_do_nothing(tmp_path: Path, browser: Any, static: bool) -> None:
    with served(hostile_run(tmp_path / "run")) as server, watched(browser) as (page, seen):
        url = written(server.runs, tmp_path / "out.html") if static else server.url
        page.goto(url)
        page.wait_for_selector(".rows .row")
        for found in server.runs.sessions:
            text = HOSTILE[found.session.row["sample"]]
            page.goto(f"{url}#/s/{found.session.row['id']}")
            user = page.locator(".message.user .said").first
            page.locator("h1 .dim").wait_for()
            unfold(page)
            shown = [
                one.evaluate("one => JSON.stringify(one.textContent)") for one in page.locator(".entry .said").all()
            ]
            texts = [json.loads(one) for one in shown]
            assert texts.count(text) >= 4, (text[:60], [one[:60] for one in texts])
            assert user.count() == 1
            assert page.locator(FOREIGN).count() == 0
        first, *others = (found.session.row["id"] for found in server.runs.sessions)
        for other in others:
            page.goto(f"{url}#/c/{first}/{other}")
            page.locator(f'.grid-head a[href="#/s/{other}"]').wait_for()
            unfold(page)
            assert page.locator(FOREIGN).count() == 0
        assert [one for one in seen if not one.startswith(f"request {url.partition('#')[0]}")] == []


def test_sessions_are_filtered_opened_compared_and_left_by_keys(tmp_path: Path, browser: Any) -> None:
    run = write_run(tmp_path / "run", records(), [failed()])
    with served(run) as server, watched(browser) as (page, seen):
        page.goto(server.url)
        page.locator(".status", has_text="4 of 4").wait_for()
        page.keyboard.press("/")
        page.locator("input[type=search]:focus").wait_for()
        page.keyboard.type("unscored nothing")
        page.locator(".status", has_text="0 of 4").wait_for()
        page.locator("input[type=search]").fill("no idea")
        page.locator(".status", has_text="1 of 4").wait_for()
        assert "unscored" in page.locator(".rows .row").inner_text()
        assert page.locator(".rows .row .number.bad").count() == 0
        page.locator("input[type=search]").fill("")
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.locator(".session").wait_for()
        first = page.url
        page.locator("#other").select_option(index=1)
        page.locator("#difference").wait_for()
        page.go_back()
        page.locator(".session").wait_for()
        assert page.url == first
        page.keyboard.press("?")
        page.locator("dialog[open]").wait_for()
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.locator(".list").wait_for()
        assert [one for one in seen if not one.startswith("request")] == []


def test_a_session_that_is_written_meanwhile_appears(tmp_path: Path, browser: Any) -> None:
    run = write_run(tmp_path / "run", records()[:1])
    with served(run) as server, watched(browser) as (page, _):
        page.goto(server.url)
        page.locator(".status", has_text="1 of 1").wait_for()
        with (run / "trajectories.jsonl").open("a", encoding="utf-8") as file:
            file.write(records()[1].to_line() + "\n" + records()[2].to_line()[:500])
        page.locator(".status", has_text="2 of 2").wait_for(timeout=20_000)
