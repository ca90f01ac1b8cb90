"""The page as one text: its style and its modules joined into it, so that a browser asks once."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

MAIN = "main.js"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.M)


@cache
def page_files() -> dict[str, bytes]:
    """The files that the page is made of, by name."""
    folder = files("pi_gym.viewer") / "page"
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.name.endswith((".html", ".js", ".css"))}


@cache
def joined_script() -> str:
    """The modules of the page as one: each after those that it imports, without imports and exports."""
    texts = {name: data.decode() for name, data in page_files().items() if name.endswith(".js")}
    done: list[str] = []

    def add(name: str) -> None:
        if name not in done:
            for other in _IMPORT.findall(texts[name]):
                add(other)
            done.append(name)

    add(MAIN)
    return "\n".join(re.sub(r"^export ", "", _IMPORT.sub("", texts[name]), flags=re.M) for name in done)


def csp_hash(text: str) -> str:
    """The hash of an inline script or style, as a Content-Security-Policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def data_element(name: str, value: Any) -> str:
    """A value as a script element that is data, under an id. No text in it can end the element or begin a comment."""
    return f'<script type="application/json" id="{name}">{script_json(value)}</script>\n'


def script_json(value: Any) -> str:
    """JSON in which no character means anything to an HTML parser."""
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def page_policy() -> str:
    """The Content-Security-Policy of the page: its own style and script, by hash, and nothing else."""
    style = page_files()["style.css"].decode()
    return (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; script-src {csp_hash(joined_script())};"
        f" style-src {csp_hash(style)}"
    )


@cache
def page_parts() -> tuple[str, str]:
    """The page up to where data that it is to hold belongs, and what follows the data."""
    page, style, script = page_files()["index.html"].decode(), page_files()["style.css"].decode(), joined_script()
    page = page.replace('<link rel="stylesheet" href="style.css">', f"<style>{style}</style>")
    begin, _, end = page.partition('<script type="module" src="main.js"></script>')
    return begin, f'<script type="module">{script}</script>{end}'
