"""Reading the blocks of a prompt back, by two parsers that share nothing.

One reads line by line, as the format says; the other looks for tags wherever they stand, as a model might. Where both
give the same tree, no quoted text has become structure for either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Node:
    """A block: its name, the names of its attributes, what it holds, and its quoted text."""

    name: str
    keys: tuple[str, ...] = ()
    children: list[Node] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def shape(self) -> tuple[object, ...]:
        """Names and nesting alone."""
        return self.name, self.keys, tuple(child.shape() for child in self.children)

    def find(self, name: str) -> list[Node]:
        found = [self] if self.name == name else []
        return found + [node for child in self.children for node in child.find(name)]


_OPEN = re.compile(r'<([a-z_]+)((?: [a-z_]+="[^"<\n]*")*)(/?)>\Z')
_ATTRIBUTE = re.compile(r' ([a-z_]+)="')


def by_lines(prompt: str) -> Node:
    """The tree by the rule: a line is an opening, a closing, quoted, or plain words of ours at the top."""
    root = Node("prompt")
    stack = [root]
    # Whatever any reader might take for the end of a line ends one here.
    for line in prompt.splitlines():
        if line.startswith("| ") or line == "|":
            assert len(stack) > 1, f"quoted text outside of a block: {line!r}"
            stack[-1].text.append(line[2:])
        elif line.startswith("</"):
            assert line == f"</{stack.pop().name}>", f"closes another block: {line!r}"
        elif line.startswith("<"):
            match = _OPEN.match(line)
            assert match, f"no opening line: {line!r}"
            node = Node(match.group(1), tuple(_ATTRIBUTE.findall(match.group(2))))
            stack[-1].children.append(node)
            if not match.group(3):
                stack.append(node)
        else:
            assert len(stack) == 1, f"bare text in the block {stack[-1].name}: {line!r}"
            assert "<" not in line, f"a sign of structure in plain words: {line!r}"
    assert len(stack) == 1, f"never closed: {stack[-1].name}"
    return root


_TAG = re.compile(r"<\s*(/?)\s*([A-Za-z_][\w-]*)([^>]*)>")


def by_tags(prompt: str) -> Node:
    """The tree that a lenient reader of tags sees, wherever they stand."""
    root = Node("prompt")
    stack = [root]
    for closing, name, rest in _TAG.findall(prompt):
        if closing:
            assert stack[-1].name == name, f"</{name}> in the block {stack[-1].name}"
            stack.pop()
            continue
        node = Node(name, tuple(_ATTRIBUTE.findall(rest)))
        stack[-1].children.append(node)
        if not rest.endswith("/"):
            stack.append(node)
    assert len(stack) == 1, f"never closed: {stack[-1].name}"
    return root


def tree(prompt: str) -> Node:
    """The tree, where both parsers agree on it."""
    node = by_lines(prompt)
    assert by_tags(prompt).shape() == node.shape()
    return node


def unquoted(node: Node) -> str:
    """The text of a block as it was before it was quoted."""
    text = "\n".join(node.text)
    return text.replace("&lt;", "<").replace("&amp;", "&")
