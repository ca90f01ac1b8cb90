"""The deliverables and the rows of apps that a session left."""

from __future__ import annotations

import csv
from typing import Any

from pi_gym.authoring.amounts import amounts_in


def is_written(text: str | None) -> bool:
    """Whether a deliverable's text is more than an emptied draft, which is at most one line that says so.

    Files cannot be deleted by tools, so a draft that was given up is still there.

    Args:
        text: what `evidence.text(path)` gave; None, for a file too long or binary, is something written.
    """
    if text is None or "tabular" in text:
        return True
    return sum(bool(line.strip()) for line in text.splitlines()) > 1 or sum(char.isdigit() for char in text) > 20


def new_text(evidence: Any, folder: str, suffix: str = "") -> str:
    """The text of the one new file in a folder whose name ends so; "" without just one that is written."""
    paths = [path for path in sorted(evidence.created) if path.startswith(folder) and path.endswith(suffix)]
    texts = [text for path in paths if is_written(text := evidence.text(path) or "")]
    return texts[0] if len(texts) == 1 else ""


def new_lines(evidence: Any, path: str) -> str:
    """The lines of a file that did not stand there when the session began."""
    before, now = ((files.text(path) or "").splitlines() for files in (evidence.start, evidence))
    return "\n".join(line for line in now if line not in before)


def added_lines(evidence: Any, path: str, most: int = 4) -> list[str]:
    """The new lines of a file, in small letters; none where they are more than that: pasted, not written there."""
    lines = [line for line in new_lines(evidence, path).lower().splitlines() if line.strip()]
    return lines if len(lines) <= most else []


def made_records(evidence: Any, app: str, table: str) -> dict[int, dict[str, Any]]:
    """By id, the rows of an app that this session made and left, deleted ones among them where the app keeps those.

    There are none of an app that the session does not have.
    """
    if app not in evidence.apps:
        return {}
    return {key: row for key, (before, row) in evidence.changed_rows(app, table).items() if before is None and row}


def made_rows(evidence: Any, app: str, table: str) -> list[dict[str, Any]]:
    """The rows of `made_records`, without their ids."""
    return [*made_records(evidence, app, table).values()]


def new_csv_amounts(evidence: Any, folder: str) -> dict[str, list[int]]:
    """The amounts in the one new CSV file of a folder, in cents without sign, by the first cell of their row."""
    return {row[0]: [sum(amounts_in(cell)) for cell in row[1:]] for row in new_csv_rows(evidence, folder)[1:] if row}


def new_csv_rows(evidence: Any, folder: str) -> list[list[str]]:
    """The rows of the one new CSV file in a folder, cells stripped and in small letters; [[]] without just one."""
    paths = [path for path in evidence.created if path.startswith(folder) and path.endswith(".csv")]
    texts = [text or "" for path in sorted(paths) if is_written(text := evidence.text(path))]
    lines = (texts[0].strip().lower() if len(texts) == 1 else "").splitlines() or [""]
    reader = csv.reader(lines, delimiter=";" if ";" in lines[0] else ",")
    return [[cell.strip() for cell in row] for row in reader] or [[]]
