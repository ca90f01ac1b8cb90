"""Write the pages and tables of docs/ that come from declarations: `python scripts/write_pages.py`."""

from __future__ import annotations

import inspect
import runpy
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pi_gym import authoring
from pi_gym.apps import app_names, document, load_app
from pi_gym.info import INFO_KEYS
from pi_gym.phone.installed_apps import load_phone_app, phone_app_names
from pi_gym.pibench.family import PIBENCH
from pi_gym.predicates.compile import operations
from pi_gym.results.facets import Aspect, Demand, kinds
from pi_gym.tools import EVERY
from pi_gym.tools.declare import REQUIRED, Operation
from pi_gym.tools.document import operation_lines

DOCS = Path(__file__).parents[1] / "docs"
BEGIN = "<!-- Written from the declarations by scripts/write_pages.py; do not edit. -->\n"
END = "<!-- End of what is written. -->\n"


def pages() -> Mapping[str, str]:
    """The pages by their paths under docs/, as they should be; what is not written from declarations stays."""
    whole = {f"apps/{name}.md": document(name) for name in app_names()}
    whole["phone.md"] = "\n".join(_phone()) + "\n"
    parts = {
        "apps.md": _apps(),
        "authoring.md": _helpers(),
        "environment.md": _info(),
        "facets.md": _facets(),
        "predicates.md": _predicate_operations(),
        "protocol.md": _parts(),
        "tools.md": _tools(),
    }
    return {**whole, **{name: _filled(name, "\n".join(lines)) for name, lines in parts.items()}}


def _filled(name: str, written: str) -> str:
    page = (DOCS / name).read_text(encoding="utf-8")
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"docs/{name} lacks the lines that bound what is written:\n{BEGIN}{END}")
    return f"{head}{BEGIN}{written}\n{END}{tail}"


def _apps() -> Iterator[str]:
    yield "| app | operations | what it does |\n| --- | --- | --- |"
    for name in app_names():
        app = load_app(name)
        summary = app.about.partition("\n\n")[0].partition(". ")[0].rstrip(".")
        yield f"| [{name}](apps/{name}.md) | {len(app.operations)} | {summary} |"


def _phone() -> Iterator[str]:
    yield f"{BEGIN}# The apps of the phone\n"
    yield (
        "All that can be done on the phone of [Pare](pare.md), with its arguments; one with `?` may be left out."
        " The agent's tools are told whole in their schemas (`pi-gym show`). Of the person's actions the screens stand"
        ' beside that offer them, and where they lead; "back" is the screen before.'
    )
    for name in phone_app_names():
        app = load_phone_app(name)
        yield f"\n## {app.name}\n\n{app.about.partition(chr(10))[0]}"
        if app.tables:
            yield "\n| table | columns |\n| --- | --- |"
            yield from (
                f"| `{table}` | {', '.join(f'`{one}`' for one in spec.columns)} |" for table, spec in app.tables.items()
            )
        for audience, title in (("assistant", "the agent may"), ("user", "the person may"), ("event", "from outside")):
            found = [one for one in app.operations if audience in one.audience]
            if found:
                yield f"\n| {title} | arguments | |\n| --- | --- | --- |"
                yield from (_phone_row(one, audience) for one in sorted(found, key=lambda one: (one.name, one.screens)))


def _phone_row(operation: Operation, audience: str) -> str:
    given = ", ".join(f"{one.name}{'' if one.default is REQUIRED else '?'}" for one in operation.parameters)
    beside = operation.effect
    if audience == "user":
        beside = f"{beside}; on {', '.join(operation.screens)}"
        beside += f" → {', '.join(operation.goto)}" if operation.goto else ""
    return f"| `{operation.name}` | {given} | {beside} |"


def _info() -> Iterator[str]:
    yield "| key | type | meaning |\n| --- | --- | --- |"
    for key, (kind, meaning) in {**INFO_KEYS, **PIBENCH.info_keys}.items():
        yield f"| `{key}` | {kind.__name__} | {meaning} |"


def _helpers() -> Iterator[str]:
    yield "| name | is |\n| --- | --- |"
    for name in authoring.__all__:
        found = getattr(authoring, name)
        yield _helper(name, found)
        if inspect.ismodule(found):
            for one, made in inspect.getmembers(found, inspect.isfunction):
                if made.__module__ == found.__name__ and not one.startswith("_"):
                    yield _helper(f"{name}.{one}", made)


def _helper(name: str, found: object) -> str:
    about = (inspect.getdoc(found) or "").partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    return f"| `{name}` | {about} |"


def _facets() -> Iterator[str]:
    found = kinds()
    everywhere = [
        name for name in next(iter(found.values())).facets if all(name in one.facets for one in found.values())
    ]
    for kind in found.values():
        yield f"## {kind.name}\n\n{kind.about}\n"
        own = [one for name, one in kind.facets.items() if name not in everywhere]
        aspects = [one for one in own if isinstance(one, Aspect)]
        if aspects:
            yield "| aspect | holds where the result … | `of` names | e.g. |\n| --- | --- | --- | --- |"
            yield from (f"| `{one.name}` | {one.holds} | {one.of} | `{one.example}` |" for one in aspects)
            yield ""
        yield from _demands([one for one in own if isinstance(one, Demand)])
    yield "## Demands on any result\n"
    shared = [next(iter(found.values())).facets[name] for name in everywhere]
    yield from _demands([one for one in shared if isinstance(one, Demand)])


def _demands(found: Sequence[Demand]) -> Iterator[str]:
    if found:
        yield "| demand | holds where the result … | takes | e.g. |\n| --- | --- | --- | --- |"
        yield from (f"| `{one.name}` | {one.holds} | {one.takes} | `{one.example}` |" for one in found)
        yield ""


def _parts() -> Iterator[str]:
    yield "| layer | part | is for |\n| ---: | --- | --- |"
    layers = runpy.run_path(str(Path(__file__).with_name("layers.py")))
    for level, line in enumerate(layers["LAYERS"]):
        for part in line.split():
            yield f"| {level} | `{part}` | {layers['summary'](part)} |"


def _predicate_operations() -> Iterator[str]:
    yield "| key | holds when | options |\n| --- | --- | --- |"
    for one in operations().values():
        yield f"| {one.form} | {one.holds} | {one.options} |"


def _tools() -> Iterator[str]:
    for name in EVERY.names:
        yield from operation_lines(EVERY.get(name), name)


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
