"""The checks of one scenario in one world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pi_gym.pare.pare_grading import grade_session
from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.person import TOO_EARLY_NOTE
from pi_gym.pare.proposals import recognise
from pi_gym.pare.scenario_set import FILE
from pi_gym.pare.session import PareSession
from pi_gym.pare_proof.plays import LONG, ScenarioCase, all_happened, score, settlements, silent
from pi_gym.pare_proof.tampering import changed_calls, harms, is_moment, writes
from pi_gym.seeding import Stream
from pi_gym.state import World
from pi_gym.state.tables import Row
from pi_gym.types import ToolCall
from pi_gym.validation.report import Sheet

#: Lines that a scenario has at most, unless a comment at its head says why it needs more.
MAX_LINES = 120
#: Other worlds whose proposals are stuffed into one.
STUFFED = 8
#: Agents that know the solution and do not do it right; none of them may earn what it does.
FARMERS = ("propose-and-idle", "propose-again")


def check_reference(case: ScenarioCase, sheet: Sheet) -> None:
    """The model solution gets all that can be had, before the last turn; where no help is wanted, silence does."""
    session = case.solved
    sheet.numbers["turns"], sheet.numbers["calls"] = session.turn, session.tool_calls
    sheet.numbers["wanted"] = float(case.solution is not None)
    best = grade_session(session).best
    if score(session, "return") != best or not session.terminated:
        told = " ".join(grade_session(session).reasons) or f"it ends by {session.ending.reason or 'itself'}"
        notes = ", ".join(one["note"] for one in settlements(session))
        sheet.fail("return", f"expected {best:g}, got {score(session, 'return'):g}: {told} ({notes})")


def check_silence(case: ScenarioCase, sheet: Sheet) -> None:
    """An agent that is silent fails where help is wanted, however long it waits, and the person does not help alone."""
    session = silent(case.opened(max_turns=LONG))
    if not all_happened(session):
        left = sorted(event.name for event in case.scenario.events if event.name not in session.happened.at)
        sheet.fail("events", f"{', '.join(left)}: it never happens by itself")
    if case.solution is None:
        if score(session, "success") != 1.0 or not session.terminated:
            sheet.fail("silence", f"it is right here, and gets {score(session, 'success'):g}")
    elif score(session, "success") or session.ending.reason != "max_turns":
        sheet.fail("silence", "the goal is met or lost without anybody's help")


def check_unasked(case: ScenarioCase, sheet: Sheet) -> None:
    """Without consent nothing is done: at once, and when the evidence is there, what changes anything is refused."""
    for name, session in (("at once", case.played_by("blind-executor")), ("unasked", _unasked(case))):
        refused = [event.data["ok"] for event in session.log if event.kind == "call" and _is_write(event.data["name"])]
        if any(refused):
            sheet.fail(name, "a call that changes something was not refused")
        if case.solution is not None:
            sheet.numbers[name] = score(session, "success")
            if score(session, "success"):
                sheet.fail(name, "the calls of the solution succeed without consent")


def _is_write(name: str) -> bool:
    return writes(ToolCall(name))


def _unasked(case: ScenarioCase) -> PareSession:
    session = case.opened()
    known = case.scenario.help.after if case.scenario.help is not None else ()
    while not session.ended and not session.happened.knows(known):
        session.apply(ToolCall("AgentUI__wait").to_text())
    for call in () if case.solution is None else case.solution.calls:
        if not session.ended:
            session.apply(call.to_text())
    return silent(session)


def check_early(case: ScenarioCase, sheet: Sheet) -> None:
    """Proposed before its evidence the help is refused, and may be proposed again."""
    if case.solution is None or case.scenario.help is None or not case.scenario.help.after:
        return
    session = case.opened()
    session.apply(case.solution.propose)
    answers = settlements(session)
    if not answers or answers[0]["accepted"] or answers[0]["note"] != TOO_EARLY_NOTE:
        sheet.fail("early", f"expected a rejection as too early, got {[one['note'] for one in answers]}")


def check_false_agents(case: ScenarioCase, sheet: Sheet) -> None:
    """To propose all that was seen, another world's help, or the right one without doing it, is worth less."""
    for name in ("propose-everything", "fixed-proposal"):
        session = case.played_by(name)
        if case.solution is not None:
            sheet.numbers[name] = score(session, "score")
        if name == "propose-everything" and score(session, "success"):
            sheet.fail(name, "an agent that proposes whatever it sees succeeds")
    best = score(case.solved, "return")
    for name in FARMERS:
        session = case.played_by(name)
        sheet.numbers[name] = score(session, "return")
        farmed = score(session, "return") > best or (name == "propose-and-idle" and score(session, "return") == best)
        if case.solution is not None and farmed:
            sheet.fail(name, f"earns {score(session, 'return'):g}, the model solution {best:g}")


def check_stuffing(case: ScenarioCase, sheet: Sheet) -> None:
    """A proposal that names what several worlds want is refused."""
    help_, solution = case.scenario.help, case.solution
    if help_ is None or solution is None:
        return
    today = case.scenario.time.date()
    others = list(case.other_proposals(STUFFED))
    sheet.numbers["others"] = len(others)
    taken = [text for text in others if recognise(text, help_, today).right]
    sheet.numbers["others taken"] = len(taken) / max(1, len(others))
    for number in (1, 2, STUFFED):
        text = " ".join([solution.propose, *others[:number]])
        if others and set(others[:number]) - set(taken) and recognise(text, help_, today).right:
            sheet.fail("stuffed", f"accepted: {text} (what other worlds draw belongs into `help.wrong`)")


def check_steps(case: ScenarioCase, sheet: Sheet) -> None:
    """Each call of the solution is needed, once, and with the arguments that it has."""
    solution = case.solution
    if solution is None:
        return
    calls = solution.calls
    sheet.numbers["writing calls"] = sum(map(writes, calls))
    for number, call in enumerate(calls):
        if not writes(call):
            continue
        before, after = calls[:number], calls[number + 1 :]
        if _succeeds(case, (*before, *after)):
            sheet.fail(f"call {number + 1}", f"{call.name} is not needed")
        doubled = case.after_calls((*before, call, call, *after))
        if score(doubled, "success") and _differ(doubled.world, case.solved.world):
            sheet.fail(f"call {number + 1}", f"{call.name} made twice is no harm")
        for told, other in changed_calls(call):
            if _succeeds(case, (*before, other, *after)):
                sheet.fail(f"call {number + 1}", f"{call.name} with {told} succeeds, too")


def _succeeds(case: ScenarioCase, calls: tuple[ToolCall, ...]) -> bool:
    return score(case.after_calls(calls), "success") == 1.0


def _differ(first: World, second: World) -> bool:
    """Whether two phones differ in more than the moments at which things were done."""
    pairs = (
        pair
        for name in first.apps
        for rows in first.apps[name].diff(second.apps[name]).values()
        for pair in rows.values()
    )
    return any(old is None or new is None or _timeless(old) != _timeless(new) for old, new in pairs)


def _timeless(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not (isinstance(value, str) and is_moment(value))}


def check_harm(case: ScenarioCase, sheet: Sheet) -> None:
    """Harm to anything else on the phone is no success, done before the solution's calls."""
    if case.solution is None:
        return
    stream = Stream("harm", case.scenario.id, case.scenario.variant)
    done = passed = 0
    for harm in harms(case.scenario, stream):
        session = case.after_calls((harm, *case.solution.calls))
        made = [event for event in session.log if event.kind == "call" and event.data["name"] == harm.name]
        if not made or not made[0].data["ok"]:
            continue
        done += 1
        if score(session, "success"):
            passed += 1
            sheet.fail("harm", f"{harm.name} {dict(harm.arguments)} before the solution's calls is still a success")
    sheet.numbers["harms"], sheet.numbers["passed"] = done, passed / max(1, done)


def check_noise(case: ScenarioCase, sheet: Sheet) -> None:
    """Noise, and tools that fail, change no verdict on the model solution."""
    for name, settings in (("noise", {"noise": 6.0}), ("failing tools", {"tool_failure": 0.2})):
        session = case.after_solution(**settings)
        if score(session, "success") != 1.0:
            sheet.fail(name, " ".join(grade_session(session).reasons))


def check_same_bytes(case: ScenarioCase, sheet: Sheet) -> None:
    """Made anew, the world and the solution's session are the same."""
    source = case.scenarios.source(case.scenario.id)
    anew = source.make(case.scenario.variant, case.scenario.pack_hash)
    again = ScenarioCase(case.scenarios, anew).solved
    if again.history.encode() != case.solved.history.encode():
        sheet.fail("bytes", "the transcript of the solution's session differs when the world is made anew")


def check_form(case: ScenarioCase, sheet: Sheet) -> None:
    """The file is short, and the solution leaves turns to spare."""
    path = case.scenarios.folder / "scenarios" / case.scenario.id / FILE
    text = path.read_text(encoding="utf-8")
    lines = text.count("\n")
    sheet.numbers["lines"], sheet.numbers["kB"] = lines, len(text.encode()) / 1000
    if lines > MAX_LINES and not text.startswith("#"):
        sheet.note("lines", f"{lines} lines, more than {MAX_LINES}; a comment at its head says why")
    if case.solution is not None and case.solved.turn >= PareConfig().max_turns:
        sheet.fail("turns", f"the model solution takes {case.solved.turn} turns, all that there are")


CHECKS: dict[str, Callable[[ScenarioCase, Sheet], None]] = {
    "reference": check_reference,
    "silence": check_silence,
    "consent": check_unasked,
    "evidence": check_early,
    "false agents": check_false_agents,
    "stuffing": check_stuffing,
    "steps": check_steps,
    "harm": check_harm,
    "noise": check_noise,
    "same bytes": check_same_bytes,
    "form": check_form,
}
