"""Runs a rule script over a tool history: a program for the sandbox, of the standard library alone.

Arguments: the script, the history (JSON), the file for the result (JSON). The result is one of

- {"items": [name, …], "passed": [name, …]}
- {"items": [name, …], "raised": "…"}: the script failed on this history;
- {"broken": "…"}: it cannot be run at all, whatever the history is.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any


def judge(script: str, history: list[dict[str, Any]]) -> dict[str, Any]:
    """What the script says of a history. What it raises is reported, never passed on."""
    try:
        spec = importlib.util.spec_from_file_location("rule_script", script)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        items = [str(name) for name in module.score([])]
    except BaseException as error:
        return {"broken": _told(error)}
    if not items:
        return {"broken": "score([]) names no items"}
    try:
        scores = module.score(history)
        return {"items": items, "passed": [name for name in items if _holds(scores, name)]}
    except BaseException as error:
        return {"items": items, "raised": _told(error)}


def _holds(scores: Any, name: str) -> bool:
    value = {str(key): value for key, value in scores.items()}.get(name, 0)
    return bool(int(value) > 0)


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]


def main(arguments: list[str]) -> None:
    """Judge, and write the result."""
    script, history, result = arguments
    found = judge(script, json.loads(Path(history).read_text(encoding="utf-8")))
    Path(result).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
