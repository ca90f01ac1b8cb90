"""The person's turn in a session: they move, or answer a proposal, and the agent is told what happened.

`take_turn` walks through it. A person whom a model plays may need answers for a move: then the session pends, and
`take_turn` is called again with these.
"""

from __future__ import annotations

from pi_gym.errors import AnswerError
from pi_gym.models.role_requests import Answers, requests_of
from pi_gym.pare.pare_grading import is_met, is_short_of_habit
from pi_gym.pare.pare_opening import spoken
from pi_gym.pare.pare_state import PareState
from pi_gym.pare.person import PersonMove, PersonView, is_ready, steps_of
from pi_gym.pare.person_actions import ACCEPT, ANSWERS
from pi_gym.pare.scenario import FIRST_ADDED
from pi_gym.phone.handset import act, offered, spoken_action
from pi_gym.templates import render_prompt
from pi_gym.types import Message, ModelRequest, ToolCall

ROLE, STAGE = "user", "move"


def take_turn(state: PareState, answers: Answers | None = None) -> bool:
    """Let the person have their turn, or go on with it.

    Args:
        state: the session; `moves` counts from 0 where the turn begins.
        answers: to what the session asked for their next move.

    Returns:
        Whether the turn is over; where not, the session waits for answers, or has ended without a score.
    """
    answered = ""
    while state.moves < state.config.user_actions:
        try:
            move = state.person.move(person_view(state), answers)
        except AnswerError as error:
            state.end_unscored(f"{ROLE} ({STAGE}): {error}", error.kind)
            return False
        if not isinstance(move, PersonMove):
            state.pend(STAGE, ROLE, requests_of(move, "person.move", ModelRequest))
            return False
        answers = None
        state.moves += 1
        if move.call is None:
            break
        if move.call.name in ANSWERS:
            answered = _settle(state, move, move.call)
            break
        _act(state, move, move.call)
    _tell(state, answered)
    return True


def person_view(state: PareState) -> PersonView:
    """The session as the person sees it in their turn."""
    evidence, asked = state.evidence(), bool(state.standing.proposal)
    met = asked and is_met(state, evidence)
    return PersonView(
        scenario=state.scenario,
        navigation=state.navigation,
        happened=state.happened,
        proposed_after=state.proposed_after,
        done=state.done,
        turn=state.turn,
        proposal=state.standing.proposal,
        helped=state.standing.helped,
        met=met,
        short_of_habit=asked and not met and is_short_of_habit(state, evidence),
        now=state.clock,
        evidence=evidence,
        rejected=state.standing.rejected,
        log=state.log,
        known=state.told,
    )


def _settle(state: PareState, move: PersonMove, call: ToolCall) -> str:
    """Take the person's answer to the proposal; gives the words in which the agent is told of it."""
    said, accepted = str(call.arguments.get("content", "")), call.name == ACCEPT
    state.record("settled", accepted=accepted, content=said, proposal=state.standing.proposal, note=move.note)
    reward = state.config.reward
    if accepted:
        state.standing = state.standing.with_acceptance(reward, wanted=state.scenario.help is not None)
    else:
        state.standing = state.standing.with_rejection(reward)
    told = render_prompt("pare_answered.md", accepted=accepted, said=said, calls=state.config.execute_calls)
    return told.strip()


def _act(state: PareState, move: PersonMove, call: ToolCall) -> None:
    """Let the person do something with their phone."""
    context = state.context(FIRST_ADDED)
    result = act(call, context, offered(state.navigation))
    state.record("person", call=call.name, arguments=dict(call.arguments), result=result.text, ok=result.ok)
    state.navigation = context.display.navigation
    state.standing = state.standing.with_look()
    if not result.ok:
        # A step that cannot be done, or to which no way leads, is over too: they would not try for ever.
        state.done = state.done | ({move.step} if move.step >= 0 else set())
        return
    steps, view = steps_of(state.scenario), person_view(state)
    # An action on the way to a step may be one itself.
    alike = [at for at, one in enumerate(steps) if at not in state.done and one.call == call]
    reached = [move.step] if move.step in alike else [at for at in alike if is_ready(steps[at], view)]
    state.done = state.done.union(reached[:1])


def _tell(state: PareState, answered: str) -> None:
    """Say to the agent what has happened since it was told last."""
    head = f"[phone] {spoken(state.clock)} · turn {state.turn} of {state.config.max_turns}"
    lines = [f"{head} · mode: {state.standing.mode}"]
    for event in state.log.since(state.told):
        if event.kind == "notification":
            moment = event.data["time"].replace("T", " ")
            lines.append(f"Notification, {moment}, {event.data['app']}: {event.data['whole']}")
        elif event.kind == "person":
            call = ToolCall(event.data["call"], event.data["arguments"])
            lines.append(f"The person {'did' if event.data['ok'] else 'tried'}: {spoken_action(call)}")
    lines += [answered] if answered else []
    text = "\n".join(lines)
    state.record("user", text=text, call="")
    state.say(Message("user", text))
    state.told = len(state.log)
