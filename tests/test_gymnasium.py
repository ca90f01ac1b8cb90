"""Every registered environment under Gymnasium's own means: specs, registry, wrappers, time limits, autoreset."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.envs.registration import EnvSpec, load_env_creator
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from support.asking import AskingGrader
from support.packs import PROTOCOL
from support.play import agreeing

import pi_gym
from pi_gym.env import SessionEnv
from pi_gym.environments import base_env
from pi_gym.errors import BadArgument
from pi_gym.models.scripted import ScriptedModel
from pi_gym.pare.pare_settings import PareReward
from pi_gym.registration import registered_ids
from pi_gym.types import Answer
from pi_gym.vector import SessionVectorEnv
from pi_gym.wrappers import ChatMessages, DeltaHistory, RecordTrajectory, TruncateHistory

IDS = sorted(name for name in registered_ids() if gym.spec(name).entry_point.startswith("pi_gym."))  # type: ignore
#: Arguments under which each environment draws only what any machine can play.
PORTABLE: dict[str, dict[str, Any]] = {
    name: {} if name.startswith("Pare") else {"exclude_needs": ("exec",)} for name in IDS
}
DOWN = Answer(error="down")
#: A scenario in which help is wanted.
HELP = "moved-appointment"


@pytest.fixture(autouse=True)
def _without_a_warning() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def opened(env: gym.Env[Any, Any], seed: int = 3, task: str | None = None) -> list[str]:
    """Reset, and the actions of the reference."""
    env.reset(seed=seed, options=None if task is None else {"task": task})
    base = base_env(env)
    assert base.session is not None
    return list(base.family.reference(base.session))


def played(env: gym.Env[Any, Any], actions: list[str]) -> list[tuple[Any, ...]]:
    steps = []
    for action in actions:
        steps.append(env.step(action))
        if steps[-1][2] or steps[-1][3]:
            break
    return steps


def record_of(env: gym.Env[Any, Any]) -> pi_gym.Trajectory:
    session = base_env(env).session
    assert session is not None
    return session.trajectory()


# -- specifications --------------------------------------------------------------------------------------------------


def test_the_ids_are_those_of_the_package() -> None:
    assert {"PiBench-v0", "PiBench-Mini-v0", "PiBench-Researcher-v0", "PiBench-Pharmacist-v0", "Pare-v0"} <= set(IDS)


@pytest.mark.parametrize("name", IDS)
def test_a_spec_is_complete(name: str) -> None:
    spec = gym.spec(name)
    assert issubclass(load_env_creator(spec.entry_point), SessionEnv)  # type: ignore[arg-type]
    assert issubclass(load_env_creator(spec.vector_entry_point), SessionVectorEnv)  # type: ignore[arg-type]
    assert spec.order_enforce
    assert not spec.disable_env_checker
    assert spec.max_episode_steps is None  # the environment's own limits grade what they cut
    assert spec.version == 0
    assert spec.namespace is None
    # What the id stands for is named by it, and the rest has defaults.
    made = base_env(spec.make())
    assert (made.spec.id, made.spec.kwargs) == (name, spec.kwargs)  # type: ignore[union-attr]


@pytest.mark.parametrize("name", IDS)
def test_what_runs_shell_commands_is_nondeterministic(name: str) -> None:
    env = base_env(gym.make(name))
    shell = any("exec" in pack.card(task).needs for pack in env.packs for task in pack.task_ids)
    assert gym.spec(name).nondeterministic is shell


@pytest.mark.parametrize("name", ["PiBench-Mini-v0", "Pare-v0"])  # of the people the proof of tasks says the same
def test_the_threshold_is_nine_tenths_of_what_references_earn_and_nothing_else_reaches_it(name: str) -> None:
    threshold = gym.spec(name).reward_threshold

    def mean(agent: str) -> float:
        returns = [one.return_ for one in pi_gym.collect(name, agent, split="test").trajectories]
        assert None not in returns
        return float(np.mean(returns))  # type: ignore[arg-type]

    assert math.floor(9 * mean("reference")) / 10 == threshold
    assert mean("silent") < threshold
    assert mean("random") < threshold


def test_every_environment_of_a_family_has_its_threshold() -> None:
    found = {name: gym.spec(name).reward_threshold for name in IDS}
    assert found == dict.fromkeys(IDS, gym.spec("PiBench-Mini-v0").reward_threshold) | {"Pare-v0": found["Pare-v0"]}


@pytest.mark.parametrize("form", ["spec", "json"])
@pytest.mark.parametrize("name", IDS)
def test_an_environment_made_again_from_its_spec_plays_the_same(name: str, form: str) -> None:
    kwargs = {**PORTABLE[name], "split": "train", "max_turns": 6, "render_mode": "ansi"}
    first = wrappers.RecordEpisodeStatistics(DeltaHistory(gym.make(name, max_episode_steps=50, **kwargs)))
    spec = first.spec
    assert spec is not None
    if form == "json":
        spec = EnvSpec.from_json(spec.to_json())
    again = gym.make(spec)
    assert str(again) == str(first)
    actions = opened(first)
    assert opened(again) == actions
    for one, other in zip(played(first, actions), played(again, actions), strict=True):
        one[4].get("episode", {}).pop("t", None)
        other[4].get("episode", {}).pop("t", None)
        assert one == other


@pytest.mark.parametrize(
    "wrap",
    [
        lambda env, path: ChatMessages(env, budget=5_000, merge_users=True),
        lambda env, path: TruncateHistory(env, 5_000),
        lambda env, path: RecordTrajectory(DeltaHistory(env), path, agent="me"),
    ],
    ids=["ChatMessages", "TruncateHistory", "RecordTrajectory"],
)
def test_our_wrappers_are_part_of_the_spec(wrap: Any, tmp_path: Path) -> None:
    first = wrap(gym.make("PiBench-Mini-v0"), tmp_path / "run.jsonl")
    again = gym.make(EnvSpec.from_json(first.spec.to_json()))
    assert str(again) == str(first)
    assert again.spec == first.spec
    assert again.reset(seed=1) == first.reset(seed=1)


@pytest.mark.parametrize(
    ("name", "reward"),
    [("PiBench-Mini-v0", pi_gym.RewardConfig(w_proc=0.9, w_comp=0.1)), ("Pare-v0", PareReward(success=3.0))],
)
def test_settings_of_rewards_come_back_from_json(name: str, reward: Any) -> None:
    first = gym.make(name, reward=reward)
    assert first.spec is not None
    again = gym.make(EnvSpec.from_json(first.spec.to_json()))
    assert base_env(again).session_config.reward == reward  # type: ignore[attr-defined]
    components = [played(env, opened(env))[-1][4]["reward_components"] for env in (first, again)]
    assert components[0] == components[1]
    assert base_env(gym.make(name)).session_config.reward != reward  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["PiBench-Mini-v0", "Pare-v0"])
@pytest.mark.parametrize(
    ("reward", "error", "message"),
    [
        ({"cost_per_trun": 1.0}, ValueError, "field of reward 'cost_per_trun'. Did you mean 'cost_per_turn'"),
        ({"cost_per_turn": -1.0}, ValueError, "cost_per_turn: expected a number of 0 or more"),
        (0.5, TypeError, "expected a (RewardConfig|PareReward) or its fields as a mapping, got 0.5"),
    ],
)
def test_settings_that_are_none_are_refused(name: str, reward: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        gym.make(name, reward=reward)


@pytest.mark.parametrize("name", IDS)
def test_a_vector_is_made_again_from_its_spec(name: str) -> None:
    first = gym.make_vec(name, num_envs=2, autoreset_mode="SameStep", max_turns=4, **PORTABLE[name])
    assert first.spec is not None
    for spec in (first.spec, EnvSpec.from_json(first.spec.to_json())):
        again = gym.make_vec(spec)
        assert type(again) is type(first)
        assert (again.num_envs, again.metadata["autoreset_mode"]) == (2, AutoresetMode.SAME_STEP)
        assert again.reset(seed=5)[0] == first.reset(seed=5)[0]


# -- the registry ----------------------------------------------------------------------------------------------------


def test_the_registry_lists_the_environments_by_family() -> None:
    listed = gym.pprint_registry(disable_print=True)
    assert listed is not None
    groups: dict[str, set[str]] = {}
    for line in listed.splitlines():
        if line.startswith("====="):
            group = groups.setdefault(line.strip("= "), set())
        else:
            group.update(line.split())
    assert groups["pare"] == {"Pare-v0"}
    assert groups["pibench"] == set(IDS) - {"Pare-v0"}
    assert gym.pprint_registry(exclude_namespaces=["pare"], disable_print=True).count("Pare-v0") == 0  # type: ignore


@pytest.mark.parametrize("name", IDS)
def test_a_spec_is_printed_with_what_differs_from_the_defaults(name: str) -> None:
    told = gym.spec(name).pprint(disable_print=True)
    assert told is not None
    assert told.splitlines()[:2] == [f"id={name}", f"reward_threshold={gym.spec(name).reward_threshold}"]


def test_the_packages_of_the_families_have_the_environments_and_nothing_else() -> None:
    import pi_gym.pare
    import pi_gym.pibench

    assert pi_gym.pibench.PiEnv.__module__ == "pi_gym.pibench.env"
    for package in (pi_gym.pibench, pi_gym.pare):
        with pytest.raises(AttributeError, match=f"{package.__name__}.* has no attribute 'Nothing'"):
            _ = package.Nothing


# -- the guards that `make` adds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", IDS)
def test_a_whole_session_passes_the_passive_checker_and_earns_what_its_record_says(name: str) -> None:
    env = gym.make(name, **PORTABLE[name])
    assert [type(one).__name__ for one in layers(env)] == ["OrderEnforcing", "PassiveEnvChecker"]
    steps = played(env, opened(env))
    *_, terminated, truncated, info = steps[-1]
    assert (terminated, truncated, info["scored"]) == (True, False, True)
    assert sum(step[1] for step in steps) == pytest.approx(record_of(env).return_, abs=1e-12)


def layers(env: gym.Env[Any, Any]) -> Iterator[gym.Env[Any, Any]]:
    while isinstance(env, gym.Wrapper):
        yield env
        env = env.env


@pytest.mark.parametrize("name", IDS)
def test_the_order_of_calls_is_enforced(name: str) -> None:
    env = gym.make(name, render_mode="ansi", **PORTABLE[name])
    with pytest.raises(ResetNeeded):
        env.step("Hello.")
    with pytest.raises(ResetNeeded):
        env.render()
    played(env, opened(env))
    with pytest.raises(ResetNeeded):
        env.step("Hello.")
    assert env.render() == record_history(env)


def record_history(env: gym.Env[Any, Any]) -> str:
    session = base_env(env).session
    assert session is not None
    return session.history


@pytest.mark.parametrize("name", IDS)
def test_frames_of_text_are_collected(name: str) -> None:
    env = gym.make(name, render_mode="ansi_list", **PORTABLE[name])
    observation, _ = env.reset(seed=1)
    after = env.step("Hm.")[0]
    assert env.render() == [observation["history"], after["history"]]


# -- wrappers that make sense for text -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", IDS)
def test_statistics_of_episodes_are_those_of_the_records(name: str) -> None:
    env = wrappers.RecordEpisodeStatistics(gym.make(name, **PORTABLE[name]))
    returns = []
    for seed in range(3):
        solution = opened(env, seed)
        steps = played(env, ["Hm."] * 40 if seed == 1 else solution)
        told, record = steps[-1][4]["episode"], record_of(env)
        assert told["r"] == pytest.approx(record.return_, abs=1e-12)
        assert told["l"] == steps[-1][4]["steps"] == len(steps)
        returns.append(record.return_)
    assert list(env.return_queue) == pytest.approx(returns, abs=1e-12)
    assert returns[1] < returns[0]


def test_the_statistics_of_an_unscored_session_are_no_number_and_the_next_ones_are() -> None:
    made = gym.make("PiBench-v0", pack=PROTOCOL, grader=AskingGrader(), responder=ScriptedModel([DOWN]))
    env = wrappers.RecordEpisodeStatistics(made)
    for expected in (math.nan, 1.0):
        steps = played(env, opened(env, task="01-three"))
        assert steps[-1][4]["episode"]["r"] == pytest.approx(expected, nan_ok=True)
        assert steps[-1][4]["scored"] is (expected == 1.0)
        base_env(env).answerers.other = agreeing()


def shout(observation: dict[str, str]) -> dict[str, str]:
    return {name: text.upper() for name, text in observation.items()}


TEXT_WRAPPERS: dict[str, Any] = {
    "FilterObservation": lambda env: wrappers.FilterObservation(env, ["history"]),
    "TransformObservation": lambda env: wrappers.TransformObservation(env, shout, env.observation_space),
    "TransformAction": lambda env: wrappers.TransformAction(env, lambda action: action + " ", env.action_space),
    "TransformReward": lambda env: wrappers.TransformReward(env, lambda reward: reward / 2),
    "ClipReward": lambda env: wrappers.ClipReward(env, -1, 1),
    "Autoreset": wrappers.Autoreset,
}


@pytest.mark.parametrize("wrap", TEXT_WRAPPERS)
@pytest.mark.parametrize("name", IDS)
def test_wrappers_for_any_space_play_a_session_to_its_end(name: str, wrap: str) -> None:
    env = TEXT_WRAPPERS[wrap](gym.make(name, **PORTABLE[name]))
    actions = opened(env)
    steps = played(env, actions)
    assert steps[-1][2]
    assert steps[-1][4]["scored"]
    assert all(step[0] in env.observation_space for step in steps)
    text = record_history(env)
    if wrap == "FilterObservation":
        assert list(steps[-1][0]) == ["history"]
    if wrap == "TransformObservation":
        assert steps[-1][0]["history"] == text.upper()
    if wrap == "TransformReward":
        assert sum(step[1] for step in steps) == pytest.approx(record_of(env).return_ / 2)
    if wrap == "Autoreset":
        _, reward, terminated, truncated, info = env.step("The action that is not looked at.")
        assert (reward, terminated, truncated, info["turn"], info["steps"]) == (0, False, False, 1, 0)


# -- time limits from outside ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", IDS)
def test_a_time_limit_ends_a_session_without_a_score(name: str) -> None:
    env = gym.make(name, max_episode_steps=2, **PORTABLE[name])
    assert env.spec is not None
    assert env.spec.max_episode_steps == 2
    for seed in range(2):
        opened(env, seed)
        steps = played(env, ["Hm."] * 9)
        *_, reward, terminated, truncated, info = steps[-1]
        assert (len(steps), terminated, truncated) == (2, False, True)
        assert not math.isnan(reward)
        assert (info["scored"], info["error"], info["end_reason"]) == (False, "", "")
        assert set(info["scores"].values()) == {-1.0}
        assert not record_of(env).scored


@pytest.mark.parametrize("name", IDS)
def test_a_limit_of_the_environment_grades_what_it_cuts(name: str) -> None:
    env = gym.make(name, max_turns=1, **PORTABLE[name])
    opened(env)
    steps = played(env, ["Hm."])
    *_, terminated, truncated, info = steps[-1]
    assert (terminated, truncated, info["scored"]) == (False, True, True)
    assert sum(step[1] for step in steps) == pytest.approx(record_of(env).return_)


@pytest.mark.parametrize("name", [name for name in IDS if name != "Pare-v0"])
def test_a_recorder_around_a_time_limit_writes_what_the_environments_own_limit_would_have(
    name: str, tmp_path: Path
) -> None:
    recorder = RecordTrajectory(gym.make(name, max_episode_steps=3, **PORTABLE[name]), tmp_path / "cut.jsonl")
    own = gym.make(name, max_steps=3, **PORTABLE[name])
    for seed in range(3):
        cut = played(recorder, opened(recorder, seed))
        steps = played(own, opened(own, seed))
        assert cut[-1][2:4] == steps[-1][2:4]
        if steps[-1][3]:
            assert [step[1] for step in cut[:-1]] == [step[1] for step in steps[:-1]]
        with pytest.raises(ResetNeeded):
            recorder.step("Hm.")
        written = list(pi_gym.read_trajectories(tmp_path / "cut.jsonl"))[-1]
        record = record_of(own)
        assert record.scored
        assert (written.scores, written.return_) == (record.scores, record.return_)
        assert written.end_reason == ("wrapper" if record.truncated else record.end_reason)
    assert not (tmp_path / "cut.unscored.jsonl").exists()


def test_a_recorder_around_a_time_limit_writes_a_session_of_the_phone(tmp_path: Path) -> None:
    env = RecordTrajectory(gym.make("Pare-v0", max_episode_steps=1), tmp_path / "cut.jsonl")
    paid = played(env, opened(env, task=HELP))[-1][1]
    (written,) = pi_gym.read_trajectories(tmp_path / "cut.jsonl")
    assert (written.scored, written.truncated, written.end_reason) == (True, True, "wrapper")
    assert (written.scores["success"], written.return_) == (0.0, paid)


def test_what_a_time_limit_cut_is_graded_by_the_model_that_grades(tmp_path: Path) -> None:
    for name, model, scored in (("good", agreeing(), True), ("bad", ScriptedModel([DOWN]), False)):
        made = gym.make("PiBench-v0", max_episode_steps=1, pack=PROTOCOL, grader=AskingGrader(), responder=model)
        env = RecordTrajectory(made, tmp_path / f"{name}.jsonl")
        played(env, opened(env, task="01-three"))
        (written,) = pi_gym.read_trajectories(tmp_path / (f"{name}.jsonl" if scored else f"{name}.unscored.jsonl"))
        assert (written.scored, written.error) == (scored, "" if scored else "grader (grade): down")


def test_an_episode_of_own_history_goes_on_after_a_recorded_cut(tmp_path: Path) -> None:
    made = gym.make("PiBench-v0", max_episode_steps=1, pack=PROTOCOL, history="own")
    env = RecordTrajectory(made, tmp_path / "cut.jsonl")
    seen = [env.reset(seed=0)[1]["task_id"]]
    for _ in range(2):
        assert env.step("Hm.")[3]
        seen.append(env.reset()[1]["task_id"])
    assert seen == ["01-three", "02-beat", "03-event"]
    assert [one.end_reason for one in pi_gym.read_trajectories(tmp_path / "cut.jsonl")] == ["wrapper"] * 2


@pytest.mark.parametrize("name", IDS)
def test_the_vector_environment_refuses_a_time_limit_that_grades_nothing(name: str) -> None:
    with pytest.raises(BadArgument, match=r"max_episode_steps: .* such as max_turns"):
        gym.make_vec(name, num_envs=2, max_episode_steps=3)
    vector = gym.make_vec(name, num_envs=2, max_episode_steps=2, vectorization_mode="sync", **PORTABLE[name])
    vector.reset(seed=0)
    for expected in (False, True):
        *_, truncated, infos = vector.step(["Hm."] * 2)
        assert truncated.tolist() == [expected] * 2
        assert not infos["scored"].any()


# -- many at once ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("name", IDS)
def test_statistics_of_a_vector_are_those_of_the_sessions_in_every_autoreset_mode(
    name: str, mode: AutoresetMode
) -> None:
    fresh = PORTABLE[name] if name == "Pare-v0" else {**PORTABLE[name], "history": "none"}
    vector = wrappers.vector.RecordEpisodeStatistics(
        gym.make_vec(name, num_envs=3, autoreset_mode=mode, split="train", **fresh)
    )
    base: Any = vector.unwrapped
    vector.reset(seed=2)
    plans: dict[int, tuple[Any, list[str]]] = {}
    ended = np.zeros(3, dtype=int)
    sessions = base.sessions
    steps = 0
    while ended.min() < 2:
        steps += 1
        assert steps < 400
        for place, session in enumerate(base.sessions):
            if place not in plans or plans[place][0] is not session:
                plans[place] = (session, list(base.envs[place].family.reference(session)))
        # A session that is over and not yet reset is given what is not looked at.
        actions = [plans[place][1].pop(0) if plans[place][1] else "Anything." for place in range(3)]
        sessions = base.sessions
        *_, terminated, truncated, infos = vector.step(actions)
        over = terminated | truncated
        for place in np.flatnonzero(over):
            record = sessions[place].trajectory()
            assert record.scored
            assert infos["episode"]["r"][place] == pytest.approx(record.return_, abs=1e-12)
            assert infos["episode"]["l"][place] == sessions[place].steps
            final = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
            assert final["scores"]["return"][place] == pytest.approx(record.return_, abs=1e-12)
            assert final["scored"][place]
        ended += over
        if mode is AutoresetMode.DISABLED and over.any():
            vector.reset(options={"reset_mask": over})
    assert vector.episode_count == ended.sum()
