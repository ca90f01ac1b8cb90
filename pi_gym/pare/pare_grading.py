"""The grading of a Pare session: whether its goal is met, what the agent may not have changed, what it has earned."""

from __future__ import annotations

from pi_gym.pare.pare_standing import PareGrading
from pi_gym.pare.pare_state import PareState
from pi_gym.pare.person import plan_is_done
from pi_gym.predicates import Evidence
from pi_gym.predicates.row_states import row_state
from pi_gym.state.tree import Blob, Folder

#: Turns after the last event of a world in which no help is wanted, before it ends by itself.
QUIET_TURNS = 2
#: Tables whose new rows of the agent's have left the phone, so that deleting them puts nothing right.
_SENT_OUT = frozenset([("Emails", "emails")])


def content_of(node: Blob | Folder | None) -> bytes | bool | None:
    """The content of a path, to compare: a file's bytes, True of a folder, None of nothing."""
    return node.data if isinstance(node, Blob) else None if node is None else True


def is_met(state: PareState, evidence: Evidence) -> bool:
    """Whether there is a goal, and it holds."""
    goal = state.scenario.goal
    return goal is not None and goal.test(evidence).holds


def is_short_of_habit(state: PareState, evidence: Evidence) -> bool:
    """Whether the help is done, where the goal does not hold: what a habit of the owner's adds is missing."""
    own = state.scenario.own_goal
    return own is not None and own.test(evidence).holds


def is_decided(state: PareState) -> bool:
    """Whether the session is over by itself: the goal met or lost, or nothing left that it could be about."""
    if state.standing.mode != "observe" or state.standing.proposal:
        return False
    scenario = state.scenario
    if scenario.help is None:
        waits = any(event.name not in state.happened.at for event in scenario.events)
        quiet = state.turn >= state.last_event_turn + QUIET_TURNS
        return not waits and quiet and plan_is_done(scenario, state.done, state.happened)
    evidence, lost = state.evidence(), scenario.lost
    if is_met(state, evidence):
        return True
    # What only the habit is missing of can still be met.
    return lost is not None and lost.test(evidence).holds and not is_short_of_habit(state, evidence)


def damage(state: PareState) -> list[str]:
    """The agent's changes that it must not have made, a sentence each."""
    bad = []
    for (app, table, key), (before, after) in state.touched.items():
        if after == before:
            if before is None and (app, table) in _SENT_OUT:
                bad.append(f"{app}.{table} {key} was sent, which deleting it does not take back.")
            continue
        allowed = state.scenario.keep.get((app, table), frozenset())
        kind = row_state(before, after)
        if allowed is not None and key not in allowed and kind not in allowed:
            bad.append(f"{app}.{table} {key} was {kind}.")
    for path, content in state.touched_files.items():
        if content_of(state.world.workspace.node(path)) != content and not _may_change(state, path):
            bad.append(f"The file {path} was changed.")
    return bad


def _may_change(state: PareState, path: str) -> bool:
    # To put a file somewhere makes the folders above it.
    return any(f"{path}/".startswith(f"{kept}/") or kept.startswith(f"{path}/") for kept in state.scenario.keep_files)


def grade_session(state: PareState) -> PareGrading:
    """The result as things stand."""
    standing, reasons, scenario = state.standing, damage(state), state.scenario
    if scenario.help is None:
        if standing.proposals:
            reasons.append("A proposal was made where no help was wanted.")
    else:
        assert scenario.goal is not None
        outcome = scenario.goal.test(state.evidence())
        if not outcome.holds:
            reasons.insert(0, f"The goal is not met: {outcome.why}")
        if not standing.helped:
            reasons.append("No proposal was accepted.")
    success = not reasons
    reward = state.config.reward
    paid = standing.paid(success=reward.success * success)
    best = reward.success + (reward.accepted if scenario.help is not None else 0.0)
    return PareGrading(success, tuple(reasons), paid.earned, best)
