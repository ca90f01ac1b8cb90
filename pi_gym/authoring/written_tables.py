"""Tables as texts, written one way."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A GitHub-style table with a final newline.

    >>> print(markdown_table(["run", "score"], [["a", 1]]), end="")
    | run | score |
    | --- | --- |
    | a | 1 |
    """
    lines = ["| " + " | ".join(columns) + " |", "| " + " | ".join("---" for _ in columns) + " |"]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]], delimiter: str = ",") -> str:
    r"""A CSV file's text, with `\n` line ends.

    >>> csv_text(["run", "note"], [["a", "x, y"]])
    'run,note\na,"x, y"\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return buffer.getvalue()


def csv_records(text: str) -> list[dict[str, str]]:
    r"""The rows of a CSV text by column, as texts: what data/ of a task holds.

    >>> csv_records("name,low\ntaxi,268\n")
    [{'name': 'taxi', 'low': '268'}]
    """
    return list(csv.DictReader(io.StringIO(text)))


def keyed_texts(text: str) -> dict[str, dict[str, str]]:
    r"""The texts in the third column of a CSV text by those in the first two: what stands there for a wish's values.

    >>> keyed_texts("wish,value,text\ncall,tue,Tuesday is fine\ncall,wed,on Wednesday\n")
    {'call': {'tue': 'Tuesday is fine', 'wed': 'on Wednesday'}}
    """
    found: dict[str, dict[str, str]] = {}
    for first, second, third in list(csv.reader(io.StringIO(text)))[1:]:
        found.setdefault(first, {})[second] = third
    return found


def latex_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A booktabs tabular, left-aligned, with a final newline."""

    def line(cells: Sequence[Any]) -> str:
        return " & ".join(str(cell).replace("&", r"\&").replace("%", r"\%").replace("_", r"\_") for cell in cells)

    body = [line(row) + r" \\" for row in rows]
    head = [r"\begin{tabular}{" + "l" * len(columns) + "}", r"\toprule", line(columns) + r" \\", r"\midrule"]
    return "\n".join([*head, *body, r"\bottomrule", r"\end{tabular}"]) + "\n"
