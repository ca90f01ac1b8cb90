"""Averages as the paper says and as the published code computes them."""

from __future__ import annotations

from statistics import stdev

import pytest
from support.official import GARDENER, ScriptedGrader, ScriptedUser, answering
from support.plans import named, plan_over, score
from support.plans import summed as summed_up

from pi_gym.catalogue import TaskCard
from pi_gym.errors import RolesNeeded, UnknownName
from pi_gym.rollout import collect
from pi_gym.runs.outcome import Score
from pi_gym.runs.plan import Plan, plan_sessions
from pi_gym.runs.summary import RunSummary
from pi_gym.session.trajectory import SessionKey

# 01 and 02 lead to 03, which 04 builds on; 05 stands alone.
TASKS = ["01-a", "02-b", "03-c", "04-d", "05-e"]
DEPENDS = {"03-c": ("01-a", "02-b"), "04-d": ("03-c",)}
GROUPS = {"01-a": "g", "02-b": "g", "03-c": "g", "04-d": "g", "05-e": ""}
INTENTS = {"01-a": 2, "02-b": 3, "03-c": 5, "04-d": 4, "05-e": 1}


def plan(sessions: int = 5, tasks: list[str] = TASKS) -> Plan:
    planned = plan_sessions(named(tasks), "test", sessions=sessions, seed=0)
    cards = {
        name: TaskCard(name, group, DEPENDS.get(name, ()), graded=name not in ("01-a", "02-b"))
        for name, group in GROUPS.items()
    }
    return plan_over(planned, cards=cards)


def scores(a_plan: Plan, covered: list[int], comps: list[float | None]) -> dict[SessionKey, Score]:
    found = {}
    for session, count, comp in zip(a_plan.sessions, covered, comps, strict=True):
        intents = INTENTS[session.task_id]
        found[a_plan.key(session)] = score(count / intents, comp, 0.25, intents=intents)
    return found


def summed(protocol: str, covered: list[int], comps: list[float | None]) -> RunSummary:
    a_plan = plan(len(covered))
    return summed_up(a_plan, scores(a_plan, covered, comps), protocol=protocol)


ONE = ([1, 0, 5, 2, 0], [None, None, 0.5, 1.0, 0.0])


def test_the_paper_counts_every_session_the_same_and_a_groups_intents_together() -> None:
    summary = summed("paper", *ONE)
    assert summary.mean("proc") == pytest.approx((1 / 2 + 0 + 1 + 2 / 4 + 0) / 5)
    assert summary.mean("comp") == pytest.approx(0.5)
    assert summary.groups["g"]["proc"].mean == pytest.approx(8 / 14)
    assert summary.groups["g"]["comp"].mean == pytest.approx(0.75)
    assert summary.groups["independent"]["proc"].mean == 0.0


def test_the_published_code_pools_direct_dependencies_and_weighs_by_all_of_them() -> None:
    summary = summed("official", *ONE)
    # Direct dependencies only: 03 with 01 and 02, 04 with 03. Weights: 03 three, 04 four, 05 one.
    assert summary.mean("proc") == pytest.approx((3 * 6 / 10 + 4 * 7 / 9 + 1 * 0) / 8)
    assert summary.mean("comp") == pytest.approx((3 * 0.5 + 4 * 1.0 + 1 * 0.0) / 8)
    assert summary.overall["proc"].sessions == 3
    assert summary.tasks["03-c"]["proc"].mean == pytest.approx(6 / 10)
    assert summary.tasks["01-a"]["proc"].mean is None
    assert summary.groups["g"]["proc"].mean == pytest.approx((3 * 6 / 10 + 4 * 7 / 9) / 7)


@pytest.mark.parametrize("protocol", ["paper", "official"])
def test_strict_proc_is_averaged_as_proc_is(protocol: str) -> None:
    summary = summed(protocol, *ONE)  # nothing was asked for needlessly
    assert summary.overall["strict_proc"] == summary.overall["proc"]
    assert summary.groups["g"]["strict_proc"] == summary.groups["g"]["proc"]


def test_other_measures_and_what_was_played_do_not_depend_on_the_protocol() -> None:
    paper, official = summed("paper", *ONE), summed("official", *ONE)
    assert paper.overall["turns"] == official.overall["turns"]
    assert paper.overall["return"] == official.overall["return"]
    assert (paper.to_json()["protocol"], official.to_json()["protocol"]) == ("paper", "official")


def test_a_comp_that_is_unknown_leaves_its_weight_out() -> None:
    summary = summed("official", [1, 0, 5, 2, 0], [None, None, None, 1.0, 0.0])
    assert summary.mean("comp") == pytest.approx(4 / 5)


def test_the_spread_is_over_the_repeats_weighted_means() -> None:
    summary = summed("official", ONE[0] + [2, 3, 5, 4, 1], ONE[1] + [None, None, 1.0, 1.0, 1.0])
    first = (3 * 6 / 10 + 4 * 7 / 9) / 8
    assert summary.overall["proc"].std == pytest.approx(stdev([first, 1.0]))
    assert summary.mean("proc") == pytest.approx((first + 1) / 2)


def test_a_dependency_without_a_score_leaves_its_dependents_out_of_that_repeat() -> None:
    a_plan = plan()
    found = scores(a_plan, *ONE)
    found[a_plan.key(a_plan.sessions[0])] = score(error_kind="model")
    summary = summed_up(a_plan, found, protocol="official")
    assert summary.tasks["03-c"]["proc"].mean is None
    assert summary.mean("proc") == pytest.approx((4 * 7 / 9 + 0) / 5)


def test_a_dependency_that_is_not_played_is_left_out_of_the_pool() -> None:
    a_plan = plan(1, ["03-c"])
    summary = summed_up(a_plan, scores(a_plan, [4], [1.0]), protocol="official")
    assert summary.mean("proc") == pytest.approx(4 / 5)


def test_a_rollout_takes_the_protocol_and_knows_the_packs_dependencies() -> None:
    roles = {"user": ScriptedUser(), "grader": ScriptedGrader(), "responder": answering()}
    kwargs = {"pack": GARDENER, "exec_backend": "off", **roles}
    tasks = ["gardener_task_001", "gardener_task_002", "gardener_task_004"]
    summary = collect("PiBench-Researcher-v0", "silent", env_kwargs=kwargs, tasks=tasks, protocol="official")
    assert summary.first_error == ""
    cards = summary.plan.cards
    assert cards["gardener", "gardener_task_002"].depends_on == ("gardener_task_001",)
    assert [name for (_, name), card in cards.items() if not card.graded] == ["gardener_task_001"]
    # 002 weighs 2 and has 3 of 5; 004 lacks its script.
    assert summary.mean("comp") == pytest.approx(3 / 5)
    assert summary.overall["proc"].sessions == 2


def test_a_rollout_says_at_once_that_rules_cannot_judge() -> None:
    with pytest.raises(RolesNeeded, match="--role user=MODEL@URL"):
        collect("PiBench-Researcher-v0", "silent", env_kwargs={"pack": GARDENER})
    with pytest.raises(UnknownName, match="protocol"):
        collect("PiBench-Researcher-v0", "silent", protocol="offical")  # type: ignore[arg-type]
