"""Sessions as agents have them who have nothing but tools: an opening to read, tools to call, nothing of the score."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from pi_gym.adapters.reply_tool import REPLY, reply_to_user
from pi_gym.adapters.session_play import BROKEN, OVER, SessionPlay, ToolFailed, finish, single_session_env
from pi_gym.adapters.session_row import SessionRow
from pi_gym.errors import BadArgument
from pi_gym.rollout.shared_run import SharedRun
from pi_gym.runs.lines import RunError
from pi_gym.runs.plan import named_task
from pi_gym.runs.store import AlreadyScored
from pi_gym.templates import render_prompt
from pi_gym.tools import ToolContext, operation


@operation("read")
def open_session(context: ToolContext) -> str:
    """Read who you are here, what holds, and how the conversation begins. Call it first; it changes nothing."""
    raise NotImplementedError  # it is answered by whoever holds the session


OPEN = open_session.name
INSTRUCTIONS = (
    f"You are an assistant in a conversation with a user, and work with these tools. Call {OPEN} first: it says who you"
    f" are and how the conversation begins. You speak to the user by {REPLY}, and by no other way."
)


class ToolSession:
    """One session, from its opening until its record is written; one thread at a time.

    Args:
        play: plays it; `begin` has opened it.
        run: where its record goes.

    Attributes:
        opening: the text with which it begins.
    """

    def __init__(self, play: SessionPlay, run: SharedRun) -> None:
        self._play: SessionPlay | None = play
        self._run = run
        self._tools = play.tools
        self._begun = monotonic()
        self._read = False
        self._lost: AlreadyScored | None = None
        system, *said = play.opening
        self.opening = render_prompt(
            "mcp_opening.md",
            system=system["content"].rstrip(),
            opening="\n\n".join(one["content"] for one in said).rstrip(),
        )

    @property
    def over(self) -> bool:
        """Whether it is over, and its record is written, or never can be."""
        return self._play is None

    def functions(self) -> list[dict[str, Any]]:
        """The tools that there are: of each its name, description and parameters, as in OpenAI's schemas."""
        schemas = [open_session.schema(), *self._tools, reply_to_user.schema()]
        return [schema["function"] for schema in schemas]

    def read(self) -> str:
        """The opening, read by the agent: from then on the session counts."""
        self._read = True
        return self.opening

    def call(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """Call a tool. With the session's end its record is written.

        Returns:
            The result, and whether the call failed.
        """
        if name == OPEN:
            return self.read(), False
        self._read = True
        play = self._play
        if play is None:
            return OVER, True
        result = _called(play, name, arguments)
        self._tools = play.tools
        if play.over:
            with suppress(RunError):  # the agent has its result; what ends the server tries again, and tells
                self.end()
        return result

    def end(self) -> None:
        """End it where it stands, graded and written; one that nobody has looked at leaves nothing.

        Raises:
            AlreadyScored: somebody else has played it meanwhile, and that score stands.
            RunError: the record cannot be written; another call tries again.
        """
        if self._lost is not None:
            raise self._lost
        play = self._play
        if play is None:
            return
        if self._read or play.over:
            if not play.over:
                try:
                    finish([play])
                except Exception as error:  # ours, as above
                    play.fail(error)
            try:
                self._run.add(play.result().record, monotonic() - self._begun)
            except AlreadyScored as error:
                self._play, self._lost = None, error
                raise
        self._play = None


def _called(play: SessionPlay, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
    try:
        return play.call(name, arguments), False
    except ToolFailed as failed:
        return str(failed), True
    except Exception as error:  # ours, whatever it was: never the agent's, and never a score
        play.fail(error)
        return BROKEN, True


class ToolSessions:
    """The sessions that one server has for its hosts.

    Args:
        env_id: a registered environment.
        env_kwargs: its arguments beside its id's.
        out: the run's folder, to which all that is scored goes.
        agent: who plays, for the record.

    Raises:
        UnknownName: no such environment.
        BadArgument: (a ValueError) an argument does not fit.
    """

    def __init__(self, env_id: str, env_kwargs: Mapping[str, Any], out: Path, agent: str) -> None:
        self._env = single_session_env(env_id, env_kwargs)
        self._agent = agent
        self._run = SharedRun(out, self._env, agent, env_kwargs, source="pi-gym mcp")

    def full_name(self, task: str) -> str:
        """The one name of a task, "pack/id"; raises `UnknownName` where there is none of that name."""
        return "/".join(named_task(self._env.packs, task))

    def begin(self, task: str, variant: int = 0, seed: int = 0, sample: int = 0) -> ToolSession:
        """Open a session.

        Args:
            task: the task's id, or "pack/id" where several packs have one of that name.
            variant: its world's number.
            seed: of the reset.
            sample: counts the sessions of this agent at one task, variant and seed.

        Raises:
            UnknownName: no such task.
            PiGymError: the session cannot be opened.
            AlreadyScored: the run's folder holds its score.
            RunError: it holds another run, or cannot be written.
        """
        for name, value in (("variant", variant), ("seed", seed), ("sample", sample)):
            if value < 0:
                raise BadArgument(f"{name}: expected a number of 0 or more, got {value}")
        pack, task_id = named_task(self._env.packs, task)
        play = SessionPlay(self._env.twin())
        play.open(SessionRow(task_id, variant, seed, pack), agent=self._agent, sample=sample)
        self._run.require_new(play.session, sample)
        session = ToolSession(play, self._run)
        if play.over:  # in its opening, for a failure of ours
            session.end()
        return session

    def close(self) -> None:
        """Write the summary that is due, and let go of the connections to models.

        Raises:
            RunError: the summary cannot be written.
        """
        try:
            self._run.close()
        finally:
            self._env.close()
