"""The vector environment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from pi_gym.driving.settling import settle
from pi_gym.env import ScoringFailed, SessionEnv
from pi_gym.errors import BadArgument
from pi_gym.models.usage import Usage
from pi_gym.observation import Observation
from pi_gym.session.protocol import Session
from pi_gym.tools import MadeSchemas
from pi_gym.vector.infos import batch_infos
from pi_gym.vector.vector_arguments import Seeds, actions_of, mask_of, options_of, seeds_of

Observations: TypeAlias = dict[str, tuple[str, ...]]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
StepResult: TypeAlias = tuple[Observations, Floats, Bools, Bools, dict[str, Any]]


class VectorScoringFailed(ScoringFailed):
    """The error that sessions could not be scored, in an environment made with `on_error="raise"`.

    Attributes:
        places: their numbers.
        result: what `step` would have returned; the step is taken in all sessions.
    """

    def __init__(self, places: Sequence[int], errors: Sequence[str], result: StepResult) -> None:
        super().__init__("; ".join(f"session {place}: {error}" for place, error in zip(places, errors, strict=True)))
        self.places, self.result = tuple(places), result


class StepAfterEnd(ResetNeeded, AssertionError):
    """A session that is over was stepped under `AutoresetMode.DISABLED`; Gymnasium has an AssertionError there."""


class SessionVectorEnv(VectorEnv[Observations, Iterable[Any], NDArray[Any]]):
    """Many sessions side by side, in one process and without a thread each: what `gymnasium.make_vec` makes.

    ## Description
    Steps N sessions in lock-step. They share all that does not change (packs, histories, system messages, tools, the
    connections to models); what a step has them ask of models and of the shell goes out together. Observations,
    rewards, ends and infos are, step by step, those of `gymnasium.vector.SyncVectorEnv` over N single environments.

    ## Action space
    A tuple of N texts. `step` takes any sequence of N actions, in all forms that the single one takes.

    ## Observation space
    `Dict(history=Tuple(Unicode() × N), workspace_diff=Tuple(Unicode() × N))`: for each key a tuple of N texts.

    ## Rewards
    As in the single environment: an array of N floats, NaN in the place of a session that ends unscored, 0.0 where a
    step is a reset.

    ## Termination and truncation
    As in the single environment: arrays of N bools. What follows an end is the autoreset mode's.

    ## Tasks
    `reset(options={"task": …, "variant": …})`, each one value for all sessions, or a list of N.

    ## Arguments
    Args:
        num_envs: N.
        autoreset_mode: `NEXT_STEP`: the step after an end is a reset, and its action is not looked at; `SAME_STEP`: a
            session that ends is reset in the same step, and the end stands in `infos["final_obs"]` and
            `infos["final_info"]`; `DISABLED`: the caller resets with
            `reset(options={"reset_mask": terminated | truncated})`.
        on_error: what unscored sessions do: "truncate", or "raise" `VectorScoringFailed` once the step is taken.
        settings: the arguments of the single environment; those that are objects serve all sessions.

    ## Version
    v0.

    Attributes:
        env_class: the class of the single environment; families subclass this one and name theirs.
        envs: the environment of each session.
    """

    env_class: ClassVar[type[SessionEnv]]

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        on_error: Literal["truncate", "raise"] = "truncate",
        **settings: Any,
    ) -> None:
        if isinstance(num_envs, bool) or not isinstance(num_envs, int) or num_envs < 1:
            raise ValueError(f"num_envs: expected an integer of 1 or more, got {num_envs!r}")
        if "max_episode_steps" in settings:
            raise BadArgument(
                "max_episode_steps: it would end sessions without grading them; use the environment's own limits, such"
                ' as max_turns, or Gymnasium\'s vector environment with vectorization_mode="sync"'
            )
        first = self.env_class(on_error=on_error, **settings)
        # Each session ends as it does; raising is for the whole step.
        self.on_error, first.on_error = first.on_error, "truncate"
        self.envs: list[SessionEnv] = [first, *(first.twin() for _ in range(num_envs - 1))]
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = first.render_mode
        self.single_observation_space: Any = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._observations: list[Observation] = [{}] * num_envs
        self._opened = False
        self._over = np.zeros(num_envs, dtype=np.bool_)

    # -- Gymnasium -------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: Seeds = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Open sessions: all, or with `options["reset_mask"]` some; the others go on.

        Args:
            seed: a number (session i gets `seed + i`), a list of N numbers or None, or None.
            options: "task", "pack" and "variant" as of the single environment, each one value for all or a list of N;
                "reset_mask", an array of N bools. It stays in the dict, where `RecordEpisodeStatistics` looks for it
                after the reset; Gymnasium's own vectors take it out.

        Returns:
            The observations of all sessions, and the infos of those that were opened.

        Raises:
            TypeError, ValueError: a list or an array does not fit; nothing is opened then.
            ResetNeeded: a mask, and no session was ever opened.
            UnknownName, PackError, RolesNeeded: as in `SessionEnv.reset`.
        """
        seeds = seeds_of(seed, self.num_envs)
        mask = mask_of(options, self.num_envs)
        each = options_of(options, self.num_envs)
        if mask is None:
            places = list(range(self.num_envs))
        elif self._opened:
            places = np.flatnonzero(mask).tolist()
        else:
            raise ResetNeeded("Call reset() without a reset_mask first: there are no sessions.")
        for place in places:
            self.envs[place].require_options(each[place])
        for place in places:
            self.envs[place].begin_reset(seed=seeds[place], options=each[place])
        self._settle(places)
        made: MadeSchemas = {}
        infos = [self._open(place, made) for place in places]
        self._opened = True
        return self._batched(), batch_infos(places, infos, self.num_envs)

    def step(self, actions: Iterable[Any]) -> StepResult:
        """Take one action in each session.

        Args:
            actions: N of them.

        Returns:
            Observations, rewards, terminated, truncated, infos.

        Raises:
            TypeError, ValueError: there are not N actions.
            ResetNeeded: there are no sessions; under `DISABLED` also where one is over. No session is stepped then.
            VectorScoringFailed: sessions ended unscored, and `on_error` is "raise".
        """
        chosen = actions_of(actions, self.num_envs)
        self._require_open()
        again = self._over.copy()
        for place, (env, action) in enumerate(zip(self.envs, chosen, strict=True)):
            if again[place]:
                env.begin_reset()
            else:
                env.begin_step(action)
        self._settle(range(self.num_envs))
        rewards = np.zeros(self.num_envs, dtype=np.float64)
        terminated, truncated = np.zeros_like(again), np.zeros_like(again)
        infos: list[dict[str, Any]] = []
        made: MadeSchemas = {}
        for place, env in enumerate(self.envs):
            if again[place]:
                infos.append(self._open(place, made))
            else:
                self._observations[place], rewards[place], terminated[place], truncated[place], info = env.end_step()
                infos.append(info)
        over = terminated | truncated
        failed = {place: infos[place]["error"] for place in np.flatnonzero(truncated).tolist() if infos[place]["error"]}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            self._reopen(np.flatnonzero(over).tolist(), infos)
        else:
            self._over = over
        batched = batch_infos(range(self.num_envs), infos, self.num_envs)
        result = (self._batched(), rewards, terminated, truncated, batched)
        if failed and self.on_error == "raise":
            raise VectorScoringFailed(list(failed), list(failed.values()), result)
        return result

    def render(self) -> tuple[Any, ...]:
        """The results of each session's `render`."""
        return tuple(env.render() for env in self.envs)

    def close_extras(self, **_: Any) -> None:
        """Drop the sessions, and the connections to models that no other environment uses."""
        for env in self.envs:
            env.session = None
        self.envs[0].close()
        self._observations, self._opened = [{}] * self.num_envs, False

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each session's environment, or get an attribute, as `SyncVectorEnv` does."""
        found = (env.get_wrapper_attr(name) for env in self.envs)
        return tuple(one(*args, **kwargs) if callable(one) else one for one in found)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of each session's environment."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of each session's environment: a list or tuple holds one value for each.

        Raises:
            ValueError: a list of another length.
        """
        each = values if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise ValueError(f"{name}: expected {self.num_envs} values, one for each session; got {len(each)}")
        for env, value in zip(self.envs, each, strict=True):
            env.set_wrapper_attr(name, value)

    @property
    def spec(self) -> EnvSpec | None:
        """The spec by which the environment was made; its id stands in the sessions' records."""
        return self.envs[0].spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        for env in self.envs:
            env.spec = spec

    # As in SyncVectorEnv there is nothing to set.
    @property  # type: ignore[misc]
    def np_random(self) -> Any:
        """The generator of each session's environment."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> Any:
        """The seed of each session's environment."""
        return self.get_attr("np_random_seed")

    # -- ours ------------------------------------------------------------------------------------------------------

    @property
    def sessions(self) -> tuple[Session | None, ...]:
        """The live sessions; None before the first reset."""
        return tuple(env.session for env in self.envs)

    def model_usage(self) -> dict[str, Usage]:
        """The usage of each role's model so far, by all sessions; empty where the roles are rules."""
        return self.envs[0].model_usage()

    # -- parts -----------------------------------------------------------------------------------------------------

    def _require_open(self) -> None:
        if not self._opened:
            raise ResetNeeded("Call reset() first: there are no sessions.")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            raise StepAfterEnd(
                f"Sessions {np.flatnonzero(self._over).tolist()} are over, and autoreset is disabled: call"
                ' reset(options={"reset_mask": terminated | truncated}) before the next step.'
            )

    def _settle(self, places: Iterable[int]) -> None:
        """Answer what sessions ask, until nothing is pending."""
        sessions = ((self.envs[place], self.envs[place].session) for place in places)
        settle(*(env.waits() for env, session in sessions if session is not None and session.pending))

    def _open(self, place: int, made: MadeSchemas) -> dict[str, Any]:
        """Open a session for which `begin_reset` has run; gives its info, whose tool schemas all infos share."""
        self._observations[place], info = self.envs[place].end_reset(made)
        self._over[place] = False
        return info

    def _reopen(self, places: Sequence[int], infos: list[dict[str, Any]]) -> None:
        """Reset the sessions that have ended in this step, and keep the end in the new session's info."""
        for place in places:
            self.envs[place].begin_reset()
        self._settle(places)
        made: MadeSchemas = {}
        for place in places:
            final = {"final_obs": self._observations[place], "final_info": infos[place]}
            infos[place] = {**final, **self._open(place, made)}

    def _batched(self) -> Observations:
        return {name: tuple([one[name] for one in self._observations]) for name in self.single_observation_space}
