"""Workspace files that records of an app carry: copied at the moment they are attached, as a service would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_gym.apps.columns import MAX_TEXT_CHARS, Column, TableSpec
from pi_gym.apps.desk import TableDesk, mounted
from pi_gym.tools.declare import ToolError
from pi_gym.tools.outgoing import content_hash

TABLE = "attachments"
MAX_FILES = 10


def attachment_table(record: str, table: str) -> TableSpec:
    """The table of an app's attachments, to be named `TABLE`.

    Args:
        record: what carries them, for authors ("e-mail").
        table: the table of what carries them.
    """
    return TableSpec(
        {
            "record": Column(int, f"the id of the {record} that carries it", refers=table),
            "file_name": Column(str, "its name without folders"),
            "path": Column(str, "where in the workspace it came from; empty for what others sent", ""),
            "bytes": Column(int, "its size"),
            "sha256": Column(str, "of its bytes", ""),
            "text": Column(str, f"its text, at most {MAX_TEXT_CHARS} characters; empty where it is none", ""),
        },
        noun="attachment",
    )


def files_of(desk: TableDesk, paths: Sequence[str]) -> list[dict[str, Any]]:
    """The rows for some workspace files, without their record, as the files are now.

    Args:
        desk: the app.
        paths: workspace files, with or without `~/` in front.

    Raises:
        ToolError: there is no such file, it is a directory, or there are too many.
        PathRefused: a path is not acceptable.
    """
    if len(paths) > MAX_FILES:
        raise ToolError(f"At most {MAX_FILES} files can be attached, not {len(paths)}.")
    rows = []
    for path, given in {desk.context.path(mounted(given)): given for given in paths}.items():
        blob = desk.context.workspace.blob(path)
        if blob is None:
            if desk.context.workspace.is_folder(path):
                raise ToolError(f"{given!r} is a directory; only files can be attached.")
            raise desk.context.absent(path)
        text = desk.context.workspace.text(path) or ""
        rows.append(
            {
                "file_name": path.rpartition("/")[2],
                "path": path,
                "bytes": len(blob.data),
                "sha256": content_hash(blob.data),
                "text": text[:MAX_TEXT_CHARS],
            }
        )
    return rows


def attach(desk: TableDesk, record: int, rows: Sequence[dict[str, Any]]) -> None:
    """Let a record carry the files."""
    for row in rows:
        desk.insert(TABLE, record=record, **row)


def files_on(desk: TableDesk, table: str, record: int) -> list[dict[str, Any]]:
    """The files that a record carries, without their record, for another one.

    Args:
        desk: the app.
        table: the table of attachments.
        record: the id of what carries them.
    """
    return [
        {name: value for name, value in row.items() if name != "record"}
        for _, row in desk.having(table, "record", record)
    ]


def attached(desk: TableDesk, record: int) -> list[dict[str, Any]]:
    """A record's attachments as an agent sees them."""
    return [
        {"file_name": row["file_name"], "bytes": row["bytes"], "text": row["text"]}
        for _, row in desk.having(TABLE, "record", record)
    ]


def download(desk: TableDesk, what: str, record: int, folder: str) -> dict[str, Any]:
    """Write the files that a record carries into a folder of the workspace, as texts.

    Args:
        desk: the app.
        what: the record in words, for messages ("The e-mail 7").
        record: the id of what carries them.
        folder: with or without `~/` in front; it is made where it does not exist.

    Returns:
        The paths of the files, and the names of those that are no text.

    Raises:
        ToolError: the record carries no text file.
    """
    files = files_on(desk, TABLE, record)
    no_text = [file["file_name"] for file in files if file["bytes"] and not file["text"]]
    if len(no_text) == len(files):
        carried = f"no text file, only {', '.join(no_text)}" if files else "no files"
        raise ToolError(f"{what} carries {carried}; there is nothing to save.")
    saved, place = [], desk.context.path(mounted(folder))
    for file in files:
        if file["file_name"] not in no_text:
            path = _free_path(desk, f"{place}/{file['file_name']}" if place else file["file_name"], file["text"])
            desk.context.workspace.write(path, file["text"].encode(errors="replace"))
            saved.append(path)
    return {"message": f"Saved: {', '.join(saved)}.", "paths": saved} | ({"not_saved": no_text} if no_text else {})


def _free_path(desk: TableDesk, wanted: str, text: str) -> str:
    """A path where nothing else lies: the wanted one, or one with a number before its ending."""
    stem, dot, ending = wanted.rpartition(".")
    if "/" in ending or not stem:
        stem, dot, ending = wanted, "", ""
    count = 1
    while True:
        path = desk.context.target(wanted if count == 1 else f"{stem}-{count}{dot}{ending}")
        there = desk.context.workspace.node(path)
        if there is None or desk.context.workspace.text(path) == text:
            return path
        count += 1
