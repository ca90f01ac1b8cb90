"""`pi-gym serve` for as long as a test runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Self

from pi_gym import ModelConfig


class ServedVllm:
    """A server, healthy when the block begins and gone with all its processes when it ends."""

    def __init__(self, name: str, port: int, arguments: Sequence[str], variables: Mapping[str, str]) -> None:
        self.name, self.url = name, f"http://127.0.0.1:{port}/v1"
        self._command = [sys.executable, "-m", "pi_gym", "serve", "--port", str(port), *arguments]
        self._variables = {**os.environ, **variables}

    def __enter__(self) -> Self:
        # A group of its own: vLLM is several processes. What it prints goes to stderr.
        self._process = subprocess.Popen(self._command, stdout=2, start_new_session=True, env=self._variables)
        until = time.monotonic() + 600
        try:
            while not self._healthy():
                assert self._process.poll() is None, f"vllm ended with status {self._process.returncode}"
                assert time.monotonic() < until, "vllm was not ready after 600 s"
                time.sleep(0.2)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def config(self, **options: Any) -> ModelConfig:
        """The configuration by which the model is reached."""
        return ModelConfig(base_url=self.url, model=self.name, bound_schemas=True, **options)

    def kill(self) -> None:
        """End all its processes without a word."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def stop(self) -> None:
        """End it, and whatever it started."""
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(20)
        self.kill()
        self._process.wait()

    def _healthy(self) -> bool:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"{self.url.removesuffix('/v1')}/health", timeout=2) as response:
                return bool(response.status == 200)
        except OSError:
            return False
