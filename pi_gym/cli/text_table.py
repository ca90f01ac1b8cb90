"""Plain tables: the same on a terminal, in a pipe and in a file."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """A table with aligned columns.

    Args:
        header: names of the columns.
        rows: as many texts each.
        right: indices of columns that are aligned to the right.

    >>> print(table(["task", "n"], [["a", "10"], ["bb", "2"]], right=[1]))
    task   n
    a     10
    bb     2
    """
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def number(value: float | None, decimals: int = 3) -> str:
    """A mean as tables show it; a dash where there is none."""
    return "-" if value is None else f"{value:.{decimals}f}"


def spread(mean: float | None, std: float | None, decimals: int = 3) -> str:
    """A mean with its standard deviation, where there is one."""
    shown = number(mean, decimals)
    return shown if std is None else f"{shown} ± {number(std, decimals)}"
