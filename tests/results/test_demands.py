"""What an author demands of a text: met in any usual wording, not met by what only looks like it."""

from __future__ import annotations

from typing import Any

import pytest
from support.results import unmet

from pi_gym.errors import SpecError
from pi_gym.results.content import Letter, Letters, Record, Records, ResultText
from pi_gym.results.facets import Demand, kinds

OF = {"hold": ["hold", "keep"], "sell": ["sell"]}
SECTIONS = "# Plan\n\nBuy 12 oaks.\n\n# Rest\n\nSell 7.\n"
MEMO = "We hold the shares.\n\nThe year was dry.\n\nSee you."

CASES: list[tuple[str, str, Any, list[str], list[str]]] = [
    # kind, demand, argument, texts that meet it, texts that do not
    ("text", "names", ["Ines", ["AGM", "general meeting"]], ["**Ines** on the AGM", "INES: the general\nmeeting"],
     ["Ines", "the AGM", "Agnes, AGM", "<!-- Ines, AGM -->"]),
    ("text", "names", "2026-03-09", ["on 9 March", "March 9th, 2026", "2026-03-09"],
     ["10 March", "9 April", "9 March 2025"]),
    ("text", "names", "organi-", ["organised", "Organizers"], ["disorganised"]),
    ("text", "names_any", ["hold", "stay"], ["We HOLD.", "stay"], ["withhold", ""]),
    ("text", "lacks", "tide-aid", ["aid", "tide aids"], ["Tide-Aid", "the **tide-aid**"]),
    ("text", "chooses", {"right": "hold", "of": OF}, ["We keep it.", "Hold, do not sell.", "Not sell; hold."],
     ["Sell.", "Hold or sell.", "Do not hold.", "", "> hold"]),
    ("text", "number", 12.34, ["12.34", "12.3", "-12.34 %", "about 12"], ["12.4", "1234", "11"]),
    ("text", "number", {"value": 40, "near": "oak"}, ["Ash 7. Oak: 40."], ["Ash 40. Oak 7.", "oak"]),
    ("text", "number", {"any": [3, 4]}, ["3", "4 of them"], ["34", "5"]),
    ("text", "number", 1250, ["1,250", "1250.0"], ["1251", "125"]),
    ("text", "no_number", [12.5], ["14 oaks", "125"], ["12.5", "12.50"]),
    ("text", "day", "2026-03-09", ["9 March", "09.03.2026", "by 2026-03-09 at noon"], ["9 April", "3 September", ""]),
    ("text", "day", {"is": "2026-03-09", "only": True}, ["9 March, then 9 March"], ["9 March or 10 March"]),
    ("text", "no_day", "2026-03-09", ["10 March"], ["March 9th"]),
    ("text", "max_words", 3, ["one - two * three", "a b"], ["one two three four"]),
    ("text", "max_lines", 2, ["a\n\n\nb\n"], ["a\nb\nc"]),
    ("text", "max_characters", 3, ["abc"], ["abcd"]),
    ("text", "section", {"Plan": {"number": 12, "lacks": "sell"}},
     [SECTIONS, SECTIONS.replace("# Plan", "## 2. The plan")],
     ["Buy 12 oaks.", SECTIONS.replace("12", "13"), "# Rest\n\n12\n"]),
    ("text", "line", {"back": {"names": "Priya"}}, ["- **Back:** Priya", "back: priya k."], ["back: Amara", "Priya"]),
    ("text", "part", {"about": "oak", "lacks": "sell"}, ["Sell ash. Keep the oak."], ["Sell the oak.", "Sell ash."]),
    ("text", "stands", {"at": "top", "names": "hold"}, [MEMO, "Hold."],
     ["Dry.\n\nSo.\n\nWe hold.", f"{MEMO}\n\nSo hold."]),
    ("text", "stands", {"at": "end", "names": "hold"}, ["Dry.\n\nSo.\n\nWe hold."], [MEMO]),
    ("text", "spelled", "British", ["The colour was analysed."], ["The color was analyzed.", "Colour, color."]),
    ("text", "spelled", "American", ["The color was analyzed."], ["The colour was analysed.", "Colour, color."]),
    ("table", "tables", 1, ["|a|\n|-|\n|1|\n"], ["|a|\n|-|\n|1|\n\nSo.\n\n|b|\n|-|\n|2|\n", "No table."]),
    ("table", "rounded", {"of": ["b"], "to": 2}, ["|a|b|\n|-|-|\n|1.5|2.10|\n"],
     ["|a|b|\n|-|-|\n|1.5|2.1|\n", "|a|\n|-|\n|1.50|\n"]),
    ("table", "true_rows", {"key": "a", "rows": {"oak": {"b": "1.25"}, "ash": {"b": "7"}}},
     ["|a|b|\n|-|-|\n|Oak|1.25|\n", "|b|a|\n|-|-|\n|7|ash|\n|1.25|oak|\n"],
     ["|a|b|\n|-|-|\n|oak|1.9|\n|ash|7|\n", "|a|b|\n|-|-|\n|elm|7|\n", "|a|b|\n|-|-|\n"]),
    ("table", "names", "oak", ["|a|\n|-|\n|oak|\n"], ["|a|\n|-|\n|ash|\n"]),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[f"{one[1]}-{number}" for number, one in enumerate(CASES)])
def test_a_demand_is_met_in_any_wording_and_only_then(case: tuple[str, str, Any, list[str], list[str]]) -> None:
    kind, name, argument, met, not_met = case
    assert [unmet(kind, name, argument, one) for one in met] == [""] * len(met)
    assert [one for one in not_met if not unmet(kind, name, argument, one)] == []
    # Line ends and blank lines are nobody's matter.
    assert [unmet(kind, name, argument, one.replace("\n", "\r\n")) for one in met if name != "max_characters"] == [
        "" for _ in met if name != "max_characters"
    ]


@pytest.mark.parametrize(
    ("name", "argument", "met", "path"),
    [
        ("file_name", "2026-03-09_*", True, "a/2026-03-09_table.md"),
        ("file_name", "2026-03-09_*", False, "a/table_2026-03-09.md"),
        ("file_name", "2026-03-09_*", False, "a/2026-03-09_x_2026-03-09.md"),
    ],
)
def test_a_files_name_is_looked_at_without_its_suffix(name: str, argument: str, met: bool, path: str) -> None:
    assert (unmet("text", name, argument, "x", path) == "") == met


@pytest.mark.parametrize(
    ("share", "text", "kept"),
    [
        (1.0, "a\nb\nc\n", True),
        (1.0, "a\nc\n", False),
        (0.5, "x\na\n", True),
        (1.0, "b\na\n", False),
        (1.0, "x\r\na\r\n\r\nb\r\n", True),
    ],
)
def test_what_stood_there_is_kept_in_its_order(share: float, text: str, kept: bool) -> None:
    handed = ResultText("a.md", text, before="a\nb\n")
    assert (unmet("text", "keeps", share, handed) == "") == kept


@pytest.mark.parametrize(("times", "text", "met"), [(1.5, "abcdef", True), (1.5, "abcdefg", False), (1, "ab", True)])
def test_what_is_mended_does_not_grow_beyond_its_bound(times: float, text: str, met: bool) -> None:
    handed = ResultText("a.md", text, before="abcd")
    assert (unmet("text", "grows", times, handed) == "") == met


@pytest.mark.parametrize(
    ("receivers", "met"), [(["Ines", "Amara"], True), (["Ines", "ines", "INES"], False), (["Ines", "Ines"], True)]
)
def test_nobody_gets_more_texts_than_are_sensible(receivers: list[str], met: bool) -> None:
    sent = Letters(tuple(Letter(to=(person,), subject="", body=ResultText("", "Hello.")) for person in receivers))
    assert (unmet("mail", "most_each", 2, sent) == "") == met


ROWS = Records((Record("1", {"id": 1, "done": True}), Record("2", {"id": 2, "done": False})))


@pytest.mark.parametrize(
    ("name", "argument", "met"),
    [
        ("count", 2, True),
        ("count", {"min": 1}, True),
        ("count", 1, False),
        ("each", {"id": {"min": 1}}, True),
        ("each", {"done": True}, False),
        ("lacks_rows", ["3"], True),
        ("lacks_rows", ["2"], False),
    ],
)
def test_rows_are_counted_and_each_is_looked_at(name: str, argument: Any, met: bool) -> None:
    assert (unmet("rows", name, argument, ROWS) == "") == met


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("chooses", {"right": "buy", "of": OF}),
        ("chooses", {"right": "hold"}),
        ("number", "many"),
        ("number", {"vlaue": 1}),
        ("day", "soon"),
        ("max_words", 0),
        ("keeps", 2),
        ("keeps", 0),
        ("section", {"Plan": {"cells": 1}}),
        ("stands", {"at": "left", "names": "x"}),
        ("part", {"names": "x"}),
        ("names", []),
    ],
)
def test_a_wrong_argument_is_refused_with_its_field(name: str, argument: Any) -> None:
    with pytest.raises(SpecError) as caught:
        unmet("text", name, argument, "x")
    assert caught.value.field.startswith(name)


def test_every_demand_is_shown_here() -> None:
    shown = {name for _, name, *_ in CASES} | {
        "file_name",
        "keeps",
        "count",
        "each",
        "lacks_rows",
        "grows",
        "most_each",
        "seen_to",  # test_traces.py
    }
    told = {name for kind in kinds().values() for name, one in kind.facets.items() if isinstance(one, Demand)}
    assert told == shown
