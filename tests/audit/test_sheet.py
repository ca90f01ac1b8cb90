"""The sheet of an audit: every task helpful and plain, the ends of groups without history, a fifth judged twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import pi_gym
from pi_gym.audit.sheet import BEGIN, SHEET, plan_audit, write_sheet
from pi_gym.errors import BadArgument

ID = "PiBench-Researcher-v0"


def test_every_task_is_played_helpful_and_plain_and_the_last_of_each_group_without_history() -> None:
    rows = plan_audit(ID, {})
    pack = pi_gym.load_pack("researcher")
    for task in pack.task_ids:
        of_task = [row for row in rows if row.task == task]
        assert [row.brief for row in of_task][:2] == ["helpful", "plain"]
        assert len({row.variant for row in of_task}) == 1
        assert 100_000 <= of_task[0].variant <= 999_999
    groups = {pack.card(task).group for task in pack.task_ids} - {""}
    none = [row for row in rows if row.history == "none"]
    assert {pack.card(row.task).group for row in none} == groups
    assert len(none) == len(groups)
    assert len(rows) == 2 * len(pack.task_ids) + len(groups)
    assert len({row.session for row in rows}) == len(rows)


def test_a_fifth_is_judged_twice_and_the_seed_decides_all() -> None:
    rows = plan_audit(ID, {}, seed=1)
    assert Counter(row.judges for row in rows)[2] == -(-len(rows) // 5)
    assert rows == plan_audit(ID, {}, seed=1)
    assert not {row.variant for row in rows} & {row.variant for row in plan_audit(ID, {}, seed=2)}
    assert {row.variant for row in plan_audit(ID, {}, split="test")} == {0}


def test_a_sheet_is_not_written_over(tmp_path: Path) -> None:
    rows = plan_audit(ID, {})
    write_sheet(rows, tmp_path / "a", ID)
    assert len((tmp_path / "a" / SHEET).read_text().splitlines()) == len(rows) + 1
    assert (tmp_path / "a" / BEGIN).read_text().count(" play ") == len(rows)
    with pytest.raises(BadArgument, match="name another folder"):
        write_sheet(rows, tmp_path / "a", ID)
