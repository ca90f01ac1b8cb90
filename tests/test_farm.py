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
from pi_gym.types import ToolCall

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


#: What policies of examples/reinforce_macros.py play once they are trained: they end by asking, report a proposal, and
#: one whose training failed only asks.
TRAINED_DESK = (
    ["look", "write", "do", "ask open", "write", "do", "ask open"],
    ["write", "look", "write", "ask open", "write", "look", "ask open"],
    ["ask open", "ask open", "repeat"],
)
TRAINED_PHONE = (
    ["until due", "propose again", "do", "propose again"],
    ["until due", "propose again", "propose again", "do", "propose again"],
    ["propose again", "answer", "do", "propose again"],
)


@pytest.mark.parametrize("roles", TRAINED_DESK)
def test_a_trained_course_at_a_desk_earns_no_more_than_honest_play(
    farm: ModuleType, honest: dict[str, dict[str, float]], roles: list[str]
) -> None:
    task_id = DESK[0]
    found = farm.Game(task_id, True).mean(WORLDS, farm.row(*roles))
    assert all(found[setting] <= honest[task_id][setting] + EPSILON for setting in found)


@pytest.mark.parametrize("roles", TRAINED_PHONE)
def test_a_trained_course_at_a_phone_earns_no_more_than_honest_play(farm: ModuleType, roles: list[str]) -> None:
    for task_id in PHONE:
        game = farm.Game(task_id, False)
        most = farm.honest_returns(game, WORLDS)["default"]
        assert game.mean(WORLDS, farm.row(*roles))["default"] <= most + EPSILON, task_id


@pytest.mark.parametrize(
    ("content", "status"),
    [("", "open"), ("| System | Babble 0 dB |\n| --- | --- |\n| mixaug | 25.3 |\n", "completed")],
)
def test_an_empty_file_settles_no_point_of_the_agenda(content: str, status: str) -> None:
    env = PiEnv("researcher")
    env.reset(options={"task": "01-baseline-table", "variant": 1})
    files, agenda = env.session.world.workspace, "group-page/minutes/next.md"
    stays = '(done)" behind it' in str(files.text("group-page/minutes/2026-02-24.md"))
    mark = " (done)" if stays else None
    lines = [(line, "for her slides" in line) for line in str(files.text(agenda)).splitlines()]
    left = [f"{line}{mark}" if point else line for line, point in lines if mark or not point]
    for path, text in (("group-page/results/table.md", content), (agenda, "\n".join(left) + "\n")):
        env.step(ToolCall("write_file", {"path": path, "content": text}).to_text())
    env.step("It is done.")
    assert env.session.standing.by_name(env.session.task.intents)["agenda-point"] == status


def test_no_second_mail_is_asked_for_where_only_one_is_sensible(farm: ModuleType) -> None:
    course = [*farm.LOOK, *farm.WORK, *farm.row("reply", "revise", "reply", "reply", "reply", "reply")]
    _, session = farm.Game("10-foyer-order", True).play(4, course)
    names = {item.id: item.name for item in session.task.checklist}
    assert {names[one.id]: one.verdict for one in session.verdicts}["mail-sound"] == "passed"
    asked = [event.data["text"] for event in session.log if event.kind == "user"]
    assert not [text for text in asked if "lotte" in text]


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
