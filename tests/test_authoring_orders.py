"""Orders of a shelf: suppliers' least values, lists and forms that agree."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.authoring import stock
from pi_gym.seeding import Stream

LETTERS = "CKN"
ITEMS = tuple("abcdefgh")
SUPPLIERS = {letter: {"name": f"House {letter}", "least": 1000, "fee": 150} for letter in LETTERS}
goods = st.fixed_dictionaries(
    {
        item: st.fixed_dictionaries({"supplier": st.sampled_from(LETTERS), "price": st.integers(50, 900)})
        for item in ITEMS
    }
)
counts = st.fixed_dictionaries({item: st.integers(0, 3) for item in ITEMS})
lasts = st.fixed_dictionaries({item: st.floats(0, 20) for item in ITEMS})


def _sums(packs: dict[str, int], of: dict[str, Any]) -> dict[str, int]:
    return {
        letter: sum(n * of[item]["price"] for item, n in packs.items() if of[item]["supplier"] == letter)
        for letter in LETTERS
    }


@given(goods, counts, lasts, st.sets(st.sampled_from(ITEMS)), st.sampled_from(["pull", "wait", "fee", None]))
def test_an_order_below_the_least_is_seen_to_in_one_way(
    of: dict[str, Any], packs: dict[str, int], lasting: dict[str, float], must: set[str], how: str | None
) -> None:
    found, totals = stock.meet_least(packs, of, SUPPLIERS, lasting, must, how)
    before, after = _sums(packs, of), _sums(found, of)
    for letter in LETTERS:
        own = [item for item in ITEMS if of[item]["supplier"] == letter]
        if not 0 < before[letter] < 1000:
            assert totals[letter] == before[letter] == after[letter]
        elif how == "pull":
            pulled = [item for item in own if found[item] != packs[item]]
            assert totals[letter] == after[letter]
            assert all((packs[item], found[item]) == (0, 1) for item in pulled)
            # What would be out first is pulled first, and no more than it takes.
            left = [item for item in own if not found[item]]
            assert not left or max(map(lasting.__getitem__, pulled), default=0) <= min(map(lasting.__getitem__, left))
            assert after[letter] >= 1000 or not left
        elif how == "wait" and not any(packs[item] for item in own if item in must):
            assert totals[letter] == after[letter] == 0
        else:
            assert (after[letter], totals[letter]) == (before[letter], before[letter] + 150)


@given(goods, counts)
def test_the_list_and_the_forms_of_an_order_agree(of: dict[str, Any], packs: dict[str, int]) -> None:
    words = dict.fromkeys(ITEMS, "P1")
    come = {item: date(2026, 5, 11) + timedelta(n) for n, item in enumerate(ITEMS)}
    rows = list(csv.DictReader(io.StringIO(stock.order_list(packs, of, SUPPLIERS, words, words))))
    forms = stock.order_forms(
        "2026-05-08", packs, _sums(packs, of), of, SUPPLIERS, come, lambda total: f"signs {total}"
    )
    assert [row["item"] for row in rows] == [item for item, n in packs.items() if n]
    for letter, supplier in SUPPLIERS.items():
        own = [row for row in rows if row["supplier"] == supplier["name"]]
        if not own:
            assert f"2026-05-08_{letter}.txt" not in forms
            continue
        form = dict(line.split(": ") for line in forms[f"2026-05-08_{letter}.txt"].splitlines())
        assert int(form["Total"]) == sum(int(row["cost"]) for row in own)
        assert form["Arrives"] == str(max(come[row["item"]] for row in own))
        assert form["Items"] == "; ".join(f"{row['item']} x {row['packs']}" for row in own)
        assert form["Signs"] == f"signs {form['Total']}"


@pytest.mark.parametrize(("place", "stands"), [("", "K1"), ("F3", "F3")])
def test_a_lot_is_named_after_its_item(place: str, stands: str) -> None:
    item, lot, *rest = stock.lot_row(Stream("lot"), "rpmi", {"unit": "mL", "place": "K1"}, 500, "2027-03-31", place)
    assert (item, lot[:3], rest) == ("rpmi", "RP-", [stands, 500, "mL", "2027-03-31"])
