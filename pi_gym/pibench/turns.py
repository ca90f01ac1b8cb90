"""The end of a turn and of the session: the protocol's stages, as functions of a session's state.

`end_turn` starts with stage "satisfied"; each stage, once its result is there, starts the next or completes the step:
satisfied → asked → message → (the agent's next action), or script → grade → (the end). A stage that needs a model, or
a sandbox for a task's rule script, leaves the state pending, and `run_stage` is called again with the answers.

Source: the paper's section 3.4 and appendix B.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from pi_gym.errors import AnswerError, SessionError
from pi_gym.graders.base import FinalView
from pi_gym.graders.rule import settle_guards
from pi_gym.packs import Intent
from pi_gym.pibench.reminders import reminder_data, reminder_message, start_after
from pi_gym.pibench.rule_scripts import ScriptFailed, script_requests, script_results
from pi_gym.pibench.script_items import script_items
from pi_gym.pibench.session_state import SessionState
from pi_gym.predicates import Evidence
from pi_gym.questions import Asked
from pi_gym.rewards import completeness, final_components, step_components, total
from pi_gym.session.faults import told_with_place
from pi_gym.session.transcript import OVER
from pi_gym.tools.jobs import CRON, Fired, fire_due
from pi_gym.types import Answer, IntentStatus, Message, ModelRequest, StepRecord, ToolRequest, Verdict
from pi_gym.users.base import Decision, Satisfied, TurnView

TURN_SECONDS = 120


def end_turn(state: SessionState, text: str, how: str) -> None:
    """The agent has given its reply, or asked with `ask_user`."""
    state.record("reply", text=text, how=how)
    state.step_turns = 1
    state.clock += timedelta(seconds=TURN_SECONDS)
    if state.open_intents():
        run_stage(state, "satisfied", None)
    else:
        # The reply to the last message is final, and is not judged for intents.
        finish(state, terminated=True)


def run_stage(state: SessionState, stage: str, answers: tuple[Answer, ...] | None) -> None:
    """Run a stage: without answers it may turn out to need some, with answers it goes on."""
    role = "grader" if stage in ("script", "grade") else "user"
    try:
        requests = _STAGES[stage](state, answers)
    except AnswerError as error:
        end_unscored(state, f"{role} ({stage}): {error}", "model")
        return
    except ScriptFailed as error:
        end_unscored(state, f"{role} ({stage}): {error}", "shell")
        return
    except SessionError:
        raise
    except Exception as error:
        # A fault in a role of the caller's own, or in a rule of the task: ours to mend, and never a verdict.
        end_unscored(state, f"{role} ({stage}): {told_with_place(error)}", "engine")
        return
    if requests:
        state.pend(stage, role, requests)


Requests = tuple[ModelRequest | ToolRequest, ...]


def _satisfied(state: SessionState, answers: tuple[Answer, ...] | None) -> Requests:
    result = state.user.satisfied(turn_view(state), answers)
    if not isinstance(result, Satisfied):
        return _requests(result, "user.satisfied")
    for intent in state.open_intents():
        if intent.id in result.reasons:
            _settle(state, intent, "completed", result.reasons[intent.id])
    if state.open_intents():
        run_stage(state, "asked", None)
    else:
        finish(state, terminated=True)
    return ()


def _asked(state: SessionState, answers: tuple[Answer, ...] | None) -> Requests:
    result = state.user.asked(turn_view(state), answers)
    if not isinstance(result, Asked):
        return _requests(result, "user.asked")
    by_id = {intent.id: intent for intent in state.open_intents()}
    hits = tuple(by_id[number] for number in dict.fromkeys(result.hits) if number in by_id)
    shrugs = result.misses - state.misses
    counted = sum(clause.outcome != "ignored" for clause in result.clauses)
    state.misses, state.spared = result.misses, result.spared
    state.questions += counted
    state.step_questions += counted
    if result.clauses:
        state.record("asked", clauses=[clause.to_json() for clause in result.clauses])
    for intent in hits:
        _settle(state, intent, "inferred", "asked for")
    if state.turn >= state.config.limits.max_turns:
        finish(state, terminated=False, reason="max_turns")
        return ()
    if hits:
        state.decision = Decision("answer", hits, shrugs)
    else:
        revealed = _next_reveal(state)
        _settle(state, revealed, "provided", "nobody asked")
        state.decision = Decision("reveal", (revealed,), shrugs)
    run_stage(state, "message", None)
    return ()


def _message(state: SessionState, answers: tuple[Answer, ...] | None) -> Requests:
    decision = state.decision
    assert decision is not None
    text = state.user.message(turn_view(state), decision, answers)
    if not isinstance(text, str):
        return _requests(text, "user.message")
    stated = [intent.id for intent in decision.intents]
    fired = fire_due(state.world, state.clock, state.task.persona.timezone)
    if state.ask_call:
        # No message may stand between a call and its result, so the reminders follow the answer.
        state.record("user", text=text, how=decision.kind, intents=stated, call=state.ask_call)
        state.say(Message("tool", text, tool_call_id=state.ask_call))
        _remind(state, fired)
    else:
        _remind(state, fired)
        state.record("user", text=text, how=decision.kind, intents=stated, call="")
        state.say(Message("user", text))
    state.ask_call, state.decision = "", None
    state.turn += 1
    state.turn_start, state.turn_calls = len(state.log), 0
    complete_step(state)
    return ()


def _remind(state: SessionState, fired: tuple[Fired, ...]) -> None:
    """Tell the agent what fell due."""
    if fired:
        state.cron_start = start_after(state.cron_start or state.opening.world.apps.get(CRON), fired)
    for one in fired:
        state.record("reminder", **reminder_data(one))
        state.say(reminder_message(one))


def _script(state: SessionState, answers: tuple[Answer, ...] | None) -> Requests:
    """The items that the task's own program judges; without one, straight on to the grader."""
    requests = script_requests(state)
    if requests and answers is None:
        return requests
    state.script_results = script_results(state, answers or ())
    run_stage(state, "grade", None)
    return ()


def _grade(state: SessionState, answers: tuple[Answer, ...] | None) -> Requests:
    judged = script_items(state.task.checklist, state.script_results)
    items = tuple(item for item, verdict in judged if verdict is None)
    view = FinalView(state.task, items, state.evidence(state.log), state.log)
    result = state.grader.grade(view, answers) if items else ()
    verdicts = tuple(part for part in result if isinstance(part, Verdict))
    if len(verdicts) < len(result):
        return _requests(result, "grader.grade")
    if [verdict.id for verdict in verdicts] != [item.id for item in items]:
        raise SessionError("grader.grade gave verdicts that are not those of the view's items, in their order")
    unscored = next((verdict for verdict in verdicts if verdict.verdict not in ("passed", "failed")), None)
    if unscored is not None:
        raise AnswerError(f"item {unscored.id} is {unscored.verdict}: {unscored.reason}")
    settled = iter(settle_guards(items, verdicts))
    _score(state, tuple(verdict or next(settled) for _, verdict in judged), view.evidence)
    return ()


def _requests(result: Sequence[object], function: str) -> Requests:
    """The requests that a role's function gave; anything else would leave the session waiting for ever."""
    requests = tuple(part for part in result if isinstance(part, ModelRequest))
    if not requests or len(requests) < len(result):
        raise SessionError(f"{function} gave neither a result nor model requests, but {result!r}")
    return requests


_STAGES = {"satisfied": _satisfied, "asked": _asked, "message": _message, "script": _script, "grade": _grade}


def turn_view(state: SessionState) -> TurnView:
    """What a user simulator may see of the present turn."""
    seen = state.evidence(state.log.since(state.turn_start))
    return TurnView(
        task=state.task,
        open=state.open_intents(),
        reply=seen.reply,
        evidence=seen,
        log=state.log,
        misses=state.misses,
        patience=state.config.patience,
        spared=state.spared,
    )


def _settle(state: SessionState, intent: Intent, status: IntentStatus, reason: str) -> None:
    needless = status == "inferred" and any(way.holds(state.opening.world) for way in intent.recover)
    state.statuses[intent.id] = status
    state.settled_at[intent.id] = state.turn
    state.newly_settled = (*state.newly_settled, intent.id)
    if needless:
        state.needless |= {intent.id}
    state.record("status", intent=intent.id, status=status, needless=needless, reason=reason)


def _next_reveal(state: SessionState) -> Intent:
    """The first open intent in file order whose `after` holds, else the first."""
    candidates = state.open_intents()
    if candidates[0].after is None:
        return candidates[0]
    seen = state.evidence(state.log)
    ready = (intent for intent in candidates if intent.after is None or intent.after.test(seen))
    return next(ready, candidates[0])


# -- the end of a step and of the session --------------------------------------------------------------------------


def complete_step(state: SessionState) -> None:
    """The action is done and the session goes on, unless a limit says otherwise."""
    if state.steps >= state.config.limits.max_steps:
        finish(state, terminated=False, reason="max_steps")
    else:
        _close_step(state, _components(state))


def finish(state: SessionState, *, terminated: bool, reason: str = "") -> None:
    """The session is over: grade it. Where it is cut short, open intents stay open."""
    state.terminated, state.truncated, state.end_reason = terminated, not terminated, reason
    # Chat formats want a result for every call, and nobody will answer this one.
    state.close_calls(OVER)
    state.record("end", terminated=terminated, truncated=not terminated, reason=reason)
    run_stage(state, "script", None)


def end_unscored(state: SessionState, error: str, kind: str) -> None:
    """The session is over without a score; intent rewards already paid are void."""
    state.ended, state.scored = True, False
    state.error, state.error_kind, state.end_reason = error, kind, "error"
    state.terminated, state.truncated = False, True
    state.proc = state.comp = None
    state.verdicts = ()
    state.record("end", terminated=False, truncated=True, reason="error", error=error)
    state.step = StepRecord(state.new_messages, float("nan"), {}, False, True, error, state.step_invalid)


def _score(state: SessionState, verdicts: tuple[Verdict, ...], final: Evidence) -> None:
    state.verdicts = verdicts
    for verdict in verdicts:
        state.record("verdict", item=verdict.id, verdict=verdict.verdict, grader=verdict.grader, reason=verdict.reason)
    state.held = tuple(intent.id for intent in state.task.intents if intent.by_rule and intent.satisfied.test(final))
    statuses = list(state.statuses.values())
    if statuses:
        state.proc = sum(status in ("completed", "inferred") for status in statuses) / len(statuses)
    weights = [item.weight for item in state.checklist]
    state.comp = completeness([(found.verdict, weight) for found, weight in zip(verdicts, weights, strict=True)])
    state.ended = state.scored = True
    components = _components(state)
    for name, value in final_components(state.config.reward, state.tally()).items():
        components[name] += value
    _close_step(state, components)


def _components(state: SessionState) -> dict[str, float]:
    return step_components(
        state.config.reward,
        total=len(state.task.intents),
        settled=[(state.statuses[number], number in state.needless) for number in state.newly_settled],
        turns=state.step_turns,
        questions=state.step_questions,
        invalid=int(state.step_invalid),
    )


def _close_step(state: SessionState, components: dict[str, float]) -> None:
    state.step = StepRecord(
        state.new_messages, total(components), components, state.terminated, state.truncated, "", state.step_invalid
    )
