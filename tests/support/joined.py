"""TRL and vLLM in one process, from the environments that `make test-train` and `make test-vllm` have made."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SERVED = os.environ.get("PI_GYM_SERVED", "")
#: How vLLM for the CPU is kept small and quiet.
VARIABLES = {
    "HF_HUB_OFFLINE": "1",
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_NUM_OF_RESERVED_CPU": "0",
    "OMP_NUM_THREADS": "1",
}


def served_packages() -> Path:
    """The packages of the environment that has vLLM; a test that needs them is skipped without."""
    if not (Path(SERVED) / "installed").exists():
        pytest.skip("needs vLLM in the folder PI_GYM_SERVED: make test-recipes")
    (found,) = (Path(SERVED).absolute() / "env" / "lib").glob("python*/site-packages")
    return found


def joined(folder: Path) -> dict[str, str]:
    """Variables with which this environment's Python finds vLLM, and what it needs, behind all that is here.

    Args:
        folder: an empty one.
    """
    here = Path(pytest.importorskip("trl", reason="needs trl: make test-recipes").__file__).parents[1]
    own = {one.name for one in here.iterdir()}
    for one in served_packages().iterdir():
        if one.name not in own and one.suffix != ".pth" and not one.name.startswith("__editable__"):
            (folder / one.name).symlink_to(one)
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", ""), str(folder)]
    return {**os.environ, **VARIABLES, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def stop_of(module: str, words: list[str], variables: dict[str, str]) -> dict[str, Any]:
    """What a module of `support` printed last: where it stopped, by `support.stops`."""
    done = subprocess.run(
        [sys.executable, "-m", module, *words], capture_output=True, text=True, env=variables, timeout=400
    )
    assert done.stdout.strip(), done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found
