"""A local server with what TRL asks of a policy's vLLM before it hands weights to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from support.json_server import Answer, JsonServer


class PolicyServer(JsonServer):
    """Ready, of one GPU, without adapters; a context manager.

    Attributes:
        asked: the paths that were asked for, oldest first.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def get(self, path: str) -> Answer:
        """The state of the server."""
        path = path.partition("?")[0]
        self.asked.append(path)
        config = {"model_config": {"dtype": "torch.bfloat16"}, "lora_config": None}
        return 200, {"/get_world_size": {"world_size": 1}, "/server_info": {"vllm_config": config}}.get(path, {})

    def post(self, path: str, body: Any, headers: Mapping[str, str]) -> Answer:
        """Agree to all."""
        self.asked.append(path)
        return 200, {}
