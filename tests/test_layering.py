"""Imports go downward only, no module imports itself in a circle, and what is hidden has one way out."""

from __future__ import annotations

import ast
import re
import runpy
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

DECLARED = runpy.run_path(str(Path(__file__).parents[1] / "scripts" / "layers.py"))
ROOT: Path = DECLARED["ROOT"]
PLACES: dict[str, Path] = DECLARED["PLACES"]
FRONTS: dict[str, Path] = DECLARED["FRONTS"]
LAYERS: tuple[str, ...] = DECLARED["LAYERS"]
LEVEL: dict[str, int] = DECLARED["LEVEL"]
NEUTRAL = {name for name, level in LEVEL.items() if level < LEVEL[DECLARED["FIRST_OF_A_FAMILY"]]}
FAMILIES = set(LEVEL) - NEUTRAL


def modules() -> dict[str, Path]:
    found = {}
    for package, folder in PLACES.items():
        for path in sorted(folder.rglob("*.py")):
            if "__pycache__" in path.parts:
                continue
            parts = path.relative_to(folder).with_suffix("").parts
            name = ".".join([package, *(part for part in parts if part != "__init__")])
            found[name] = path
    return found


MODULES = modules()


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def is_typing_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


@cache
def imports_of(module: str, *, lazy: bool) -> tuple[tuple[str, int], ...]:
    """Names that a module imports, with line; those inside functions only where `lazy`."""
    return tuple(imports(tree_of(module), lazy=lazy))


def imports(node: ast.AST, *, lazy: bool) -> Iterator[tuple[str, int]]:
    """Names that a module imports, with line; those inside functions only where `lazy`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, child.lineno) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"line {child.lineno}: relative imports hide the layer"
            for alias in child.names:
                whole = f"{child.module}.{alias.name}"
                yield (whole if whole in MODULES else str(child.module)), child.lineno
        elif is_typing_only(child):
            yield from ((name, line) for part in child.orelse for name, line in imports(part, lazy=lazy))  # type: ignore[attr-defined]
        elif isinstance(child, ast.expr):
            continue  # most of a tree, and without imports
        elif lazy or not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from imports(child, lazy=lazy)


def part_of(module: str) -> str:
    """The part of pi_gym that a module belongs to; empty for pi_gym itself."""
    return [*module.split("."), ""][1]


def modules_of(parts: Iterable[str]) -> list[str]:
    return [name for name in MODULES if part_of(name) in parts]


def imported_by(names: Iterable[str], *, lazy: bool) -> Iterator[tuple[str, str]]:
    """Each import of these modules: the imported name, and a line for messages."""
    for module in names:
        for name, line in imports_of(module, lazy=lazy):
            yield name, f"{module}, line {line}: {name}"


def test_every_part_has_a_layer_and_every_name_is_a_part() -> None:
    parts = {part_of(name) for name in MODULES} - {"", "__main__"}
    assert parts == set(LEVEL), f"scripts/layers.py lacks {parts - set(LEVEL)}, and has {set(LEVEL) - parts} too much"


@pytest.mark.parametrize("own", sorted(LEVEL))
def test_imports_go_downward(own: str) -> None:
    upward = []
    for name, place in imported_by(modules_of({own}), lazy=False):
        other = part_of(name) if name.split(".")[0] == "pi_gym" else ""
        if other and other not in ("envs", own) and LEVEL[other] >= LEVEL[own]:
            upward.append(place)
    assert upward == [], f"{own} must not import these"


@pytest.mark.parametrize("part", sorted(NEUTRAL))
def test_what_serves_every_family_knows_none_not_even_when_it_runs(part: str) -> None:
    """Imports inside functions too; `pi_gym` itself registers the families, and is not imported from below."""
    found = imported_by(modules_of({part}), lazy=True)
    known = [place for name, place in found if name.split(".")[0] == "pi_gym" and part_of(name) not in NEUTRAL]
    assert known == [], "they are of a family, or above"


#: Plug-ins that are found where they lie, by the name of their package.
PLUG_INS = {"pi_gym.baselines"}


@pytest.mark.parametrize("part", sorted(NEUTRAL))
def test_what_serves_every_family_names_none_in_a_text_that_could_be_imported(part: str) -> None:
    named = []
    for module in modules_of({part}):
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                name = node.value.partition(":")[0]
                if re.fullmatch(r"pi_gym(\.\w+)+", name) and name not in PLUG_INS and part_of(name) in FAMILIES:
                    named.append(f"{module}, line {node.lineno}: {name}")
    assert named == [], "they are of a family"


def test_no_second_copy_of_a_module_is_imported() -> None:
    folders = ("envs", "wrappers", "baselines", "tests")
    assert [place for name, place in imported_by(MODULES, lazy=True) if name.split(".")[0] in folders] == []


def test_task_code_and_examples_import_no_second_copy_either() -> None:
    for path in [*ROOT.glob("envs/**/*.py"), *ROOT.glob("examples/**/*.py"), *ROOT.glob("bench/**/*.py")]:
        for name, line in imports(ast.parse(path.read_text(encoding="utf-8")), lazy=True):
            assert name.split(".")[0] not in ("envs", "wrappers", "baselines"), f"{path}, line {line}: {name}"


@pytest.mark.parametrize("front", sorted(FRONTS))
def test_a_module_beside_the_package_hands_on_adapters_and_nothing_imports_it(front: str) -> None:
    imported = [name for name, _ in imports(ast.parse(FRONTS[front].read_text(encoding="utf-8")), lazy=True)]
    assert imported
    assert {part_of(name) for name in imported} == {"adapters"}
    assert [place for name, place in imported_by(MODULES, lazy=True) if name.split(".")[0] == front] == []


def test_every_module_beside_the_package_is_declared() -> None:
    assert set(FRONTS) == {path.stem for path in ROOT.glob("*.py")} - {"setup"}


def graph() -> dict[str, set[str]]:
    """Who imports whom when it is imported itself; importing a module runs its packages first."""
    edges: dict[str, set[str]] = {}
    for module in MODULES:
        targets = set()
        for name, _ in imports_of(module, lazy=False):
            parts = name.split(".")
            chain = {".".join(parts[:count]) for count in range(1, len(parts) + 1)} & set(MODULES)
            # A package that is being imported already is no circle for what lies in it.
            targets |= {one for one in chain if not module.startswith(one + ".") and one != module}
        edges[module] = targets
    return edges


def test_there_are_no_import_cycles() -> None:
    edges, done, path = graph(), set[str](), list[str]()

    def visit(module: str) -> None:
        if module in path:
            pytest.fail("circle: " + " -> ".join([*path[path.index(module) :], module]))
        if module not in done:
            path.append(module)
            for other in sorted(edges[module]):
                visit(other)
            done.add(path.pop())

    for module in edges:
        visit(module)


# -- the leak barrier ------------------------------------------------------------------------------------------------

HIDDEN = {"intents", "checklist", "reveal", "satisfied", "asked", "values", "undrawn", "reference", "reference_for"}


def reads_of_hidden(tree: ast.Module) -> list[str]:
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in HIDDEN
        and not (node.attr == "values" and isinstance(getattr(node, "ctx", None), ast.Load) and _is_called(tree, node))
    ]


def _is_called(tree: ast.Module, node: ast.Attribute) -> bool:
    return any(isinstance(other, ast.Call) and other.func is node for other in ast.walk(tree))


@pytest.mark.parametrize(
    "module",
    [name for name in MODULES if name.startswith(("pi_gym.tools", "pi_gym.apps", "pi_gym.pibench.opening"))]
    + ["pi_gym.pibench.views", "pi_gym.session.actions"],
)
def test_what_builds_the_agents_view_never_reads_what_is_hidden(module: str) -> None:
    assert reads_of_hidden(tree_of(module)) == []


def test_tools_know_no_task() -> None:
    found = imported_by(modules_of({"tools", "apps"}), lazy=True)
    assert [place for name, place in found if part_of(name) in ("packs", "users", "graders")] == []


def test_only_the_session_speaks_to_the_agent() -> None:
    """The transcript is made in one place; whoever else renders messages could bypass the barrier."""
    users = {
        module
        for module, tree in ((name, tree_of(name)) for name in MODULES)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id in ("render_message", "message_parts")
    }
    own = "pi_gym.session.transcript"
    assert users - {own} <= {
        "pi_gym.pibench.opening",
        "pi_gym.session.live_session",
        "pi_gym.pibench.views",
        "pi_gym.pare.pare_opening",
    }
