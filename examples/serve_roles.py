"""Serve a model with vLLM, and let it play the user and the grader of one session.

    python examples/serve_roles.py MODEL [PORT] [--vllm PATH] [-- ARGUMENTS OF VLLM]

The agent is the reference of the task, so what is seen is the roles.
"""

from __future__ import annotations

import argparse
import signal
import sys

import gymnasium as gym

import pi_gym  # registers the environments
from pi_gym.models.serving import ServedModel


def main() -> None:
    parser = argparse.ArgumentParser(description="One session with a served user and grader.")
    parser.add_argument("model")
    parser.add_argument("port", nargs="?", type=int, default=8000)
    parser.add_argument("--vllm", default="vllm", help="the program, perhaps in another virtual environment")
    parser.add_argument("--task", default="01-baseline-table")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    arguments, extra = parser.parse_args(words[:end]), words[end + 1 :]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is ended then too, as at a Ctrl-C
    with ServedModel(arguments.model, port=arguments.port, vllm=arguments.vllm, extra=extra) as server:
        env = gym.make("PiBench-Researcher-v0", user=server.config(), grader=server.config())
        env.reset(seed=0, options={"task": arguments.task})
        session: pi_gym.Session = env.unwrapped.session  # type: ignore[attr-defined]
        for action in session.task.reference:
            _, _, terminated, truncated, info = env.step(action)
            if terminated or truncated:
                break
        print(session.history)
        print("scored" if info["scored"] else f"not scored: {info['error']}")
        print("Proc", info["proc"], "Comp", info["comp"])
        for role, usage in env.unwrapped.model_usage().items():  # type: ignore[attr-defined]
            print(role, usage)
        env.close()


if __name__ == "__main__":
    main()
