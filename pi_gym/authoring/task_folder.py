"""The beginning of a task: its folder from a filled sheet, so far that facts, files and right.py are left to write.

A sheet is a Markdown page: a title, a list of settings, what she writes, a table of results, and a table of wishes;
docs/authoring.md has one. Nothing is written where it is not as it should be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_gym.apps import app_names
from pi_gym.errors import PackError, unknown
from pi_gym.schema import load_yaml
from pi_gym.schema.task_sheet import KINDS

RESULT_COLUMNS = ("result", "kind", "where it lies")
WISH_COLUMNS = ("wish", "what she wants", "where it stands", "what she says", "how one asks", "what shows it")
SETTINGS = ("category", "group", "when", "skills", "tools", "drawn")
#: So many questions let the matcher find its words by itself.
MIN_EXAMPLES = 4
ONLY_SHE, LASTING = "only she", "lasting"
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]*")
_VALUES = re.compile(r"\s*\(([^()]*=[^()]*)\)\s*$")
_ROWS = re.compile(r"([a-z_]+)\.([a-z_]+)(?:\.([a-z_]+))?")


@dataclass(frozen=True)
class FilledRow:
    """A row of a sheet's table: its cells by column, and its line."""

    cells: Mapping[str, str]
    line: int


@dataclass(frozen=True)
class SheetPage:
    """A filled sheet.

    Args:
        name: of the file, for errors.
        title: of the task.
        settings: by name.
        request: what she writes.
        results, wishes: the rows of the two tables.
    """

    name: str
    title: str
    settings: Mapping[str, str]
    request: str
    results: tuple[FilledRow, ...]
    wishes: tuple[FilledRow, ...]


def begin_task(pack: Path, slug: str, sheet: Path) -> Path:
    """Make the folder of a new task, the last of the episode.

    Args:
        pack: the pack's folder.
        slug: the task's name, without its number.
        sheet: the filled sheet.

    Returns:
        The folder.

    Raises:
        PackError: the sheet is not as it should be, or there is such a task; the message names the line.
    """
    if not _SLUG.fullmatch(slug):
        raise PackError(slug, "", "expected a name of small letters, digits and dashes, such as partner-report")
    page = read_sheet(sheet)
    episode = load_yaml(pack / "episode.yaml", "episode.yaml")
    sessions = [str(one) for one in episode["sessions"]]
    if any(one.partition("-")[2] == slug for one in sessions):
        raise PackError("episode.yaml", "sessions", f"there is a task {slug!r} already")
    name = f"{max((int(one[:2]) for one in sessions), default=0) + 1:02d}-{slug}"
    folder = pack / "tasks" / name
    if folder.exists():
        raise PackError(f"tasks/{name}", "", "the folder is there, but episode.yaml does not name it; move it away")
    files = {
        "task.yaml": "".join(f"{line}\n" for line in _task(page)),
        "questions.yaml": "".join(f"{line}\n" for line in _questions(page)),
        "right.py": _right(page),
        "ways.yaml": "{}\n",
    }
    (folder / "files").mkdir(parents=True)
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    listed = (pack / "episode.yaml").read_text(encoding="utf-8").rstrip()
    (pack / "episode.yaml").write_text(_with_session(listed, name), encoding="utf-8")
    return folder


def _with_session(text: str, name: str) -> str:
    """The text of episode.yaml with one session more, whichever way its list is written."""
    if text.endswith("]"):
        before = text[:-1].rstrip().rstrip(",")
        return f"{before}{'' if before.endswith('[') else ', '}{name}]\n"
    last = text.splitlines()[-1]
    indent = last[: len(last) - len(last.lstrip())] if last.lstrip().startswith("- ") else "  "
    return f"{text}\n{indent}- {name}\n"


# -- reading -----------------------------------------------------------------------------------------------------------


def read_sheet(path: Path) -> SheetPage:
    """Read a filled sheet; PackError names the line that is not as it should be."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PackError(str(path), "", f"cannot be read: {error}") from error
    title = next((line[2:].strip() for line in lines if line.startswith("# ")), "")
    if not title:
        raise PackError(str(path), "", "expected a first line '# TITLE'")
    settings = {}
    for number, line in enumerate(lines, start=1):
        if line.startswith("## "):
            break
        if line.startswith("- "):
            key, sign, value = line[2:].partition(":")
            if not sign or key.strip() not in SETTINGS:
                raise PackError(str(path), f"line {number}", unknown("setting", key.strip(), SETTINGS))
            settings[key.strip()] = value.strip()
    for key in ("category", "when"):
        if not settings.get(key):
            raise PackError(str(path), "", f"expected '- {key}: …' under the title")
    results = tuple(_table(path, lines, "result", RESULT_COLUMNS))
    wishes = tuple(_table(path, lines, "wish", WISH_COLUMNS))
    for row in results:
        if row.cells["kind"] not in KINDS:
            raise PackError(str(path), f"line {row.line}", unknown("kind of result", row.cells["kind"], KINDS))
    return SheetPage(path.name, title, settings, _request(path, lines), results, wishes)


def _request(path: Path, lines: Sequence[str]) -> str:
    at = next((n for n, line in enumerate(lines) if line.startswith("## ") and "writes" in line), None)
    if at is None:
        raise PackError(str(path), "", "expected a section '## What she writes'")
    end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith("## ")), len(lines))
    return "\n".join(lines[at + 1 : end]).strip()


def _table(path: Path, lines: Sequence[str], first: str, columns: Sequence[str]) -> Iterator[FilledRow]:
    """The rows of the table whose first column is called so."""
    start = next((n for n, line in enumerate(lines) if _cells(line)[:1] == [first]), None)
    if start is None:
        raise PackError(str(path), "", f"expected a table with the columns {' | '.join(columns)}")
    if tuple(_cells(lines[start])) != tuple(columns):
        raise PackError(str(path), f"line {start + 1}", f"expected the columns {' | '.join(columns)}")
    for number in range(start + 2, len(lines)):
        if not lines[number].strip().startswith("|"):
            return
        cells = _cells(lines[number])
        if len(cells) != len(columns):
            raise PackError(str(path), f"line {number + 1}", f"expected {len(columns)} cells, got {len(cells)}")
        if not _SLUG.fullmatch(cells[0]):
            raise PackError(str(path), f"line {number + 1}", f"expected a name such as copy-line, got {cells[0]!r}")
        yield FilledRow(dict(zip(columns, cells, strict=True)), number + 1)


def _cells(line: str) -> list[str]:
    stripped = line.strip()
    if not stripped.startswith("|"):
        return []
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", stripped.strip("|"))]


# -- writing -----------------------------------------------------------------------------------------------------------


def _said(text: str) -> str:
    """A text as YAML, on one line."""
    return json.dumps(text, ensure_ascii=False)


def _task(page: SheetPage) -> Iterator[str]:
    settings = page.settings
    yield f"title: {_said(page.title)}"
    yield f"category: {settings['category']}"
    if settings.get("group"):
        yield f"group: {settings['group']}"
    yield f"time: {_said(settings['when'])}"
    yield "request: |"
    yield from (f"  {line}".rstrip() for line in page.request.splitlines())
    for name in ("tools", "skills"):
        listed = [one.strip() for one in settings.get(name, "").split(",") if one.strip()]
        if listed:
            yield f"{name}: [{', '.join(map(_said, listed))}]"
    low, _, high = settings.get("drawn", "3 to 5").partition(" to ")
    yield f"draw: {{min: {low}, max: {high or low}}}"
    yield ""
    yield "results:"
    for row in page.results:
        yield from _result(page, row)
    yield ""
    yield "wishes:"
    for row in page.wishes:
        yield from _wish(page, row)
    yield ""
    yield "solution:"
    yield f"  - read: [{', '.join(map(_said, _read(page)))}]"
    written = [row.cells["result"] for row in page.results if row.cells["kind"] not in ("rows", "reply")]
    yield f"  - write: [{', '.join(written)}]"
    if any(row.cells["where it stands"] == ONLY_SHE for row in page.wishes):
        yield "  - ask: |"
        yield "      It is ready but for what only you can say."
        yield ""
        yield "      {{ questions }}"
        yield f"  - write: [{', '.join(written)}]"
    yield '  - reply: "It is ready."'


def _result(page: SheetPage, row: FilledRow) -> Iterator[str]:
    name, kind, place = (row.cells[column] for column in RESULT_COLUMNS)
    yield f"  {name}:"
    if kind == "reply":
        yield "    reply: true"
    elif kind == "rows" or (kind == "mail" and place.partition(".")[0] in app_names()):
        found = _ROWS.fullmatch(place)
        if found is None:
            raise PackError(page.name, f"line {row.line}", f"expected APP.TABLE, such as todoist.tasks, got {place!r}")
        yield f"    rows: {{app: {found[1]}, table: {found[2]}, state: created}}"
    elif place.startswith("a new file in "):
        yield f"    one_new_file: {{in: {_said(place.removeprefix('a new file in ').strip())}}}"
    elif place.endswith(", new"):
        yield f"    new_file: {_said(place.removesuffix(', new'))}"
    elif place:
        yield f"    file: {_said(place)}"
    else:
        raise PackError(
            page.name, f"line {row.line}", "expected a place: FILE; FILE, new; a new file in FOLDER; APP.TABLE"
        )
    yield f"    as: {kind}"
    yield "    sound: {}  # what makes it this deliverable at all"


def _wish(page: SheetPage, row: FilledRow) -> Iterator[str]:
    name, wants, stands, says = (row.cells[column] for column in WISH_COLUMNS[:4])
    if wants == LASTING:
        yield f"  - use: {name}"
    else:
        values = _VALUES.search(wants)
        yield f"  - name: {name}"
        yield f"    wish: {_said(wants[: values.start()] if values else wants)}"
        if values:
            yield f"    values: {{{', '.join(_value(page, row, one) for one in values[1].split(';'))}}}"
        yield f"    says: {_said(says)}"
    yield from _told(page, row, stands)
    yield f"    holds: {{{', '.join(_shown(page, row))}}}"


def _value(page: SheetPage, row: FilledRow, given: str) -> str:
    value, sign, words = (part.strip() for part in given.partition("="))
    if not (value and sign and words):
        raise PackError(page.name, f"line {row.line}", f"expected VALUE = WORDS; …, got {given!r}")
    return f"{_said(value)}: {_said(words)}"


def _told(page: SheetPage, row: FilledRow, stands: str) -> Iterator[str]:
    if stands == ONLY_SHE:
        return
    if stands.startswith("session "):
        yield f"    told_in: {stands.removeprefix('session ').strip()}"
        return
    place, sign, sentence = stands.partition(":")
    if not sign or not sentence.strip():
        reason = (
            f"expected '{ONLY_SHE}', 'session TASK', 'FILE: SENTENCE' or 'APP.TABLE.COLUMN: SENTENCE', got {stands!r}"
        )
        raise PackError(page.name, f"line {row.line}", reason)
    found, said = _app_column(place), _said(sentence.strip().strip('"'))
    if found is not None:
        yield f"    told: {{app: {found[1]}, table: {found[2]}, column: {found[3]}, sentence: {said}}}"
    else:
        yield f"    told: {{file: {_said(place.strip())}, sentence: {said}}}"


def _app_column(place: str) -> re.Match[str] | None:
    """App, table and column that a place names; None where it is a file."""
    found = _ROWS.fullmatch(place.strip())
    return found if found is not None and found[3] and found[1] in app_names() else None


def _shown(page: SheetPage, row: FilledRow) -> Iterator[str]:
    results = [one.cells["result"] for one in page.results]
    for part in row.cells["what shows it"].split(";"):
        result, sign, facets = (one.strip() for one in part.partition(":"))
        if not sign or result not in (*results, "check"):
            raise PackError(
                page.name, f"line {row.line}", f"expected RESULT: FACET; {unknown('result', result, results)}"
            )
        listed = [one.strip() for one in facets.split(",")]
        yield f"{result}: {listed[0] if len(listed) == 1 else '[' + ', '.join(listed) + ']'}"


def _read(page: SheetPage) -> list[str]:
    places = []
    for row in page.wishes:
        place, sign, _ = row.cells["where it stands"].partition(":")
        if sign and _app_column(place) is None:
            places.append(place.strip())
        elif place.startswith("session "):
            places.append("memory/HISTORY.md")
    return list(dict.fromkeys(places)) or ["README.md"]


def _questions(page: SheetPage) -> Iterator[str]:
    for row in page.wishes:
        name, asked = row.cells["wish"], [one.strip() for one in row.cells["how one asks"].split("/") if one.strip()]
        if row.cells["what she wants"] == LASTING:
            yield f"{name}: {{like: {name}}}"
            continue
        if len(asked) < MIN_EXAMPLES:
            reason = (
                f"expected {MIN_EXAMPLES} questions or more by which one asks for it, with / between; got {len(asked)}"
            )
            raise PackError(page.name, f"line {row.line}", reason)
        yield f"{name}:"
        yield "  asked:"
        yield from (f"    - {_said(one)}" for one in asked)


def _right(page: SheetPage) -> str:
    names = [row.cells["wish"].replace("-", "_") for row in page.wishes]
    given: list[Any] = []
    for row in page.results:
        result, kind, place = (row.cells[column] for column in RESULT_COLUMNS)
        if kind == "reply":
            continue
        content = "[]" if kind == "rows" else 'File("name.md", "")' if place.startswith("a new file in") else '""'
        given.append(f'        "{result}": {content},')
    imports = "File, Stream" if any("File(" in one for one in given) else "Stream"
    listed = "\n".join(given)
    return f'''"""{page.title}: the world, and what is right in it."""

from __future__ import annotations

from typing import Any

from pi_gym.authoring import {imports}


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw the facts of this world, and the files that are computed from them."""
    facts: dict[str, Any] = {{}}
    files: dict[str, str] = {{}}
    return facts, files


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """What is right for each result. A wish of which nothing is known is None.

    Wishes: {", ".join(names)}.
    """
    return {{
{listed}
    }}
'''
