"""The end of a turn and of the session: the protocol's stages, as functions of a session's state.

`end_turn` starts with stage "satisfied"; each stage, once its result is there, starts the next or completes the step:
satisfied → asked → message → (the agent's next action), or grade → (the end). A stage that needs something from outside
leaves the state pending, and `run_stage` is called again with the answers. What a result leads to is said by
`pi_gym.pibench.standing`.

Source: the paper's section 3.4 and appendix B.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from pi_gym.errors import AnswerError, SessionError
from pi_gym.graders.base import FinalView
from pi_gym.models.role_requests import requests_of
from pi_gym.packs import Intent, Item
from pi_gym.pibench.announcements import heard_plans
from pi_gym.pibench.remarks import assumption_words, declined_in, with_topics
from pi_gym.pibench.reminders import reminder_data, reminder_message, start_after
from pi_gym.pibench.session_state import SessionState
from pi_gym.pibench.standing import (
    grade,
    held_intents,
    judged_items,
    next_reveal,
    rule_announced,
    rule_asked,
    rule_awaited,
    rule_closed,
    rule_satisfied,
    rule_stated,
    settle_verdicts,
    turns_ended,
)
from pi_gym.questions import Asked
from pi_gym.rewards import COMPONENTS, final_components, step_components, total
from pi_gym.session.live_session import Ending
from pi_gym.session.transcript import OVER
from pi_gym.tools.jobs import CRON, Fired, fire_due
from pi_gym.types import Answer, Message, ModelRequest, StepRecord, ToolRequest, Verdict
from pi_gym.users.base import Decision, Satisfied, TurnView
from pi_gym.users.rule import reveals, with_remarks

T = TypeVar("T")
TURN_SECONDS = 120


def end_turn(state: SessionState, text: str, how: str) -> None:
    """The agent has given its reply, or asked with `ask_user`."""
    state.record_reply(text, how)
    state.update(ends_turn=True)
    state.clock += timedelta(seconds=TURN_SECONDS)
    if state.open_intents():
        run_stage(state, "satisfied", None)
    else:
        # The reply to the last message is final, and is not judged for intents.
        _hear_or_finish(state)


def _hear_or_finish(state: SessionState) -> None:
    """Hear the questions; where nothing is open, only those of `ask_user`: who waits for an answer is not done yet."""
    waits = bool(state.action.ask_call) and not state.config.paper_letter
    if state.open_intents() or waits:
        run_stage(state, "asked", None)
    else:
        finish(state, terminated=True)


def run_stage(state: SessionState, stage: str, answers: tuple[Answer, ...] | None) -> None:
    """Run a stage: without answers it may turn out to need some, with answers it goes on."""
    role = "grader" if stage == "grade" else "user"
    try:
        requests = _STAGES[stage](state, answers)
    except AnswerError as error:
        state.end_unscored(f"{role} ({stage}): {error}", error.kind)
        return
    if requests:
        state.pend(stage, role, requests)


def _satisfied(state: SessionState, answers: tuple[Answer, ...] | None) -> Sequence[ModelRequest]:
    result = _of_role(
        state, "user satisfied", lambda: state.user.satisfied(turn_view(state), answers), lambda: Satisfied({})
    )
    if not isinstance(result, Satisfied):
        return requests_of(result, "user.satisfied", ModelRequest)
    state.follow(rule_satisfied(state.standing, state.task.intents, result, state.turn))
    state.follow(rule_closed(state.standing, state.task.intents, state.turn_evidence()))
    _hear_or_finish(state)
    return ()


def _asked(state: SessionState, answers: tuple[Answer, ...] | None) -> Sequence[ModelRequest]:
    result = _of_role(
        state,
        "user asked",
        lambda: state.user.asked(turn_view(state), answers),
        lambda: Asked((), (), state.misses, 0, state.standing.spared),
    )
    if not isinstance(result, Asked):
        return requests_of(result, "user.asked", ModelRequest)
    ruling = rule_asked(
        state.standing,
        state.task.intents,
        result,
        state.turn,
        state.told,
        state.needless_credited,
        state.offered,
    )
    state.follow(ruling)
    if state.turn >= state.config.limits.max_turns:
        finish(state, terminated=False, reason="max_turns")
        return ()
    state.decline(declined_in(state.task, result.clauses))
    decision = _decide(state, result, ruling.settled)
    if decision is None:
        finish(state, terminated=True)
        return ()
    state.update(decision=decision)
    run_stage(state, "message", None)
    return ()


def _decide(state: SessionState, asked: Asked, hits: tuple[Intent, ...]) -> Decision | None:
    """The decision on what the user says: answers and corrections, else one wish that is not held back.

    None where the user has nothing to say: all that is open is what nobody has told them of, and nothing was asked.
    """
    task, letter = state.task, state.config.paper_letter
    words = {} if letter else assumption_words(hits, asked.clauses)
    plans = heard_plans(turn_view(state), state.standing.announced)
    ruling = rule_announced(state.standing, task.intents, plans, state.turn)
    state.follow(ruling)
    corrected = {intent.id: intent.corrects or intent.reveal for intent in ruling.settled}
    said = (*hits, *ruling.settled)
    if said:
        return with_topics(Decision("answer", said, {**words, **corrected}), task, asked.clauses, letter)
    # A right plan holds its wish back, once: at the end of the next turn it is like any other.
    free = tuple(intent for intent in state.open_intents() if intent.id not in plans)
    in_mind = free if letter else tuple(intent for intent in free if not intent.is_beyond)
    revealed = next_reveal(in_mind, state.whole_evidence, None if letter else state.standing.awaited)
    if revealed is None:
        heard = state.action.ask_call or any(clause.outcome != "ignored" for clause in asked.clauses)
        if not (heard or in_mind or plans or _awaits_work(state, free)):
            return None
        # Who only answers a question does not wait for the work yet.
        state.follow(rule_awaited(state.standing, in_mind if in_mind or plans or heard else free))
        return with_topics(Decision("wait"), task, asked.clauses, letter)
    state.follow(rule_stated(state.standing, (revealed,), state.turn))
    return with_topics(Decision("reveal", (revealed,)), task, asked.clauses, letter)


def _awaits_work(state: SessionState, free: Sequence[Intent]) -> bool:
    """Whether the user waits, once, for the work of which open intents are what it leaves behind.

    Where an intent does not say when the work is there (`after`), the user waits once in any case.
    """
    fresh = [one for one in free if one.id not in state.standing.awaited]
    return any(one.after is None or not one.after.test(state.whole_evidence()) for one in fresh)


def _message(state: SessionState, answers: tuple[Answer, ...] | None) -> Sequence[ModelRequest]:
    decision, ask_call = state.action.decision, state.action.ask_call
    assert decision is not None
    text = _of_role(
        state,
        "user message",
        lambda: state.user.message(turn_view(state), decision, answers),
        lambda: with_remarks(reveals(decision), decision),
    )
    if not isinstance(text, str):
        return requests_of(text, "user.message", ModelRequest)
    stated = [intent.id for intent in decision.intents]
    fired = fire_due(state.world, state.clock, state.task.persona.timezone)
    if ask_call:
        # No message may stand between a call and its result, so the reminders follow the answer.
        state.record("user", text=text, how=decision.kind, intents=stated, call=ask_call)
        state.say(Message("tool", text, tool_call_id=ask_call))
        _remind(state, fired)
    else:
        _remind(state, fired)
        state.record("user", text=text, how=decision.kind, intents=stated, call="")
        state.say(Message("user", text))
    state.update(ask_call="", decision=None)
    state.begin_turn()
    complete_step(state)
    return ()


def _remind(state: SessionState, fired: tuple[Fired, ...]) -> None:
    """Tell the agent what fell due."""
    if fired:
        state.cron_start = start_after(state.cron_start or state.opening.world.apps.get(CRON), fired)
    for one in fired:
        state.record("reminder", **reminder_data(one))
        state.say(reminder_message(one))


def _grade(state: SessionState, answers: tuple[Answer, ...] | None) -> Sequence[ModelRequest | ToolRequest]:
    items = state.task.checklist
    view = FinalView(state.task, items, state.whole_evidence(), state.log)
    result = (
        _of_role(state, "grader grade", lambda: state.grader.grade(view, answers), lambda: _unknown(items))
        if items
        else ()
    )
    if [part for part in result if not isinstance(part, Verdict)]:
        return requests_of(result, "grader.grade", ModelRequest, ToolRequest)
    verdicts = settle_verdicts(items, result)
    for one in verdicts:
        state.record("verdict", item=one.id, verdict=one.verdict, grader=one.grader, reason=one.reason)
    grading = grade(
        state.standing,
        judged_items(items, verdicts),
        verdicts,
        held_intents(state.task.intents, view.evidence),
        state.config.reward,
        turns=turns_ended(state.log),
        invalid=state.invalid_actions,
    )
    state.ended, state.ending = True, replace(state.ending, grading=grading)
    _close_step(state, final_components(state.config.reward, grading.tally))
    return ()


def _of_role(state: SessionState, where: str, call: Callable[[], T], instead: Callable[[], T]) -> T:
    """The result of a role, or in place of what it raises one that pays nothing.

    What says that an answer is missing (`AnswerError`) leaves the session unscored, and passes through.
    """
    try:
        return call()
    except (AnswerError, SessionError):
        raise
    except Exception as error:
        state.keep_fault(where, error)
        return instead()


def _unknown(items: Iterable[Item]) -> tuple[Verdict, ...]:
    return tuple([Verdict(item.id, "unknown", item.grader, "The grader broke.") for item in items])


_STAGES = {"satisfied": _satisfied, "asked": _asked, "message": _message, "grade": _grade}


def turn_view(state: SessionState) -> TurnView:
    """The present turn as a user simulator sees it."""
    seen = state.turn_evidence()
    return TurnView(
        task=state.task,
        open=state.open_intents(),
        reply=seen.reply,
        evidence=seen,
        log=state.log,
        misses=state.misses,
        patience=None if state.config.paper_letter else state.config.patience,
        spared=state.standing.spared,
        room=lambda: state.question_room(state.standing),
        intents_only=state.config.paper_letter,
    )


# -- the end of a step and of the session --------------------------------------------------------------------------


def complete_step(state: SessionState) -> None:
    """The action is done and the session goes on, unless a limit says otherwise."""
    if state.steps >= state.config.limits.max_steps:
        finish(state, terminated=False, reason="max_steps")
    else:
        _close_step(state)


def finish(state: SessionState, *, terminated: bool, reason: str = "") -> None:
    """The session is over: grade it. Where it is cut short, open intents stay open."""
    state.ending = Ending(terminated, reason)
    # Chat formats want a result for every call, and nobody will answer this one.
    state.close_calls(OVER)
    state.record("end", terminated=terminated, truncated=not terminated, reason=reason)
    run_stage(state, "grade", None)


def _close_step(state: SessionState, final: Mapping[str, float] | None = None) -> None:
    """Write the step's record; `final` is what the session's end pays beside the step."""
    before, standing, action, ending = state.before, state.standing, state.action, state.ending
    components, reward = dict.fromkeys(COMPONENTS, 0.0), 0.0
    # Most actions are calls that run, and nothing is paid for them.
    if standing is not before or action.ends_turn or action.invalid or final:
        components = step_components(
            state.config.reward,
            total=len(standing.statuses),
            settled=standing.settled_since(before),
            turns=int(action.ends_turn),
            questions=standing.questions - before.questions,
            invalid=int(action.invalid),
        )
        for name, value in (final or {}).items():
            components[name] += value
        reward = total(components)
    truncated = state.ended and not ending.terminated
    state.step = StepRecord(
        state.new_messages, reward, components, ending.terminated, truncated, "", action.invalid, action.failed
    )
