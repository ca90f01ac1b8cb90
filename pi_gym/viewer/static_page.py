"""Runs as one file that holds the page and its sessions, to be mailed or kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pi_gym.export.draft_file import draft
from pi_gym.runs.lines import explained
from pi_gym.viewer.page_files import data_element, page_parts, page_policy
from pi_gym.viewer.replayed import Replays
from pi_gym.viewer.session_reading import UnreadableSession
from pi_gym.viewer.session_view import session_view
from pi_gym.viewer.viewed_runs import ViewedRuns

#: With more sessions they are not played again unless that is asked for.
MAX_REPLAYED = 200


def write_page(
    runs: ViewedRuns,
    out: Path,
    *,
    replays: Replays,
    replay: bool | None = None,
    force: bool = False,
    told: Callable[[int, int], None] = lambda done, of: None,
) -> int:
    """Write the page as one file; gives its size in bytes.

    Args:
        runs: that it shows.
        out: the file.
        replays: of the sessions.
        replay: whether they are played again; None: where they are few.
        force: replace a file that is there.
        told: is called after each session with how many are done, of how many.

    Raises:
        RunError: there is a file already, or it cannot be written.
    """
    runs.index()
    found = runs.sessions
    again = replay if replay is not None else len(found) <= MAX_REPLAYED
    runs.tags = replays.tags()
    begin, end = page_parts()
    with (
        draft(out, force=force) as place,
        explained(out, "cannot be written"),
        place.open("w", encoding="utf-8") as file,
    ):
        file.write(
            begin.replace("<!-- policy -->", f'<meta http-equiv="Content-Security-Policy" content="{page_policy()}">')
        )
        rows = [{**one.session.row, "run": str(one.run)} for one in found]
        listing = {
            "rows": rows,
            "tags": runs.tags,
            "problems": runs.problems,
            "places": [str(one) for one in runs.places],
        }
        file.write(data_element("listing", listing))
        for number, one in enumerate(found, start=1):
            name = one.session.row["id"]
            try:
                file.write(data_element(f"s-{name}", session_view(one)))
            except UnreadableSession as error:
                file.write(data_element(f"s-{name}", {"problem": str(error)}))
            if again and one.session.row["scored"]:
                file.write(data_element(f"d-{name}", replays.dossier(one)))
            told(number, len(found))
        file.write(end)
    return out.stat().st_size
