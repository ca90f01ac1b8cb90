"""Slips of rule scripts that show before a session: imports that the sandbox lacks, and scripts that nobody runs."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

_JUDGES = "score"
_HISTORY = "tools_history"
_IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException")
_NO_PYTHON = (SyntaxError, ValueError)
_TOO_DEEP = (RecursionError, MemoryError)


def script_slips(source: str, beside: Iterable[str] = ()) -> Iterator[str]:
    """The obstacles that keep a rule script from being run in the sandbox, a phrase each with its line.

    An import whose failure the script catches is none, and one in a function counts as any other.

    Args:
        source: the script.
        beside: names of the modules that lie beside it.
    """
    try:
        tree = _parsed(source)
    except _NO_PYTHON as error:
        yield f"line {getattr(error, 'lineno', None) or 1}: cannot be read as Python ({error})"
        return
    except _TOO_DEEP:
        return
    for name, line in sorted(_imports(tree.body), key=lambda found: found[1]):
        module = name.partition(".")[0]
        if not module:
            yield f"line {line}: imports what lies beside it, and the sandbox has the script alone"
        elif module not in sys.stdlib_module_names:
            why = "the script alone" if module in beside else "the standard library alone"
            yield f"line {line}: imports {module!r}, and the sandbox has {why}"


def idle_scripts(folder: Path, paths: Iterable[str], named: Iterable[str]) -> Iterator[str]:
    """Programs of a persona's folder that judge tool calls, and that no task names.

    Args:
        folder: the persona's.
        paths: the files in it, relative.
        named: those that tasks name.
    """
    known = set(named)
    for path in paths:
        if path.endswith(".py") and path not in known and not path.startswith("skills/"):
            try:
                tree = _parsed((folder / path).read_bytes())
            except (*_NO_PYTHON, *_TOO_DEEP):
                continue
            # An asset of a task may be a program of its own that scores something else.
            if any(_judges(node, certain=path.startswith("tasks/")) for node in tree.body):
                yield path


def modules_beside(script: Path) -> list[str]:
    """Names of the modules that lie beside a script."""
    return [PurePosixPath(path.name).stem for path in script.parent.iterdir() if path.suffix == ".py" or path.is_dir()]


def _parsed(source: str | bytes) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as of an escape sequence: that is the script's own affair
        return ast.parse(source)


def _judges(node: ast.stmt, *, certain: bool) -> bool:
    if not (isinstance(node, ast.FunctionDef) and node.name == _JUDGES):
        return False
    return not certain or [one.arg for one in (*node.args.posonlyargs, *node.args.args)][:1] == [_HISTORY]


def _imports(body: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """Names of imported modules with their lines; "" for one that is relative."""
    left = list(body)
    while left:
        node = left.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "" if node.level else node.module or "", node.lineno
        elif isinstance(node, ast.Try) and any(map(_catches_imports, node.handlers)):
            left += [*node.handlers, *node.orelse, *node.finalbody]
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in (
            getattr(node.test, "id", ""),
            getattr(node.test, "attr", ""),
        ):
            left += node.orelse
        else:
            left += ast.iter_child_nodes(node)


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(part, ast.Name) and part.id in _IMPORT_ERRORS for part in parts)
