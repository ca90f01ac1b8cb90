"""An extension of Sphinx: docstrings as they are written here, and code that names something of the reference.

Docstrings have code in single backticks, and some have headings. Code that names something of the reference is a link,
in them and on pages; a name of the package that does not exist is a warning.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
#: A name of the package, maybe with what it is called with.
_NAME = re.compile(r"(pi_gym(?:\.\w+)*)(\(.*\))?")


@lru_cache(None)
def exists(path: str) -> bool:
    """Whether the package has a module, or an attribute of one, of this name."""
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: Any = import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for name in parts[end:]:
            if not hasattr(found, name) and name not in getattr(found, "__annotations__", {}):
                return False
            found = getattr(found, name, None)
        return True
    return False


class CodeNames(SphinxPostTransform):
    """Makes links of code on pages that names something of the reference."""

    default_priority = 9

    def run(self, **kwargs: Any) -> None:
        """Look at every piece of code in a line."""
        domain = self.env.domains.python_domain
        for node in list(self.document.findall(nodes.literal)):
            if isinstance(node.parent, nodes.reference | pending_xref):
                continue
            found = _NAME.fullmatch(node.astext())
            if found is None or found[1] == "pi_gym":
                continue
            name = found[1]
            if name not in domain.objects:
                if not exists(name):
                    LOGGER.warning("%s: pi_gym has no such name", name, location=node, type="pi_gym", subtype="name")
                continue
            place = domain.objects[name]
            link = self.app.builder.get_relative_uri(self.env.docname, place.docname)
            reference = nodes.reference("", "", internal=True, refuri=f"{link}#{place.node_id}", reftitle=name)
            node.replace_self(reference)
            reference += node


def restructured(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Have a docstring's headings and bars mean in reStructuredText what they mean to who reads them."""
    found = []
    for line in lines:
        if line.startswith("## "):
            found += [f"**{line[3:]}**", ""]
        elif line.lstrip().startswith((">>>", "...")):
            found.append(line)
        else:
            parts = re.split(r"(`[^`]*`)", line)
            found.append("".join(part if part.startswith("`") else part.replace("|", r"\|") for part in parts))
    lines[:] = found


def code_role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The role of text in single backticks: code."""
    return [nodes.literal(rawtext, text.replace("\x00", "\\"))], []


def unlinked(app: Sphinx, env: Any, node: pending_xref, content: nodes.TextElement) -> nodes.TextElement | None:
    """What a signature names without a page: the package's own types, which exist, are shown as they are."""
    target = str(node.get("reftarget", ""))
    return content if target.startswith("pi_gym.") and exists(target) else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Add it to Sphinx."""
    app.add_role("code_name", code_role)
    app.add_post_transform(CodeNames)
    # Before napoleon, which reads the sections.
    app.connect("autodoc-process-docstring", restructured, priority=400)
    app.connect("missing-reference", unlinked)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
