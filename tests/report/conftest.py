"""Runs to report on: a few sessions that were played, with figures that are drawn anew for each agent and setting."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.drawn_runs import BENCH, MODEL, PHONE, SCENARIOS, TASKS, PlayedRows, drawn_run, report

import pi_gym


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of PiBench as it was played: tasks of both people, each twice; without a past, which takes long to make."""
    out = tmp_path_factory.mktemp("played") / "bench"
    pi_gym.collect(
        BENCH,
        "asking",
        sessions=2 * len(TASKS),
        group_size=2,
        tasks=list(TASKS),
        variants=[0],
        env_kwargs={"history": "none"},
        out=out,
    )
    return out


@pytest.fixture(scope="session")
def phone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of Pare."""
    out = tmp_path_factory.mktemp("played") / "phone"
    pi_gym.collect(PHONE, "fixed-proposal", sessions=8, group_size=2, tasks=list(SCENARIOS), variants=[0], out=out)
    return out


@pytest.fixture(scope="session")
def contestants(bench: Path, phone: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, PlayedRows]]:
    """By family and label, who is in the report: agents of PiBench, and of Pare in several settings."""
    there = tmp_path_factory.mktemp("drawn")
    found: dict[str, dict[str, PlayedRows]] = {"pibench": {}, "pare": {}}
    for number, (agent, unscored) in enumerate((("brisk", 0), ("careful", 1))):
        place = there / "bench" / agent
        pair = [
            drawn_run(
                bench, place / mode, 2 * number + one, agent=agent, history_mode=mode, unscored=unscored * (1 - one)
            )
            for one, mode in enumerate(("reference", "none"))
        ]
        found["pibench"][agent] = PlayedRows(*pair)
    settings: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
        "brisk, noise as usual, tool_failure as usual": ({}, {}),
        "brisk, noise high, tool_failure as usual": ({"noise": "high"}, {"noise": "high"}),
        "brisk, noise as usual, tool_failure 0.2": ({"tool_failure": 0.2}, {"tool_failure": "0.2"}),
        "careful, user as usual": ({}, {}),
        "careful, user some-model": ({"user": MODEL}, {"person": "some-model"}),
    }
    for number, (label, (env_kwargs, told)) in enumerate(settings.items()):
        agent, out = label.partition(",")[0], there / "phone" / str(number)
        run = drawn_run(phone, out, number, agent=agent, env_kwargs=env_kwargs, unscored=int(label.endswith("usual")))
        found["pare"][label] = PlayedRows(run, **told)
    found["pare"] = dict(sorted(found["pare"].items()))
    return found


@pytest.fixture(scope="session")
def audits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By family, an audit's result; one is of no session in the report."""
    found = {}
    for family, kind in (("pibench", "intent"), ("pare", "proposal"), ("elsewhere", "intent")):
        found[family] = tmp_path_factory.mktemp("audits") / f"{family}.json"
        apart = {"rules and judges": {"value": 0.125, "low": 0.05, "high": 0.2, "of": 64}}
        rates = {"all": {"judged": 40, "disagreement": 0.05, "agreement": 0.95}}
        found[family].write_text(json.dumps({"family": family, "apart": {kind: apart}, "rates": rates}))
    return found


@pytest.fixture(scope="session")
def reported(
    contestants: dict[str, dict[str, PlayedRows]], audits: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder of a report on all of them."""
    out = tmp_path_factory.mktemp("reported") / "report"
    roots = {one.run.parents[depth] for found, depth in zip(contestants.values(), (1, 0), strict=True)
             for one in found.values()}  # fmt: skip
    done = report(*sorted(roots), *audits.values(), "--out", out)
    assert "left out" not in done.output
    return out


@pytest.fixture(scope="session")
def figures(reported: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """By family, the tables and charts of that report by name."""
    pibench, pare, _ = json.loads((reported / "figures.json").read_text())["sections"]
    return {
        family: {part["name"]: part for part in section["parts"]}
        for family, section in (("pibench", pibench), ("pare", pare))
    }
