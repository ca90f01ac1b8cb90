"""Files on the phone of the tests."""

from __future__ import annotations

from typing import Any

ROWS: dict[str, dict[int, dict[str, Any]]] = {}
FILES = {"notes/a.txt": "one\ntwo\nthree\n", "notes/deep/b.txt": "four\n"}
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "Files__open": [{"path": "notes/a.txt"}],
    "Files__display": [{"path": "notes/a.txt"}],
    "Files__read_document": [{"file_path": "notes/a.txt", "max_lines": 2}],
    "Files__cat": [{"path": "notes", "recursive": True}],
    "Files__exists": [{"path": "notes"}],
    "Files__info": [{"path": "notes/a.txt"}],
    "Files__mkdir": [{"path": "new/folder"}],
    "Files__makedirs": [{"path": "new/folder"}],
    "Files__mv": [{"path1": "notes/a.txt", "path2": "new.txt"}, {"path1": "notes", "path2": "new"}],
    "Files__rm": [{"path": "notes/a.txt"}, {"path": "notes"}],
}
