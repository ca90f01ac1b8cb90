"""The taskset whose tasks are sessions, and how they are scored; needs verifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import verifiers.v1 as vf
from pydantic import ConfigDict, Field

from pi_gym.adapters.session_row import SessionRow, plan_rows
from pi_gym.adapters.verifiers.threaded_play import ThreadedPlay, base_of
from pi_gym.errors import BadArgument, PiGymError
from pi_gym.session.trajectory import RETURN

#: The place of a session's result in a trace's `info`.
RESULT = "pi_gym"


class Unscored(PiGymError, RuntimeError):
    """The error that a session has no score, since something of ours failed; the rollout is no sample then."""


class RolloutState(vf.State):  # type: ignore[misc]  # verifiers may be missing
    """The session of a rollout that goes on, for harness and task; it is in no trace.

    Attributes:
        play: the session's; None before it is opened, and after the rollout.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    play: ThreadedPlay | None = Field(default=None, exclude=True)


class SessionTaskData(vf.TaskData):  # type: ignore[misc]
    """The name of a session: all that is needed to open it anywhere.

    Attributes:
        env_id: the environment.
        env_kwargs: its arguments.
        pack: the set that the task is of.
        task: the task's id; `variant` its world's number.
        seed: of the reset.
    """

    env_id: str
    env_kwargs: dict[str, Any]
    pack: str
    task: str
    variant: int
    seed: int

    @property
    def row(self) -> SessionRow:
        """The row of the session."""
        return SessionRow(self.task, self.variant, self.seed, self.pack)


class SessionTask(vf.Task[SessionTaskData, RolloutState]):  # type: ignore[misc]
    """A session as a task: its reward is the session's return, its metrics are the family's measures."""

    async def finalize(self, trace: Any, runtime: Any) -> None:
        """End the session, which a limit may have left open, and keep its result in the trace's `info`.

        Raises:
            Unscored: it has no score.
            BadArgument: another harness than ours played the task.
        """
        if trace.state.play is None:
            raise BadArgument("no session was played: these tasks need the harness of their own module")
        trace.info[RESULT] = await trace.state.play.finish()
        _scored(trace)

    @vf.reward(weight=1.0)  # type: ignore[untyped-decorator]
    async def session_return(self, trace: Any) -> float:
        """The undiscounted return of the session."""
        return float(_scored(trace)["scores"][RETURN])

    @vf.metric  # type: ignore[untyped-decorator]
    async def session_metrics(self, trace: Any) -> dict[str, float]:
        """The other scores, the measures, and whether the session reached its end; without what is undefined."""
        found = _scored(trace)
        values = {**found["scores"], **found["measures"], "terminated": found["terminated"]}
        return {name: float(value) for name, value in values.items() if name != RETURN and value is not None}


def _scored(trace: Any) -> Mapping[str, Any]:
    """The result of a trace's session.

    Raises:
        Unscored: there is none, or it has no score.
    """
    found: Mapping[str, Any] | None = trace.info.get(RESULT)
    if not found or not found["scored"]:
        raise Unscored(f"the session is unscored: {found['error'] if found else 'its grading did not end'}")
    return found


class SessionTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    """The choice of the sessions that the tasks are.

    Attributes:
        env_id: a registered environment.
        split: what tasks and variants are drawn from.
        size: number of tasks; None: each of the split's once (for each of `variants`).
        seed: draws the variants, and seeds every reset.
        tasks: these instead of the split's.
        variants: these instead of drawn ones.
        user: a served model that plays the user, as "MODEL@URL"; None: by rules.
        grader: one that grades, likewise.
        env_kwargs: further arguments of the environment, values of JSON.
    """

    env_id: str = "PiBench-v0"
    split: str = "train"
    size: int | None = Field(default=None, ge=1)
    seed: int = 0
    tasks: list[str] | None = None
    variants: list[int] | None = None
    user: str | None = None
    grader: str | None = None
    env_kwargs: dict[str, Any] = Field(default_factory=dict)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the environment beside its id's."""
        roles = {"user": self.user, "grader": self.grader}
        given = {name: value for name, value in roles.items() if value is not None}
        return {"split": self.split, **given, **self.env_kwargs}


class SessionTaskset(vf.Taskset[SessionTask, SessionTasksetConfig]):  # type: ignore[misc]
    """Sessions of one environment, a task each, in the order of `pi_gym.collect`."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        if self.system_prompt is not None:
            raise BadArgument("system_prompt: a session's system message is the environment's own, and stays as it is")

    def load(self) -> Iterator[Any]:
        """The tasks.

        Raises:
            UnknownName: no such environment, split or task.
            BadArgument: (a ValueError) an argument is out of range, or the environment takes no such argument.
        """
        config = self.config
        arguments = config.arguments
        rows = plan_rows(
            base_of(config.env_id, arguments), config.size, config.seed, tasks=config.tasks, variants=config.variants
        )
        for row in rows:
            name = f"{row.pack}/{row.task}/{row.variant}"
            named = {"pack": row.pack, "task": row.task, "variant": row.variant, "seed": row.seed}
            yield SessionTask(
                SessionTaskData(
                    id=f"{config.env_id}/{name}/{row.seed}",
                    name=name,
                    prompt=f"The session {name}, which opens by itself.",
                    env_id=config.env_id,
                    env_kwargs=arguments,
                    **named,
                ),
                config.task,
            )
