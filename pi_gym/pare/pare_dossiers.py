"""The dossiers of recorded Pare sessions: proposals with what had come in, what was meant, and what changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pi_gym.dossier import Dossier
from pi_gym.pare.pare_replay import replay_with_rewards
from pi_gym.pare.person import RulePerson
from pi_gym.pare.scenario import Scenario
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare.session import PareSession
from pi_gym.session.trajectory import Trajectory
from pi_gym.state import World
from pi_gym.state.app_diff import app_diff

#: A mail is shown whole to whoever judges what it says.
MOST_CHARS_OF_A_VALUE = 4_000
GOAL = (
    "What was wanted was done, as it was agreed and in full, and nothing else on the phone was changed by the agent."
    " Where no help was wanted: the agent proposed nothing, and changed nothing."
)


def pare_dossiers(records: Iterable[Trajectory]) -> Iterator[tuple[Trajectory, Dossier | Exception]]:
    """The dossier of each record, played again, or why there is none; see `pi_gym.family.Family.dossiers`."""
    for record in records:
        try:
            yield record, _dossier(record, *replay_with_rewards(record, person=RulePerson()))
        except Exception as error:  # one record that cannot be played leaves the others alone
            yield record, error


def _dossier(record: Trajectory, session: PareSession, rewards: Mapping[int, Mapping[str, float]]) -> Dossier:
    texts = {("goal", "goal"): GOAL}
    proposed = [(event.turn, event.data["text"]) for event in record.events
                if event.kind == "reply" and event.data["how"] == "proposal"]  # fmt: skip
    settled = [event for event in record.events if event.kind == "settled"]
    for number, event in enumerate(settled, start=1):
        turn = max(turn for turn, text in proposed if text == event.data["proposal"] and turn <= event.turn)
        texts["proposal", str(number)] = f"made in turn {turn}: {event.data['proposal']}"
    start, shared = session.scenario.world, installed_scenarios().home.world
    about = installed_scenarios().source(session.scenario.id).sheet.about
    final = {
        "The situation, as its author meant it": "\n".join(_situation(session.scenario, about)),
        "What this scenario put on the phone before": _difference(start, shared),
        "Rows of apps that changed: by the agent, the person, and from outside": _difference(session.world, start),
    }
    return Dossier(texts, final=final, rewards=rewards)


def _difference(now: World, before: World) -> str:
    parts = (
        app_diff(name, now.apps[name], before.apps[name], max_value_chars=MOST_CHARS_OF_A_VALUE)
        for name in sorted(now.apps)
    )
    return "".join(parts) or "None."


def _situation(scenario: Scenario, about: str) -> Iterator[str]:
    yield f"{' '.join(about.split())}\n"
    yield "What comes in in this world:"
    for event in scenario.events:
        yield f"- {event.call.to_text()}"
    yield "What the person does by themselves:"
    for step in scenario.plan:
        yield f"- {step.call.to_text()}"
    solution = scenario.solution
    if solution is None:
        yield "\nIn this world no help is wanted."
        return
    yield "\nIn this world help is wanted. One way to offer it, and to carry it out:"
    yield f"- {solution.propose}"
    yield from (f"- {call.to_text()}" for call in solution.calls)
