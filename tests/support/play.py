"""Short words for driving a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pi_gym.models.scripted import ScriptedModel
from pi_gym.packs import Task, load_pack
from pi_gym.pibench.history import opening_for, start_world
from pi_gym.pibench.opening import open_task
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import Limits, SessionConfig
from pi_gym.tools import Registry
from pi_gym.types import Answer, Ask, StepRecord, ToolCall

from .packs import three

Model = Callable[[Sequence[Ask]], Sequence[Answer]]


def call(tool: str, **arguments: Any) -> str:
    """One call in the action syntax."""
    return ToolCall(tool, arguments).to_text()


def write(path: str, content: str) -> str:
    return call("write_file", path=path, content=content)


def ask(question: str, *options: str) -> str:
    return call("ask_user", question=question, **({"options": list(options)} if options else {}))


def agreeing() -> ScriptedModel:
    """A model whose answers leave everything to the rules."""
    return ScriptedModel(lambda ask: None)


def step(session: PiSession, action: object, model: Model | None = None) -> StepRecord:
    """Apply an action and answer what it asks."""
    session.apply(action)
    settle(session, model)
    assert session.step is not None
    return session.step


def settle(session: PiSession, model: Model | None = None) -> None:
    while session.pending:
        assert model is not None, f"asks are pending: {session.pending}"
        asks = session.pending
        for one, answer in zip(asks, model(asks), strict=True):
            session.answer(one.id, answer)


def play(session: PiSession, *actions: object, model: Model | None = None) -> list[StepRecord]:
    """Apply actions until they or the session end."""
    records = []
    for action in actions:
        if session.ended:
            break
        records.append(step(session, action, model))
    return records


def opened(
    task: Task | None = None,
    *,
    limits: Limits | None = None,
    history: str = "none",
    registry: Registry | None = None,
    **options: Any,
) -> PiSession:
    """A session over a task of a fixture pack; the others options go to `SessionConfig`, or are user and grader."""
    task = task or three()
    roles = {name: options.pop(name) for name in ("user", "grader") if name in options}
    options = {"strict": True, **options}
    config = SessionConfig(limits=limits or Limits(), history=history, **options)  # type: ignore[arg-type]
    pack, mode = load_pack(task.pack_source), "reference" if history == "reference" else "none"
    if registry is None:
        opening = opening_for(pack, task, mode, config.tools, config.subagent, config.limits, config.paper_letter)  # type: ignore[arg-type]
    else:
        start = start_world(pack, task, mode)  # type: ignore[arg-type]
        opening = open_task(
            task,
            start,
            config.tools,
            registry,
            subagent=config.subagent,
            limits=config.limits,
            paper_letter=config.paper_letter,
        )
    return PiSession(task, config=config, opening=opening, **roles)


def statuses(session: PiSession) -> list[str]:
    return list(session.statuses.values())


FINISHING = [
    ask("Which colour, and which size?"),
    write("out.txt", "done: blue, round\n"),
    "finished: it is large.",
]
"""The actions that complete the task of `three` with full marks."""
