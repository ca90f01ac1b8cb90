"""Let a served model play the user and the grader of one session.

    pi-gym serve --model MODEL
    python examples/served_roles.py MODEL@http://127.0.0.1:8000/v1

The agent is the reference of the task, so what is seen is the roles.
"""

from __future__ import annotations

import argparse

import gymnasium as gym

import pi_gym  # registers the environments


def main() -> None:
    parser = argparse.ArgumentParser(description="One session with a served user and grader.")
    parser.add_argument("model", help="MODEL@URL")
    parser.add_argument("--task", default="01-baseline-table")
    arguments = parser.parse_args()
    # Lengths in schemas keep a weak model from writing without end; vLLM holds it to them.
    model = pi_gym.ModelConfig.from_text(arguments.model, bound_schemas=True)
    env = gym.make("PiBench-Researcher-v0", user=model, grader=model)
    env.reset(seed=0, options={"task": arguments.task})
    session: pi_gym.PiSession = env.unwrapped.session  # type: ignore[attr-defined]
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
