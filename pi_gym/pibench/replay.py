"""Playing a recorded session again: same task, same world, same actions, same answers.

No model and no shell is asked: what they answered is in the record. The session that comes out has the very trajectory
that went in, as long as pack and engine are those of the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.graders.base import Grader
from pi_gym.packs import Pack, Task, load_pack, referred_pack
from pi_gym.pibench.history import start_world
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import Limits, SessionConfig
from pi_gym.rewards import RewardConfig
from pi_gym.runs.recorded import REJUDGED
from pi_gym.session.playing_again import play_again
from pi_gym.session.trajectory import Trajectory
from pi_gym.state import World
from pi_gym.users.base import User


def replay(
    trajectory: Trajectory,
    *,
    pack: Pack | None = None,
    start: World | None = None,
    user: User | None = None,
    grader: Grader | None = None,
) -> PiSession:
    """The session that a trajectory records, played again; `trajectory()` of it gives the same line.

    Args:
        trajectory: the record.
        pack: where its pack lies, if it is not an installed one.
        start: the world that it began in; needed only for history mode "own".
        user: the user simulator; needed only where it was not the rule-based one.
        grader: the grader; likewise.

    Raises:
        StateMismatch: the pack's content is not the recorded one.
        ValueError: something is needed that was not given.
        SessionError: the record does not fit the session: another engine made it.
    """
    require_original(trajectory)
    roles = trajectory.config["roles"]
    for role, given in (("user", user), ("grader", grader)):
        recorded = roles[role]
        if (given.name if given is not None else "rule") != recorded:
            raise ValueError(f"the record was made with the {role} {recorded!r}; give it as {role}=")
    pack = pack if pack is not None else load_pack(trajectory.pack)
    task = referred_pack(pack.source, trajectory.pack_hash).instantiate(trajectory.task_id, trajectory.variant)
    start = start if start is not None else recorded_start(pack, task, trajectory)
    session = PiSession(task, start, config=recorded_config(trajectory), user=user, grader=grader)
    play_again(session, trajectory)
    return session


def require_original(trajectory: Trajectory) -> None:
    """Raise ValueError for what a re-scoring made: its judgements do not lead to the conversation that it holds."""
    if REJUDGED in trajectory.config:
        raise ValueError("the record is of a re-scoring; take the run that was re-scored")


def recorded_start(pack: Pack, task: Task, trajectory: Trajectory) -> World:
    """The world that a recorded session began in.

    Raises:
        ValueError: it was the agent's own past, which no record holds.
    """
    mode = trajectory.history_mode
    if mode not in ("reference", "none"):
        raise ValueError(f"history mode {mode!r}: the world is the agent's own past; give it as start=")
    return start_world(pack, task, "reference" if mode == "reference" else "none")


def recorded_config(trajectory: Trajectory) -> SessionConfig:
    """The settings that a record keeps."""
    raw: Mapping[str, Any] = trajectory.config
    return SessionConfig(
        limits=Limits(raw["max_steps"], raw["max_turns"], raw["max_tool_calls"]),
        patience=raw["patience"],
        paper_letter=raw["paper_letter"],
        tools=raw["tools"],
        web=raw["web"],
        subagent=raw["subagent"],
        keep_prompts=raw["keep_prompts"],
        reward=RewardConfig(**raw["reward"]),
        history=trajectory.history_mode,  # type: ignore[arg-type]
        env_id=trajectory.env_id,
        seed=trajectory.seed,
        exclude_needs=tuple(raw["exclude_needs"]),
        models=raw.get("models", {}),
    )
