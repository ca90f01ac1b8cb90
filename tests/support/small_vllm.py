"""The small model behind a real vLLM, from the folder that `make test-vllm` prepares."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.served_vllm import ServedVllm

FOLDER = os.environ.get("PI_GYM_SERVED", "")
NAME, PORT = "small", int(os.environ.get("PI_GYM_SERVED_PORT", "8765"))
TEMPLATE = Path(__file__).parents[1] / "served" / "tools.jinja"


def serving() -> ServedVllm:
    """The server, to be used as a context."""
    if not (Path(FOLDER) / "installed").exists():
        pytest.skip("needs vLLM and a model in the folder PI_GYM_SERVED: make test-vllm")
    place = Path(FOLDER).absolute()
    variables = {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_CPU_KVCACHE_SPACE": "2",
        # One thread, on the last core: two wait for each other in every layer, and stand still where other work runs.
        "VLLM_CPU_OMP_THREADS_BIND": str((os.cpu_count() or 1) - 1),
    }
    library = place / "env" / "lib" / "libiomp5.so"
    if library.exists():
        variables["LD_PRELOAD"] = str(library)
    # Compiled, this model gives other words on a CPU; and half precision is slow on one that does not know it.
    knows_half = "amx_bf16" in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    extra = ["--dtype", "bfloat16" if knows_half else "float32", "--enforce-eager"]
    extra += ["--max-num-seqs", "16", "--max-model-len", "8192"]
    # Of calls that a request requires, the arguments too are held to their schema.
    extra += ["--chat-template", str(TEMPLATE), "--tool-strict-level", "parameter"]
    program = ["--vllm", str(place / "env" / "bin" / "vllm"), "--model", str(place / "model")]
    ours = [*program, "--role", "all", "--tool-parser", "hermes", "--"]
    return ServedVllm(NAME, PORT, [*ours, *extra, "--served-model-name", NAME], variables)
