"""Playing one session with an agent, whatever the agent does."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any, TypeAlias

import gymnasium as gym
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker

from pi_gym.env import PiEnv, ScoringFailed
from pi_gym.errors import PiGymError, UnknownName, unknown
from pi_gym.models.usage import Usage
from pi_gym.packs import Pack
from pi_gym.registration import ENTRY_POINT
from pi_gym.rollout.agents import Agent
from pi_gym.rollout.asked import plain
from pi_gym.rollout.faults import place, told, trace
from pi_gym.rollout.plan import BadArgument, Key, Plan, PlannedSession
from pi_gym.seeding import Stream
from pi_gym.session import Trajectory
from pi_gym.session.actions import ParsedAction
from pi_gym.session.answerers import Responder, deliver
from pi_gym.session.trajectory import failed_fields
from pi_gym.templates import prompt_hash
from pi_gym.types import Ask, Message, ToolCall

_MAX_ERROR_CHARS = 300
_MESSAGE_KEYS = ("role", "content", "tool_calls")


class NotAnAction(PiGymError, TypeError):
    """An agent returned what no environment takes: a mistake in its code, not one of a model's."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a run keeps of a session in memory.

    Args:
        scored: whether it has a score; `error_kind` says whose failure it was where not.
        proc, comp, return_: None where unscored or undefined.
        turns, questions, steps, invalid_actions: counts; the last one of actions that were rejected, or of which a
            call failed.
        intents: hidden intents that the session held.
        error: why there is no score, in one line; `place` the line of code, where one is known. That is no part of a
            record.
    """

    scored: bool
    error_kind: str
    proc: float | None
    comp: float | None
    return_: float | None
    turns: int
    questions: int
    steps: int
    invalid_actions: int = 0
    error: str = ""
    place: str = ""
    intents: int = 1

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Score:
        """The score in a trajectory's JSON object."""
        names = ("scored", "error_kind", "proc", "comp", "return", "turns", "questions", "steps", "invalid_actions")
        parts = (*(record[name] for name in names), _one_line(record["error"]), "", len(record["intents"]))
        return cls(*parts)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A session that was played, or tried.

    Args:
        session: which one.
        key: its key.
        line: its trajectory, one line of JSON without the line end.
        score: what that says.
        seconds: how long it took, by the wall clock.
        trace: the last frames of what was raised, with this machine's paths; empty where nothing was.
        models: what the roles' models were asked, by role; empty where there are none.
        agent_metadata: what the agent says of the session in its own `metadata`; empty where it says nothing.
    """

    session: PlannedSession
    key: Key
    line: str
    score: Score
    seconds: float
    trace: str = ""
    models: Mapping[str, Usage] = field(default_factory=dict)
    agent_metadata: Mapping[str, Any] = field(default_factory=dict)


def make_env(env_id: str, kwargs: Mapping[str, Any]) -> gym.Env[Any, Any]:
    """An environment for a run, without Gymnasium's passive checker.

    Raises:
        UnknownName: no such id; the message lists ours.
        BadArgument: the id is none of a pi_gym environment.
    """
    if ":" not in env_id and env_id not in gym.registry:
        known = [name for name, spec in gym.registry.items() if spec.entry_point == ENTRY_POINT]
        raise UnknownName(unknown("environment", env_id, known, shown=25))
    try:
        env = gym.make(env_id, disable_env_checker=True, **kwargs)
    except (gym.error.Error, ModuleNotFoundError) as error:
        if ":" not in env_id:
            raise
        raise UnknownName(f"environment {env_id!r}: {error}") from error
    base_env(env)
    return env


def base_env(env: gym.Env[Any, Any]) -> PiEnv:
    """The environment below its wrappers."""
    base = env.unwrapped
    if not isinstance(base, PiEnv):
        raise BadArgument(f"{env.spec.id if env.spec else env!r} is no environment of pi_gym")
    return base


@dataclass(frozen=True, slots=True)
class Work:
    """Something that takes its time, and needs nothing of the session meanwhile: the agent's next move."""

    call: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A session waits for answers.

    Args:
        asks: what it asks, all of one kind.
        answerer: what answers it; gives one `Answer` for each, in order.
    """

    asks: tuple[Ask, ...]
    answerer: Responder


#: A session as it is played: it yields what it waits for, is sent the result, and ends with its outcome.
Play: TypeAlias = Generator[Work | Waiting, Any, Outcome]


def play_session(env: gym.Env[Any, Any], agent: Agent, plan: Plan, planned: PlannedSession) -> Outcome:
    """Play one session to its end.

    What the agent raises leaves the session unscored with error kind "policy"; what we raise, with "engine".
    """
    play = begin_session(env, agent, plan, planned)
    try:
        wait = next(play)
        while True:
            try:
                result = wait.call() if isinstance(wait, Work) else wait.answerer(wait.asks)
            except BaseException as error:
                wait = play.throw(error)
            else:
                wait = play.send(result)
    except StopIteration as end:
        outcome: Outcome = end.value
        return outcome


def begin_session(env: gym.Env[Any, Any], agent: Agent, plan: Plan, planned: PlannedSession) -> Play:
    """The same, for a driver that has other sessions to go on with while this one waits."""
    begin = perf_counter()
    key = plan.key(planned)
    env.action_space.seed(Stream("rollout", "actions", *key).integer(0, 2**31 - 1))
    base = base_env(env)
    before = base.model_usage()
    try:
        observation, info = env.reset(seed=planned.seed, options={"task": planned.task_id, "variant": planned.variant})
        session = base.session
        assert session is not None
    except Exception as error:
        outcome = unplayed(base.packs, plan, planned, told(error), "engine", perf_counter() - begin)
        return _located(outcome, error)
    at_fault = "policy"
    raised: BaseException | None = None
    try:
        yield Work(partial(agent.reset, observation, info, env))
        while not session.ended:
            at_fault = "policy"
            action = yield Work(partial(agent.act, observation, info))
            # Wrappers that change the action space take what they say; the engine's own actions are known here.
            if env.action_space is base.action_space:
                _require_action(action)
            at_fault = "engine"
            if _is_bare(env):
                base.begin_step(action)
                yield from _answers(base)
                observation, _, _, _, info = base.end_step()
            else:  # a wrapper's step is one piece
                observation, _, _, _, info = yield Work(partial(env.step, action))
    except ScoringFailed:
        pass  # the session says why, and ends unscored
    except (Exception, SystemExit) as error:
        raised = error
        session.fail(told(error), at_fault)
    trajectory = session.trajectory(agent=plan.agent, sample=planned.sample)
    if trajectory.key != key:
        reason = f"the session came out as {trajectory.key}, not as planned"
        return unplayed(base.packs, plan, planned, reason, "engine", perf_counter() - begin)
    outcome = _outcome(planned, key, trajectory, perf_counter() - begin)
    models = {role: found - before[role] for role, found in base.model_usage().items()}
    outcome = replace(outcome, models=models, agent_metadata=_metadata(agent))
    return _located(outcome, raised) if raised is not None and not trajectory.scored else outcome


def _metadata(agent: Agent) -> Mapping[str, Any]:
    found = plain(getattr(agent, "metadata", None))
    return found if isinstance(found, dict) else {}


def _answers(base: PiEnv) -> Generator[Waiting, Any, None]:
    """Wait until nothing is pending."""
    session, answerers = base.session, base.answerers
    assert session is not None
    while session.pending and not answerers.fail_unheard(session):
        asks = session.pending
        for kind in dict.fromkeys(ask.kind for ask in asks):
            answerer = answerers.of(kind)
            chosen = tuple(ask for ask in asks if ask.kind == kind)
            assert answerer is not None
            deliver(session, chosen, (yield Waiting(chosen, answerer)), answerer)


def _is_bare(env: gym.Env[Any, Any]) -> bool:
    """Whether nothing but Gymnasium's own guards lies around the environment, which may be stepped below them."""
    while isinstance(env, OrderEnforcing | PassiveEnvChecker):
        env = env.env
    return isinstance(env, PiEnv)


def unplayed(
    packs: tuple[Pack, ...], plan: Plan, planned: PlannedSession, error: str, kind: str, seconds: float
) -> Outcome:
    """The record of a session that could not be opened, or that never came back."""
    pack = next(pack for pack in packs if planned.task_id in pack.task_ids)
    trajectory = Trajectory(
        agent=plan.agent,
        sample=planned.sample,
        env_id=plan.env_id,
        task_id=planned.task_id,
        variant=planned.variant,
        seed=planned.seed,
        history_mode=plan.history_mode,
        pack=pack.name,
        pack_hash=pack.content_hash,
        prompt_hash=prompt_hash(),
        config={},
        user="",
        grader="",
        opening=(),
        turns=0,
        steps=0,
        tool_calls=0,
        words_by_user=0,
        invalid_actions=0,
        **failed_fields(error, kind),
    )
    return _outcome(planned, plan.key(planned), trajectory, seconds)


def _outcome(planned: PlannedSession, key: Key, trajectory: Trajectory, seconds: float) -> Outcome:
    score = Score(
        trajectory.scored,
        trajectory.error_kind,
        trajectory.proc,
        trajectory.comp,
        trajectory.return_,
        trajectory.turns,
        trajectory.questions,
        trajectory.steps,
        trajectory.invalid_actions,
        _one_line(trajectory.error),
        intents=len(trajectory.intents),
    )
    return Outcome(planned, key, trajectory.to_line(), score, seconds)


def _located(outcome: Outcome, error: BaseException) -> Outcome:
    return replace(outcome, score=replace(outcome.score, place=place(error)), trace=trace(error))


def _require_action(action: object) -> None:
    """Raise NotAnAction for what no agent can mean as an action; a model's mistakes are the session's to answer."""
    if isinstance(action, str | Message | ToolCall | ParsedAction) or callable(getattr(action, "model_dump", None)):
        return
    if isinstance(action, Mapping) and any(name in action for name in _MESSAGE_KEYS):
        return
    if isinstance(action, list | tuple) and action and all(isinstance(part, ToolCall) for part in action):
        return
    raise NotAnAction(
        f"the agent's act() returned {_kind(action)}, which is no action; expected text, an OpenAI assistant message,"
        " a Message, a ToolCall or a list of ToolCalls"
    )


def _kind(action: object) -> str:
    if action is None:
        return "None"
    if isinstance(action, Mapping):
        return f"a {type(action).__name__} without 'role', 'content' and 'tool_calls'"
    return f"a {type(action).__name__}" + (" of other things" if isinstance(action, list | tuple) and action else "")


def _one_line(text: str) -> str:
    line = " ".join(text[: 2 * _MAX_ERROR_CHARS].split())
    return line if len(line) <= _MAX_ERROR_CHARS else f"{line[:_MAX_ERROR_CHARS]}…"
