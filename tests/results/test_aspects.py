"""Each aspect of each kind: honest variants of what is right hold, plausible wrong ones do not."""

from __future__ import annotations

from time import monotonic
from typing import Any

import pytest
from support.results import answers, aspect, fault, wish

from pi_gym.results.content import Letter, Letters, Record, Records, ResultContent, ResultText
from pi_gym.results.facets import Aspect, kinds
from pi_gym.results.joined import joined
from pi_gym.results.things import Things

TABLE = "| name | cost | day |\n|---|---|---|\n| oak | 12.50 | 2026-03-09 |\n| ash | 1250 | 2026-03-10 |\n"
CSV = "name,cost,day\noak,12.50,2026-03-09\nash,1250,2026-03-10\n"
LATEX = (
    "\\begin{tabular}{lrr}\nname & cost & day \\\\\n"
    "oak & 12.50 & 9 March 2026 \\\\\nash & 1,250 & 10 March \\\\\n\\end{tabular}\n"
)
TREES = Things({"oak": ("oak", "Quercus"), "ash": ("ash",), "elm": ("elm",), "wych": ("wych elm",)})
LIST = "## Soon\n- oak | 3\n- ash | 4\n\n## Later\n- elm | 5\n"
FORM = "Sign\nShelf: A1\nPrice: 12\ncheers\n"
PROSE = "# Plan\n\nWe analyse 12.5 % of 40 rows on 9 March 2026 at 14:30, near the oak.\n\n# Rest\n\nFine.\n"


def rows(*each: dict[str, Any]) -> Records:
    return Records(tuple(Record(str(one["id"]), one) for one in each))


def mail(*to: str, body: str = "Hi", **rest: Any) -> Letters:
    return Letters((Letter(tuple(sorted(to)), ResultText("", body), **rest),))


def notes(**each: str) -> ResultText:
    return ResultText("notes/", joined({f"{name}.md": text for name, text in each.items()}))


def shares(**parts: float) -> Records:
    return Records((Record("oda", {"debtor_emails": list(parts), "debt_amounts": list(parts.values())}),))


NOTES = notes(oak="choice: sell\ngain: 12.5 %\n", ash="choice: hold\n")
Case = tuple[
    str, str, Any, ResultContent | str, ResultContent | str, list[ResultContent | str], list[ResultContent | str]
]
CASES: list[Case] = [
    # kind, aspect, what is written behind it, right, right for another wish, honest variants, wrong ones
    ("table", "columns", None, "|a|b|\n|-|-|\n|1|2|\n", "|b|a|\n|-|-|\n|2|1|\n",
     ["| **A** | B |\r\n|---|---|\r\n| 1 | 2 |\r\n"], ["|a|\n|-|\n|1|\n", "|b|a|\n|-|-|\n|2|1|\n", "a and b"]),
    ("table", "rows", None, TABLE, "| name | cost |\n|---|---|\n| elm | 3 |\n",
     [TABLE.replace("oak", "**Oak**"), TABLE.replace("\n", "\r\n"), "Here:\n\n" + TABLE],
     [TABLE.replace("oak", "elm"), TABLE.replace("| ash | 1250 | 2026-03-10 |\n", ""), "oak and ash"]),
    ("table", "order", None, TABLE, "| name | cost |\n|---|---|\n| ash | 1 |\n| oak | 2 |\n",
     [TABLE + "| elm | 1 | 2026-03-11 |\n", TABLE.replace("| name", "| Name")],
     ["| name | cost |\n|---|---|\n| ash | 1 |\n| oak | 2 |\n"]),
    ("table", "cells", "cost", TABLE, TABLE.replace("12.50", "14.50").replace("1250", "1450"),
     [TABLE.replace("12.50", "12.5"), TABLE.replace("1250", "**1,250**"), TABLE.replace("12.50", "12.50 ± 0.3"),
      TABLE.replace("12.50", "12.5 +/- 0.3"), TABLE.replace("12.50", "12.5 [12.1, 12.9]"),
      TABLE.replace("\n", "\r\n"), TABLE.replace("2026", "2031"), TABLE.replace("| cost", "| Cost (EUR)")],
     [TABLE.replace("12.50", "12.60"), TABLE.replace("1250", "1251"), TABLE.replace("12.50", ""),
      TABLE.replace("12.50", "12.50 / 14.50"), TABLE.replace("12.50", "12.50, 14.50"), "12.50 and 1250"]),
    ("table", "decimals", "cost", TABLE, TABLE.replace("12.50", "12.5"),
     [TABLE.replace("12.50", "99.99")], [TABLE.replace("12.50", "12.5"), TABLE.replace("12.50", "13")]),
    ("table", "significant", "cost", TABLE.replace("1250", "0.034"),
     TABLE.replace("1250", "0.0341").replace("12.50", "12.5"),
     [TABLE.replace("12.50", "99.99").replace("1250", "70"), TABLE.replace("12.50", "1.234e3").replace("1250", "0.021"),
      TABLE.replace("12.50", "**1,234** ± 3").replace("1250", "33 kr"),
      TABLE.replace("12.50", "7.200 × 10^3").replace("1250", "0")],
     [TABLE.replace("1250", "0.0340"), TABLE.replace("12.50", "12.5").replace("1250", "0.034")]),
    ("table", "units", "cost", TABLE.replace("cost", "cost (nM)"), TABLE.replace("cost", "cost (µM)"),
     [TABLE.replace("cost", "**Cost** ( nM )").replace("12.50", "3")], [TABLE, TABLE.replace("cost", "cost (uM)")]),
    ("form", "significant", "Price", FORM, FORM.replace("12", "12.0"), [FORM.replace("12", "0.13 kr")],
     [FORM.replace("12", "12.0"), FORM.replace("12", "7")]),
    ("entries", "significant", "gain", NOTES, notes(oak="choice: sell\ngain: 12.50 %\n", ash="choice: hold\n"),
     [notes(oak="gain: 0.125\n")], [notes(oak="gain: 12.50 %\n"), notes(oak="gain: 12 %\n")]),
    ("table", "spread", "cost", TABLE.replace("12.50", "12.50 ± 0.31"), TABLE.replace("12.50", "12.50 ± 0.77"),
     [TABLE.replace("12.50", "12.50 (0.31)"), TABLE.replace("12.50", "12.50 ± 0.3")],
     [TABLE.replace("12.50", "12.50 ± 0.77"), TABLE]),
    ("table", "dates", "day", TABLE, TABLE.replace("2026-03-09", "9 March 2026"),
     [TABLE.replace("2026-03-09", "2026-04-01")], [TABLE.replace("2026-03-09", "March 9, 2026")]),
    ("list", "holds", None, LIST, LIST.replace("- elm | 5\n", ""),
     [LIST.replace("elm", "**Elm**"), LIST.replace("\n", "\r\n"), LIST.replace("- ", "* "), LIST + "\n\n"],
     [LIST.replace("- elm | 5\n", ""), LIST.replace("elm", "wych elm")]),
    ("list", "times", None, LIST, LIST + "- elm | 5\n",
     [LIST.replace("oak", "Quercus")], [LIST + "- elm | 5\n", LIST.replace("- elm | 5\n", "")]),
    ("list", "together", None, "- oak = ash\n- elm\n", "- oak\n- ash\n- elm\n",
     ["- ash and oak\n- elm\n"], ["- oak\n- ash\n- elm\n"]),
    ("list", "under", None, LIST, LIST.replace("- elm | 5\n", "").replace("- oak", "- elm\n- oak"),
     [LIST.replace("## Soon", "# **Soon**"), LIST.replace("- oak | 3\n- ash | 4\n", "- ash | 4\n- oak | 3\n")],
     ["## Soon\n- oak\n- ash\n- elm\n\n## Later\n"]),
    ("list", "sizes", "soon", LIST, LIST.replace("- ash | 4\n", ""),
     [LIST.replace("oak", "elm"), LIST.replace("Later", "Rest")], [LIST.replace("- ash | 4\n", "")]),
    ("list", "order", None, LIST, LIST.replace("- oak | 3\n- ash | 4\n", "- ash | 4\n- oak | 3\n"),
     [LIST.replace("Soon", "First"), LIST + "\n"], [LIST.replace("- oak | 3\n- ash | 4\n", "- ash | 4\n- oak | 3\n")]),
    ("list", "cells", None, LIST, LIST.replace("| 3", "| 9"),
     [LIST.replace("| 3", "|  **3** |")], [LIST.replace("| 3", "| 4"), LIST + "- oak | 9\n"]),
    ("list", "marks", ["3"], LIST, LIST.replace("oak | 3", "oak"), [LIST.replace("| 3", "(3)")],
     [LIST.replace("| 3", "")]),
    ("list", "dates", None, "- oak 2026-03-09\n", "- oak 9 March 2026\n", ["* oak (2026-03-10)\n"],
     ["- oak 9 March\n"]),
    ("form", "fields", "Price", FORM, FORM.replace("12", "14"),
     [FORM.replace("Price", "**Price**"), FORM.replace("\n", "\r\n"), "Price: 12\nSign\n",
      FORM.replace("Price:", "price :"),
      FORM.replace("A1", "B2"), FORM + "\n\n", FORM.replace("Price", "- Price")],
     [FORM.replace("12", "14"), FORM.replace("Price: 12\n", ""), FORM + "Price: 14\n",
      FORM.replace("12", "12 / 14"), "The price is 12.\n"]),
    ("form", "first_line", None, FORM, FORM.replace("Sign", "Label"),
     ["# Sign\n\nPrice: 1\n", "**SIGN**\n", "\n\nsign:\n"], ["Label\nSign\n", ""]),
    ("form", "last_line", None, FORM, FORM.replace("cheers", "thanks"),
     [FORM.replace("cheers", "**Cheers!**"), FORM.replace("\n", "\n\n"), FORM.rstrip()],
     [FORM.replace("cheers", "cheers, thanks"), FORM + "thanks\n", "cheers\nSign\n"]),
    ("mail", "to", None, mail("ann@b.example"), mail("bob@b.example"),
     [mail("ann@b.example", body="Other"), mail("ann@b.example", subject="x")],
     [mail("bob@b.example"), mail("ann@b.example", "bob@b.example")]),
    ("mail", "cc", None, mail("a@b.example", cc=("c@b.example",)), mail("a@b.example"),
     [mail("x@b.example", cc=("c@b.example",))], [mail("a@b.example"), mail("a@b.example", "c@b.example")]),
    ("mail", "attached", None, mail("a@b.example", attached=("plan.pdf",)), mail("a@b.example"),
     [mail("b@b.example", attached=("plan.pdf",))], [mail("a@b.example"), mail("a@b.example", attached=("old.pdf",))]),
    ("mail", "channel", None, mail("a@b.example"), mail("a@b.example", channel="text"),
     [mail("a@b.example", body="y")], [mail("a@b.example", channel="text")]),
    ("mail", "subject", None, mail("a@b.example", subject="The plan"), mail("a@b.example", subject="Hi"),
     [mail("a@b.example", subject="the plan ")], [mail("a@b.example", subject="Plan")]),
    ("rows", "rows", None, rows({"id": 1}, {"id": 2}), rows({"id": 1}), [rows({"id": 2}, {"id": 1, "x": 1})],
     [rows({"id": 1}), rows({"id": 3})]),
    ("rows", "values", "due", rows({"id": 1, "due": "2026-03-09", "n": 4}), rows({"id": 1, "due": "2026-03-10"}),
     [rows({"id": 1, "due": "9 March 2026"}), rows({"id": 1, "due": "2026-03-09", "n": 5})],
     [rows({"id": 1, "due": "2026-03-10"}), rows({"id": 2, "due": "2026-03-09"}), rows({"id": 1, "due": None})]),
    ("rows", "sharers", None, shares(ann=2, bob=4), shares(ann=6), [shares(ann=1, bob=1), shares(ann=2, bob=4, eve=0)],
     [shares(ann=6), shares(ann=2, eve=4)]),
    ("rows", "parts", None, shares(ann=2, bob=4), shares(ann=3, bob=3), [shares(ann=1, bob=2)],
     [shares(ann=3, bob=3), shares(bob=6)]),
    ("table", "figures", "cost", TABLE, TABLE.replace("12.50", "14.50"),
     [TABLE.replace("12.50", "up 12.5 %, see 3"), TABLE.replace("1250", "7")],
     [TABLE.replace("12.50", "14.50"), TABLE.replace("12.50", "12.50 or 14.50"), TABLE.replace("12.50", "12")]),
    ("text", "labels", "choice", "Choice: oak\nso.\n", "Choice: ash\nso.\n",
     ["- **choice:** Oak, since it grows\n", "why: ash\nCHOICE : oak\n"],
     ["Choice: ash\n", "choice: oak\nchoice: ash\n", "oak", "choice: oaken\n"]),
    ("entries", "rows", None, NOTES, notes(oak="x: y\n"), [notes(ash="", oak="other: 1\n")],
     [notes(oak="x: y\n"), notes(oak="", elm="")]),
    ("entries", "values", "choice", NOTES, notes(oak="choice: hold\n", ash="choice: hold\n"),
     [notes(oak="- **Choice:** sell (now)\n", ash="choice: Hold.\n")],
     [notes(oak="choice: sell\nchoice: hold\n", ash=""), notes(oak="choice: sell / hold\n", ash=""),
      notes(oak="choice: sell or hold\n", ash=""), notes(oak="choice:\n", ash="choice: sell\n")]),
    ("entries", "starts", "choice", NOTES, notes(oak="choice: hold\n", ash="choice: hold\n"),
     [notes(oak="choice: sell, or so I think\n", ash="choice: hold: it grows\n")],
     [notes(oak="choice: hold, not sell\n", ash=""), notes(oak="choice: selling\n", ash=""),
      notes(oak="choice: sell / hold\n", ash="")]),
    ("entries", "figures", "gain", NOTES, notes(oak="gain: 14.5 %\n", ash=""),
     [notes(oak="gain: about 12.50 percent at 5 dB\n", ash="")],
     [notes(oak="gain: 14.5\n", ash=""), notes(oak="gain: 12.5 or 14.5\n", ash=""), notes(oak="gain: 12\n", ash="")]),
    ("entries", "marks", ["sell"], NOTES, notes(oak="choice: hold\n", ash="choice: hold\n"),
     [notes(oak="why: we sell soon\n", ash="choice: hold\n")],
     [notes(oak="choice: hold\n", ash="choice: sell\n")]),
    ("entries", "ends", "first", NOTES, notes(oak="gain: 12.5\nchoice: sell\n", ash="choice: hold\n"),
     [notes(oak="Choice: 1\nwhy: x\n", ash="choice: 2\n")], [notes(oak="gain: 12.5\nchoice: sell\n", ash="")]),
    ("text", "numbers", None, PROSE, PROSE.replace("12.5", "14.5"),
     ["So 12.50 percent of 40.", "It is **12.5**.", "12.5, and 9 more."], ["14.5", "12.5 or 14.5", "Much.", "14"]),
    ("text", "moments", None, PROSE, PROSE.replace("9 March", "10 March"),
     ["On 2026-03-09 at 2:30 pm.", "March 9th it is."], ["On 10 March.", "9 March or 10 March", "Soon."]),
    ("text", "mentions", None, PROSE, PROSE.replace("oak", "ash"),
     ["The **Oak**.", "Quercus"], ["ash", "oak or ash", "Oaken"]),
    ("text", "dates", None, PROSE, PROSE.replace("9 March 2026", "2026-03-09"),
     ["on 1 May, by 3 June 2026"], ["2026-03-09", "1 May or 2026-03-09"]),
    ("text", "spelling", None, PROSE, PROSE.replace("analyse", "analyze"),
     ["The colour of behaviour."], ["The color.", "The colour of behavior."]),
    ("text", "sections", None, PROSE, PROSE.replace("# Rest", "# More"),
     [PROSE.replace("# Rest", "## **Rest**")],
     [PROSE.replace("# Rest", "# More"), PROSE.replace("# Rest\n", "Rest\n")]),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[f"{one[0]}-{one[1]}" for one in CASES])
def test_honest_variants_hold_and_wrong_ones_do_not(case: Case) -> None:
    kind, name, raw, right, other, honest, wrong = case
    asked = aspect(kind, name, raw, things=TREES, key=("name",) if kind == "table" and name != "columns" else ())
    known = answers(lambda wishes: right if wishes["w"] else other, wish("w", True, None))
    assert [fault(asked, one, known) for one in (right, *honest)] == [""] * (1 + len(honest))
    assert [one for one in (other, *wrong) if not fault(asked, one, known)] == []


@pytest.mark.parametrize("path", ["out.csv", "out.tex"])
def test_a_table_is_the_same_in_any_format(path: str) -> None:
    known = answers(lambda wishes: TABLE if wishes["w"] else TABLE.replace("1", "2"), wish("w", True, None))
    handed = CSV if path == "out.csv" else LATEX
    for name in ("rows", "cells"):
        asked = aspect("table", name, key=("name",))
        assert fault(asked, handed, known, path=path) == ""
        assert fault(asked, handed.replace("ash", "elm"), known, path=path) or name == "rows"


@pytest.mark.parametrize("kind", ["table", "list", "form", "text"])
def test_the_type_of_a_file_is_seen_by_its_name(kind: str) -> None:
    def right(wishes: Any) -> ResultText:
        return ResultText("out.csv" if wishes["w"] else "out.md", "x")

    known, asked = answers(right, wish("w", True, None)), aspect(kind, "suffix")
    assert fault(asked, "other", known, path="a/b.CSV") == ""
    assert fault(asked, "other", known, path="a/b.md") != ""


@pytest.mark.parametrize(
    ("handed", "doubled"),
    [(FORM, False), (FORM + "Price: 14\n", True), (FORM + "Sign\n", True), (FORM + "Price: 12\n", False)],
)
def test_a_form_of_two_guesses_is_not_sound(handed: str, doubled: bool) -> None:
    known = answers(lambda wishes: FORM.replace("12", wishes["w"]), wish("w", "12", "14"))
    assert bool(fault(aspect("form", "doubled"), handed, known, "sound")) == doubled


@pytest.mark.parametrize(
    ("more", "stray"), [("", 0), ("- ash | 9\n", 0), ("something else\n", 1), ("oak ash elm\n", 1)]
)
def test_new_lines_of_a_list_that_are_no_entries_are_strays(more: str, stray: int) -> None:
    known = answers(lambda wishes: LIST, wish("w", True, None))
    asked = aspect("list", "strays", things=TREES)
    handed = ResultText("out.md", LIST + more, before=LIST)
    assert bool(fault(asked, handed, known, "sound")) == bool(stray)
    handed = ResultText("out.md", LIST + more, before=LIST + more)
    assert fault(asked, handed, known, "sound") == ""


def test_every_aspect_has_an_example_of_its_own() -> None:
    covered = {(kind, name) for kind, name, *_ in CASES}
    covered |= {("form", "doubled"), ("list", "strays")}
    told = {
        (kind.name, name) for kind in kinds().values() for name, one in kind.facets.items() if isinstance(one, Aspect)
    }
    shared = {name for kind, name in covered if kind == "text"} | {"suffix"}
    assert {one for one in told if one not in covered and one[1] not in shared} == set()


def test_the_order_of_a_table_without_end_costs_no_more_than_that_of_its_first_rows() -> None:
    text = "name,n\n" + "".join(f"row {number},{number}\n" for number in range(20_000))
    asked = aspect("table", "order", key=("name",))
    begun = monotonic()
    found = asked.aspect.parts(ResultText("a.csv", text), asked.reading)
    assert monotonic() - begun < 5
    assert 10_000 < len(found) < 100_000


def test_a_number_may_be_off_by_a_share_of_it_and_by_so_much() -> None:
    right = answers(
        lambda wishes: TABLE if wishes["w"] else TABLE.replace("12.50", "14.50").replace("1250", "1450"),
        wish("w", True, False),
    )
    near, far = TABLE.replace("12.50", "12.7").replace("1250", "1270"), TABLE.replace("12.50", "12.8")
    asked = aspect("table", "cells", {"of": "cost", "relative": 0.02}, key=("name",))
    assert (fault(asked, near, right), bool(fault(asked, far, right))) == ("", True)
    # Beside each other they add up; another reading of the same column is another matter.
    both = aspect("table", "cells", {"of": "cost", "relative": 0.02, "tolerance": 0.1}, key=("name",))
    assert fault(both, far, right) == ""
    assert fault(asked, far, right)
    assert fault(aspect("table", "cells", "cost", key=("name",)), near, right)
    form = answers(lambda wishes: FORM if wishes["w"] else FORM.replace("12", "19"), wish("w", True, False))
    assert fault(aspect("form", "fields", {"of": "Price", "relative": 0.1}), FORM.replace("12", "13"), form) == ""
    assert fault(aspect("form", "fields", {"of": "Price"}), FORM.replace("12", "13"), form)
