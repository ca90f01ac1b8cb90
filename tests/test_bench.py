"""The benchmark runs as it is called, and writes what it says."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "bench" / "run.py"
TINY = ROOT / "tests" / "packs" / "tiny"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, timeout=100)


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict]:
    out = tmp_path_factory.mktemp("bench") / "deep" / "results.json"
    done = run("--quick", "--pack", str(TINY), "--out", str(out))
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(out.read_text())


def test_the_results_say_where_they_were_measured(quick: tuple[str, dict]) -> None:
    _, results = quick
    assert results["machine"]["cpu"]
    assert results["machine"]["cores"] >= 1
    assert set(results["machine"]["versions"]) >= {"gymnasium", "numpy"}
    assert results["settings"] == {"pack": str(TINY), "tasks": 3, "quick": True, "gc": True}


def test_every_figure_is_complete_and_positive(quick: tuple[str, dict]) -> None:
    _, results = quick
    names = [(figure["group"], figure["name"]) for figure in results["figures"]]
    assert len(set(names)) == len(names)
    for figure in results["figures"]:
        assert {"unit", "median", "p10", "p90", "n", "target", "target_is", "met", "note"} <= set(figure)
        assert figure["n"] >= 1
        # A slope over the few steps of a quick run may come out as noise of either sign.
        if "us/kB" not in figure["unit"] and "bare copy" not in figure["name"]:
            assert 0 < figure["p10"] <= figure["median"] <= figure["p90"] < math.inf, figure
        if figure["target"] is None:
            assert figure["met"] is None
        else:
            least = figure["target_is"] == "at least"
            assert figure["met"] == (
                figure["median"] >= figure["target"] if least else figure["median"] <= figure["target"]
            )


def test_every_group_that_has_a_target_is_measured(quick: tuple[str, dict]) -> None:
    _, results = quick
    held = {figure["group"] for figure in results["figures"] if figure["target"] is not None}
    assert held == {"startup", "step", "reset", "copy", "live", "growth", "vector", "latency", "collect", "pare"}
    assert "throughput" in {figure["group"] for figure in results["figures"]}


def test_the_table_shows_every_figure(quick: tuple[str, dict]) -> None:
    printed, results = quick
    for figure in results["figures"]:
        assert figure["name"] in printed


def test_only_the_groups_that_are_asked_for_run(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    done = run("--quick", "--pack", str(TINY), "--out", str(out), "--only", "reset", "throughput")
    assert done.returncode == 0, done.stderr
    assert [figure["group"] for figure in json.loads(out.read_text())["figures"]] == ["reset"] * 2 + ["throughput"] * 2


def test_an_unknown_group_is_refused() -> None:
    done = run("--only", "speed")
    assert done.returncode == 2
    assert "invalid choice: 'speed'" in done.stderr


def test_a_script_measures_another_version_beside_this_one() -> None:
    script = ROOT / "bench" / "steps.py"
    command = [sys.executable, str(script), "--against", sys.executable, "--pack", str(TINY), "--rounds", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith(("read ", "write ", "edit "))]
    assert len(rows) == 3
    for _, here, there, ratio in rows:
        assert float(here) > 0 < float(there)
        assert float(ratio) == pytest.approx(float(here) / float(there), abs=0.02)
