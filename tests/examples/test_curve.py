"""The curve that trainers keep of a run."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from support.scripts import loaded


@pytest.fixture
def curve() -> ModuleType:
    return loaded("shared.curve")


def result(proc: float | None, **others: float) -> SimpleNamespace:
    names = ("strict_proc", "comp", "turns", "needless", "invalid_actions")
    values = {"proc": proc, "return": proc, **dict.fromkeys(names, 0.5), **others}
    return SimpleNamespace(variant=7, score=proc, values=values, cut_short=proc == 0.5)


def test_an_interval_covers_the_mean_as_often_as_it_says(curve: ModuleType) -> None:
    random = np.random.default_rng(3)
    hits = 0
    for number in range(100):
        _, low, high = curve.interval((random.random(60) < 0.4).astype(float), range(60), seed=number)
        hits += low <= 0.4 <= high
    assert 88 <= hits <= 100


@pytest.mark.parametrize("values", [[1.0] * 20, [0.0]])
def test_an_interval_of_equal_values_is_a_point(curve: ModuleType, values: list[float]) -> None:
    assert curve.interval(values, range(len(values))) == (values[0],) * 3


def test_sessions_of_one_world_count_as_one(curve: ModuleType) -> None:
    values, worlds = np.random.default_rng(0).random(30), range(30)
    _, low, high = curve.interval(values, worlds)
    again = curve.interval(np.repeat(values, 4), np.repeat(worlds, 4))
    assert again[1:] == pytest.approx((low, high))


def test_unscored_sessions_are_counted_and_not_averaged(curve: ModuleType, tmp_path: Path) -> None:
    made = curve.Curve(tmp_path, {})
    found = made.evaluated("before", "validation", [result(1.0), result(None), result(0.5)])
    assert found["unscored"] == 1
    assert found["sessions"] == 3
    assert found["measures"]["proc"]["mean"] == 0.75
    assert found["measures"]["cut_short"]["mean"] == pytest.approx(1 / 3)


def test_a_run_goes_on_with_its_own_arguments(curve: ModuleType, tmp_path: Path) -> None:
    asked = {"out": tmp_path, "seed": 0, "rounds": 1, "run": None}
    curve.Curve.begun(tmp_path, asked, resume=False)
    curve.Curve.begun(tmp_path, {**asked, "rounds": 2}, resume=True)
    with pytest.raises(SystemExit, match="--seed 0, not 1"):
        curve.Curve.begun(tmp_path, {**asked, "seed": 1}, resume=True)


def test_a_run_that_goes_on_knows_what_it_did(curve: ModuleType, tmp_path: Path) -> None:
    first = curve.Curve(tmp_path, {"out": tmp_path})
    first.evaluated("before", "validation", [result(0.5)])
    first.log("imitation", step=1, loss=2.0)
    later = curve.Curve.resumed(tmp_path, {"out": tmp_path})
    assert later.has("before", "validation")
    assert not later.has("before", "holdout")
    later.log("imitation", step=2, loss=1.0)
    content = json.loads((tmp_path / "curve.json").read_text(encoding="utf-8"))
    assert [one["loss"] for one in content["logged"]] == [2.0, 1.0]
    assert content["logged"][1]["seconds"] >= content["logged"][0]["seconds"]
    assert "| validation | before | 1 | 0.500 (0.500 to 0.500) |" in later.table()


def test_a_folder_that_holds_a_run_is_not_begun_in(curve: ModuleType, tmp_path: Path) -> None:
    first = curve.Curve.begun(tmp_path / "run", {}, resume=False)
    first.log("imitation", step=1, loss=2.0)
    with pytest.raises(SystemExit, match="--resume"):
        curve.Curve.begun(tmp_path / "run", {}, resume=False)
    assert curve.Curve.begun(tmp_path / "run", {}, resume=True).logged == first.logged


def test_steps_that_are_taken_again_are_noted_once(curve: ModuleType, tmp_path: Path) -> None:
    """As after a checkpoint: those behind it were noted, and lost."""
    made = curve.Curve(tmp_path, {})
    made.log("imitation", step=3, loss=9.0)
    made.log("round-1", reward=0.5)
    for step, loss in ((1, 3.0), (2, 2.0), (3, 1.0), (2, 1.9)):
        made.log("round-1", step=step, loss=loss)
    made.log("round-1", step=2, token_accuracy=0.8)
    kept = [(one["stage"], one["step"], one.get("loss")) for one in made.logged]
    assert kept == [
        ("imitation", 3, 9.0), ("round-1", 0, None), ("round-1", 1, 3.0), ("round-1", 2, 1.9), ("round-1", 2, None),
    ]  # fmt: skip


def test_what_comes_is_logged_where_the_run_says(curve: ModuleType, tmp_path: Path) -> None:
    events = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="pip install pi-gym[tensorboard]"
    )
    kept = curve.Curve(tmp_path / "run", {"log": f"tensorboard:{tmp_path / 'tb'}"})
    kept.log("imitation", step=1, loss=2.0)
    kept.log("round", step=1, loss=1.5)
    kept.evaluated("after", "holdout", [result(0.25), result(0.75)])
    kept._logger.close()
    found = events.EventAccumulator(str(tmp_path / "tb")).Reload()
    told = {name: [(one.step, one.value) for one in found.Scalars(name)] for name in found.Tags()["scalars"]} or {
        name: [(one.step, float(one.tensor_proto.float_val[0])) for one in found.Tensors(name)]
        for name in found.Tags()["tensors"]
    }
    assert told["imitation/loss"] == [(1, 2.0)]
    assert told["round/loss"] == [(2, 1.5)]
    assert told["holdout/proc"] == [(3, 0.5)]
