"""Environments for TRL's `environment_factory`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.adapters.reply_tool import REPLY, reply_to_user
from pi_gym.adapters.session_play import SessionPlay, ToolFailed, single_session_env
from pi_gym.adapters.session_row import SessionRow
from pi_gym.adapters.trl.methods import with_methods
from pi_gym.adapters.trl.toolsets import tool_sets, union
from pi_gym.env import SessionEnv
from pi_gym.errors import BadArgument, unknown
from pi_gym.templates import render_prompt
from pi_gym.tools import Registry


class SessionEnvironment:
    """A task session as TRL plays it: every public method but `reset` is a tool of the model's.

    TRL lists the methods of the class, so there is nothing public here that the model may not call. The methods of the
    tools, and `reply_to_user`, are added by `EnvironmentFactory`.

    Args:
        env: the environment; nobody else steps it.
    """

    def __init__(self, env: SessionEnv) -> None:
        self._session = SessionPlay(env)

    def reset(self, **row: Any) -> str:
        """Open the session of a row; the one before is dropped.

        Args:
            row: `pack`, `task`, `variant` and `seed`, as `make_dataset` gives them; other columns are not looked at.

        Returns:
            The opening, which TRL appends to the row's prompt: the system message, and what the user says.

        Raises:
            BadRow: the row names no session.
            UnknownName: there is no such task; the message lists the known ones.
        """
        system, *said = self._session.open(SessionRow.of(row))
        return render_prompt(
            "trl_opening.md",
            system=system["content"].rstrip(),
            opening="\n\n".join(m["content"] for m in said).rstrip(),
        )

    def _call(self, name: str, arguments: Mapping[str, Any]) -> str:
        offered = (*self._session.session.registry.names, REPLY)
        if name not in offered:
            raise ToolFailed(f"This session does not offer {name!r}; it offers {', '.join(offered)}.")
        return self._session.call(name, arguments)


class EnvironmentFactory:
    """Makes the environments of a training run: `GRPOTrainer(…, environment_factory=EnvironmentFactory(env_id))`.

    It is picklable; the environments are not sent but made where they are needed, and share what does not change. All
    are of one class, which has a method for each tool that any of the tasks offers. A tool that the session at hand
    does not offer answers with an error; `environment_factories` gives each row its own tools alone.

    Args:
        env_id: a registered environment.
        toolset: one of the names that `environment_factories` gives; None: the tools of all tasks.
        env_kwargs: arguments of the environment beside its id's. `history="own"` is refused: TRL plays single sessions.

    Raises:
        BadArgument: (a ValueError) `history="own"`, or no such set of tools.
        UnknownName: no such environment.
    """

    def __init__(self, env_id: str, *, toolset: str | None = None, **env_kwargs: Any) -> None:
        self.env_id, self.toolset, self.env_kwargs = env_id, toolset, env_kwargs
        self._made: tuple[SessionEnv, type[SessionEnvironment]] | None = None
        self._prepare()

    def __call__(self) -> SessionEnvironment:
        """Another environment."""
        env, made = self._prepare()
        return made(env.twin())

    def _prepare(self) -> tuple[SessionEnv, type[SessionEnvironment]]:
        if self._made is None:
            env = single_session_env(self.env_id, self.env_kwargs)
            self._made = env, with_methods(SessionEnvironment, Registry([*self._registry(env), reply_to_user]))
        return self._made

    def _registry(self, env: SessionEnv) -> Registry:
        if self.toolset is None:
            return union(env)
        sets = tool_sets(env)
        if self.toolset not in sets:
            raise BadArgument(unknown("toolset", self.toolset, list(sets)))
        return sets[self.toolset][1]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_made": None}

    def __repr__(self) -> str:
        return f"EnvironmentFactory({self.env_id!r}, toolset={self.toolset!r}, {self.env_kwargs!r})"


def environment_factories(env_id: str, **env_kwargs: Any) -> dict[str, EnvironmentFactory]:
    """A factory for each different set of tools, by the name that the rows of `make_dataset` carry as `environment`.

    Args:
        env_id: a registered environment.
        env_kwargs: arguments of the environment, as for `EnvironmentFactory`.
    """
    names = tool_sets(single_session_env(env_id, env_kwargs))
    return {name: EnvironmentFactory(env_id, toolset=name, **env_kwargs) for name in names}
