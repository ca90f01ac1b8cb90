"""OpenEnv's server in a thread of this process, and its models with scripts in their place."""

from __future__ import annotations

import json
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def serving(
    env_id: str, env_kwargs: Mapping[str, Any], out: Path | None = None, tasks: Any = None, **limits: Any
) -> Iterator[str]:
    """The address of a server of sessions, whose roles may be played by objects of this process."""
    import uvicorn

    from pi_gym.adapters.openenv.env_serving import make_app
    from pi_gym.adapters.openenv.served_sessions import ServedSessions

    sessions = ServedSessions(env_id, env_kwargs, out=out, tasks=tasks)
    app = make_app(sessions, **{"max_sessions": 64, "idle_s": 600.0, **limits})
    with socket.create_server(("127.0.0.1", 0)) as listening, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of what OpenEnv stands on
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                time.sleep(0.01)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
            sessions.close()
    assert sessions.failures == []


def scripted_model(script: Callable[[int], Mapping[str, Any] | None]) -> Any:
    """A model of OpenEnv's harnesses that says what a script says."""
    from openenv.core.harness import ModelStepResult
    from openenv.core.llm_client import LLMResponse, ToolCall

    def step(messages: Any, tools: Any, sampling: Any) -> Any:
        said = script(sum(one["role"] == "assistant" for one in messages))
        assert said is not None
        calls = [(one["id"], one["function"]) for one in said.get("tool_calls", ())]
        made = [ToolCall(id=own, name=one["name"], args=json.loads(one["arguments"])) for own, one in calls]
        return ModelStepResult(response=LLMResponse(content=said["content"], tool_calls=made))

    return step
