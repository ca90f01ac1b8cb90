"""Figures that somebody mended in another's text: how it shows, and whether the text stands."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pi_gym.authoring import mends

DRAFT = "# Draft\n\nIt ran at 84 sites.\nTheir median age was 71.2 years.\nNobody was lost on the way to the end.\n"
PAIRS = [("84", "112"), ("71.2", "67.9")]
WAYS = {
    "silent": "It ran at 112 sites.\nTheir median age was 67.9 years.",
    "was": "It ran at 112 [was 84] sites.\nTheir median age was 67.9 [was 71.2] years.",
    "struck": "It ran at ~~84~~ 112 sites.\nTheir median age was ~~71.2~~ **67.9** years.",
    "list": "It ran at 112 sites.\nTheir median age was 67.9 years.\n\n## Corrections\n\n- 84: 112\n- 71.2: 67.9",
}


def _evidence(text: str) -> Any:
    return SimpleNamespace(text=lambda _: text, start=SimpleNamespace(text=lambda _: DRAFT))


@pytest.mark.parametrize("way", WAYS)
def test_mended_figures_show_in_one_way(way: str) -> None:
    evidence = _evidence(WAYS[way] + "\n| sites | 84 |\n")
    assert mends.mended(evidence, "draft.md", PAIRS)
    # Two figures tell no way; three do.
    assert not mends.shown(evidence, "draft.md", way, PAIRS)
    assert [how for how in WAYS if mends.shown(evidence, "draft.md", how, [*PAIRS, PAIRS[0]])] == [way]


def test_a_figure_that_was_left_is_not_mended() -> None:
    evidence = _evidence(DRAFT.replace("84", "112"))
    assert not mends.mended(evidence, "draft.md", PAIRS)
    assert mends.mended(evidence, "draft.md", PAIRS, least=1)


def test_a_figure_beside_its_old_one_is_not_mended() -> None:
    assert not mends.mended(_evidence("It ran at 84 or 112 sites."), "draft.md", PAIRS, least=1)


def test_two_ways_are_none() -> None:
    mixed = _evidence(WAYS["was"].replace("67.9 [was 71.2]", "~~71.2~~ 67.9"))
    assert not any(mends.shown(mixed, "draft.md", how, [*PAIRS, PAIRS[0]]) for how in WAYS)


def test_the_text_stays_where_only_what_was_wrong_is_another() -> None:
    wrong = ["It ran at ", "Their median age was "]
    stays = "Nobody was lost on the way to the end."
    assert mends.text_stays(_evidence(f"All is new here, 112 and 67.9.\n{stays}\n"), "draft.md", wrong)
    assert not mends.text_stays(_evidence(WAYS["silent"]), "draft.md", wrong)
