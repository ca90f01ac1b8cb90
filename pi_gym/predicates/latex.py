"""LaTeX tabulars as grids of cells."""

from __future__ import annotations

from pi_gym.predicates.patterns import regex

_EDGE = regex(r"\\(begin|end)\{(?:tabular[*xy]?|longtable)\}")
_RULES = regex(
    r"\\(?:toprule|midrule|bottomrule|hline|endhead|endfirsthead|endfoot|endlastfoot)\b(?:\[[^\]]*\])?"
    r"|\\(?:cmidrule|cline)(?:\([^)]*\))?\{[^}]*\}|\\addlinespace(?:\[[^\]]*\])?"
)


def latex_grids(text: str) -> list[list[list[str]]]:
    """The tabulars of a text, comments and rules left out; the first row of each is its header."""
    text = "\n".join(_without_comment(line) for line in text.split("\n"))
    grids: list[list[list[str]]] = []
    opened = -1
    for edge in _EDGE.finditer(text):
        if edge.group(1) == "begin":
            opened = edge.end()
        elif opened >= 0:
            grid = _rows(text[opened : edge.start()])
            if grid:
                grids.append(grid)
            opened = -1
    return grids


def _without_comment(line: str) -> str:
    at = line.find("%")
    while at >= 0:
        before = at
        while before and line[before - 1] == "\\":
            before -= 1
        if (at - before) % 2 == 0:
            return line[:at]
        at = line.find("%", at + 1)
    return line


def _rows(body: str) -> list[list[str]]:
    parts: list[str] = []
    at = 0
    for rule in _RULES.finditer(body):
        parts.append(body[at : rule.start()])
        at = rule.end()
    parts.append(body[at:])
    body = " ".join(parts)
    body = body[_after_arguments(body) :]
    rows: list[list[str]] = []
    for line in body.split("\\\\"):
        if line.startswith("["):
            line = line.partition("]")[2]
        if line.strip():
            cells = line.replace("\\&", "\0").split("&")
            rows.append([cell.replace("\0", "\\&").strip() for cell in cells])
    return rows


def _after_arguments(body: str) -> int:
    """The position at which the rows begin: after the width, position and column arguments of the environment."""
    at = 0
    while at < len(body):
        char = body[at]
        if char == "[" and (end := body.find("]", at)) >= 0:
            at = end + 1
        elif char == "{":
            depth = 0
            while at < len(body):
                depth += {"{": 1, "}": -1}.get(body[at], 0)
                at += 1
                if not depth:
                    break
        elif char.isspace():
            at += 1
        else:
            return at
    return at
