from __future__ import annotations

from typing import Any

import pytest

from pi_gym.errors import SpecError
from pi_gym.predicates import compile_predicate

from .helpers import tabled

MARKDOWN = """Intro

| Config | Acc (%) | Runs | Note |
|:-------|--------:|:----:|------|
| **beta** | 71.3 ± 0.4 | 6 | a \\| b |
| `alpha` | 69.8 ± 0.5 (n=5) | 5 | [link](x.md) |

Outro
"""
CSV = 'config,acc,note\nbeta,71.3,"a, b"\nalpha,69.8,\n'
LATEX = r"""
\begin{tabular}{l@{}r}
\toprule
Config & Acc \\ % comment & more
\midrule
\textbf{beta} & $71.3 \pm 0.4$ \\[2pt]
alpha & 69.8\,\% \\
\bottomrule
\end{tabular}
"""
BETA = {"row": {"Config": "beta"}, "column": "Acc (%)"}


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({"columns": ["config", "acc (%)", "runs", "note"]}, {"columns": ["config", "acc (%)", "runs"]}),
        ({"has_columns": ["Runs"]}, {"has_columns": ["Run"]}),
        ({"rows": 2}, {"rows": {"min": 3}}),
        ({"cells": [{**BETA, "number": 71.28, "decimals": 1}]}, {"cells": [{**BETA, "number": 71.28, "decimals": 2}]}),
        ({"cells": [{**BETA, "mean": 71.3, "std": 0.41, "decimals": 1}]}, {"cells": [{**BETA, "std": 0.5}]}),
        (
            {"cells": [{"row": {"config": "alpha"}, "column": "acc (%)", "n": 5}]},
            {"cells": [{"row": {"config": "alpha"}, "column": "acc (%)", "n": 6}]},
        ),
        (
            {"cells": [{"row": 1, "column": "note", "value": "a | b"}]},
            {"cells": [{"row": 3, "column": "note", "value": "x"}]},
        ),
        (
            {"cells": [{"row": -1, "column": "note", "text": "link"}]},
            {"cells": [{"row": -1, "column": "note", "text": "x.md"}]},
        ),
        (
            {"cells": [{"row": {"runs": 6}, "column": "config", "value": "Beta"}]},
            {"cells": [{"row": {"runs": 6}, "column": "config", "value": "alpha"}]},
        ),
        ({"sorted_by": {"column": "Acc (%)", "order": "desc"}}, {"sorted_by": "Acc (%)"}),
        ({"sorted_by": {"column": "config", "order": "desc"}}, {"sorted_by": {"column": "config", "numeric": True}}),
        ({"column_decimals": {"Acc (%)": 1}}, {"column_decimals": {"Acc (%)": 2}}),
        ({"column_values": {"config": ["beta", "alpha"]}}, {"column_values": {"config": ["alpha", "beta"]}}),
        ({"column_values": {"config": ["alpha", "beta"]}, "unordered": True}, {"column_values": {"config": ["beta"]}}),
        ({"numbers": {"acc (%)": [71.31, 69.8]}, "decimals": 1}, {"numbers": {"acc (%)": [69.8, 71.3]}, "decimals": 1}),
        ({"tables": 1}, {"tables": 2}),
    ],
)  # fmt: skip
def test_table_condition_tells_good_from_bad(good: Any, bad: Any) -> None:
    outcome = tabled(good, MARKDOWN)
    assert outcome, outcome.why
    assert not tabled(bad, MARKDOWN)


@pytest.mark.parametrize(("text", "path"), [(CSV, "a.csv"), (CSV.replace(",", "\t"), "a.tsv"), (LATEX, "a.tex")])
def test_other_formats_are_read_by_suffix(text: str, path: str) -> None:
    cell = {"row": {"config": "beta"}, "column": "acc"}
    outcome = tabled({"rows": 2, "cells": [{**cell, "number": 71.3}]}, text, path)
    assert outcome, outcome.why
    assert not tabled({"cells": [{**cell, "number": 69.8}]}, text, path)


def test_one_table_per_guess_satisfies_nothing() -> None:
    assert tabled({"has_columns": ["config"]}, MARKDOWN)
    assert "exactly one" in tabled({"has_columns": ["config"]}, MARKDOWN + MARKDOWN).why
    assert tabled({"has_columns": ["config"], "which": "first"}, MARKDOWN + MARKDOWN)
    other = "\n".join(f"\n| x{i} |\n|---|\n| 1 |\n" for i in range(5))
    assert not tabled({"has_columns": ["config"]}, MARKDOWN + other)
    assert tabled({"has_columns": ["config"], "which": "any"}, MARKDOWN + other)


def test_two_rows_for_one_key_are_no_answer() -> None:
    text = "| k | v |\n|---|---|\n| a | 1 |\n| a | 2 |\n"
    assert "2 rows" in tabled({"cells": [{"row": {"k": "a"}, "column": "v", "number": 1}]}, text).why


def test_a_cell_with_several_numbers_is_none_of_them() -> None:
    text = "| k | v |\n|---|---|\n| a | 71.3 / 69.8 |\n"
    assert not tabled({"cells": [{"row": {"k": "a"}, "column": "v", "number": 71.3}]}, text)


def test_a_column_that_occurs_twice_is_not_that_column() -> None:
    assert not tabled({"has_columns": ["v"]}, "| v | v |\n|---|---|\n| 1 | 2 |\n")


def test_tables_in_code_fences_and_comments_are_none() -> None:
    assert not tabled({"has_columns": ["config"]}, f"```\n{MARKDOWN}\n```\n")
    assert not tabled({"has_columns": ["config"]}, f"<!--\n{MARKDOWN}\n-->\n")


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ({"cells": [{"row": {"a": 1}, "column": "c"}]}, "f[0].check.table.cells[0]"),
        ({"cells": [{"row": 0, "column": "c", "value": 1}]}, "f[0].check.table.cells[0].row"),
        ({"cells": [{"row": 1, "value": 1}]}, "f[0].check.table.cells[0]"),
        ({"colums": ["a"]}, "f[0].check.table"),
        ({"sorted_by": {"column": "a", "order": "up"}}, "f[0].check.table.sorted_by.order"),
        ({"column_decimals": {"a": -1}}, "f[0].check.table.column_decimals.a"),
        ({"numbers": {"a": ["x"]}}, "f[0].check.table.numbers.a[0]"),
        ({}, "f[0].check.table"),
    ],
)
def test_a_wrong_table_condition_names_its_field(table: Any, field: str) -> None:
    with pytest.raises(SpecError) as caught:
        compile_predicate({"file": "a.md", "table": table}, "f[0].check")
    assert caught.value.field == field
