"""The recipes for GPUs, run on a machine without one: a program that prints where they stop, as a line of JSON.

    python -m support.stops card FOLDER [NAME=VALUE …]
    python -m support.stops node FOLDER [NAME=VALUE …] [-- WORDS …]

FOLDER holds a small model in `model`; each NAME is a field of the trainer's configuration, other than the recipe's.
"""

from __future__ import annotations

import ast
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from support.recipes_page import arguments
from support.scripts import loaded

#: The page's arguments for one card, without model, folder and evaluations.
CARD = [*arguments("examples/trl_grpo.py")[0], "--validation", "0", "--holdout", "0", "--threads", "1"]
NODE = ["train", "--env", "PiBench-Mini-v0", "--rows", "20", "--max-length", "20000"]


def places(folder: Path) -> list[str]:
    """The arguments for the model, and for a run that there was not before."""
    return ["--model", str(folder / "model"), "--out", str(folder / f"run-{os.getpid()}")]


def card(folder: Path, other: dict[str, Any], words: list[str]) -> None:
    """Run the script for one card."""
    script = loaded("trl_grpo")
    made = script.GRPOConfig
    script.GRPOConfig = lambda **given: made(**{**given, **other})
    sys.argv = [
        "trl_grpo.py",
        *CARD,
        *words,
        "--model",
        str(folder / "model"),
        "--out",
        str(folder / f"run-{os.getpid()}"),
    ]
    script.main()


def node(folder: Path, other: dict[str, Any], words: list[str]) -> None:
    """Run the script for more than one, against a server that says it is ready and takes no weights."""
    from trl.experimental.async_grpo import async_grpo_trainer

    from support.policy_server import PolicyServer

    if other.pop("known_gpu", True) is None:
        async_grpo_trainer.get_peak_flops_per_device = lambda *_: None
    script = loaded("trl_grpo_async")
    made = script.grpo_config
    script.grpo_config = lambda asked, **given: made(asked, **{**given, **other})
    with PolicyServer() as server:
        place = [
            "--model",
            str(folder / "model"),
            "--out",
            str(folder / f"run-{os.getpid()}"),
            "--policy-url",
            server.origin,
        ]
        script.train(script.parse([*NODE, *place, *words]))


def main() -> None:
    """Run, and print what was raised first, and where."""
    recipe, folder, *words = sys.argv[1:]
    given, behind = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
    other = {name: ast.literal_eval(value) for name, _, value in (word.partition("=") for word in given)}
    try:
        {"card": card, "node": node}[recipe](Path(folder), other, behind)
    except BaseException as error:
        while error.__cause__ is not None:
            error = error.__cause__
        frames = traceback.extract_tb(error.__traceback__)
        stack = [f"{Path(one.filename).parent.name}/{Path(one.filename).name}:{one.name}" for one in frames]
        print("\n" + json.dumps({"type": type(error).__name__, "message": str(error), "frames": stack}))


if __name__ == "__main__":
    main()
