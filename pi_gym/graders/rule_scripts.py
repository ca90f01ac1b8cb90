"""Rule scripts: programs of a task that judge the history of tool calls, run in the sandbox for commands.

A script defines `score(tools_history) -> dict`; it is given all calls of the session.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pi_gym.apps import app_names
from pi_gym.errors import AnswerError
from pi_gym.graders.base import FinalView
from pi_gym.packs.official import program
from pi_gym.packs.official.names import PREFIX
from pi_gym.tools.shell_result import ENDINGS, NoShellResult, ShellResult
from pi_gym.types import CallRecord, ToolRequest

FOLDER = ".rule_script"
WALL_S = 30.0
_PROGRAM, _SCRIPT, _HISTORY, _RESULT = (
    f"{FOLDER}/{name}" for name in ("run.py", "script.py", "calls.json", "out.json")
)


def tools_history(calls: Iterable[CallRecord]) -> list[dict[str, Any]]:
    """Tool calls as rule scripts know them, oldest first.

    Results are JSON values where they can be read as such; an app's lie under "response".
    """
    apps = app_names()
    history = []
    for call in calls:
        of_app = call.name.partition("__")[0] in apps
        result = _value(call.result)
        if of_app:
            result = {"response": result if call.ok else {"message": call.result}}
        name = PREFIX + call.name if of_app else call.name
        history.append({"tool_name": name, "call": dict(call.arguments), "result": result})
    return history


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def script_request(source: str, view: FinalView) -> ToolRequest:
    """A command over a copy of the final workspace, with a script and what it is asked beside it."""
    history = json.dumps(tools_history(view.evidence.calls), ensure_ascii=False)
    beside = {_PROGRAM: Path(program.__file__).read_text(encoding="utf-8"), _SCRIPT: source, _HISTORY: history}
    return ToolRequest(
        "shell",
        {
            # Nothing of the agent's is imported in place of a module: Python looks in the program's own folder, which
            # is all ours. Isolated (-I), it would look for its library where the sandbox does not show it.
            "command": f"python3 -s -B {_PROGRAM} {_SCRIPT} {_HISTORY} {_RESULT}",
            "working_dir": "",
            "root": view.task.persona.root,
            "workspace": view.evidence.now.fork(),
            "beside": beside,
            "wall_s": WALL_S,
        },
    )


def script_result(path: str, value: Any) -> dict[str, Any]:
    """The result that a script gave.

    Args:
        path: of the script, for errors.
        value: the answer's.

    Raises:
        AnswerError: the script could not be run here, which is no failure of the agent's.
    """
    if isinstance(value, dict) and isinstance(value.get("unavailable"), str):
        raise _failure(f"{path} needs a sandbox, and there is none: {value['unavailable']}")
    try:
        done = ShellResult.from_json(value)
    except NoShellResult as error:
        raise _failure(f"{path}: {error}") from error
    # One that is killed has given its last word too early, or not at all.
    if done.ended or _RESULT not in done.files:
        why = ENDINGS.get(done.ended) or done.overflow or _last_word(done)
        raise _failure(f"{path} gave no result ({why})")
    try:
        result = json.loads(done.files[_RESULT])
    except (ValueError, RecursionError) as error:
        raise _failure(f"{path} gave no result: {error}") from error
    if not _is_result(result):
        raise _failure(f"{path} gave no result, but {result!r:.200}")
    return dict(result)


def _failure(message: str) -> AnswerError:
    return AnswerError(message, "shell")


def _last_word(done: ShellResult) -> str:
    """The status, and the last line of what was printed: of an error, what it was."""
    said = done.output.strip().splitlines()[-1:]
    return ": ".join([f"status {done.exit}", *(line[:200] for line in said)])


def _is_result(value: Any) -> bool:
    """Whether it is what `pi_gym.packs.official.program` writes: a script shares its process, and may write too."""
    if not isinstance(value, dict):
        return False
    if set(value) == {"broken"}:
        return isinstance(value["broken"], str)
    items = value.get("items")
    if not (isinstance(items, list) and items and all(isinstance(name, str) for name in items)):
        return False
    known = set(items)
    if len(known) < len(items):
        return False
    if set(value) == {"items", "raised"}:
        return isinstance(value["raised"], str)
    if set(value) - {"odd"} != {"items", "passed"}:
        return False
    passed, odd = value["passed"], value.get("odd", {})
    return (
        isinstance(passed, list)
        and all(isinstance(name, str) and name in known for name in passed)
        and isinstance(odd, dict)
        and all(name in known and name not in passed and isinstance(why, str) for name, why in odd.items())
    )
