"""TRL's rollout workers, where vLLM is not installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest


def made_worker(options: Mapping[str, Any], kind: Any = None) -> Any:
    """The worker of some loop arguments. Its constructor asks whether vLLM is there, and makes nothing of it.

    Args:
        options: of its loop.
        kind: the class; None: ours.
    """
    from trl.experimental.async_grpo import async_rollout_worker

    from pi_gym.adapters.trl.asynchronous import SessionWorker

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(async_rollout_worker, "is_vllm_available", lambda: True)
        return (kind or SessionWorker)(**options)
