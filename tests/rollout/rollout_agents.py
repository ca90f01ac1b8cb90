"""Agents that misbehave, found by workers as `rollout_agents:Class`."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
from pathlib import Path

from pi_gym.baselines.reference import ReferenceAgent
from pi_gym.baselines.silent import SilentAgent
from pi_gym.types import ToolCall

#: Tells the agents below where to leave their marks; a worker inherits it.
MARKS = "ROLLOUT_TEST_MARKS"


def leave_mark(name: str) -> bool:
    """Whether this is the first time that the mark is left."""
    try:
        (Path(os.environ[MARKS]) / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


class Slow(ReferenceAgent):
    """Takes its time, so that a test can interrupt it."""

    name = "slow"

    def act(self, observation, info):
        time.sleep(0.004)
        return super().act(observation, info)


class Raising(SilentAgent):
    """Raises in one task, in its second turn."""

    name = "raising"

    def act(self, observation, info):
        if info["task_id"] == "01-list" and info["turn"] == 2:
            raise RuntimeError("no idea \ud800")
        return super().act(observation, info)


class Hanging(SilentAgent):
    """Waits for what never comes, as for a server that does not answer."""

    name = "hanging"

    def act(self, observation, info):
        leave_mark(info["task_id"])
        threading.Event().wait()


class Exiting(SilentAgent):
    name = "exiting"

    def act(self, observation, info):
        raise SystemExit(3)


class DyingOnce(ReferenceAgent):
    """Its process is killed in one session, the first time that it gets there."""

    name = "dying"

    def act(self, observation, info):
        if info["task_id"] == "02-memo" and info["variant"] == 2 and leave_mark("died"):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(observation, info)


class AlwaysDying(ReferenceAgent):
    name = "dying"

    def act(self, observation, info):
        if info["task_id"] == "02-memo" and info["variant"] == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(observation, info)


class Interrupted(ReferenceAgent):
    """As if someone pressed Ctrl-C in the fifth session, once."""

    name = "interrupted"

    def reset(self, observation, info, env):
        super().reset(observation, info, env)
        if info["variant"] == 1 and info["task_id"] == "02-memo" and leave_mark("interrupted"):
            raise KeyboardInterrupt


class Unstartable:
    name = "unstartable"

    def __init__(self):
        if leave_mark("checked"):
            return  # the check in the parent passes, the workers do not
        raise OSError("no model here")

    def reset(self, observation, info, env): ...

    def act(self, observation, info): ...


class NoAgent:
    name = "none"


class Keeper:
    """Writes down what it saw of its past, so that every later session shows whether any earlier one was other."""

    name = "keeper"
    pause_s = 0.0

    def reset(self, observation, info, env):
        seen = hashlib.sha256(observation["history"].encode()).hexdigest()
        chance = env.action_space.np_random.integers(1_000_000)
        words = ["Which case, bed, plants, sign and shop would you like?", "Done.", f"Well, {chance}."]
        self._moves = [
            ToolCall("read_file", {"path": "memory/HISTORY.md"}).to_text(),
            ToolCall("write_file", {"path": "memory/MEMORY.md", "content": f"{info['task_id']} {seen}\n"}).to_text(),
            ToolCall("write_file", {"path": f"kept/{info['task_id']}.txt", "content": f"{chance}\n"}).to_text(),
            *(words[number] for number in env.action_space.np_random.permutation(3)),
        ]

    def act(self, observation, info):
        time.sleep(self.pause_s)
        return self._moves.pop(0) if self._moves else "That is all."


class SlowKeeper(Keeper):
    """Takes its time, so that a test can kill it."""

    pause_s = 0.002


class Traced(SlowKeeper):
    """Leaves marks of its process, of its node, and of every session that it begins."""

    def reset(self, observation, info, env):
        super().reset(observation, info, env)
        leave_mark(f"process-{os.getpid()}")
        leave_mark(f"node-{os.environ.get('RAY_TEST_NODE')}")
        leave_mark(f"session-{info['task_id']}-{info['variant']}")


class DyingKeeper(Keeper):
    """Its process is killed in the middle of an episode, the first time that it gets there."""

    def act(self, observation, info):
        if info["task_id"] == "02-memo" and info["variant"] == 2 and len(self._moves) == 3 and leave_mark("died"):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(observation, info)


class FailingKeeper(Keeper):
    """Raises in the second session of one world, until a mark says that it is mended."""

    def act(self, observation, info):
        mended = (Path(os.environ[MARKS]) / "mended").exists()
        if info["task_id"] == "02-memo" and info["variant"] == 2 and len(self._moves) == 3 and not mended:
            raise RuntimeError("not yet mended")
        return super().act(observation, info)


class Masked:
    """Answers nothing. A worker unpickles it before it does anything of ours; then it notes its signal mask."""

    def __call__(self, asks):
        raise AssertionError("nothing is asked")

    def __setstate__(self, state):
        name = f"mask-{os.getpid()}"
        if leave_mark(name):
            blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
            (Path(os.environ[MARKS]) / name).write_text(str(signal.SIGINT in blocked))

    def __getstate__(self):
        return {"not": "empty"}


def talking(messages, tools):
    """A policy that is a function: it lists the workspace, asks once, and is done."""
    assert {"type", "function"} <= set(tools[0])
    done = sum(message["role"] == "assistant" for message in messages)
    call = {"id": "c", "type": "function", "function": {"name": "list_dir", "arguments": "{}"}}
    moves = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        "Which one would you like, and how?",
        {"role": "assistant", "content": "Done."},
    ]
    return moves[min(done, 2)]


class Saying(SilentAgent):
    """Says one thing, which it is made with."""

    def __init__(self, word):
        self.word, self.name = word, f"saying-{word}"

    def act(self, observation, info):
        return self.word
