"""Whether a recipe for GPUs can be built on this machine: all objects before its first step, around a small model.

Where there is no GPU, what a library refuses without one is left out, and named. Nothing is downloaded but the model's
configuration and tokenizer.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, Trainer, TrainerCallback

#: What makes a model of any size small.
SMALL = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
}


class _Reached(Exception):
    """The end of a dry run: all is built."""


class _Stop(TrainerCallback):
    """Ends a training when it is about to begin."""

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """End it."""
        raise _Reached


class NoTransfer:
    """A transfer of weights to a server that is not there: TRL's `WeightTransferProtocol`, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


def small_model(model: str, folder: Path, *, offline: bool = False) -> Path:
    """A model of the same architecture and vocabulary, with two narrow layers of random weights, and its tokenizer.

    Args:
        model: a folder, or a name on a hub; its weights are not read.
        folder: where it is put.
        offline: look on this machine alone.

    Raises:
        OSError: there is no such model.
    """
    given = AutoConfig.from_pretrained(model, local_files_only=offline)
    shape = given.to_dict()
    # The kinds of layers are as many as the layers, and follow from the rest.
    shape = {name: SMALL.get(name, value) for name, value in shape.items() if name != "layer_types"}
    AutoModelForCausalLM.from_config(type(given)(**shape), dtype=torch.float32).save_pretrained(folder)
    AutoTokenizer.from_pretrained(model, local_files_only=offline).save_pretrained(folder)
    return folder


def without_gpu(*, colocate: bool = False) -> dict[str, Any]:
    """The arguments of a TRL configuration that stand for what a library refuses where there is no GPU.

    Transformers takes `bf16` without one for `use_cpu` alone, and vLLM no sleep mode.

    Args:
        colocate: whether the recipe has vLLM in the trainer's process.
    """
    if torch.cuda.is_available():
        return {}
    told = {"use_cpu": True, **({"vllm_enable_sleep_mode": False} if colocate else {})}
    if colocate and find_spec("vllm") is None:
        told |= {"use_vllm": False}
    print("no GPU: built with " + ", ".join(f"{name}={value}" for name, value in told.items()))
    return told


def build(trainer: Trainer) -> None:
    """Have a trainer make what it makes before its first step, and print what it has made."""
    trainer.callback_handler.callbacks.insert(0, _Stop())  # before TRL's, which call the server
    with suppress(_Reached):
        trainer.train()
    model, args = trainer.model, trainer.args
    learnt = sum(one.numel() for one in model.parameters() if one.requires_grad)
    print(f"built up to the first step\n  {type(model).__name__}, {learnt:,} weights that learn, {model.dtype}")
    print(f"  {type(trainer.optimizer).__name__}, {type(trainer.lr_scheduler).__name__}, {args.max_steps} steps")
    print(f"  accelerator: {trainer.accelerator.device}, mixed precision {trainer.accelerator.mixed_precision}")
