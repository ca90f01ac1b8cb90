"""The request of a run: the arguments of `collect`, `collect_async` and `pi-gym rollout`, declared once.

Little is imported here, so that the command line is quick to say what it takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, MISSING, Field, dataclass, field, fields
from functools import wraps
from importlib.util import find_spec
from inspect import Parameter, Signature, cleandoc, iscoroutinefunction
from pathlib import Path
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeAlias, TypeVar

from pi_gym.errors import BadArgument, PiGymError, UnknownName, unknown

if TYPE_CHECKING:
    from pi_gym.loggers import Logger
    from pi_gym.runs.agent import Policy
    from pi_gym.runs.progress import Progress
    from pi_gym.sampling import Split

    Watcher: TypeAlias = Callable[[Progress], None]
    LogTarget: TypeAlias = str | Logger

P = ParamSpec("P")
T = TypeVar("T")

Engine: TypeAlias = Literal["local", "ray"]
ENGINES: tuple[Engine, ...] = ("local", "ray")
#: Of what Ray lets one say of an actor, what does not change how a run deals with it.
RAY_OPTIONS = (
    "num_cpus",
    "num_gpus",
    "memory",
    "resources",
    "accelerator_type",
    "label_selector",
    "runtime_env",
    "scheduling_strategy",
)
#: Those that say how much of something a worker takes.
RAY_AMOUNTS = ("num_cpus", "num_gpus", "memory")

#: The groups in which the command line lists options.
PLAYERS, SESSIONS, PACE, RESULT = "Who plays", "Which sessions", "How many at a time", "What comes out"
_ARGUMENT = "argument"
_DOC_WIDTH = 112


class RayMissing(PiGymError, ImportError):
    """The error that Ray is asked for and not installed; the message says how to install it."""


@dataclass(frozen=True, slots=True)
class ArgumentHelp:
    """The help of an argument.

    Args:
        text: what it is, in Python and on the command line.
        more: what there is to say beside that in Python.
        panel: the group in which the command line lists it; empty where it is no option there.
        least: the smallest number that it can be; None: it is no number, or any will do.
    """

    text: str
    more: str = ""
    panel: str = ""
    least: float | None = None


def _help(text: str, more: str = "", *, panel: str = "", least: float | None = None) -> dict[str, ArgumentHelp]:
    return {_ARGUMENT: ArgumentHelp(text, more, panel, least)}


@dataclass(frozen=True)
class RunRequest:
    """The arguments of `pi_gym.collect`, checked as far as they can be by themselves.

    Raises:
        BadArgument: one is out of range, or does not fit another.
        UnknownName: no such engine, or option of Ray's actors.
        RayMissing: engine is "ray", which is not installed.
    """

    env_id: str = field(metadata=_help("the environment, as `pi-gym list` shows it."))
    policy: Policy = field(
        metadata=_help(
            "module:Class, module:function, MODEL@URL, or one of ours by its name.",
            "Or an agent (`reset` and `act`; see `pi_gym.rollout.Agent`), or a function `policy(messages, tools)`,"
            " which gets the whole chat so far and the tools' schemas in OpenAI's format and gives an action, or a"
            " `PolicyOutput`. Agents' methods and functions may be coroutine functions; these run on one background"
            " loop of the process, all others in threads.",
            panel=PLAYERS,
        )
    )
    _: KW_ONLY
    sessions: int | None = field(
        default=None,
        metadata=_help("how many, at most a million; without it each task once a variant.", panel=SESSIONS, least=1),
    )
    concurrency: int | None = field(
        default=None,
        metadata=_help(
            "sessions that a process plays at a time, so that they wait together; with models 16 by default, else 1.",
            "Each has an environment and an agent of its own. A policy that is asynchronous counts as a model, unless"
            " it is an agent's object.",
            panel=PACE,
            least=1,
        ),
    )
    group_size: int = field(
        default=1,
        metadata=_help(
            "how often each start (task, variant, seed) is played; the number of sessions counts all, and is a multiple"
            " of it.",
            panel=SESSIONS,
            least=1,
        ),
    )
    out: str | Path | None = field(
        default=None,
        metadata=_help("the run's folder.", "None: trajectories are kept in memory, in the summary.", panel=RESULT),
    )
    resume: bool = field(
        default=False,
        metadata=_help(
            "go on with the run in the folder: what is scored stays; where there is none, begin it.", panel=RESULT
        ),
    )
    engine: Engine = field(
        default="local",
        metadata=_help(
            "where the processes are: local, on this machine, or ray, on a Ray cluster.",
            "There each worker is an actor. The cluster is the one that the process is connected to, else the one that"
            " RAY_ADDRESS names or that runs here, else one that is begun for the run.",
            panel=PACE,
        ),
    )
    workers: int = field(
        default=1,
        metadata=_help(
            "number of processes.",
            "1 plays in this one, unless Ray plays. With more, policy and arguments must be picklable, and a script"
            ' needs the usual `if __name__ == "__main__":`. On Ray, a function of the script or of a notebook may be'
            " the policy.",
            panel=PACE,
            least=1,
        ),
    )
    ray_options: Mapping[str, Any] = field(
        default_factory=dict,
        metadata=_help(
            'of each worker on Ray; for example num_cpus=2, resources={"rollout": 1},'
            ' runtime_env={"env_vars": {"OPENAI_API_KEY": "…"}}.',
            "A worker takes one processor unless this says otherwise.",
            panel=PACE,
        ),
    )
    session_timeout_s: float | None = field(
        default=None,
        metadata=_help(
            "seconds for a whole session; one that takes longer is unscored, and the others go on.",
            'From its opening. The error kind is "policy" where the policy was waited for, "model" where a role\'s'
            " model was. A policy that is no coroutine function goes on in its thread, and nobody waits for it.",
            panel=PACE,
            least=0.001,
        ),
    )
    seed: int = field(default=0, metadata=_help("draws the variants; seeds every session.", panel=SESSIONS, least=0))
    split: Split = field(
        default="test",
        metadata=_help(
            "test, train, validation or holdout.",
            'Of "test" variant 0 is played, and repeats are counted as samples. Where tasks or variants are given that'
            ' are not of the split, the run is recorded as of the split "explicit".',
            panel=SESSIONS,
        ),
    )
    tasks: Sequence[str] | None = field(
        default=None, metadata=_help("only these tasks, whatever the split.", "Each once.", panel=SESSIONS)
    )
    variants: Sequence[int] | None = field(
        default=None,
        metadata=_help(
            "these variants, whatever the split.",
            "Each once, a round each, from the first again after the last; without it they are drawn.",
            panel=SESSIONS,
            least=0,
        ),
    )
    env_kwargs: Mapping[str, Any] = field(
        default_factory=dict, metadata=_help("arguments of the environment beside its id's; not `split`.")
    )
    policy_kwargs: Mapping[str, Any] = field(
        default_factory=dict,
        metadata=_help(
            "arguments of an agent that is named; of a served one for example temperature=1.0, max_tokens=4096,"
            " context_tokens=16000, token_ids=true.",
            "See `pi_gym.baselines.served.chat_agent.ChatAgent.from_text`.",
            panel=PLAYERS,
        ),
    )
    progress: Watcher | None = field(
        default=None,
        metadata=_help(
            "called at the start, after every session, and about once a second where sessions are played at a time."
        ),
    )
    log: LogTarget | Sequence[LogTarget] | None = field(
        default=None,
        metadata=_help(
            "where figures go as sessions end: tensorboard:DIR, or wandb:PROJECT.",
            "Or a logger (`log` and `close`; see `pi_gym.loggers.Logger`); one of these, or several.",
            panel=RESULT,
        ),
    )
    protocol: str | None = field(
        default=None,
        metadata=_help(
            "how the summary averages, by the name of one of the family's ways.",
            "None: its usual one. What is played and recorded is the same.",
            panel=RESULT,
        ),
    )

    def __post_init__(self) -> None:
        for name in ("env_kwargs", "policy_kwargs", "ray_options"):
            object.__setattr__(self, name, dict(getattr(self, name) or {}))
        for name, found in argument_helps().items():
            if found.least is not None:
                self._check_least(name, found.least)
        if self.log is not None:
            from pi_gym.loggers.named import require_loggers

            require_loggers(self.log_targets)
        if "split" in self.env_kwargs:
            raise BadArgument("env_kwargs: 'split' is an argument of its own here")
        if self.out == "":
            raise BadArgument("out: expected a folder, got an empty text; '.' is the one where you stand")
        if self.resume and self.out is None:
            raise BadArgument("resume: needs the run's folder in 'out'")
        if self.engine not in ENGINES:
            raise UnknownName(unknown("engine", str(self.engine), ENGINES))
        self._check_ray()

    @property
    def log_targets(self) -> list[LogTarget]:
        """The targets of figures, in a list."""
        if self.log is None:
            return []
        several = isinstance(self.log, Sequence) and not isinstance(self.log, str)
        return list(self.log) if several else [self.log]  # type: ignore[arg-type,list-item]

    def _check_least(self, name: str, least: float) -> None:
        """Hold a number, or each of several, to the smallest that it can be."""
        value = getattr(self, name)
        if value is None:
            return
        kind: Any = int if isinstance(least, int) else int | float
        wanted = "an integer of" if isinstance(least, int) else "a number of"
        for one in value if isinstance(value, Sequence) and not isinstance(value, str) else [value]:
            if isinstance(one, bool) or not isinstance(one, kind) or not least <= one < math.inf:
                raise BadArgument(f"{name}: expected {wanted} {least:g} or more, got {one!r}")

    def _check_ray(self) -> None:
        if self.engine != "ray":
            if self.ray_options:
                raise BadArgument("ray_options: they are for engine='ray'")
            return
        other = next((name for name in self.ray_options if name not in RAY_OPTIONS), None)
        if other is not None:
            raise UnknownName(unknown("option of a worker in ray_options", str(other), RAY_OPTIONS))
        resources = self.ray_options.get("resources") or {}
        if not isinstance(resources, Mapping):
            raise BadArgument(f"ray_options: resources: expected amounts by name, got {resources!r}")
        amounts = {name: self.ray_options.get(name) for name in RAY_AMOUNTS} | dict(resources)
        for name, amount in amounts.items():
            is_number = isinstance(amount, int | float) and not isinstance(amount, bool)
            if amount is not None and not (is_number and math.isfinite(amount) and amount >= 0):
                raise BadArgument(f"ray_options: {name}: expected a number of 0 or more, got {amount!r}")
        found = find_spec("ray")
        if found is None or found.origin is None:  # without an origin: a folder of that name where one stands
            raise RayMissing("engine='ray' needs the package ray: pip install 'pi-gym[ray]'")


def argument_helps() -> dict[str, ArgumentHelp]:
    """The help of each argument, in their order."""
    return {entry.name: entry.metadata[_ARGUMENT] for entry in fields(RunRequest)}


def takes(request: Callable[P, RunRequest]) -> Callable[[Callable[[RunRequest], T]], Callable[P, T]]:
    """A decorator that gives a function of a request the arguments of the request, in its signature and its help.

    Args:
        request: `RunRequest`.
    """

    def decorate(function: Callable[[RunRequest], T]) -> Callable[P, T]:
        signature = _signature(request, function.__annotations__.get("return"))

        def build(*args: Any, **kwargs: Any) -> RunRequest:
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{function.__name__}: {error}") from None
            return request(*args, **kwargs)

        if iscoroutinefunction(function):

            async def call_async(*args: Any, **kwargs: Any) -> Any:
                return await function(build(*args, **kwargs))

            call: Any = wraps(function)(call_async)
        else:
            call = wraps(function)(lambda *args, **kwargs: function(build(*args, **kwargs)))
        call.__signature__ = signature
        call.__doc__ = _with_arguments(function.__doc__ or "")
        wrapped: Callable[P, T] = call
        return wrapped

    return decorate


def _signature(request: Any, gives: Any) -> Signature:
    parameters = [
        Parameter(
            entry.name,
            Parameter.KEYWORD_ONLY if entry.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
            default=_default(entry),
            annotation=entry.type,
        )
        for entry in fields(request)
    ]
    return Signature(parameters, return_annotation=gives)


def _default(entry: Field[Any]) -> Any:
    if entry.default_factory is not MISSING:
        return entry.default_factory()
    return Parameter.empty if entry.default is MISSING else entry.default


def _with_arguments(doc: str) -> str:
    """A docstring, with the arguments before its other sections."""
    lines = [
        indent(fill(f"{name}: {found.text} {found.more}".strip(), _DOC_WIDTH, subsequent_indent="    "), "    ")
        for name, found in argument_helps().items()
    ]
    begin, mark, rest = cleandoc(doc).partition("\n\nReturns:")
    if not mark:
        begin, mark, rest = cleandoc(doc).partition("\n\nRaises:")
    return "\n".join([begin, "", "Args:", *lines]) + mark + rest
