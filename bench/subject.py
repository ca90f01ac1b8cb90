"""The subject of the benchmarks: the environments and sessions of one pack, and the actions that they take."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_gym import Limits, Pack, PiSession, SessionConfig, load_pack
from pi_gym.packs import Task, pack_world
from pi_gym.pibench.declared_shell import DeclaredShell
from pi_gym.pibench.env import PiEnv
from pi_gym.state import Workspace, World
from pi_gym.types import Answer, Ask

FILE_BYTES = 20_000
UNBOUNDED = Limits(max_steps=10**9, max_turns=10**9, max_tool_calls=10**9)


@dataclass(frozen=True)
class Subject:
    """The pack that is measured, and how much of it.

    Args:
        source: what `load_pack` takes.
        quick: few samples, for a look or a test of the benchmark itself.
    """

    source: str
    quick: bool = False

    @property
    def pack(self) -> Pack:
        """The pack."""
        return load_pack(self.source)

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The tasks that can be played without a sandbox, in episode order."""
        return tuple(name for name in self.pack.task_ids if not self.pack.source_of(name).spec.needs)

    def size(self, full: int, quick: int) -> int:
        """The number of samples to take."""
        return quick if self.quick else full

    def env(self, **settings: Any) -> PiEnv:
        """An environment over the pack, without wrappers; whatever task and variant it is asked for."""
        return PiEnv(self.source, **settings)

    def env_for_references(self, **settings: Any) -> PiEnv:
        """An environment in which `play_reference` can play every task, without a sandbox."""
        return self.env(exec_backend="off", responder=_no_answers, **settings)

    def session(self, *, files: dict[str, bytes] | None = None) -> PiSession:
        """A session of the first task without limits; `files` are added to the world that it begins in."""
        task = self.pack.instantiate(self.task_ids[0])
        base = pack_world(self.pack).fork()
        if files:
            kept = {path: blob.data for path, blob in base.workspace.walk()}
            base = World(Workspace(kept | files), base.apps)
        return PiSession(task, base, config=SessionConfig(limits=UNBOUNDED))


def call(tool: str, **arguments: Any) -> str:
    """An action that calls one tool."""
    return f"<tool_call>{json.dumps({'name': tool, 'arguments': arguments})}</tool_call>"


def text_files(workspace: Workspace) -> list[tuple[str, str]]:
    """The text files of up to `FILE_BYTES`, as (path, text), in the workspace's order."""
    found = ((path, blob.text) for path, blob in workspace.walk() if len(blob.data) <= FILE_BYTES)
    return [(path, text) for path, text in found if text]


def page(size: int, seed: int = 0) -> str:
    """A text of `size` characters in numbered lines, no two alike."""
    lines: list[str] = []
    length = 0
    while length < size:
        lines.append(f"{len(lines):05d} run {seed}: a line of plain words as files of notes and tables hold them\n")
        length += len(lines[-1])
    return "".join(lines)[: size - 1] + "\n"


def filler(count: int) -> dict[str, bytes]:
    """Files that no action touches: 100 to a folder, 500 bytes each."""
    return {f"archive/{number // 100:03d}/{number:05d}.txt": page(500, number).encode() for number in range(count)}


def reference_of(task: Task) -> Iterator[str]:
    """The reference's actions; where the task has none, one silent reply after the other."""
    yield from task.reference
    while True:
        yield "Done."


def play_reference(env: PiEnv) -> int:
    """Play the reference of the open session to its end, its commands answered as declared; gives the steps."""
    session = env.session
    assert session is not None
    steps = 0
    for action in reference_of(session.task):
        if session.ended:
            break
        env.shell = DeclaredShell(session, action)
        env.step(action)
        steps += 1
    return steps


def _no_answers(asks: Sequence[Ask]) -> list[Answer]:
    return [Answer(error="nothing is asked but what references declare") for _ in asks]


def results_path() -> Path:
    """The path of the results if nothing else is said."""
    return Path(__file__).parent / "results.json"
