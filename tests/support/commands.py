"""`pi-gym` in a process of its own for each command, without an interpreter's start for each.

The processes are forked from one that has imported the package and done nothing else: they know of each other only
what lies in files, as those that a shell starts.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

#: What playing a session imports when it is needed.
IMPORTED = [
    "pi_gym.cli.main",
    "pi_gym.cli.play_kept",
    "pi_gym.pibench.env",
    "pi_gym.predicates.operations",
    "pi_gym.questions.matcher",
    "pi_gym.results.result_checks",
    "pi_gym.rollout",
    "typer._adapters",
]
TIMEOUT_S = 100


def _main(arguments: list[str], folder: Path, variables: dict[str, str], path: list[str]) -> None:
    from pi_gym.cli.main import main

    os.environ.clear()
    os.environ.update(variables)
    sys.path[:] = path
    sys.argv = ["pi-gym", *arguments]
    writing = os.O_WRONLY | os.O_CREAT
    for number, (name, flags) in enumerate({"in": os.O_RDONLY, "out": writing, "err": writing}.items()):
        os.dup2(os.open(folder / name, flags), number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    main()


def pi_gym_command(*arguments: object, text: str = "", status: int = 0) -> str:
    """The output of `pi-gym`, given this text as input; where it is to fail, its errors."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").write_text(text, encoding="utf-8")
        # A child has the surroundings in which the first one was made.
        given = ([str(one) for one in arguments], folder, dict(os.environ), sys.path)
        process = context.Process(target=_main, args=given)
        process.start()
        process.join(TIMEOUT_S)
        out, errors = ((folder / part).read_text(encoding="utf-8") for part in ("out", "err"))
    assert process.exitcode == status, f"pi-gym {arguments} ended with {process.exitcode}, expected {status}: {errors}"
    return errors if status else out
