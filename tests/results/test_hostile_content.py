"""Contents that could stall or break a facet: each is read in linear time and found wanting, and nothing raises."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.results import answers, aspect, fault, unmet, wish

from pi_gym.results.content import ResultText
from pi_gym.results.facets import Aspect, kinds

from .test_aspects import FORM, LIST, NOTES, PROSE, TABLE, TREES

RIGHT: dict[str, Any] = {"table": TABLE, "list": LIST, "form": FORM, "text": PROSE, "entries": NOTES}
ASPECTS = [(kind, name) for kind in RIGHT for name, facet in kinds()[kind].facets.items() if isinstance(facet, Aspect)]
SUFFIXES = {"table": [".md", ".csv", ".tsv", ".tex"], "form": [".md", ".json", ".yaml"], "entries": [".md", ".bib"]}
UNITS = [
    "1 2.5 ",
    ". ",
    "<!--",
    "1,",
    "|",
    "\\|",
    "\\%",
    "\\begin{tabular}",
    '"',
    "[",
    "{",
    "# a\n",
    "a: b\n",
    "- ",
    "9 ",
]
SIZE = 60_000
DEMANDS: list[tuple[str, Any]] = [
    ("number", {"value": 9.9, "near": "zz"}),
    ("names", ["zz", "2026-03-09"]),
    ("chooses", {"right": "zz", "of": {"zz": ["zz"], "a": ["a"]}}),
    ("day", "2026-03-09"),
    ("section", {"zz": {"names": "x"}}),
    ("stands", {"at": "top", "names": "zz"}),
    ("part", {"about": "zz", "names": "x"}),
]


def asked(kind: str, name: str) -> Any:
    return aspect(kind, name, things=TREES, key=("name",) if kind == "table" else ())


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_hostile_content_is_read_quickly(unit: str) -> None:
    text = unit * (SIZE // len(unit))
    began = time.process_time()
    for name, argument in DEMANDS:
        assert unmet("text", name, argument, text)
    for kind, right in RIGHT.items():
        known = answers(lambda wishes, right=right: right if wishes["w"] else "other", wish("w", True, None))
        for suffix in SUFFIXES.get(kind, [".md"]):
            for name in ("rows", "cells", "holds", "fields", "numbers", "values"):
                if name in kinds()[kind].facets:
                    assert fault(asked(kind, name), text, known, path=f"out{suffix}")
    assert time.process_time() - began < 20  # quadratic reading takes minutes


BITS = ["| a | b |", "\n|---|---|\n", "| 1 | 2 ± 3 |", "# a\n", "\\begin{tabular}", "\\end{tabular}", "{", "}", "[",
        "1.5", "\\", "%", "&", '"', "&x", "- ", ":", "oak", "name", "\f", "@a{b,", "9 March", "2026-02-31"]  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), ASPECTS, ids=[f"{kind}-{name}" for kind, name in ASPECTS])
@given(
    text=st.lists(st.sampled_from(BITS) | st.text(st.characters(), max_size=3), max_size=12).map("".join),
    suffix=st.sampled_from([".md", ".csv", ".tex", ".json", ".yaml", ".bib", ""]),
)
@settings(max_examples=25, deadline=None)
def test_no_content_makes_a_facet_raise(kind: str, name: str, text: str, suffix: str) -> None:
    known = answers(lambda wishes: RIGHT[kind] if wishes["w"] else "other", wish("w", True, None))
    for scope in ("wish", "item", "sound"):
        handed = ResultText(f"out{suffix}", text, before=text[:5])
        assert isinstance(fault(asked(kind, name), handed, known, scope), str)
