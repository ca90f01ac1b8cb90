"""The audit's kit over Pare: planned, bundled for judges, and compared with what they found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pi_gym
from pi_gym.audit.bundles import write_bundles
from pi_gym.audit.comparison import compare_verdicts
from pi_gym.audit.sheet import plan_audit
from pi_gym.errors import BadArgument
from pi_gym.pare.scenario_set import installed_scenarios


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pare_audit") / "run"
    pi_gym.collect("Pare-v0", "reference", tasks=["stranded-friend", "two-at-once"], out=out)
    return out


def test_so_many_scenarios_are_drawn_and_played_twice() -> None:
    rows = plan_audit("Pare-v0", {}, seed=3, tasks=4)
    assert len({row.task for row in rows}) == 4
    assert sorted(row.brief for row in rows) == ["helpful"] * 4 + ["plain"] * 4
    assert {row.task for row in rows} != {row.task for row in plan_audit("Pare-v0", {}, seed=4, tasks=4)}


def test_a_bundle_shows_proposals_what_was_meant_and_what_changed_and_no_verdict(run: Path, tmp_path: Path) -> None:
    written, failed = write_bundles(run, tmp_path)
    assert len(written) == 2
    assert not failed
    page = (tmp_path / f"{next(name for name in written if name.startswith('stranded'))}.md").read_text()
    scenario = installed_scenarios().instantiate("stranded-friend", 0)
    assert scenario.solution is not None
    assert f"- **proposal 1**: made in turn 2: {scenario.solution.propose}" in page
    assert "In this world help is wanted" in page
    assert "+ Cab.rides" in page.partition("Rows of apps that changed")[2]
    assert "success" not in page.lower()


def test_judges_are_compared_with_the_rules_on_proposals_and_on_the_end(run: Path, tmp_path: Path) -> None:
    written, _ = write_bundles(run, tmp_path / "bundles")
    verdicts = tmp_path / "verdicts"
    verdicts.mkdir()
    for name, value in zip(written, ("accepted", "rejected"), strict=True):
        verdict = {"proposals": {"proposal 1": [value, "why"]}, "goal": {"goal": [True, "", False]}}
        (verdicts / f"{name}.one.json").write_text(json.dumps({**verdict, "questions": [], "unfair": ""}))
    audit = compare_verdicts([run], verdicts)
    assert audit.apart["proposal"]["rules and judges"].of == 2
    assert audit.apart["proposal"]["rules and judges"].value == 0.5
    assert audit.apart["goal"]["rules and judges"].value == 0.0
    (case,) = audit.cases
    assert (case.kind, case.name) == ("proposal", "proposal 1")


def test_a_verdict_that_leaves_a_proposal_out_is_told(run: Path, tmp_path: Path) -> None:
    (name, *_), _ = write_bundles(run, tmp_path / "bundles")
    verdicts = tmp_path / "verdicts"
    verdicts.mkdir()
    bad = {"proposals": {}, "goal": {"goal": [True, "", False]}, "questions": [], "unfair": ""}
    (verdicts / f"{name}.one.json").write_text(json.dumps(bad))
    with pytest.raises(BadArgument, match="'proposal 1' is missing"):
        compare_verdicts([run], verdicts)
