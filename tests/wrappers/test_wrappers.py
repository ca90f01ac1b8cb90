"""The wrappers, over real sessions of every registered environment."""

import json
import warnings

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

from pi_gym import read_trajectories
from pi_gym.installed import installed_packs
from pi_gym.pibench.registration import env_id
from pi_gym.wrappers import ChatMessages, DeltaHistory, RecordTrajectory, TruncateHistory
from pi_gym.wrappers.budget import first_kept

IDS = [env_id(pack) for pack in installed_packs()]
READ = '<tool_call>{"name": "list_dir", "arguments": {}}</tool_call>'


def play(env, actions=(READ, "On it.", READ + READ, "Still on it.")):
    """Observations and infos of a session, until it ends or the actions run out."""
    observation, info = env.reset(seed=5)
    seen = [(observation, info)]
    for action in actions:
        observation, _, terminated, truncated, info = env.step(action)
        seen.append((observation, info))
        if terminated or truncated:
            break
    return seen


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize(
    "wrap",
    [ChatMessages, DeltaHistory, lambda e: TruncateHistory(e, 4_000), lambda e: ChatMessages(e, budget=4_000)],
    ids=["chat", "delta", "truncate", "chat-budget"],
)
def test_check_env_accepts_the_wrapped_environment(name, wrap):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # check_env insists on an unwrapped environment; the wrapper is what is checked here.
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version.*")
        warnings.filterwarnings("ignore", message=".*Not able to test alternative render modes.*")
        check_env(wrap(gym.make(name).unwrapped), skip_render_check=True)


@pytest.mark.parametrize("name", IDS)
def test_chat_messages_are_the_conversation_in_order(name):
    env = ChatMessages(gym.make(name))
    seen = play(env)
    told = [message for _, info in seen for message in info["new_messages"]]
    assert list(seen[-1][0]) == told
    assert [message["role"] for message in told[:2]] == ["system", "user"]
    assert all(observation in env.observation_space for observation, _ in seen)


@pytest.mark.parametrize("name", IDS)
def test_deltas_joined_are_the_transcript(name):
    whole = play(gym.make(name))
    deltas = play(DeltaHistory(gym.make(name)))
    assert "".join(observation["history"] for observation, _ in deltas) == whole[-1][0]["history"]
    assert all(observation["history"] for observation, _ in deltas)


@pytest.mark.parametrize("name", IDS)
def test_truncated_history_keeps_the_opening_and_the_latest_steps_within_the_budget(name):
    plain = play(gym.make(name), [READ] * 30)
    opening = plain[0][0]["history"]
    budget = len(opening) + 2_000
    cut = play(TruncateHistory(gym.make(name), budget), [READ] * 30)
    for (full, _), (short, _) in zip(plain, cut, strict=True):
        kept = short["history"]
        assert kept.startswith(opening)
        if len(full["history"]) <= budget:
            assert kept == full["history"]
        else:
            assert "left out" in kept
            tail = kept.split("left out ...]\n\n", 1)[1]
            assert full["history"].endswith(tail)
            assert len(opening) + len(tail) <= budget


def test_truncated_chat_never_leaves_a_result_without_its_call():
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    for number in range(10):
        messages += [
            {"role": "assistant", "content": "", "number": number},
            {"role": "tool", "content": "x" * 10},
            {"role": "tool", "content": "y" * 10},
        ]
    for budget in range(1, 400, 7):
        start = first_kept(messages, budget, lambda m: len(m["content"]))
        assert messages[start]["role"] == "assistant"
        spent = sum(len(m["content"]) for m in [*messages[:2], *messages[start:]])
        assert spent <= budget or start == len(messages) - 3


@pytest.mark.parametrize("budget", [0, -1, 2.5, True, "10"])
def test_a_budget_that_is_no_positive_integer_is_refused(budget):
    env = gym.make(IDS[0])
    with pytest.raises(ValueError, match="expected an integer of 1 or more"):
        TruncateHistory(env, budget)
    with pytest.raises(ValueError, match="expected an integer of 1 or more"):
        ChatMessages(env, budget=budget)


@pytest.mark.parametrize("name", IDS)
def test_trajectories_are_written_when_sessions_end_and_only_then(name, tmp_path):
    path = tmp_path / "deep" / "run.jsonl"
    env = RecordTrajectory(gym.make(name, max_turns=3), path, agent="me")
    env.reset(seed=1)
    env.step("one")
    assert not path.exists()
    env.reset(seed=2)
    for _ in range(3):
        _, _, terminated, truncated, info = env.step("two")
    assert terminated or truncated
    (trajectory,) = read_trajectories(path)
    assert (trajectory.agent, trajectory.seed, trajectory.task_id) == ("me", 2, info["task_id"])
    assert trajectory.to_line() == path.read_text().rstrip("\n")
    assert json.loads(trajectory.to_line())["scores"] == pytest.approx(info["scores"])
