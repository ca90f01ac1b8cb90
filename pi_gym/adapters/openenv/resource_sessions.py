"""Sessions in the process of OpenEnv's harnesses, as TRL's rollout worker takes them; needs openenv."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openenv.core.env_server.mcp_types import Tool
from openenv.core.harness import ResourceSession, ResourceSessionFactory, ToolResult, VerifyResult

from pi_gym.adapters.reply_tool import reply_to_user
from pi_gym.adapters.session_play import SessionPlay, ToolFailed, finish, last_words, single_session_env
from pi_gym.adapters.session_row import SessionRow
from pi_gym.adapters.trl.rows import read_prompt


class PlayedResource(ResourceSession):  # type: ignore[misc]  # openenv is not there where types are checked
    """One session for a harness: its messages, its tools, its score.

    Args:
        play: plays it; the factory has opened it.
    """

    def __init__(self, play: SessionPlay) -> None:
        self.play = play

    def initial_messages(self) -> list[dict[str, Any]]:
        """The opening: the system message, and what the user says."""
        return list(self.play.opening)

    def own_tools(self) -> list[Any]:
        """The tools that the session offers now."""
        return [_tool(schema) for schema in self.play.tools]

    def list_tools(self) -> list[Any]:
        """These, and `reply_to_user`, for harnesses that know no turn of a user's."""
        return [*self.own_tools(), _tool(reply_to_user.schema())]

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool. The agent's mistakes are results; what else is raised is ours, and the rollout has no score."""
        try:
            text, error = self.play.call(name, arguments), None
        except ToolFailed as failed:
            text = error = str(failed)
        return ToolResult(data=text, error=error, done=self.play.over)

    def verify(self, transcript: Sequence[Mapping[str, Any]], final_state: Any = None) -> Any:
        """End the session and score it: None where it is unscored.

        Args:
            transcript: the messages; where the harness ended at one without a call, that is the last reply.
            final_state: not looked at.
        """
        (result,) = finish([self.play], [last_words(transcript)])
        told = {"error": result.error, "end_reason": result.record.end_reason, "cut_short": result.cut_short}
        return VerifyResult(env_reward=result.score, done=True, metrics=dict(result.values), artifacts=told)

    def close(self) -> None:
        """Nothing is held beside the session itself."""


class PlayedResources(ResourceSessionFactory):  # type: ignore[misc]
    """The factory of these sessions; each is of its own, and several threads may ask.

    TRL makes it in its rollout process: `harness_session_factory=functools.partial(PlayedResources, env_id)`.

    Args:
        env_id: a registered environment.
        env_kwargs: its arguments beside its id's.

    Raises:
        UnknownName: no such environment.
        BadArgument: (a ValueError) `history="own"`, or an argument that it does not take.
    """

    def __init__(self, env_id: str, **env_kwargs: Any) -> None:
        self._env = single_session_env(env_id, env_kwargs)

    def create(self, task: Any, seed: int | None = None, episode_id: str | None = None) -> PlayedResource:
        """Open a session.

        Args:
            task: names it: a row with task, variant and seed, or the prompt of one of
                `pi_gym.adapters.trl.make_dataset(…, for_rollout=True)`.
            seed: not looked at: TRL's is the group's number, and the row has the session's.
            episode_id: likewise.

        Raises:
            BadRow: (a ValueError) it names none.
        """
        play = SessionPlay(self._env.twin())
        play.open(SessionRow.of(task) if isinstance(task, Mapping) else read_prompt(task))
        return PlayedResource(play)


def _tool(schema: Mapping[str, Any]) -> Any:
    one = schema["function"]
    return Tool(name=one["name"], description=one["description"], input_schema=one["parameters"])
