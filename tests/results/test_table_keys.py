"""Keys of a table's rows: what is as good as the right one."""

from __future__ import annotations

import pytest

from pi_gym.results.content import ResultText
from pi_gym.results.facets import Aspect, AspectReading, kinds


def keys(*names: str) -> set[str]:
    rows = "".join(f"| {name} | 3 |\n" for name in names)
    rows_aspect = kinds()["table"].facets["rows"]
    assert isinstance(rows_aspect, Aspect)
    table = ResultText("drugs.md", f"| drug | case |\n| --- | --- |\n{rows}")
    return set(map(str, rows_aspect.parts(table, AspectReading(key=("drug",)))))


@pytest.mark.parametrize("signed", ["cisplatin*", "cisplatin (*)", r"cisplatin \*", "cisplatin†", "**Cisplatin** ★"])
def test_a_sign_that_refers_to_a_note_is_no_part_of_a_key(signed: str) -> None:
    assert keys(signed) == keys("cisplatin")


@pytest.mark.parametrize("other", ["cisplatin 2", "cisplatin (new)", "cis*platin", "*"])
def test_what_stands_elsewhere_is(other: str) -> None:
    assert keys(other) != keys("cisplatin")
