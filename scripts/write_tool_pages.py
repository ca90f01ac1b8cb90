"""Write docs/tools.md and docs/apps/<app>.md from the declarations: `python scripts/write_tool_pages.py`."""

from __future__ import annotations

from pathlib import Path

from pi_gym.apps import app_names, document
from pi_gym.tools import EVERY
from pi_gym.tools.document import operation_lines

DOCS = Path(__file__).parents[1] / "docs"
MARK = "<!-- Written from the declarations by scripts/write_tool_pages.py; do not edit below. -->\n"


def tools_page(written: str) -> str:
    """The page of the general tools: its introduction as it is, then every tool."""
    head = written.partition(MARK)[0]
    tools = (line for name in EVERY.names for line in operation_lines(EVERY.get(name), name))
    return "\n".join([head + MARK, *tools])


def main() -> None:
    """Write the pages."""
    page = DOCS / "tools.md"
    page.write_text(tools_page(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name in app_names():
        (DOCS / "apps" / f"{name}.md").write_text(document(name), encoding="utf-8")


if __name__ == "__main__":
    main()
