"""Serving a model with vLLM, for as long as a block of code or a command runs."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.error import URLError

from pi_gym.models.config import ModelConfig
from pi_gym.models.vllm_arguments import (
    CONTEXT_FLAG,
    CONTEXT_TOKENS,
    ROLES,
    ServedRole,
    ServeError,
    given_flags,
    serve_arguments,
)

POLL_S = 0.2
#: What runs the program, and ends it where this process cannot.
GUARD = Path(__file__).with_name("guard.py")
_PROBE_S = 2.0


class ServedModel:
    """A `vllm serve` of our own: started as a context begins, ended with all its processes as it ends.

    Args:
        model: a name of the Hugging Face hub, or a folder.
        role: what it will play.
        host: where it listens.
        port: likewise; must be free.
        tool_parser: for an agent, the name by which vLLM knows how the model writes tool calls.
        extra: further arguments of `vllm serve`.
        vllm: the program; it may lie in a virtual environment of its own.
        environment: variables that the program gets beside this process's own.
        ready_s: how long it may take until it answers. The first start downloads the model.
        stop_s: how long it may take to end before it is killed.

    Attributes:
        command: what is run.
        url: the base URL for `ModelConfig`.
    """

    def __init__(
        self,
        model: str,
        role: ServedRole = "both",
        *,
        host: str = "127.0.0.1",
        port: int = 8000,
        tool_parser: str | None = None,
        extra: Sequence[str] = (),
        vllm: str = "vllm",
        environment: Mapping[str, str] | None = None,
        ready_s: float = 1800.0,
        stop_s: float = 20.0,
    ) -> None:
        self.model, self.role, self.host, self.port = model, role, host, port
        arguments = serve_arguments(model, role, host=host, port=port, tool_parser=tool_parser, extra=extra)
        self.command = [vllm, *arguments]
        self.ready_s, self.stop_s = ready_s, stop_s
        self._extra, self._environment = list(extra), dict(environment or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._alive = -1
        self._asked_to_stop: float | None = None

    @property
    def url(self) -> str:
        """The base URL, as seen from this machine."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/v1"

    @property
    def pid(self) -> int:
        """The process id of the group of `vllm` and all that it starts.

        Raises:
            ServeError: it is not running.
        """
        return self._running().pid

    @property
    def name(self) -> str:
        """The name under which the model is served."""
        words = iter(self._extra)
        for word in words:
            flag, equals, value = word.partition("=")
            if flag == "--served-model-name":
                return value if equals else next(words, self.model)
        return self.model

    @property
    def arguments(self) -> list[str]:
        """What to pass to `pi-gym rollout`."""
        return [part for role in ROLES[self.role] for part in (f"--{role}", f"{self.name}@{self.url}")]

    def config(self, **options: Any) -> ModelConfig:
        """The configuration of a role that this serves; lengths in schemas are sent, since vLLM keeps to them."""
        return ModelConfig(base_url=self.url, model=self.name, **{"bound_schemas": True, **options})

    def __enter__(self) -> Self:
        self.start()
        try:
            self.wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start the server.

        Raises:
            ServeError: there is no such program, or the port is taken.
        """
        program = _found(self.command[0])
        _require_free(self.host, self.port)
        # A group of its own: a Ctrl-C reaches this process alone, which passes it on once. Where this process is
        # killed, the guard, which leads the group, sees the pipe end, and ends the group.
        # What it prints goes to stderr, so that stdout holds only what we say.
        variables = {**os.environ, **self._environment}
        ended, alive = os.pipe()
        guard = [sys.executable, "-I", "-S", str(GUARD), str(self.stop_s), str(ended)]
        command = [*guard, program, *self.command[1:]]
        try:
            self._process = subprocess.Popen(
                command, stdout=2, start_new_session=True, env=variables, pass_fds=(ended,)
            )
            self._alive = alive
        except BaseException:
            os.close(alive)
            raise
        finally:
            os.close(ended)

    def wait_ready(self) -> None:
        """Wait until the server is healthy.

        Raises:
            ServeError: it ended, it was stopped, or it took longer than `ready_s`.
        """
        until = time.monotonic() + self.ready_s
        while not self._answers():
            if self._asked_to_stop is not None:
                raise ServeError("stopped before it was ready")
            code = self._running().poll()
            if code is not None:
                raise ServeError(
                    f"vllm ended before it was ready ({_ended(code)}); what it printed says why.{self._hint()}"
                )
            if time.monotonic() > until:
                raise ServeError(f"vllm was not ready after {self.ready_s:g} s")
            time.sleep(POLL_S)

    def wait(self) -> int:
        """Wait until the server ends, and give its exit status; after `signal` it is killed where it takes too long."""
        process = self._running()
        while True:
            try:
                return process.wait(POLL_S)
            except subprocess.TimeoutExpired:
                if self._asked_to_stop is not None and time.monotonic() > self._asked_to_stop + self.stop_s:
                    self._send(signal.SIGKILL)

    def signal(self, number: int) -> None:
        """Pass a signal on to the server's processes; it is expected to end then. A signal handler may call this."""
        self._asked_to_stop = self._asked_to_stop or time.monotonic()
        self._send(number)

    def stop(self) -> None:
        """End the server, and whatever it started."""
        if self._process is None:
            return
        try:
            if self._process.poll() is None:
                self.signal(signal.SIGTERM)
                self.wait()
        finally:  # also where a second Ctrl-C cuts the wait short
            self._send(signal.SIGKILL)  # those that outlived it
            os.close(self._alive)
            self._process = None

    def _hint(self) -> str:
        if CONTEXT_FLAG in given_flags(self._extra):
            return ""
        return (
            f" It was asked for a context of {CONTEXT_TOKENS} tokens; where the model or the memory has less, give vLLM"
            f" `{CONTEXT_FLAG} N` yourself."
        )

    def _answers(self) -> bool:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"{self.url.removesuffix('/v1')}/health", timeout=_PROBE_S) as response:
                return bool(response.status == 200)
        except (URLError, OSError, ValueError):
            return False

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise ServeError("the server is not running")
        return self._process

    def _send(self, number: int) -> None:
        if self._process is not None:
            try:
                os.killpg(self._process.pid, number)
            except ProcessLookupError:
                return


def shown(command: Sequence[str]) -> str:
    """A command as one types it into a shell."""
    return shlex.join(command)


def _found(program: str) -> str:
    """The program's path: on PATH, or beside this Python, which need not be on it."""
    found = shutil.which(program) or shutil.which(program, path=str(Path(sys.executable).parent))
    if found is None:
        raise ServeError(
            f"{program!r} is not there. Install it (pip install 'pi-gym[vllm]'), perhaps into a virtual environment of"
            " its own, and name its program with --vllm PATH; or serve the model by other means and pass"
            " MODEL@URL to rollout."
        )
    return found


def _require_free(host: str, port: int) -> None:
    """Look before a start of minutes whether the port can be had; vLLM itself may share one with another vLLM."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # what lately closed holds no port
            probe.bind(address)
            probe.listen()
    except OSError as error:
        raise ServeError(f"cannot listen at {host}:{port} ({error.strerror}); choose another port") from None


def _ended(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"status {code}"
