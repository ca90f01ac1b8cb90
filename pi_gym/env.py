"""The Gymnasium environment."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, SupportsFloat

import gymnasium as gym
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from pi_gym.answering import Web, environment_answerers
from pi_gym.errors import PiGymError, unknown
from pi_gym.graders.base import Grader
from pi_gym.info import debug_info, step_info
from pi_gym.models.answering import ModelAnswerer, ModelsClosed
from pi_gym.models.config import ModelConfig
from pi_gym.models.roles import grader_role, user_role
from pi_gym.models.usage import Usage
from pi_gym.observation import Observation, Observer
from pi_gym.opener import SessionOpener
from pi_gym.packs import Pack
from pi_gym.pibench import Limits, PiSession, SessionConfig
from pi_gym.rewards import RewardConfig
from pi_gym.sampling import SPLITS, Split, packs_of
from pi_gym.session import Trajectory
from pi_gym.session.answerers import Responder, Waits, settle
from pi_gym.session.subagents import Subagent
from pi_gym.shell import Backend
from pi_gym.spaces import Unicode
from pi_gym.tools import MadeSchemas
from pi_gym.types import HistoryMode, StepRecord
from pi_gym.users.base import User


class ScoringFailed(PiGymError):
    """A session could not be scored and the environment was made with `on_error="raise"`."""


class PiEnv(gym.Env[Observation, str]):
    """Assistant work for a simulated user with hidden intents, one task session an episode of Gymnasium.

    ## Description
    A session opens with a request that leaves important things open (or with an environment event, or a heartbeat).
    The agent reads and writes a workspace with tools, sends messages, asks questions. Hidden intents are *completed*
    when the agent satisfies them unasked, *inferred* when it asks for them, *provided* when the user has to bring them
    up. The session ends when no intent is open and the agent has given its last reply; then a checklist is graded on
    the final state.

    ## Persona
    The pack that the id names; `PiBench-v0` draws over all packs that count for the benchmark.

    ## Action space
    Text (`Unicode()`). Plain text is the agent's reply to the user and ends its turn. Text with
    `<tool_call>{"name": …, "arguments": {…}}</tool_call>` blocks calls tools, in order. `step` also takes an OpenAI
    assistant message, a `pi_gym.Message`, a `pi_gym.ToolCall` or a list of these. A malformed action is answered by a
    message headed `[environment]`, never by an exception.

    ## Observation space
    `Dict(history=Unicode(), workspace_diff=Unicode())`: the whole transcript as text, and the unified diff of the
    workspace since the previous observation.

    ## Rewards
    With |I| hidden intents, a step pays `0.5 / |I|` for each intent that it completes or asks for, and the last step
    pays `0.5 * Comp`: the return of a scored session is `0.5 * Proc + 0.5 * Comp`. See `pi_gym.RewardConfig`.

    ## Termination and truncation
    `terminated` when the session reaches its end. `truncated` at a limit (the session is graded as things stand) and
    when a model of ours fails (then the reward is NaN, `info["scored"]` is False and `info["error"]` says why).

    ## Tasks
    `pi-gym list` names them. `reset(options={"task": id, "variant": k})` opens one; without options the seed draws
    from the split.

    ## Arguments
    Args:
        pack: name of an installed pack, or the path of a folder, ours or in the official layout of π-Bench (its tasks
            need model roles); None: all packs that count for the benchmark.
        split: "test", "train", "validation" or "holdout"; what the seed draws from.
        history: what happened before: "reference", "own", "none"; None: "reference" where the pack has references.
        user: "rule"; a language model, as `pi_gym.ModelConfig` or "MODEL@URL" (it needs `pi-gym[models]`); or a
            `pi_gym.users.base.User`.
        grader: the same; or a `pi_gym.graders.base.Grader`.
        responder: answers the asks of a user or grader of the caller's: asks in, answers out, in order.
        exec_backend: the sandbox for shell commands: "bubblewrap", "landlock", "auto" (the first that works), or "off":
            then the responder is asked, and without one the tool says that it is not available.
        web: "offline", the pack's own pages; "live", the web itself (it needs `pi-gym[web]`); or a function that
            answers asks of kind "web", asks in, answers out.
        subagent: does what the tool `spawn` asks for: a function that takes a `pi_gym.session.SubagentTask` and gives
            its report as text; what it changes in the task's copy of the workspace is kept. Without one there is no
            such tool.
        keep_prompts: trajectories keep what models were asked, word for word; otherwise its hash.
        reward: a `RewardConfig`.
        tools: "task" or "all".
        patience: misses after which the user answers no more questions; None: never.
        max_steps, max_turns, max_tool_calls: limits per session, per session and per turn.
        on_error: what an unscored session does: "truncate" or "raise" `ScoringFailed`.
        render_mode: "ansi" (render returns the transcript), "human" (prints it), or None.
        debug: adds everything hidden to info, under "debug".

    ## Version
    v0.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 4}  # noqa: RUF012 (as in gym.Env)

    def __init__(
        self,
        pack: str | Path | None = None,
        *,
        split: Split = "test",
        history: HistoryMode | None = None,
        user: str | ModelConfig | User = "rule",
        grader: str | ModelConfig | Grader = "rule",
        responder: Responder | None = None,
        exec_backend: Backend = "auto",
        web: Web = "offline",
        subagent: Subagent | None = None,
        keep_prompts: bool = False,
        reward: RewardConfig | None = None,
        tools: Literal["task", "all"] = "task",
        patience: int | None = 3,
        max_steps: int = 200,
        max_turns: int = 30,
        max_tool_calls: int = 120,
        on_error: Literal["truncate", "raise"] = "truncate",
        render_mode: str | None = None,
        debug: bool = False,
    ) -> None:
        _one_of("split", split, SPLITS)
        _one_of("on_error", on_error, ("truncate", "raise"))
        _one_of("history", history, ("reference", "own", "none", None))
        _one_of("render_mode", render_mode, (*self.metadata["render_modes"], None))
        self.packs: tuple[Pack, ...] = packs_of(pack)
        self.split, self.on_error, self.debug, self.render_mode = split, on_error, debug, render_mode
        self.user, self.grader = user_role(user), grader_role(grader)
        self.answerers = environment_answerers(user, grader, responder, exec_backend, web, subagent)
        if history is None:
            history = "reference" if all(pack.has_references for pack in self.packs) else "none"
        self._config = SessionConfig(
            limits=Limits(max_steps, max_turns, max_tool_calls),
            patience=patience,
            tools=tools,
            subagent=subagent is not None,
            web="offline" if web == "offline" else "live",
            keep_prompts=keep_prompts,
            reward=reward or RewardConfig(),
            history=history,
            models={role: config.recorded() for role, config in (self.models.roles if self.models else {}).items()},
        )
        self._opener = SessionOpener(self.packs, split, self._config, self.user, self.grader)
        # Gymnasium types a Dict space by its parts; the environment by its observation.
        space: Any = spaces.Dict({"history": Unicode(), "workspace_diff": Unicode()})
        self.observation_space: gym.Space[Observation] = space
        self.action_space: Unicode = Unicode()
        self.session: PiSession | None = None
        self._seed: int | None = None
        self._seen = 0

    @property
    def shell(self) -> Responder | None:
        """What answers asks of kind "shell"; it can be replaced."""
        return self.answerers.shell

    @shell.setter
    def shell(self, answerer: Responder) -> None:
        self.answerers.shell = answerer

    @property
    def models(self) -> ModelAnswerer | None:
        """What asks the models that play roles; None where the roles are rules."""
        found = self.answerers.of("model")
        return found if isinstance(found, ModelAnswerer) else None

    @property
    def session_config(self) -> SessionConfig:
        """What every session is made with."""
        return self._config

    def model_usage(self) -> dict[str, Usage]:
        """By role, what its model was asked so far; empty where the roles are rules."""
        return {} if self.models is None else self.models.snapshot()

    # -- Gymnasium -------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Open a session.

        Args:
            seed: seeds what is drawn: task and variant, where the options leave them open.
            options: {"task": id, "variant": number}, both optional. Under history="own" a seed or a variant starts a
                new episode at its first session, and "task" is refused.

        Returns:
            The observation and the info of the opening.

        Raises:
            UnknownName: no such option or task; the message lists the known ones.
            PackError: the task cannot be made for this variant.
            RolesNeeded: the task has no predicates, and user or grader is rule-based.
        """
        self.begin_reset(seed=seed, options=options)
        settle(self.waits())
        return self.end_reset()

    def step(self, action: Any) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take one action; see the class for its forms.

        Returns:
            Observation, reward (NaN where the session ended unscored), terminated, truncated, info.

        Raises:
            ResetNeeded: there is no session, or it is over.
            ScoringFailed: the session ended unscored, and `on_error` is "raise".
            ModelsClosed: another thread closed the environment meanwhile.
        """
        self.begin_step(action)
        settle(self.waits())
        return self.end_step()

    # -- the same in halves, for a driver of many environments -------------------------------------------------------

    def begin_reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """The first half of `reset`, which raises what `reset` raises; then come `waits` and `end_reset`.

        What can be refused is looked at first, so that a bad argument costs no open session.
        """
        super().reset(seed=seed)
        self._opener.choose(self.np_random, options, new=seed is not None)
        self._seed = seed
        self._opener.leave(self.session)

    def end_reset(self, made: MadeSchemas | None = None) -> tuple[Observation, dict[str, Any]]:
        """The second half of `reset`, once nothing is pending: opens the session, and returns as `reset` does.

        Args:
            made: tool schemas that the infos of several environments share.
        """
        name = self.spec.id if self.spec is not None else ""
        self.session = self._opener.open(self.session, env_id=name, seed=self._seed)
        self._observer = Observer(self.session)
        self._seen = 0
        self._show()
        return self._observer.observe(), self._info(self.session, None, made)

    def take_up(self, task_id: str, records: Sequence[Trajectory] | None = None) -> None:
        """Under history="own", have the next `reset()` open this task of the present episode.

        Args:
            task_id: of the split. Tasks that would have come before it are left out.
            records: what was played of the episode elsewhere, in order: it takes the place of what was played here, and
                nothing is asked of any model or shell. None: what was played here stands.

        Raises:
            ValueError: no episode has begun, or a record has no score.
            UnknownName: the task is none of the split's; the message lists them.
            StateMismatch: a record is of other content of the pack.
            SessionError: a session does not come out as it was recorded.
        """
        if records is None:
            self._opener.go_to(task_id)
        else:
            self.session = self._opener.take_up(task_id, records)

    def begin_step(self, action: Any) -> None:
        """The first half of `step`; then come `waits` and `end_step`.

        Raises:
            ResetNeeded: there is no session, or it is over.
        """
        session = self.session
        if session is None or session.ended:
            raise ResetNeeded("Call reset() first: " + ("there is no session." if session is None else "it is over."))
        session.apply(action)

    def waits(self) -> Waits:
        """What the session waits for between the halves of a reset or a step; it may be nothing.

        Each `Waiting` holds asks and the function that answers them; the generator is sent the answers. While it
        waits, other environments can go on.
        """
        if self.session is not None:
            yield from self.answerers.waits(self.session)

    def end_step(self) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """The second half of `step`, once nothing is pending; returns and raises as `step` does."""
        session = self.session
        if session is None:
            raise ModelsClosed("closed while a step was taken: the session is gone")
        record = session.step
        assert record is not None
        observation = self._observer.observe()
        self._show()
        if record.error and self.on_error == "raise":
            raise ScoringFailed(record.error)
        return observation, record.reward, record.terminated, record.truncated, self._info(session, record)

    def require_options(self, options: Mapping[str, Any] | None) -> None:
        """Raise what `reset` would raise of these options by themselves; nothing is drawn or opened."""
        self._opener.require_options(options)

    def twin(self) -> PiEnv:
        """Another environment with the same settings: shares everything that does not change, and has no session."""
        other = copy.copy(self)
        other._opener = SessionOpener(self.packs, self.split, self._config, self.user, self.grader)
        other.session, other._seed, other._seen = None, None, 0
        other._np_random = other._np_random_seed = None
        return other

    def render(self) -> str | None:
        """The transcript so far: returned under "ansi", printed under "human"."""
        if self.render_mode == "ansi":
            return self.session.history if self.session is not None else ""
        self._show()
        return None

    def close(self) -> None:
        """Drop the session, and the connections to models that no other environment uses."""
        self.session = None
        if self.models is not None:
            self.models.close()

    def _show(self) -> None:
        """Under "human", print what is new; Gymnasium expects that of reset and step."""
        if self.render_mode == "human" and self.session is not None:
            print(self.session.history[self._seen :], end="", flush=True)
            self._seen = len(self.session.history)

    def require_roles(self, tasks: Iterable[str]) -> None:
        """See to it that these tasks can be judged by the environment's user and grader, before they are opened.

        Raises:
            RolesNeeded: one cannot; the message says what to pass.
        """
        self._opener.require_roles(tasks)

    def _info(self, session: PiSession, record: StepRecord | None, made: MadeSchemas | None = None) -> dict[str, Any]:
        info = step_info(session, record, made)
        if self.debug:
            info["debug"] = debug_info(session)
        return info


def _one_of(name: str, value: object, known: Sequence[object]) -> None:
    if value not in known:
        raise ValueError(unknown(name, str(value), [str(k) for k in known]))
