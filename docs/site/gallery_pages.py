"""The gallery: a page for each program of examples/, with what it is for, its output, and its code."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

SITE = Path(__file__).parent
KEPT = SITE / "kept"
FORMS = ("run", "kept", "table", "picture", "none")

Entry = Mapping[str, Any]
#: Gives the first table below a heading of a page of docs/.
TableOf = Callable[[str, str], str]


class BadGallery(Exception):
    """The list of examples is not as it has to be; the message says what to do."""


def read_gallery() -> Mapping[str, Mapping[str, Entry]]:
    """The entries by group and name."""
    found: Mapping[str, Mapping[str, Entry]] = yaml.safe_load((SITE / "gallery.yaml").read_text(encoding="utf-8"))
    return found


def check_gallery(gallery: Mapping[str, Mapping[str, Entry]], names: set[str]) -> None:
    """Raise BadGallery where not every example has one entry that says where its output comes from."""
    listed = [name for group in gallery.values() for name in group]
    told = [f"{name}: not listed; say where its output is shown from" for name in sorted(names - set(listed))]
    told += [f"{name}: there is no examples/{name}.py" for name in listed if name not in names]
    told += [f"{name}: listed more than once" for name in sorted({one for one in listed if listed.count(one) > 1})]
    for group in gallery.values():
        for name, entry in group.items():
            if not any(form in entry for form in FORMS):
                told.append(f"{name}: expected one of {', '.join(FORMS)}, got {', '.join(entry) or 'nothing'}")
    if told:
        raise BadGallery("docs/site/gallery.yaml:\n" + "\n".join(told))


def gallery_pages(root: Path, table_of: TableOf) -> dict[str, str]:
    """The pages by their paths.

    Args:
        root: of the repository.
        table_of: gives a stored table.
    """
    gallery, programs = read_gallery(), {path.stem: path for path in sorted((root / "examples").glob("*.py"))}
    check_gallery(gallery, set(programs))
    found, index = {}, ["# Examples", "", "Programs to read, to run and to change, and what came of them.", ""]
    for group, entries in gallery.items():
        index += [f"## {group}", "", "| program | |", "| --- | --- |"]
        for name, entry in entries.items():
            path = programs[name]
            found[f"gallery/{name}.md"] = "\n".join(_page(path, entry, table_of)) + "\n"
            index.append(
                f"| [{path.name}]({name}.md) | {_about(path).partition(chr(10) * 2)[0].replace(chr(10), ' ')} |"
            )
        index.append("")
    shared = sorted((root / "examples" / "shared").glob("*.py"))
    found["gallery/shared.md"] = "\n".join(_shared(shared)) + "\n"
    index += ["## Shared", "", "[What the trainers share](shared.md): modules, not programs.", ""]
    names = "\n".join([*(name for entries in gallery.values() for name in entries), "shared"])
    index += ["```{toctree}", ":hidden:", "", names, "```", ""]
    found["gallery/index.md"] = "\n".join(index)
    return found


def printed(path: Path, arguments: str) -> str:
    """What an example prints.

    Raises:
        BadGallery: it failed; the message has what it said.
    """
    command = [sys.executable, str(path), *shlex.split(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=path.parents[1])
    if done.returncode:
        raise BadGallery(f"{path.name} {arguments} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def _about(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def _page(path: Path, entry: Entry, table_of: TableOf) -> Iterator[str]:
    yield f"# {path.name}\n"
    yield _linking(_about(path))
    yield "\n## What comes of it\n"
    if "run" in entry:
        yield _block(f"$ python examples/{path.name} {entry['run']}\n{printed(path, entry['run'])}")
    if "kept" in entry:
        yield f"By {entry['by']}:\n"
        yield _block((KEPT / entry["kept"]).read_text(encoding="utf-8"))
    if "table" in entry:
        page, _, anchor = entry["table"].partition("#")
        yield f"\nOf the runs in [{page.removesuffix('.md')}](../{page}#{anchor}):\n"
        yield table_of(page, anchor)
    if "picture" in entry:
        yield f"![what it draws](../{entry['picture']})"
    if "none" in entry:
        yield f"Nothing is shown: {_linking(entry['none'])}"
    yield "\n## The program\n"
    yield _code(path)


def _shared(paths: list[Path]) -> Iterator[str]:
    yield "# What the trainers share\n"
    yield "The modules of examples/shared.\n"
    for path in paths:
        yield f"## {path.name}\n"
        yield f"{_linking(_about(path))}\n"
        yield _code(path)


def _code(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    body = ast.parse(text).body
    after = body[0].end_lineno if body and isinstance(body[0], ast.Expr) else 0
    return f"```python\n{chr(10).join(text.splitlines()[after:]).strip()}\n```\n"


def _block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n"


def _linking(text: str) -> str:
    """A text in which pages of docs/ that it names are links."""
    paragraphs = re.split(r"(\n\n)", text)
    return "".join(
        one if one.startswith("    ") else re.sub(r"(?:docs/)?\b([\w-]+\.md)\b", r"[\1](../\1)", one)
        for one in paragraphs
    )
