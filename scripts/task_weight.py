"""The weight of a pack's tasks, what is authored by hand: `python scripts/task_weight.py envs/researcher`.

Lines and bytes of task.yaml, right.py and ways.yaml together, those of questions.yaml apart, and how many of a task's
checks are facets and how many are functions of right.py or predicates written out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import yaml

AUTHORED = ("task.yaml", "right.py", "ways.yaml")


class TaskWeight(NamedTuple):
    """The weight of one task: lines and bytes of what is authored, and its checks."""

    name: str
    sheet: int
    lines: int
    size: int
    asked: int
    facets: int
    functions: int


def weigh(folder: Path) -> TaskWeight:
    """The weight of the task in a folder."""
    texts = [(folder / name).read_text(encoding="utf-8") for name in AUTHORED if (folder / name).is_file()]
    asked = folder / "questions.yaml"
    checks = list(_checks(yaml.safe_load((folder / "task.yaml").read_text(encoding="utf-8"))))
    return TaskWeight(
        folder.name,
        texts[0].count("\n"),
        sum(text.count("\n") for text in texts),
        sum(len(text.encode()) for text in texts),
        asked.read_text(encoding="utf-8").count("\n") if asked.is_file() else 0,
        len(checks) - checks.count("check"),
        checks.count("check"),
    )


def _checks(sheet: Mapping[str, Any]) -> Iterator[str]:
    """The names of the facets that a task uses, "check" for each function of right.py or predicate written out."""
    for result in sheet["results"].values():
        yield from _facets(result.get("sound"))
    for one in (*sheet["wishes"], *sheet.get("checklist", ())):
        for name, held in one["holds"].items():
            if name in ("check", "predicate"):
                yield from ["check"] * (1 if isinstance(held, str) or name == "predicate" else len(held))
            else:
                yield from _facets(held)


def _facets(held: Any) -> Iterator[str]:
    if isinstance(held, str):
        yield held
    elif isinstance(held, list | dict):
        yield from held


def main() -> None:
    """Print the table."""
    if len(sys.argv) != 2:
        sys.exit("expected the pack's folder: python scripts/task_weight.py envs/researcher")
    weights = [weigh(folder) for folder in sorted(Path(sys.argv[1], "tasks").iterdir()) if folder.is_dir()]
    print("| task | task.yaml | lines in all | bytes | questions.yaml | facets | functions |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for one in weights:
        print(f"| {' | '.join(map(str, one))} |")
    middle = [f"{mean(column):.0f}" for column in list(zip(*weights, strict=True))[1:5]]
    facets, functions = sum(one.facets for one in weights), sum(one.functions for one in weights)
    print(f"| mean, and all checks | {' | '.join(middle)} | {facets} | {functions} |")


if __name__ == "__main__":
    main()
