"""What a collection is asked to be."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pi_gym.errors import PiGymError, UnknownName, unknown
from pi_gym.rollout.agents import Policy
from pi_gym.runs.plan import BadArgument
from pi_gym.runs.progress import Progress
from pi_gym.sampling import Split

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
Watcher: TypeAlias = Callable[[Progress], None]


class RayMissing(PiGymError, ImportError):
    """Ray is asked for and not installed; the message says how to install it."""


@dataclass(frozen=True)
class Request:
    """The arguments of `pi_gym.collect`, which says what each is; checked as far as they can be by themselves.

    Raises:
        BadArgument: one is out of range, or does not fit another.
        UnknownName: no such engine, or option of Ray's actors.
        RayMissing: engine is "ray", which is not installed.
    """

    env_id: str
    policy: Policy
    sessions: int | None = None
    concurrency: int | None = None
    group_size: int = 1
    out: str | Path | None = None
    resume: bool = False
    engine: Engine = "local"
    workers: int = 1
    ray_options: Mapping[str, Any] = field(default_factory=dict)
    session_timeout_s: float | None = None
    seed: int = 0
    split: Split = "test"
    tasks: Sequence[str] | None = None
    variants: Sequence[int] | None = None
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    policy_kwargs: Mapping[str, Any] = field(default_factory=dict)
    progress: Watcher | None = None
    protocol: str | None = None

    def __post_init__(self) -> None:
        for name in ("env_kwargs", "policy_kwargs", "ray_options"):
            object.__setattr__(self, name, dict(getattr(self, name) or {}))
        counts = {"workers": self.workers, "group_size": self.group_size}
        for name, value in (counts | ({} if self.concurrency is None else {"concurrency": self.concurrency})).items():
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise BadArgument(f"{name}: expected an integer of 1 or more, got {value!r}")
        timeout_s = self.session_timeout_s
        if timeout_s is not None:
            is_number = isinstance(timeout_s, int | float) and not isinstance(timeout_s, bool)
            if not is_number or not math.isfinite(timeout_s) or timeout_s <= 0:
                raise BadArgument(f"session_timeout_s: expected seconds above 0, or None, got {timeout_s!r}")
        if "split" in self.env_kwargs:
            raise BadArgument("env_kwargs: 'split' is an argument of its own here")
        if self.out == "":
            raise BadArgument("out: expected a folder, got an empty text; '.' is the one where you stand")
        if self.resume and self.out is None:
            raise BadArgument("resume: needs the run's folder in 'out'")
        if self.engine not in ENGINES:
            raise UnknownName(unknown("engine", str(self.engine), ENGINES))
        self._check_ray()

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
