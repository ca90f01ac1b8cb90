from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_gym.state import Database, Table

BASE = {1: {"name": "a", "n": 1}, 2: {"name": "b", "n": 2}, 5: {"name": "c", "n": 1}}
STEPS = st.lists(st.tuples(st.sampled_from(["insert", "update", "delete"]), st.integers(0, 7), st.integers(0, 2)))


@settings(deadline=None)
@given(STEPS)
def test_a_table_behaves_like_a_dict_and_leaves_its_base(steps: list[tuple[str, int, int]]) -> None:
    base = {key: dict(row) for key, row in BASE.items()}
    table, model = Table(base), {key: dict(row) for key, row in BASE.items()}
    for kind, key, value in steps:
        row = {"name": "new", "n": value}
        if (key in model) == (kind == "insert"):
            with pytest.raises(KeyError, match=str(key)):
                _apply(table, kind, key, row)
            continue
        table = _apply(table, kind, key, row)
        if kind == "delete":
            del model[key]
        else:
            model[key] = row if kind == "insert" else {**model[key], "n": value}
    rows = dict(table.rows())
    assert rows == model
    assert len(table) == len(model)
    assert list(rows) == [k for k in BASE if k in model] + sorted(k for k in model if k not in BASE)
    assert [key for key, _ in table.where(n=1)] == [key for key in rows if model[key]["n"] == 1]
    diff = table.diff(Table(base))
    assert set(diff) == {k for k in {*BASE, *model} if BASE.get(k) != model.get(k)}
    same = Database({"t": table}).state_hash() == Database({"t": Table(base)}).state_hash()
    assert same == (model == BASE)
    assert base == BASE


def _apply(table: Table, kind: str, key: int, row: dict[str, object]) -> Table:
    if kind == "insert":
        return table.insert(key, row)
    return table.update(key, n=row["n"]) if kind == "update" else table.delete(key)


def test_the_order_of_changes_does_not_show_in_the_hash() -> None:
    one = Database({"t": Table(BASE).insert(9, {"x": 1}).update(1, n=7)})
    two = Database({"t": Table(BASE).update(1, n=7).insert(9, {"x": 0}).update(9, x=1)})
    assert one.state_hash() == two.state_hash()
    assert one.diff(two) == {}
    assert one.diff(Database({"t": Table(BASE)}))["t"][9] == (None, {"x": 1})


def test_an_unknown_table_lists_the_known_ones() -> None:
    with pytest.raises(KeyError, match="known: mails, users"):
        Database({"users": Table(), "mails": Table()}).table("user")


def test_a_database_survives_a_pickle() -> None:
    database = Database({"t": Table(BASE).delete(1)})
    copy = pickle.loads(pickle.dumps(database))
    assert dict(copy.table("t").rows()) == {2: BASE[2], 5: BASE[5]}
    assert copy.state_hash() == database.state_hash()
