"""The page for those who use no mouse, or see less: names, roles, headings, contrast, and the way of the Tab key."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from support.packs import TINY
from support.runs import failed, records, write_run
from support.viewing import served, unfold

from pi_gym.rollout import collect
from pi_gym.viewer.server import PageServer

pytestmark = pytest.mark.slow

#: Of WCAG 2, level AA, for text of usual size.
LEAST_CONTRAST = 4.5
#: The text colour and the ground of whatever shows text of its own, as its contrast.
CONTRASTS = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const linear = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = (color) => color.slice(0, 3).map((v) => linear(v / 255))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const [r, g, b, a] = parse(getComputedStyle(at).backgroundColor);
      if (a === undefined || a === 1) return [r, g, b];
      if (a !== 0) throw new Error(`half transparent: ${at.className}`);
    }
    return [255, 255, 255];
  };
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const found = [];
  for (const one of document.body.querySelectorAll("*")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const hint = one.placeholder ? getComputedStyle(one, "::placeholder").color : null;
    if (!(own || hint) || !one.checkVisibility() || ["SCRIPT", "STYLE", "OPTION"].includes(one.tagName)) continue;
    const color = hint ?? getComputedStyle(one).color;
    const name = `${one.tagName}.${one.className} ${one.textContent.slice(0, 30)}`;
    found.push([contrast(light(parse(color)), light(ground(one))), name]);
  }
  return found;
}"""
#: What is without a name, among what can be used.
NAMELESS = """() => [...document.querySelectorAll("button, a, select, input, summary")]
  .filter((one) => one.checkVisibility() && !one.getAttribute("aria-label") && !one.title && !one.textContent.trim())
  .map((one) => one.outerHTML)"""
LEVELS = """() => [...document.querySelectorAll("h1, h2, h3, h4")].filter((one) => one.checkVisibility())
  .map((one) => Number(one.tagName[1]))"""


def views(server: PageServer) -> dict[str, str]:
    """The hashes of the list, a session, one without a score, and two side by side."""
    *played, lacking = (one.session.row["id"] for one in server.runs.sessions)
    both = f"#/c/{played[0]}/{played[1]}"
    return {"list": "#/", "session": f"#/s/{played[0]}", "unscored": f"#/s/{lacking}", "both": both}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server over two sessions of one world that can be played again, and some that cannot."""
    folder = tmp_path_factory.mktemp("runs")
    for agent in ("reference", "silent"):
        collect("PiBench-v0", agent, env_kwargs={"pack": str(TINY)}, tasks=["02-memo"], out=folder / f"a-{agent}")
    write_run(folder / "b", records(), [failed()])
    with served(folder) as found:
        yield found


def opened(page: Any, server: PageServer, view: str) -> None:
    """Open a view, with everything in it unfolded."""
    page.goto(f"{server.url}{views(server)[view]}")
    page.locator(".rows .row, .session, .comparison").first.wait_for()
    page.get_by_text("playing it again").first.wait_for(state="detached")
    unfold(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["list", "session", "unscored", "both"])
def test_texts_stand_out_from_their_ground_and_all_has_names_and_headings(
    server: PageServer, browser: Any, view: str, scheme: str
) -> None:
    page = browser.new_page(color_scheme=scheme)
    opened(page, server, view)
    assert view != "session" or page.locator(".diff .plus").count() > 0
    for _ in range(2):
        found = page.evaluate(CONTRASTS)
        assert len(found) > 10
        assert [one for one in found if one[0] < LEAST_CONTRAST] == []
        page.keyboard.press("t")  # the other colours, by the key
    assert page.evaluate(NAMELESS) == []
    levels = page.evaluate(LEVELS)
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    page.close()


def test_the_list_is_a_grid_whose_row_in_question_is_told(server: PageServer, browser: Any) -> None:
    page = browser.new_page()
    opened(page, server, "list")
    grid = page.get_by_role("grid", name="sessions")
    assert grid.get_by_role("columnheader").first.inner_text() == "agent"
    assert grid.get_by_role("row").count() == 1 + len(server.runs.sessions)
    grid.focus()
    page.keyboard.press("ArrowDown")
    active = page.locator(f"#{grid.get_attribute('aria-activedescendant')}")
    assert active.get_attribute("aria-selected") == "true"
    assert active.get_attribute("aria-rowindex") == "3"
    page.get_by_role("columnheader", name="turns").get_by_role("button").press("Enter")
    assert page.get_by_role("columnheader", name="turns").get_attribute("aria-sort") == "ascending"
    assert page.evaluate("document.activeElement.textContent").startswith("turns")
    page.close()


@pytest.mark.parametrize("view", ["list", "session", "both"])
def test_the_tab_key_comes_to_everything_and_shows_where_it_is(server: PageServer, browser: Any, view: str) -> None:
    page = browser.new_page()
    opened(page, server, view)
    page.evaluate("document.activeElement.blur()")
    usable = page.locator("button, select, input, summary, a:not([tabindex='-1'])").evaluate_all(
        "all => { const seen = all.filter((one) => one.checkVisibility()); seen.forEach((one, n) => one.dataset.n = n);"
        " return seen.length; }"
    )
    assert usable > 5
    reached = set()
    for _ in range(3 * usable + 10):
        page.keyboard.press("Tab")
        number, outline = page.evaluate(
            "[document.activeElement.dataset.n, parseFloat(getComputedStyle(document.activeElement).outlineWidth)]"
        )
        if number is not None:
            assert outline >= 1
            reached.add(int(number))
    assert reached == set(range(usable))
    page.close()


def test_a_folded_call_opens_by_enter(server: PageServer, browser: Any) -> None:
    page = browser.new_page()
    page.goto(f"{server.url}{views(server)['session']}")
    call = page.locator(".call details").first
    call.wait_for()
    assert call.locator("pre").count() == 0
    call.locator("summary").press("Enter")
    call.locator("pre").nth(1).wait_for()  # the browser tells of an opened fold when it has time
    assert call.locator("pre").count() == 2
    assert call.locator("pre").first.is_visible()
    page.close()
