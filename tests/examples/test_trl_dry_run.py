"""The recipes for GPUs on a machine without one: all that can be built is, and what stops them is a call for a GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.joined import joined, stop_of
from support.recipe_model import save_recipe_model
from support.scripts import EXAMPLES
from support.stops import CARD

pytest.importorskip("trl", reason="needs trl and torch: make test-train")
pytest.importorskip("peft", reason="needs peft: make test-train")
torch = pytest.importorskip("torch", reason="needs torch: make test-train")

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.filterwarnings("ignore"),  # of torch, transformers and trl
    pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU: the recipes do not stop here"),
]
MINI = "PiBench-Mini-v0"
PAIR = [
    "--env",
    "PiBench-Mini-v0",
    "--lora-rank",
    "32",
    "--max-length",
    "8192",
    "--max-answer",
    "1024",
    "--inflight",
    "32",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("recipe")
    save_recipe_model(made / "model")
    return made


@pytest.fixture(scope="module")
def alone() -> dict[str, str]:
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "TRL_EXPERIMENTAL_SILENCE": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }


@pytest.fixture(scope="module")
def with_vllm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return joined(tmp_path_factory.mktemp("joined"))


def printed(script: str, words: list[str], variables: dict[str, str]) -> str:
    command = [sys.executable, str(EXAMPLES / f"{script}.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=400)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_a_dry_run_of_one_card_builds_all_but_vllm(folder: Path, alone: dict[str, str], tmp_path: Path) -> None:
    words = [*CARD, "--model", str(folder / "model"), "--out", str(tmp_path / "run"), "--dry-run"]
    told = printed("trl_grpo", words, alone)
    assert "built with use_cpu=True, vllm_enable_sleep_mode=False, use_vllm=False" in told
    assert "PeftModel, " in told
    assert "torch.bfloat16" in told
    assert "AcceleratedOptimizer, LambdaLR, 300 steps" in told
    assert "mixed precision bf16" in told
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_one_card_stops_where_transformers_looks_for_a_gpu_that_knows_bf16(folder: Path, alone: dict[str, str]) -> None:
    stop = stop_of("support.stops", ["card", str(folder)], alone)
    assert stop["type"] == "ValueError"
    assert "doesn't support bf16/gpu" in stop["message"]
    assert stop["frames"][-1] == "transformers/training_args.py:_validate_args"


@pytest.mark.model
def test_one_card_stops_then_where_vllm_looks_for_a_gpu_that_sleeps(folder: Path, with_vllm: dict[str, str]) -> None:
    stop = stop_of("support.stops", ["card", str(folder), "use_cpu=True"], with_vllm)
    assert "Sleep mode is not supported on current platform" in stop["message"]
    assert "generation/vllm_generation.py:_init_vllm" in stop["frames"]
    assert "engine/arg_utils.py:create_model_config" in stop["frames"]


@pytest.mark.model
def test_one_card_stops_last_where_weights_go_to_the_gpu_s_vllm(folder: Path, with_vllm: dict[str, str]) -> None:
    """vLLM is built in the trainer's process, and the first step has begun: sessions are open, and want a policy."""
    changed = ["use_cpu=True", "vllm_enable_sleep_mode=False"]
    stop = stop_of("support.stops", ["card", str(folder), *changed], with_vllm)
    assert (stop["type"], stop["message"]) == ("AttributeError", "'Parameter' object has no attribute 'weight_loader'")
    assert "generation/vllm_generation.py:sync_weights" in stop["frames"]
    assert "trainer/grpo_trainer.py:_generate_and_score_completions" in stop["frames"]
    assert stop["frames"][-1] == "layers/linear.py:load_weights"  # vLLM for the CPU keeps no weights to write over


@pytest.mark.model
def test_a_dry_run_of_one_card_builds_vllm_in_its_process(folder: Path, with_vllm: dict[str, str]) -> None:
    words = [*CARD, "--model", str(folder / "model"), "--out", str(folder / "dry"), "--dry-run"]
    told = printed("trl_grpo", words, with_vllm)
    assert "built with use_cpu=True, vllm_enable_sleep_mode=False\n" in told
    assert "built up to the first step" in told


@pytest.mark.model
@pytest.mark.parametrize(("words", "built"), [([], "Qwen3ForCausalLM, "), (PAIR, "PeftModel, ")], ids=["node", "pair"])
def test_check_builds_the_asynchronous_trainer(
    folder: Path, with_vllm: dict[str, str], words: list[str], built: str
) -> None:
    told = printed("trl_grpo_async", ["check", "--env", MINI, "--model", str(folder / "model"), *words], with_vllm)
    assert f"built up to the first step\n  {built}" in told
    assert "torch.float32" in told
    assert "mixed precision bf16" in told


@pytest.mark.model
def test_the_asynchronous_trainer_stops_where_it_asks_for_the_gpu_s_name(
    folder: Path, with_vllm: dict[str, str]
) -> None:
    stop = stop_of("support.stops", ["node", str(folder), "use_cpu=True"], with_vllm)
    assert (stop["type"], stop["message"]) == ("AssertionError", "Torch not compiled with CUDA enabled")
    assert "trainer/utils.py:get_peak_flops_per_device" in stop["frames"]
    assert stop["frames"][-1] == "cuda/__init__.py:_lazy_init"


@pytest.mark.model
@pytest.mark.parametrize("words", [[], ["--lora-rank", "32"]], ids=["weights", "adapters"])
def test_the_asynchronous_trainer_stops_then_where_nccl_wants_a_gpu(
    folder: Path, with_vllm: dict[str, str], words: list[str]
) -> None:
    """Optimizer and scheduler are built, the server was asked what it is, and the transfer of weights begins."""
    stop = stop_of("support.stops", ["node", str(folder), "use_cpu=True", "known_gpu=None", "--", *words], with_vllm)
    assert stop["type"] == "RuntimeError"
    assert "async_grpo/weight_transfer.py:trainer_init" in stop["frames"]
    assert "weight_transfer/nccl_common.py:trainer_init" in stop["frames"]
    assert stop["frames"][-1].startswith("accelerator/__init__.py:")
