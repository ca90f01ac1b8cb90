"""Texts that could stall a check are read in linear time, or refused with the reason."""

from __future__ import annotations

import time
from typing import Any

import pytest

from .helpers import check, evidence

NUMBER = {"text": {"number": {"value": 9.9, "near": "zz"}, "lacks_number": 9.9}}
TABLE = {"table": {"cells": [{"row": {"a": "zz"}, "column": "b", "number": 1}]}}
SIZE = 390_000


@pytest.mark.parametrize(
    ("unit", "path", "content"),
    [
        ("1 2.5 ", "a.md", NUMBER),
        (". ", "a.md", NUMBER),
        ("<!--", "a.md", NUMBER),
        ("1,", "a.md", NUMBER),
        ("|", "a.md", TABLE),
        ("\\|", "a.md", TABLE),
        ("\\%", "a.tex", TABLE),
        ("\\begin{tabular}", "a.tex", TABLE),
        ('"', "a.csv", TABLE),
        ("[", "a.yaml", {"data": {"equals": 1}}),
        ("a" * 50, "a.md", {"text": {"matches": "(a*)*(a|aa)*b$"}}),
        ("# a\n", "a.md", {"text": {"headings": ["zz"], "section": {"heading": "zz", "contains": "x"}}}),
    ],
)
def test_hostile_content_is_read_quickly(unit: str, path: str, content: Any) -> None:
    found = evidence({path: unit * (SIZE // len(unit))})
    began = time.process_time()
    assert not check({"file": path, **content}, found)
    assert time.process_time() - began < 5  # quadratic reading takes minutes


def test_a_text_too_long_to_read_fails_with_the_reason() -> None:
    assert "at most" in check({"file": "a.md", "text": {"lacks": "zz"}}, evidence({"a.md": "x" * 400_001})).why
