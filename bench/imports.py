"""The import graph: modules, arrows between parts, circles, and arrows that run up.

    python bench/imports.py [CHECKOUT …]

Imports count wherever they stand: at the top, in functions, for types alone. A part is a folder or a module of pi_gym.
A circle is told as often as an arrow must be taken out before there is none.
"""

from __future__ import annotations

import argparse
import ast
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

FOLDERS = {"pi_gym": "pi_gym", "wrappers": "pi_gym.wrappers", "baselines": "pi_gym.baselines"}


def modules(root: Path) -> dict[str, Path]:
    """The modules of a checkout by name, as they are installed."""
    found = {}
    for folder, package in FOLDERS.items():
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root / folder).with_suffix("").parts
            found[".".join([package, *(part for part in parts if part != "__init__")])] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the checkout that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= whole & set(known) or {node.module}
    return found & set(known)


def knots(graph: dict[str, set[str]]) -> list[list[str]]:
    """The circles of a graph, one after the other, each cut where it was found."""
    graph, found = {name: set(others) for name, others in graph.items()}, []
    while True:
        try:
            tuple(TopologicalSorter(graph).static_order())
        except CycleError as error:
            circle = list(error.args[1])
            found.append(circle)
            graph[circle[1]].discard(circle[0])
        else:
            return found


def part_of(module: str) -> str:
    """The part that a module belongs to; empty for pi_gym itself."""
    return [*module.split("."), ""][1]


def main() -> None:
    """Print a line for each checkout, and its circles."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*", type=Path, default=[Path(__file__).parents[1]])
    for root in parser.parse_args().checkouts:
        known = modules(root)
        graph = {name: imported(path, known) - {name} for name, path in known.items()}
        parts: dict[str, set[str]] = defaultdict(set)
        for name, others in graph.items():
            parts[part_of(name)] |= {part_of(other) for other in others} - {part_of(name), ""}
        parts.pop("", None)
        parts.pop("__main__", None)
        up = sum("pi_gym" in others for name, others in graph.items() if name not in ("pi_gym", "pi_gym.__main__"))
        arrows = sum(map(len, graph.values()))
        print(f"{root.name}: {len(known)} modules, {arrows} imports; {len(parts)} parts,", end=" ")
        print(f"{sum(map(len, parts.values()))} arrows between parts; {up} modules import pi_gym itself")
        for kind, circles in (("modules", knots(graph)), ("parts", knots(parts))):
            print(f"  circles of {kind}: {len(circles)}")
            for circle in circles:
                print(f"    {' <- '.join(circle)}")


if __name__ == "__main__":
    main()
