"""TRL's rollout worker with our loop, where vLLM is not installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest


def made_worker(options: Mapping[str, Any]) -> Any:
    """The worker of some loop arguments. Its constructor asks whether vLLM is there, and makes nothing of it."""
    from trl.experimental.async_grpo import async_rollout_worker

    from pi_gym.adapters.trl.asynchronous import SessionWorker

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(async_rollout_worker, "is_vllm_available", lambda: True)
        return SessionWorker(**options)
