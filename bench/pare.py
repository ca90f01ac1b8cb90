"""The phone family beside a PiBench tool step: resets, calls, the person's turns, live sessions, simulated days.

`python bench/pare.py` prints what its sessions cost in us of CPU time, and kB; `--against OTHER/.venv/bin/python` shows
another version's beside it, in turns.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import count, cycle, islice
from statistics import median

import against
from measure import Figure, cpu_us, resident_bytes, timed_us
from steps import own_actions
from subject import Subject, call

from pi_gym.pare.env import PareEnv
from pi_gym.pare.model_solution import Solver
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare.session import MAX_STEPS, PareSession

PROBE = "--probe"
#: The contract is for a machine on which a tool step of PiBench takes so long, so that it is held as a ratio.
TOOL_STEP_US = 95.0
RESET, CALL, READ, WRITE = "reset, scenario cached", "an agent's call", "call that reads", "call that writes"
QUIET, OFFERED = "person's turn, no proposal", "person's turn, a proposal"
LIMITS_US = {RESET: 1_000.0, CALL: 100.0, READ: 100.0, WRITE: 100.0, QUIET: 300.0, OFFERED: 800.0}
LIVE_KB = 60.0
VARIANTS = 50
LIVE = 5_000
DAYS = 10_000
DAY_S = 86_400
#: Waiting for days may cost so much more than waiting for minutes that bring as many events.
DAYS_TARGET = 1.2
WAIT = call("AgentUI__wait")
READS = (
    call("System__get_current_time"),
    call("Messages__list_recent_conversations"),
    call("Emails__list_emails"),
    call("Calendar__read_today_calendar_events"),
    call("Shopping__list_cart"),
    call("Contacts__search_contacts", query="a"),
)


def measure(subject: Subject) -> list[Figure]:
    """Times of steps with their ratios to a tool step of the same round, memory of live sessions, simulated days."""
    times: dict[str, list[float]] = defaultdict(list)
    beside: dict[str, list[float]] = defaultdict(list)
    measured = _rounds_of(subject, timed_us)
    for _ in range(subject.size(30, 1)):
        found, tool_step = measured()
        for name, values in found.items():
            times[name] += values
            beside[name] += [value / tool_step for value in values]
    figures = [Figure("pare", name, "us", tuple(times[name])) for name in LIMITS_US]
    figures += [
        Figure(
            "pare",
            f"{name}, against a tool step",
            "ratio",
            tuple(beside[name]),
            round(limit / TOOL_STEP_US, 2),
            note=f"of PiBench, median of the same round; {limit:g} us where that takes {TOOL_STEP_US:g}",
        )
        for name, limit in LIMITS_US.items()
    ]
    return [*figures, *_live(subject), *_days(subject)]


def prepare(pack: str) -> against.Round:
    """Environments in which every scenario was opened; a round plays each."""
    measured = _rounds_of(Subject(pack), cpu_us)

    def one_round() -> Mapping[str, float]:
        found, tool_step = measured()
        return {**{name: median(values) for name, values in found.items()}, "tool step of PiBench": tool_step}

    return one_round


# -- steps -----------------------------------------------------------------------------------------------------------


def _rounds_of(
    subject: Subject, timed: Callable[[Callable[[], object]], float]
) -> Callable[[], tuple[Mapping[str, list[float]], float]]:
    """A function that measures one round: the times of the phone's steps by kind, and that of a tool step."""
    pi, env, numbers = subject.env(max_steps=10_000, max_tool_calls=10_000), PareEnv(max_turns=10_000), count()
    starts = list(_starts())
    for options in starts:
        env.reset(options=options)

    def measured() -> tuple[Mapping[str, list[float]], float]:
        number, found, tool_steps = next(numbers), defaultdict[str, list[float]](list), list[float]()
        for place, options in enumerate(starts):
            task_id = subject.task_ids[place % len(subject.task_ids)]
            pi.reset(options={"task": task_id, "variant": 0})
            tool_steps += [
                timed(lambda action=action: pi.step(action))  # type: ignore[misc]
                for _, action in islice(own_actions(pi, number), 5)
            ]
            _play(env, options, number, found, timed)
        found[CALL] = [*found[READ], *found[WRITE]]
        return found, median(tool_steps)

    measured()  # whatever is worked out at the first look
    return measured


def _starts() -> Iterator[dict[str, object]]:
    """Of each scenario the first world that wants help."""
    scenarios = installed_scenarios()
    for task_id in scenarios.task_ids:
        variant = next(n for n in count() if scenarios.instantiate(task_id, n).help is not None)
        yield {"task": task_id, "variant": variant}


def _play(
    env: PareEnv,
    options: dict[str, object],
    number: int,
    into: dict[str, list[float]],
    timed: Callable[[Callable[[], object]], float],
) -> None:
    """A session by its model solution, with something looked up in each turn."""
    into[RESET].append(timed(lambda: env.reset(options=options)))
    session = _session(env)
    solver, reads = Solver(session.scenario), islice(cycle(READS), number % len(READS), None)
    while not session.ended:
        mode, action = session.standing.mode, solver.next_action(session)
        kind = READ
        if mode == "execute":
            kind = WRITE if action.startswith("<tool_call>") else ""
        elif action == WAIT:
            kind = QUIET
        elif not action.startswith("<tool_call>"):
            kind = OFFERED
        if kind in (QUIET, OFFERED):
            looked = next(reads)
            into[READ].append(timed(lambda looked=looked: env.step(looked)))  # type: ignore[misc]
        spent = timed(lambda action=action: env.step(action))  # type: ignore[misc]
        if kind:  # a report ends the session
            into[kind].append(spent)


def _session(env: PareEnv) -> PareSession:
    assert env.session is not None
    return env.session


# -- live sessions ---------------------------------------------------------------------------------------------------


def _live(subject: Subject) -> Iterator[Figure]:
    live = 60 if subject.quick else LIVE
    variants = 3 if subject.quick else VARIANTS
    command = [sys.executable, __file__, PROBE, str(variants), str(live)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    note = f"{variants} variants, sessions of 5 steps, each scenario in turn; in a process of its own"
    yield Figure("pare", f"memory per live session, {live:,} sessions", "kB", (found,), LIVE_KB, note=note)


def _probe(variants: int, live: int) -> float:
    """KB of an environment with an open session, above the level with warm caches."""
    tasks = installed_scenarios().task_ids
    starts = [{"task": tasks[number % len(tasks)], "variant": number} for number in range(variants)]
    for options in starts:
        _opened(options)
    gc.collect()
    level = resident_bytes()
    held = [_opened(starts[number % variants]) for number in range(live)]
    gc.collect()
    return (resident_bytes() - level) / 1e3 / len(held)


def _opened(options: dict[str, object]) -> PareEnv:
    env = PareEnv()
    env.reset(options=options)
    for action in (READS[1], WAIT, READS[2], WAIT, READS[0]):
        env.step(action)
    return env


# -- simulated days --------------------------------------------------------------------------------------------------


def _days(subject: Subject) -> Iterator[Figure]:
    """Days of waiting with an event of noise in each, beside as many waits of a minute with an event in each."""
    days = subject.size(DAYS, MAX_STEPS)
    options = next(_starts())
    long_wait = call("System__wait_for_notification", timeout=2 * DAY_S)
    slow, quick = (PareEnv(max_turns=10_000, noise=rate) for rate in (60 / DAY_S, 1.0))
    one, other, passed = [], [], 0.0
    # A session takes so many steps at most.
    for _ in range(0, days, MAX_STEPS):
        for env in (slow, quick):
            env.reset(options=options)
        begun = _session(slow).clock
        for _ in range(min(days, MAX_STEPS)):
            one.append(timed_us(lambda: slow.step(long_wait)))
            other.append(timed_us(lambda: quick.step(WAIT)))
        passed += (_session(slow).clock - begun).total_seconds() / DAY_S
    note = f"{passed:,.0f} virtual days in {sum(one) / 1e6:.2f} s; an event of noise a day, and a wait for each"
    yield Figure("pare", "simulated day", "us", tuple(one), note=note)
    paid = median(one) / median(other)
    yield Figure("pare", "simulated day against a minute", "ratio", (paid,), DAYS_TARGET, note="an event in each")


if __name__ == "__main__":
    if sys.argv[1:2] == [PROBE]:
        print(json.dumps(_probe(int(sys.argv[2]), int(sys.argv[3]))))
    else:
        against.main(__file__, __doc__, prepare, rounds=15)
