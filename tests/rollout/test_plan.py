from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.packs import protocol, tiny
from support.plans import named, plan_over

from pi_gym.errors import BadArgument, UnknownName
from pi_gym.runs.plan import MAX_SESSIONS, Plan, choose_tasks, plan_sessions, split_of
from pi_gym.sampling import split_variants

TASKS = named(["01-list", "02-memo", "03-ping"])
SPLIT = st.sampled_from(["test", "train", "validation", "holdout"])


def plan_of(sessions: int, history: str, group_size: int, **arguments: object) -> Plan:
    given = {"split": "train", "seed": 0, **arguments}
    split = given.pop("split")
    planned = plan_sessions(TASKS, split, sessions=sessions, group_size=group_size, **given)
    return plan_over(planned, split=split, history=history, group_size=group_size)


def test_a_plan_is_known_in_advance():
    planned = plan_sessions(TASKS[:2], "train", sessions=6, seed=7)
    # Written out, since a plan that changes under the same arguments makes runs of two versions differ.
    assert [(p.task, p.variant) for p in planned] == [
        (task, variant) for variant in (54701, 1142, 78254) for task in TASKS[:2]
    ]


@given(SPLIT, st.integers(1, 40), st.integers(0, 40), st.integers(0, 9), st.integers(1, 5))
def test_more_sessions_go_on_where_fewer_ended(split, fewer, more, seed, group_size):
    fewer, more = fewer * group_size, more * group_size
    short = plan_sessions(TASKS, split, sessions=fewer, seed=seed, group_size=group_size)
    long = plan_sessions(TASKS, split, sessions=fewer + more, seed=seed, group_size=group_size)
    assert long[:fewer] == short


@given(SPLIT, st.integers(1, 20), st.integers(0, 9), st.integers(2, 5))
def test_a_group_is_one_start_as_often_as_asked(split, starts, seed, group_size):
    single = plan_sessions(TASKS, split, sessions=starts, seed=seed)
    plan = plan_of(starts * group_size, "none", group_size, split=split, seed=seed)
    # The starts are those of a plan without groups, each of them `group_size` times.
    assert [(s.task_id, s.variant) for s in plan.sessions[::group_size]] == [(s.task_id, s.variant) for s in single]
    groups: dict[str, list] = {}
    for session in plan.sessions:
        groups.setdefault(plan.group_id(session), []).append(session)
    assert len(groups) == starts
    for members in groups.values():
        assert len(members) == group_size
        assert len({(s.task_id, s.variant, s.seed) for s in members}) == 1
        samples = [s.sample for s in members]
        assert samples == list(range(samples[0], samples[0] + group_size))


@given(st.integers(1, 20), st.integers(1, 4), SPLIT)
def test_under_own_history_a_groups_members_are_episodes_of_one_length(starts, group_size, split):
    plan = plan_of(starts * group_size, "own", group_size, split=split)
    groups: dict[str, dict[int, list]] = {}
    for session in plan.sessions:
        assert (plan.group_id(session) == "") == (group_size == 1)
        id_ = plan.group_id(session) or f"{session.variant}/{session.sample}"
        groups.setdefault(id_, {}).setdefault(session.sample, []).append(session)
    for members in groups.values():
        assert len(members) == group_size
        assert len({tuple(s.task_id for s in episode) for episode in members.values()}) == 1
        for episode in members.values():
            assert [s.position for s in episode] == list(range(len(episode)))
            assert len({(s.repeat, s.variant) for s in episode}) == 1


def test_a_group_id_says_where_its_sessions_start():
    assert plan_of(2, "none", 2, split="test").group_id(plan_of(2, "none", 2, split="test").sessions[1]) == (
        "p/01-list/v0/s0/g0"
    )
    later = plan_of(12, "own", 2, split="test", seed=3)
    assert [later.group_id(s) for s in later.sessions[4:8]] == ["p/v0/s3/g0"] * 2 + ["p/v0/s3/g1"] * 2


def test_sessions_that_are_no_whole_groups_are_refused_with_the_numbers_beside_them():
    with pytest.raises(BadArgument, match="whole groups of group_size=4, got 10; ask for 8 or 12"):
        plan_sessions(TASKS, "train", sessions=10, seed=0, group_size=4)
    with pytest.raises(BadArgument, match="got 3; ask for 4"):
        plan_sessions(TASKS, "train", sessions=3, seed=0, group_size=4)
    assert len(plan_sessions(TASKS, "train", sessions=None, seed=0, group_size=4, variants=[1, 2])) == 24


@given(
    SPLIT,
    st.integers(1, 60),
    st.integers(0, 9),
    st.none() | st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True),
    st.integers(1, 4),
)
def test_no_two_sessions_of_a_plan_have_one_key(split, starts, seed, variants, group_size):
    sessions = starts * group_size
    planned = plan_sessions(TASKS, split, sessions=sessions, seed=seed, variants=variants, group_size=group_size)
    assert len({(p.task_id, p.variant, p.seed, p.sample) for p in planned}) == sessions


@given(SPLIT, st.integers(1, 60), st.integers(0, 9))
def test_variants_come_from_the_split_one_a_round(split, sessions, seed):
    first, last = split_variants(split)
    planned = plan_sessions(TASKS, split, sessions=sessions, seed=seed)
    for p in planned:
        assert first <= p.variant <= last
        assert p.variant == planned[p.repeat * len(TASKS)].variant
        assert p.task == TASKS[p.index % len(TASKS)]


def test_repeats_of_the_test_split_are_samples_of_variant_0():
    planned = plan_sessions(TASKS, "test", sessions=7, seed=0)
    assert [(p.variant, p.sample, p.repeat) for p in planned] == [(0, n // 3, n // 3) for n in range(7)]


def test_seeds_draw_other_variants():
    drawn = {plan_sessions(TASKS, "train", sessions=1, seed=seed)[0].variant for seed in range(20)}
    assert len(drawn) > 15


def test_without_a_number_each_task_is_played_once_a_variant():
    planned = plan_sessions(TASKS, "test", sessions=None, seed=0, variants=[4, 2])
    assert [(p.task, p.variant) for p in planned] == [(task, variant) for variant in (4, 2) for task in TASKS]


@pytest.mark.parametrize(
    "arguments",
    [
        {"group_size": 0},
        {"group_size": True},
        {"sessions": 0},
        {"sessions": True},
        {"sessions": 1.5},
        {"seed": -1},
        {"variants": [-1]},
        {"variants": []},
    ],
)
def test_arguments_out_of_range_are_named(arguments):
    with pytest.raises(BadArgument, match=next(iter(arguments))):
        plan_sessions(TASKS, "test", **{"sessions": 1, "seed": 0, **arguments})


def test_given_tasks_are_taken_whatever_the_split():
    assert choose_tasks([tiny()], "train", None) == [("tiny", "01-list"), ("tiny", "02-memo")]
    assert choose_tasks([tiny()], "holdout", None) == [("tiny", "03-ping")]
    assert choose_tasks([tiny()], "train", ["03-ping", "tiny/01-list"]) == [("tiny", "03-ping"), ("tiny", "01-list")]


def test_unknown_names_list_the_known_ones():
    with pytest.raises(UnknownName, match="Did you mean '02-memo'"):
        choose_tasks([tiny()], "test", ["02-mem"])
    with pytest.raises(UnknownName, match="Did you mean 'train'"):
        choose_tasks([tiny()], "trian", None)


def test_a_task_or_a_variant_is_played_more_often_by_sessions_not_by_name():
    with pytest.raises(BadArgument, match=r"task '01-list' is given twice; ask for more sessions"):
        choose_tasks([tiny()], "test", ["01-list", "01-list"])
    with pytest.raises(BadArgument, match=r"variant 1 is given twice; ask for more sessions"):
        plan_sessions(TASKS, "test", sessions=5, seed=0, variants=[1, 2, 1])


@pytest.mark.parametrize("arguments", [{"sessions": MAX_SESSIONS + 1}, {"variants": range(10**12)}])
def test_more_sessions_than_a_run_can_hold_are_refused_before_they_are_made(arguments):
    with pytest.raises(BadArgument, match=r"at most 1,000,000 in one run"):
        plan_sessions(TASKS, "test", **{"sessions": None, "seed": 0, **arguments})


@pytest.mark.parametrize(
    ("split", "tasks", "variants", "recorded"),
    [
        ("test", None, None, "test"),
        ("test", ["02-memo"], [0], "test"),
        ("test", None, [5], "explicit"),
        ("test", None, [0, 1], "explicit"),
        ("train", None, None, "train"),
        ("train", ["02-memo"], None, "train"),
        ("train", ["03-ping"], None, "explicit"),
        ("holdout", ["03-ping"], None, "holdout"),
        ("holdout", ["02-memo", "03-ping"], None, "explicit"),
        ("validation", None, [7], "explicit"),
    ],
)
def test_a_plan_is_of_a_split_only_where_all_its_sessions_are(split, tasks, variants, recorded):
    chosen = choose_tasks([tiny()], split, tasks)
    planned = plan_sessions(chosen, split, sessions=7, seed=1, variants=variants)
    assert split_of([tiny()], split, planned) == recorded


def test_a_name_of_two_packs_is_refused():
    with pytest.raises(BadArgument, match="more than one pack"):
        choose_tasks([tiny(), protocol(), tiny()], "test", ["01-list"])
