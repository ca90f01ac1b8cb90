"""Runs a rule script over a tool history: a program for the sandbox, of the standard library alone.

Arguments: the script, the history (JSON), the file for the result (JSON). The result is one of

- {"items": [name, …], "passed": [name, …]}, and where there are such items "odd": {name: "…"}: the value is no whole
  number, so the item is neither passed nor failed;
- {"items": [name, …], "raised": "…"}: the script failed on this history;
- {"broken": "…"}: what it does is not what scripts are asked for, whatever the history is, or it needs what the
  sandbox does not have.

Where the sandbox's memory ends there is no result.
"""

from __future__ import annotations

import errno
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

MAX_ITEMS = 1_000
MAX_NAME_CHARS = 500
_NOT_HERE = frozenset(
    (
        *(errno.EACCES, errno.EPERM, errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE),
        *(errno.ENOSPC, errno.EFBIG, errno.EDQUOT),
        *(errno.EAFNOSUPPORT, errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETDOWN, errno.ENETUNREACH),
    )
)


class Broken(Exception):
    """The script does not keep its contract."""


def judge(script: str, history: list[dict[str, Any]]) -> dict[str, Any]:
    """The result of the script on a history. What it raises is reported, never passed on.

    Raises:
        MemoryError: there is not enough for it here.
    """
    try:
        spec = importlib.util.spec_from_file_location("rule_script", script)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        items = _names(module.score([]))
    except MemoryError:
        raise
    except BaseException as error:
        return {"broken": _told(error)}
    try:
        return {"items": items, **_judged(items, _scores(module.score(history), "this history"))}
    except MemoryError:
        raise
    except Broken as error:
        return {"broken": _told(error)}
    except Exception as error:
        return {"broken": _told(error)} if _of_the_sandbox(error) else {"items": items, "raised": _told(error)}
    except BaseException as error:  # one that ends the program, as `sys.exit` does
        return {"broken": _told(error)}


def _names(scores: Any) -> list[str]:
    """The items that `score([])` names."""
    names = list(_scores(scores, "[]"))
    if not names:
        raise Broken("score([]) names no items")
    if len(names) > MAX_ITEMS:
        raise Broken(f"score([]) names {len(names)} items; at most {MAX_ITEMS} are possible")
    for name in names:
        if not (isinstance(name, str) and name.strip() and len(name) <= MAX_NAME_CHARS):
            raise Broken(f"score([]): expected texts of up to {MAX_NAME_CHARS} characters as keys, got {_short(name)}")
        name.encode()  # half a character is no text either
    return names


def _scores(value: Any, given: str) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise Broken(f"score({given}) gave no dict, but {_short(value)}")
    return value


def _judged(items: list[str], scores: dict[Any, Any]) -> dict[str, Any]:
    """The result by scores: above 0, or True, is passed; a missing name is 0, one that is no item is ignored."""
    passed: list[str] = []
    odd: dict[str, str] = {}
    for name in items:
        value = scores.get(name, 0)
        if not (isinstance(value, int) or (isinstance(value, float) and value.is_integer())):
            odd[name] = f"expected a whole number or a bool, got {_short(value)}"
        elif value > 0:
            passed.append(name)
    return {"passed": passed, "odd": odd} if odd else {"passed": passed}


def _of_the_sandbox(error: BaseException | None) -> bool:
    """Whether it was raised for what the sandbox does not have (network, packages, room), or because of such an error.

    That says nothing of the history.
    """
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        reason = getattr(error, "reason", None)  # what urllib puts around an error of the network
        for one in (error, reason):
            if isinstance(one, ImportError) or (isinstance(one, OSError) and (one.errno or 0) in _NOT_HERE):
                return True
            if isinstance(one, OSError) and (one.errno or 0) < 0:  # no address was found for a name
                return True
        error = error.__cause__ or error.__context__
    return False


def _short(value: Any) -> str:
    try:
        return f"{value!r:.80}"
    except Exception:
        return f"a {type(value).__name__}"


def _told(error: BaseException) -> str:
    if isinstance(error, Broken):
        return _text(str(error))
    try:
        return _text(f"{type(error).__name__}: {error}")
    except Exception:
        return type(error).__name__


def _text(text: str) -> str:
    """The beginning of a text: at most 300 characters, all of them whole."""
    return text[:300].encode("utf-8", "replace").decode()


def main(arguments: list[str]) -> None:
    """Judge, and write the result."""
    script, history, result = arguments
    found = judge(script, json.loads(Path(history).read_text(encoding="utf-8")))
    Path(result).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    del sys.path[0]  # this file's folder: a script imports the standard library and nothing else
    main(sys.argv[1:])
