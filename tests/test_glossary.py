"""The words of the package: one public name has one meaning, and a docstring names its thing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
QUESTION = re.compile(r"\W*(What|How|Where|Why|Which|Who|When)\b")
SOURCES = [path for folder in ("pi_gym", "wrappers", "baselines") for path in sorted((ROOT / folder).rglob("*.py"))]


def names(path: Path) -> Iterator[str]:
    """The public classes and types that a module declares."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            name = ast.unparse(node.target)
        else:
            continue
        if not name.startswith("_"):
            yield name


def test_no_two_classes_or_types_have_one_name() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in SOURCES:
        for name in names(path):
            found[name].append(path.relative_to(ROOT).as_posix())
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_a_module_name_that_comes_twice_has_its_one_meaning_in_the_glossary() -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.M))
    found: dict[str, list[str]] = defaultdict(list)
    for path in SOURCES:
        place = path.relative_to(ROOT)
        of_an_app = place.parts[:2] in (("pi_gym", "apps"), ("pi_gym", "phone")) and len(place.parts) > 3
        if of_an_app or "cli" in place.parts or place.stem == "__main__":
            continue  # they are named for what the app has, and for the command
        found[place.parent.name if place.stem == "__init__" else place.stem].append(place.as_posix())
    twice = {name: places for name, places in found.items() if len(places) > 1}
    assert {name: places for name, places in twice.items() if name not in told} == {}
    assert told <= set(twice), f"in the glossary, and no name of two modules: {sorted(told - set(twice))}"


def test_the_first_sentence_of_a_docstring_names_the_thing() -> None:
    riddles = [
        f"{path.relative_to(ROOT).as_posix()}:{node.lineno}: {node.value.value.strip().splitlines()[0]}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if QUESTION.match(node.value.value)
    ]
    assert not riddles, "name the thing, or say what the function does:\n" + "\n".join(
        [
            *riddles,
            'write "The seconds that the server asks to wait." or "Return …", not "How long to wait."',
        ]
    )
