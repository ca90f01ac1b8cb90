"""The files of the page, as they are served, and joined into one."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

TYPES = {"html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}
MAIN = "main.js"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.M)


@cache
def page_files() -> dict[str, bytes]:
    """The files of the page by name."""
    folder = files("pi_gym.viewer") / "page"
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.name.rpartition(".")[2] in TYPES}


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


def page_parts() -> Iterator[str]:
    """The static page up to where its data belongs, and what follows the data."""
    page, style, script = page_files()["index.html"].decode(), page_files()["style.css"].decode(), joined_script()
    policy = (
        f"default-src 'none'; script-src {csp_hash(script)}; style-src {csp_hash(style)}; base-uri 'none';"
        " form-action 'none'"
    )
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    page = page.replace("<!-- policy -->", head)
    page = page.replace('<link rel="stylesheet" href="style.css">', f"<style>{style}</style>")
    begin, _, end = page.partition('<script type="module" src="main.js"></script>')
    yield begin
    yield f'<script type="module">{script}</script>{end}'
