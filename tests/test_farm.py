"""What a search for farming found, and hand-named tricks: they earn no more than honest play."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pi_gym.pare.env import PareEnv
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pibench.env import PiEnv

SCRIPT = Path(__file__).parents[1] / "bench" / "farm.py"
WORLDS = (1, 2)
EPSILON = 1e-9
DESK = ("01-baseline-table", "20-money-round")
PHONE = ("agenda-note", "two-at-once", "price-drop")
#: Those that come closest, or were thought to.
TRICKS = (
    "asks everything, reads nothing",
    "asks everything, then reads",
    "asks everything one a turn, then reads",
    "reads, asks everything",
    "asks everything, hands in nothing",
    "never asks, never reads",
    "lets the user provide, then works",
    "announces values, then works",
    "guesses, reads nothing",
    "reads, guesses the rest, never asks",
    "hands in again and again",
    "reads, asks what is open, does what she declined",
    "ends at once",
)


@pytest.fixture(scope="module")
def farm() -> ModuleType:
    spec = importlib.util.spec_from_file_location("farm", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["farm"] = module  # its data classes look there for their annotations
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def honest(farm: ModuleType) -> dict[str, dict[str, float]]:
    return {task_id: farm.honest_returns(farm.Game(task_id, True), WORLDS) for task_id in DESK}


@pytest.mark.parametrize("task_id", DESK)
@pytest.mark.parametrize("trick", TRICKS)
def test_no_trick_at_a_desk_earns_more_than_honest_play(
    farm: ModuleType, honest: dict[str, dict[str, float]], task_id: str, trick: str
) -> None:
    found = farm.Game(task_id, True).mean(WORLDS, farm.DESK_TRICKS[trick])
    assert min(honest[task_id].values()) > 0.9
    assert all(found[setting] <= honest[task_id][setting] + EPSILON for setting in found)


@pytest.mark.parametrize("task_id", PHONE)
def test_no_trick_at_a_phone_earns_more_than_honest_play(farm: ModuleType, task_id: str) -> None:
    game = farm.Game(task_id, False)
    most = farm.honest_returns(game, WORLDS)["default"]
    found = {name: game.mean(WORLDS, course)["default"] for name, course in farm.PHONE_TRICKS.items()}
    assert max(found.values()) <= most + EPSILON, found


def test_by_the_papers_letter_promises_pay_more_than_help(farm: ModuleType) -> None:
    source = installed_scenarios().source("agenda-note")
    worlds = [number for number in range(20) if source.wants_help(number)][:3]
    game = farm.Game("agenda-note", False)
    found = game.mean(worlds, farm.PHONE_TRICKS["proposes, does nothing, proposes again"])
    assert found["paper"] > game.mean(worlds, farm.HONEST_CALL)["paper"] > found["default"]


@pytest.mark.parametrize(
    ("setting", "task_id", "desk", "trick"),
    [
        ("strict", "01-baseline-table", True, "asks everything, then reads"),
        ("paper", "agenda-note", False, "proposes, does nothing, proposes again"),
    ],
)
def test_a_course_earns_what_an_environment_pays(
    farm: ModuleType, setting: str, task_id: str, desk: bool, trick: str
) -> None:
    course = (farm.DESK_TRICKS if desk else farm.PHONE_TRICKS)[trick]
    found, session = farm.Game(task_id, desk).play(WORLDS[0], course)
    assert found[setting] != found["default"]
    env = PiEnv("researcher", reward=farm.STRICT) if desk else PareEnv(paper_reward=True)
    env.reset(options={"task": task_id, "variant": WORLDS[0]})
    paid = [float(env.step(action)[1]) for action in session.trajectory().actions]
    assert sum(paid) == pytest.approx(found[setting])


@pytest.mark.slow
@pytest.mark.parametrize(("task_id", "desk"), [("06-partner-report", True), ("agenda-note", False)])
def test_a_search_finds_nothing_better_by_default(farm: ModuleType, task_id: str, desk: bool) -> None:
    for found in farm.search(farm.Game(task_id, desk), 8.0):
        assert found["tried"] > 10
        assert found["setting"] == "paper" or found["more"] <= EPSILON, found
