"""The commands, snippets and tables of docs/training_gpu.md."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "training_gpu.md"
_ASSIGNED = re.compile(r"[A-Z_]+=")


@dataclass(frozen=True)
class Command:
    """A command of the page, as a shell reads it.

    Args:
        variables: that it sets for the program.
        words: the program and its arguments, the page's own shell variables in their place.
    """

    variables: dict[str, str]
    words: list[str]

    def behind(self, word: str) -> list[str] | None:
        """The arguments behind a word; None where it is no part of the command."""
        return self.words[self.words.index(word) + 1 :] if word in self.words else None


def blocks() -> list[str]:
    """The page's blocks of code."""
    return re.findall(r"^```\w*\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def snippets() -> list[str]:
    """The blocks that are Python."""
    return [block for block in blocks() if re.search(r"^(from|import) ", block, re.MULTILINE)]


def read() -> tuple[list[Command], dict[str, list[str]]]:
    """The page's commands, and its shell variables as words."""
    commands: list[Command] = []
    variables: dict[str, list[str]] = {}
    shell = "".join(block for block in blocks() if block not in snippets())
    # An open quote goes on in the next line.
    lines, open_line = [], ""
    for line in shell.replace("\\\n", " ").splitlines():
        open_line += line
        if open_line.count('"') % 2 == 0 and open_line.count("'") % 2 == 0:
            lines.append(open_line)
            open_line = ""
        else:
            open_line += " "
    for line in lines:
        words = shlex.split(line)
        first = next((place for place, word in enumerate(words) if not _ASSIGNED.match(word)), len(words))
        assigned = dict(word.split("=", 1) for word in words[:first])
        if first == len(words):
            variables |= {name: shlex.split(value) for name, value in assigned.items()}
            continue
        expanded = [
            part for word in words[first:] for part in (variables[word[1:]] if word.startswith("$") else [word])
        ]
        commands.append(Command(assigned, expanded))
    return commands, variables


COMMANDS, VARIABLES = read()


def arguments(program: str) -> list[list[str]]:
    """The arguments of each command that runs a program, such as "examples/trl_grpo.py"."""
    return [found for one in COMMANDS if (found := one.behind(program)) is not None]


def table(heading: str) -> list[list[str]]:
    """The cells of the rows of the table below a heading."""
    text = PAGE.read_text(encoding="utf-8")
    below = text[text.index(f"# {heading}\n") :]
    rows = re.search(r"^\|(?:.*\n\|)*.*", below, re.MULTILINE)
    assert rows is not None
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows.group().splitlines()[2:]]
