"""pi_gym: long-horizon assistant work as Gymnasium environments.

Importing this registers the environments of every family; nothing heavy is imported before it is used.

>>> import gymnasium as gym, pi_gym
>>> env = gym.make("PiBench-Researcher-v0")
>>> observation, info = env.reset(seed=0)
>>> sorted(observation)
['history', 'workspace_diff']
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pi_gym.registration import register, register_families
from pi_gym.version import __version__

if TYPE_CHECKING:
    from pi_gym.calibration.calibrating import calibrate
    from pi_gym.env import SessionEnv
    from pi_gym.evaluation import Evaluation, evaluate
    from pi_gym.export import to_dataset
    from pi_gym.family import Family
    from pi_gym.models.config import ModelConfig
    from pi_gym.packs import Pack, load_pack
    from pi_gym.pibench.session import PiSession
    from pi_gym.pibench.settings import Limits, SessionConfig
    from pi_gym.rewards import RewardConfig
    from pi_gym.rollout import PolicyOutput, Progress, RunSummary, collect, collect_async
    from pi_gym.session import Trajectory, parse_action, read_trajectories
    from pi_gym.session.protocol import Session
    from pi_gym.session.trajectory import Identity
    from pi_gym.types import Answer, Ask, Message, ToolCall, Verdict

_HOMES = {
    "Answer": "pi_gym.types",
    "Ask": "pi_gym.types",
    "Limits": "pi_gym.pibench.settings",
    "Message": "pi_gym.types",
    "ModelConfig": "pi_gym.models.config",
    "Pack": "pi_gym.packs",
    "PolicyOutput": "pi_gym.rollout",
    "Progress": "pi_gym.rollout",
    "RewardConfig": "pi_gym.rewards",
    "RunSummary": "pi_gym.rollout",
    "Evaluation": "pi_gym.evaluation",
    "Family": "pi_gym.family",
    "Identity": "pi_gym.session.trajectory",
    "parse_action": "pi_gym.session",
    "PiSession": "pi_gym.pibench.session",
    "Session": "pi_gym.session.protocol",
    "SessionEnv": "pi_gym.env",
    "SessionConfig": "pi_gym.pibench.settings",
    "ToolCall": "pi_gym.types",
    "Trajectory": "pi_gym.session",
    "Verdict": "pi_gym.types",
    "calibrate": "pi_gym.calibration.calibrating",
    "collect": "pi_gym.rollout",
    "collect_async": "pi_gym.rollout",
    "evaluate": "pi_gym.evaluation",
    "load_pack": "pi_gym.packs",
    "read_trajectories": "pi_gym.session",
    "to_dataset": "pi_gym.export",
}

__all__ = [
    "Answer",
    "Ask",
    "Evaluation",
    "Family",
    "Identity",
    "Limits",
    "Message",
    "ModelConfig",
    "Pack",
    "PiSession",
    "PolicyOutput",
    "Progress",
    "RewardConfig",
    "RunSummary",
    "Session",
    "SessionConfig",
    "SessionEnv",
    "ToolCall",
    "Trajectory",
    "Verdict",
    "__version__",
    "calibrate",
    "collect",
    "collect_async",
    "evaluate",
    "load_pack",
    "parse_action",
    "read_trajectories",
    "register",
    "to_dataset",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'pi_gym' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


register_families(Path(__file__).parent)
