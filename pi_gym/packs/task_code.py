"""The computed part of a task, `right.py`, or of a pack, `shared.py`: executed once, held to purity by a check of its
syntax tree.

The check keeps authors honest (no I/O, no clock, no global randomness); it is not a sandbox against a hostile author.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import marshal
import os
import re
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import MAGIC_NUMBER, cache_from_source, decode_source, source_hash
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from pi_gym.errors import PackError

ALLOWED_IMPORTS = frozenset(
    [
        "__future__",
        "base64",
        "bisect",
        "collections",
        "collections.abc",
        "csv",
        "dataclasses",
        "datetime",
        "decimal",
        "fractions",
        "functools",
        "heapq",
        "io",
        "itertools",
        "json",
        "math",
        "operator",
        "statistics",
        "string",
        "struct",
        "textwrap",
        "typing",
        "zlib",
        "pi_gym.authoring",
    ]
)
_FORBIDDEN_NAMES = frozenset(
    [
        "open",
        "exec",
        "eval",
        "compile",
        "__import__",
        "input",
        "globals",
        "locals",
        "vars",
        "breakpoint",
        "print",
        "hash",
        "id",
        "setattr",
        "delattr",
    ]
)
_CLOCK_ATTRIBUTES = frozenset(["now", "today", "utcnow", "fromtimestamp"])
_EVIDENCE = "evidence"
#: Names that definitions and imports bring without anybody reading them, and that of a workspace as it is.
_OF_DEFINITIONS = frozenset(
    [
        "__annotations__",
        "__doc__",
        "__future__",
        "__init__",
        "__module__",
        "__name__",
        "__post_init__",
        "__qualname__",
        "now",
    ]
)
#: In the text: these read as attributes, a clock, statements that leave no name behind, relative imports.
_HINTS = re.compile(r"\.\s*__|(?<!\bevidence)\.\s*now\b|\b(?:global|nonlocal)\b|\bfrom\s+\.")
_IMPORT = dis.opmap["IMPORT_NAME"]
_ASYNCHRONOUS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
#: Runs in several threads may load the same file.
_IN_MODULES = threading.Lock()


@dataclass(frozen=True)
class TaskCode:
    """The functions of one `right.py`.

    Args:
        world: `world(stream, preferences) -> (params, files)`, or None.
        right: `right(world, wishes) -> content of the results`, or None.
        checks: functions of the evidence, by name, for the predicate `function:`; its own, and helpers so named.
        makers: all other functions by name, for the steps of a solution.
    """

    world: Callable[..., Any] | None = None
    right: Callable[..., Any] | None = None
    checks: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    makers: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def load_task_code(path: Path, shown: str) -> TaskCode:
    """Read, check and execute a `right.py` or a `shared.py`; PackError names file and line."""
    if not path.exists():
        return TaskCode()
    data = path.read_bytes()
    name = f"pi_gym_variant_{path.parent.name.replace('-', '_')}"
    try:
        code = _compiled(path, data)
    except SyntaxError as error:
        raise PackError(shown, f"line {error.lineno}", f"syntax error: {error.msg}") from error
    except ValueError as error:
        raise PackError(shown, "", f"cannot be read as Python: {error}") from error
    source = decode_source(data)
    if _may_be_impure(code, source):
        _check(ast.parse(source, filename=shown), shown)
    module = ModuleType(name)
    module.__dict__["__builtins__"] = builtins
    # dataclasses look their module up by name while a class is made; afterwards sys.modules is as it was.
    with _IN_MODULES:
        sys.modules[module.__name__] = module
        try:
            exec(code, module.__dict__)
        except Exception as error:
            raise PackError(shown, "", f"raised at import: {type(error).__name__}: {error}") from error
        finally:
            del sys.modules[module.__name__]
    own = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }
    return TaskCode(
        own.get("world"),
        own.get("right"),
        {name: value for name, value in vars(module).items() if name.startswith("check_") and callable(value)},
        own,
    )


def _compiled(path: Path, data: bytes) -> CodeType:
    """The code of a file, from kept bytecode where that is of this very content.

    As of any module, bytecode is kept where Python keeps it. Python itself would take what was compiled of a file with
    the same size in the same second; a pack's content hash must never stand for anything else than what is played.
    """
    head = MAGIC_NUMBER + (3).to_bytes(4, "little") + source_hash(data)  # PEP 552: by hash, and always compared
    kept = Path(cache_from_source(str(path)))
    with suppress(OSError, ValueError, EOFError, TypeError):
        found = kept.read_bytes()
        if found.startswith(head):
            code = marshal.loads(found[len(head) :])
            if isinstance(code, CodeType):
                return code
    made: CodeType = compile(data, str(path), "exec", dont_inherit=True)
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            kept.parent.mkdir(parents=True, exist_ok=True)
            part = kept.with_name(f"{kept.name}.{os.getpid()}")
            part.write_bytes(head + marshal.dumps(made))
            part.replace(kept)
    return made


def _may_be_impure(code: CodeType, source: str) -> bool:
    """Whether anything hints that the check of the syntax tree, which takes most of the time, may find a fault.

    Whatever code names or imports, its compiled form lists; what that leaves open is looked for in the text.
    """
    if _HINTS.search(source):
        return True
    waiting = [code]
    while waiting:
        one = waiting.pop()
        if one.co_flags & _ASYNCHRONOUS:
            return True
        named = {*one.co_names, *one.co_varnames, *one.co_freevars, *one.co_cellvars} - _OF_DEFINITIONS
        if named & _FORBIDDEN_NAMES or named & _CLOCK_ATTRIBUTES or any(map(_is_dunder, named)):
            return True
        if not _imports(one) <= ALLOWED_IMPORTS:
            return True
        waiting += [part for part in one.co_consts if isinstance(part, CodeType)]
    return False


def _imports(code: CodeType) -> set[str]:
    """The modules that a code object imports; `dis` would say it in ten times the time."""
    found, names, high = set(), code.co_names, 0
    for operation, argument in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        if operation == _IMPORT:
            found.add(names[high | argument])
        high = (high | argument) << 8 if operation == dis.EXTENDED_ARG else 0
    return found


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _check(tree: ast.Module, shown: str) -> None:
    name = shown.rpartition("/")[2]
    for node in ast.walk(tree):
        line = f"line {getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            for module in names:
                if module not in ALLOWED_IMPORTS:
                    allowed = ", ".join(sorted(ALLOWED_IMPORTS))
                    raise PackError(shown, line, f"import of {module!r} is not allowed; allowed are {allowed}")
        elif isinstance(node, ast.Name) and node.id in _FORBIDDEN_NAMES:
            raise PackError(shown, line, f"{node.id!r} is not allowed: {name} must be pure")
        elif isinstance(node, ast.Attribute) and _is_forbidden(node):
            raise PackError(shown, line, f"attribute {node.attr!r} is not allowed: {name} must be pure")
        elif isinstance(node, ast.Global | ast.Nonlocal | ast.AsyncFunctionDef | ast.Await):
            raise PackError(shown, line, f"global, nonlocal and async have no place in {name}: it must be pure")


def _is_forbidden(node: ast.Attribute) -> bool:
    if node.attr in _CLOCK_ATTRIBUTES:
        # `evidence.now` is the workspace as it is, not a clock.
        return not (isinstance(node.value, ast.Name) and node.value.id == _EVIDENCE)
    return _is_dunder(node.attr)
