"""The Gymnasium environment of every family: sessions opened, stepped, observed."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, SupportsFloat, TypeVar

import gymnasium as gym
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from pi_gym.catalogue import TaskName, TaskSet, read_needs
from pi_gym.driving.settling import settle
from pi_gym.env_answerers import why_no_shell
from pi_gym.errors import PiGymError, SandboxNeeded, unknown
from pi_gym.family import Family
from pi_gym.info import step_info
from pi_gym.models.answerer import ModelAnswerer, ModelsClosed
from pi_gym.models.usage import Usage
from pi_gym.observation import Observation, Observer
from pi_gym.sampling import SPLITS, Split, Start, StartSampler
from pi_gym.session.answerers import Answerers, Responder, Waits
from pi_gym.session.protocol import Session
from pi_gym.session.trajectory import Trajectory
from pi_gym.spaces import Unicode
from pi_gym.tools import MadeSchemas
from pi_gym.types import HistoryMode

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Settings = TypeVar("Settings", bound="DataclassInstance")


class ScoringFailed(PiGymError):
    """A session could not be scored and the environment was made with `on_error="raise"`."""


class SessionEnv(gym.Env[Observation, str]):
    """An environment whose episodes of Gymnasium are sessions; families subclass it, and name themselves in it.

    Actions and observations are text in every family: `step` takes a reply, `<tool_call>` blocks, an OpenAI assistant
    message, a `pi_gym.Message`, a `pi_gym.ToolCall` or a list of these; the observation is
    `Dict(history=Unicode(), workspace_diff=Unicode())`.

    Args:
        packs: the sets of tasks that a reset draws from, at least one.
        split: "test", "train", "validation" or "holdout"; what the seed draws from.
        history_mode: what happened before: "reference", "own" or "none". Under "own" sessions come in episodes, each
            session in the world that the one before it left.
        answerers: answer what sessions ask; None: nothing does.
        exclude_needs: tasks that have one of these needs are left out, on every machine: ("exec",) those that run shell
            commands.
        on_error: what an unscored session does: "truncate" or "raise" `ScoringFailed`.
        render_mode: "ansi" (render returns the transcript), "human" (prints it), or None.
        debug: adds everything hidden to info, under "debug".

    Raises:
        UnknownName, ValueError: an argument has another value, or the split has no tasks.

    Attributes:
        family: of the class.
        packs: what is drawn from.
        session: the live session; None before the first reset.
        answerers: what answers what sessions ask.
    """

    family: ClassVar[Family]
    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 4}  # noqa: RUF012 (as in gym.Env)

    def __init__(
        self,
        packs: Sequence[TaskSet],
        *,
        split: Split = "test",
        history_mode: HistoryMode = "none",
        answerers: Answerers | None = None,
        exclude_needs: Sequence[str] = (),
        on_error: Literal["truncate", "raise"] = "truncate",
        render_mode: str | None = None,
        debug: bool = False,
    ) -> None:
        require_one_of("split", split, SPLITS)
        require_one_of("on_error", on_error, ("truncate", "raise"))
        require_one_of("render_mode", render_mode, (*self.metadata["render_modes"], None))
        self.packs, self.split, self.history_mode = tuple(packs), split, history_mode
        self.answerers, self.exclude_needs = answerers or Answerers(), read_needs(exclude_needs)
        self.on_error, self.debug, self.render_mode = on_error, debug, render_mode
        # Gymnasium types a Dict space by its parts; the environment by its observation.
        space: Any = spaces.Dict({"history": Unicode(), "workspace_diff": Unicode()})
        self.observation_space: gym.Space[Observation] = space
        self.action_space: Unicode = Unicode()
        self._forget()

    def _forget(self) -> None:
        """Have no session, and no past."""
        self._sampler = StartSampler(self.packs, self.split, own=self.by_episode, exclude_needs=self.exclude_needs)
        self.session: Session | None = None
        self._chosen: tuple[Start, Any] | None = None
        self._seed: int | None = None
        self._episode_seed: int | None = None
        self._seen = 0
        #: The session has ended in its opening, and no step has told so.
        self._untold = False

    @property
    def by_episode(self) -> bool:
        """Whether sessions rest on those before them."""
        return self.history_mode == "own"

    @property
    def shell(self) -> Responder | None:
        """The function that answers asks of kind "shell"; it can be replaced."""
        return self.answerers.shell

    @shell.setter
    def shell(self, answerer: Responder) -> None:
        self.answerers.shell = answerer

    @property
    def models(self) -> ModelAnswerer | None:
        """The answerer that asks the models which play roles; None where the roles are rules."""
        found = self.answerers.of("model")
        return found if isinstance(found, ModelAnswerer) else None

    def model_usage(self) -> dict[str, Usage]:
        """The usage of each role's model so far; empty where the roles are rules."""
        return {} if self.models is None else self.models.snapshot()

    # -- Gymnasium -------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Open a session.

        Args:
            seed: seeds what is drawn: task and variant, where the options leave them open.
            options: {"task": id, "pack": name, "variant": number}, all optional; "pack" says which where several have
                a task of that name. Under history="own" a seed or a variant starts a new episode at its first
                session, and "task" is refused.

        Returns:
            The observation and the info of the opening.

        Raises:
            UnknownName: no such option, pack or task; the message lists the known ones.
            PackError: the task cannot be made for this variant.
            RolesNeeded: the task has no predicates, and user or grader is rule-based.
            SandboxNeeded: the task runs shell commands, and nothing runs those here.
            ScoringFailed: the session ended unscored in its opening, and `on_error` is "raise". Under "truncate" the
                info says so, and so does the first step, whatever its action.
            ModelsClosed: another thread closed the environment meanwhile.
        """
        self.begin_reset(seed=seed, options=options)
        if self.session is not None and self.session.pending:
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
        if self.session is None or self.session.step is None:  # it waits, or another thread closed it
            settle(self.waits())
        return self.end_step()

    # -- the same in halves, for a driver of many environments -------------------------------------------------------

    def begin_reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """The first half of `reset`, which raises what `reset` raises; then come `waits` and `end_reset`.

        What can be refused is looked at first, so that a bad argument costs no open session. The new session is opened
        once nothing is pending in the one that is left: here, or in `waits`.
        """
        super().reset(seed=seed)
        self._chosen = None
        start = self._sampler.start(self.np_random, options, new=seed is not None)
        prepared = self.family.prepare(self, start)
        self.require_needs([(start.pack.name, start.task_id)])
        self._sampler.opened(start)
        self._chosen = (start, prepared)
        self._seed = seed
        self._leave()
        if self.session is None or not self.session.pending:
            self._open_chosen()

    def _open_chosen(self) -> None:
        """Open the session that was chosen; it may wait for answers in its opening."""
        assert self._chosen is not None
        (start, prepared), self._chosen = self._chosen, None
        name, seed = self.spec.id if self.spec is not None else "", self._seed
        if self.by_episode:
            # The record names the seed of the reset that began the episode.
            seed = self._episode_seed = seed if start.first else self._episode_seed
        before = self.session if self.by_episode and not start.first else None
        self.session = self.family.open(self, start, prepared, before, env_id=name, seed=-1 if seed is None else seed)

    def end_reset(self, made: MadeSchemas | None = None) -> tuple[Observation, dict[str, Any]]:
        """The second half of `reset`, once nothing is pending; returns and raises as `reset` does.

        Args:
            made: tool schemas that the infos of several environments share.
        """
        if self.session is None:
            raise ModelsClosed("closed while a session was opened: it is gone")
        self._observer = Observer(self.session)
        self._seen = 0
        self._show()
        self._untold = self.session.ended
        if self.session.error and self.on_error == "raise":
            raise ScoringFailed(self.session.error)
        return self._observer.observe(), step_info(self.family, self.session, None, made, debug=self.debug)

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
        pack = self._sampler.go_to(task_id)
        if records is not None:
            self.session = self.family.replay_episode(self, pack, records)

    def begin_step(self, action: Any) -> None:
        """The first half of `step`; then come `waits` and `end_step`.

        Raises:
            ResetNeeded: there is no session, or it is over.
        """
        session = self.session
        if session is None or (session.ended and not self._untold):
            raise ResetNeeded("Call reset() first: " + ("there is no session." if session is None else "it is over."))
        if not session.ended:
            session.apply(action)

    def waits(self) -> Waits:
        """The waits of the session between the halves of a reset or a step; there may be none.

        Each `Waiting` holds asks and the function that answers them; the generator is sent the answers. While it
        waits, other environments can go on.
        """
        if self.session is not None:
            yield from self.answerers.waits(self.session)
        if self._chosen is not None and self.session is not None:
            self._open_chosen()
            yield from self.answerers.waits(self.session)

    def end_step(self) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """The second half of `step`, once nothing is pending; returns and raises as `step` does."""
        session = self.session
        if session is None:
            raise ModelsClosed("closed while a step was taken: the session is gone")
        record = session.step
        assert record is not None
        self._untold = False
        observation = self._observer.observe()
        if self.render_mode == "human":
            self._show()
        if record.error and self.on_error == "raise":
            raise ScoringFailed(record.error)
        info = step_info(self.family, session, record, debug=self.debug)
        return observation, record.reward, record.terminated, record.truncated, info

    def require_options(self, options: Mapping[str, Any] | None) -> None:
        """Raise what `reset` would raise of these options by themselves; nothing is drawn or opened."""
        self._sampler.checked(options)

    def twin(self) -> Self:
        """Another environment with the same settings: shares everything that does not change, and has no session."""
        other = copy.copy(self)
        other._forget()
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
        self.session = self._chosen = None
        if self.models is not None:
            self.models.close()

    def _show(self) -> None:
        """Under "human", print what is new; Gymnasium expects that of reset and step."""
        if self.render_mode == "human" and self.session is not None:
            print(self.session.history[self._seen :], end="", flush=True)
            self._seen = len(self.session.history)

    def require(self, tasks: Iterable[TaskName]) -> None:
        """See to it that these tasks can be played by this environment, before they are opened.

        Raises:
            RolesNeeded: one cannot be judged by its roles; the message says what to pass.
            SandboxNeeded: one runs shell commands, and nothing runs those here.
        """
        tasks = list(tasks)
        self.family.require(self, tasks)
        self.require_needs(tasks)

    def require_needs(self, tasks: Iterable[TaskName]) -> None:
        """See to it that there is here what these tasks need beyond the engine.

        Raises:
            SandboxNeeded: one runs shell commands, and nothing runs those.
        """
        packs = {pack.name: pack for pack in self.packs}
        needing = [task_id for name, task_id in tasks if "exec" in packs[name].card(task_id).needs]
        if needing and (why := why_no_shell(self.answerers)):
            raise SandboxNeeded(
                f"no sandbox runs shell commands here, which these tasks need: {', '.join(needing)}",
                why,
                ". To play without such tasks: exclude_needs=('exec',), or --exclude-needs exec on the command line",
            )

    def _leave(self) -> None:
        """Close the session: in an episode one that is open is truncated, and may pend on its grading."""
        session = self.session
        if session is None:
            return
        if session.pending:  # whoever had to answer raised
            session.fail("left before its asks were answered")
        elif self.by_episode and not session.ended:
            session.truncate("reset")


def settings_of(name: str, value: Any, kind: type[Settings]) -> Settings:
    """The settings that an argument holds: an object of their kind, its fields as a mapping, or None for the defaults.

    A specification that comes back from JSON (`gymnasium.envs.registration.EnvSpec`) has mappings.

    Raises:
        ValueError: the mapping has another field.
        TypeError: it is none of these.
    """
    if value is None:
        return kind()
    if isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(f"{name}: expected a {kind.__name__} or its fields as a mapping, got {value!r}")
    known = [entry.name for entry in fields(kind)]
    if (odd := next((key for key in value if key not in known), None)) is not None:
        raise ValueError(unknown(f"field of {name}", str(odd), known))
    return kind(**value)


def require_one_of(name: str, value: object, known: Sequence[object]) -> None:
    """Raise ValueError where an argument has none of the known values; the message lists them."""
    if value not in known:
        raise ValueError(unknown(name, str(value), [str(k) for k in known]))
