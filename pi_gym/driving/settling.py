"""Having sessions get their answers, outside of any run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pi_gym.session.answerers import Waits

if TYPE_CHECKING:
    from pi_gym.driving.driver import Driver


def settle(*sessions: Waits) -> None:
    """Have sessions get their answers, until none waits.

    Everything that several of them ask is asked at once: models answer on the process's background loop, commands run
    in a few threads, and a session goes on as soon as its own answers are there, whatever the others wait for. Any
    other function is called in this thread, with the asks of all sessions that wait for it.

    Raises:
        ModelsClosed: another thread closed the environment meanwhile.
        whatever an answerer raises; what was asked of the others is then cancelled.
    """
    # The driver brings the event loops and the clients of models with it: a fifth of what a first reset costs.
    if len(sessions) == 1:
        from pi_gym.driving.in_place import play_in_place

        for _ in play_in_place(sessions[0]):
            pass
    elif sessions:
        from pi_gym.driving.driver import Driver

        driver: Driver[Any] = Driver(concurrency=len(sessions), together=True)
        driver.add(sessions)
        driver.end()
        for _ in driver.results():
            pass
