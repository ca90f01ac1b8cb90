"""The cells of tables: free of markup, and read as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pi_gym.predicates.figures import NUMBER, Written, read_number, written_numbers
from pi_gym.predicates.patterns import Regex, regex
from pi_gym.predicates.text import fold

MAX_CELL_CHARS = 4_000
_LINK = regex(r"!?\[([^\]]*)\]\([^)]*\)")
_COMMAND = regex(r"\\(?:textbf|textit|emph|texttt|mathbf|text|underline|bf|mathrm)\s*\{([^{}]*)\}")
_SPAN = regex(r"\\multi(?:column|row)\{[^{}]*\}\{[^{}]*\}\{([^{}]*)\}")
_UNIT = r"(?:\s?[%‰°]|\s?[A-Za-zµμΩ][A-Za-z/µμΩ]{0,7})?"
_SIGN = r"[+\-−–]"
_MEAN = regex(
    rf"(?P<sign>{_SIGN})?\s?[$€£¥₹]?(?P<mean>{NUMBER}){_UNIT}"
    rf"(?:\s*(?:±|\+/-|\+-)\s*(?P<std>{NUMBER}){_UNIT})?"
    r"(?:\s*[,;]?\s*(?:\(\s*(?:[nN]\s*=\s*)?(?P<n>[0-9]{1,9})\s*\)|[nN]\s*=\s*(?P<m>[0-9]{1,9})))?"
)


@dataclass(frozen=True, slots=True)
class CellNumbers:
    """A cell that is a number: "71.3", "71.3 ± 0.4", "71.3 ± 0.4 (n=6)".

    Args:
        mean: the number, or the one before the ±.
        std: the one after the ±.
        n: the count behind them.
    """

    mean: Written
    std: Written | None = None
    n: int | None = None


def _unwrapped(text: str, pattern: Regex, times: int = 3) -> str:
    for _ in range(times):
        parts: list[str] = []
        at = 0
        for match in pattern.finditer(text):
            parts += [text[at : match.start()], match.group(1) or ""]
            at = match.end()
        if not parts:
            return text
        text = "".join([*parts, text[at:]])
    return text


def bare(cell: str) -> str:
    r"""A cell's text without Markdown or LaTeX markup.

    >>> bare(" **71.3** "), bare(r"$71.3 \pm 0.4$"), bare("[a](b.md)"), bare(r"\textbf{12\%}")
    ('71.3', '71.3 ± 0.4', 'a', '12%')
    """
    cell = cell.strip()
    if len(cell) > MAX_CELL_CHARS or cell.isalnum():
        return cell[:MAX_CELL_CHARS]
    if "](" in cell:
        cell = _unwrapped(cell, _LINK, 1)
    if "\\" in cell:
        cell = _unwrapped(_unwrapped(cell, _SPAN), _COMMAND)
        cell = cell.replace("\\pm", "±").replace("{,}", ",").replace("\\,", " ").replace("~", " ")
        for char in "%_&#$":
            cell = cell.replace("\\" + char, "\ue000" if char == "$" else char)
    # A pair of dollar signs is LaTeX's mathematics; a single one is money.
    if cell.count("$") >= 2:
        cell = cell.replace("$", "")
    cell = cell.replace("\ue000", "$").replace("**", "").replace("__", "").replace("`", "").replace("<br>", " ")
    if len(cell) > 2 and cell[0] == cell[-1] and cell[0] in "*_":
        cell = cell[1:-1]
    return cell.strip()


def key(cell: str) -> str:
    """The form in which texts of cells and headers are compared."""
    return fold(bare(cell))


@lru_cache(maxsize=4_096)
def cell_numbers(cell: str) -> CellNumbers | None:
    """The number that a bare cell is, or None where it holds none or several.

    >>> cell_numbers("71.3 ± 0.4 (n=6)").n, cell_numbers("71.3 / 70.1"), cell_numbers("71.3 (best)").mean.value
    (6, None, 71.3)
    """
    cell = cell.strip().rstrip("*†‡↑↓ ")
    if len(cell) > 80:
        return None
    match = _MEAN.fullmatch(cell)
    if match is None:
        found = written_numbers(cell)
        return CellNumbers(found[0]) if len(found) == 1 and "±" not in cell else None
    sign, mean, std = match.group("sign"), match.group("mean"), match.group("std")
    number = read_number(mean or "", negative=sign not in (None, "", "+"))
    spread = read_number(std) if std else None
    count = match.group("n") or match.group("m")
    if number is None:
        return None
    return CellNumbers(number, spread, int(count) if count else None)
