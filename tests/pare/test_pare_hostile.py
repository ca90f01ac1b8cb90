"""What an agent could try against a Pare session, and what must not upset one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.pare_play import WAIT, accepted, call, opened, solved, variant_of

from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.session import PareSession

RIDE, VISIT = "stranded-friend", "moved-appointment"
WANTED = variant_of(RIDE, wanted=True)
READ = call("Calendar__read_today_calendar_events")


def finished(session: PareSession) -> PareSession:
    """The session after its model solution, in the execution that is under way."""
    solution = session.scenario.solution
    assert solution is not None
    for one in solution.calls:
        session.apply(one.to_text())
    session.apply(solution.report)
    return session


@pytest.mark.parametrize(
    "action", [call("System__wait_for_notification", timeout=None), call("AgentUI__send_message_to_user", content=None)]
)
def test_null_is_an_argument_that_was_left_out(action: str) -> None:
    session = opened(RIDE, WANTED)
    session.apply(action)
    assert (session.turn, session.standing.proposals, session.engine_faults) == (2, 0, ())


def test_the_clock_shows_whole_seconds_whatever_is_waited_for() -> None:
    session = opened(RIDE, WANTED, noise=2.3)
    for number in range(1, 6):
        session.apply(call("System__wait_for_notification", timeout=1_000))
        assert session.clock.microsecond == 0
        assert session.happened.noise == number, "each wait leads to the next event"


def test_a_call_too_many_while_watching_is_not_asked_for_a_report() -> None:
    session = opened(RIDE, WANTED)
    session.apply("\n".join([READ] * 6))
    assert session.step is not None
    refused = next(one for one in session.step.messages if one.content.startswith("[environment]"))
    assert "report" not in refused.content
