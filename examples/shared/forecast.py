"""What a run will take, measured before it starts: time and memory of a step."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from pi_gym.adapters.trl import TokenSample

_GB = 1e9


@dataclass(frozen=True)
class Forecast:
    """What was measured.

    Args:
        play_s: seconds in which one session is played, where all of a step are played at a time.
        learn_s: seconds that it takes to learn from one session.
        memory_gb: the most that the process takes, without the optimizer's moments.
        moments_gb: what these take.
        on: how many sessions it was measured on; `tokens` of the longest.
    """

    play_s: float
    learn_s: float
    memory_gb: float
    moments_gb: float
    on: int
    tokens: int

    def text(self, *, steps: int, sessions: int, evaluated: int) -> str:
        """What a run will take, in words.

        Args:
            steps: of the run.
            sessions: that a step learns from.
            evaluated: sessions that are played to evaluate, in all.
        """
        play, learn = sessions * self.play_s, sessions * self.learn_s
        parts = [f"learn {duration(learn)}"]
        if play:
            parts.insert(0, f"play {duration(play)}")
        told = [
            f"{duration(play + learn)} a step ({', '.join(parts)})",
            f"{duration(steps * (play + learn))} for {steps} steps",
            f"{self.memory_gb + self.moments_gb:.1f} GB of memory",
        ]
        if evaluated and play:
            told.insert(2, f"{duration(evaluated * self.play_s)} for {evaluated} sessions to evaluate")
        return f"forecast, from {self.on} sessions of up to {self.tokens} tokens: {'; '.join(told)}"


def measure(
    model: Any, samples: Callable[[], Sequence[TokenSample]], *, micro: int, bf16: bool, played: bool = True
) -> Forecast:
    """Take one micro-batch through the model, forwards and backwards, and leave it as it was.

    Args:
        model: the policy.
        samples: plays sessions and gives them as tokens, or gives them where they were played before.
        micro: sessions at a time in memory.
        bf16: matrix products in half precision.
        played: whether `samples` plays them, so that its time counts.
    """
    begun = time.monotonic()
    found = samples()
    play_s = (time.monotonic() - begun) / len(found) if played else 0.0
    # The longest ones: what memory must hold.
    batch = sorted((sample.sft_row()["input_ids"] for sample in found), key=len)[-micro:]
    width = max(map(len, batch))
    ids = torch.tensor([[*row, *[0] * (width - len(row))] for row in batch], device=model.device)
    seen = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in batch], device=model.device)
    training = model.training
    model.train()
    begun = time.monotonic()
    with torch.autocast(model.device.type, dtype=torch.bfloat16, enabled=bf16):
        loss = model(input_ids=ids, attention_mask=seen, labels=ids).loss
    loss.backward()
    learn_s = (time.monotonic() - begun) / len(batch)
    mean = sum(len(sample.completion_ids) + len(sample.prompt_ids) for sample in found) / len(found)
    memory = peak_memory()
    model.zero_grad(set_to_none=True)
    model.train(training)
    trained = sum(one.numel() * one.element_size() for one in model.parameters() if one.requires_grad)
    return Forecast(play_s, learn_s * mean / width, memory / _GB, 2 * trained / _GB, len(found), width)


def peak_memory() -> int:
    """The most bytes that this process has taken, on the GPU where there is one."""
    if torch.cuda.is_available():
        return torch.cuda.max_memory_allocated()
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(0.25), duration(95), duration(8000)
    ('0.2 s', '95 s', '2 h 13 min')
    """
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min"
