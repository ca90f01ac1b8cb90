"""What stands for vLLM and its GPUs while TRL's asynchronous trainer trains a small model on a CPU."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any


class ServedWeights:
    """The policy's weights as a server has them: TRL's `WeightTransferProtocol`, and log-probabilities by them.

    Args:
        folder: of the model.

    Attributes:
        names: of each transfer, those of the weights that came, in their order.
        paused: whether the trainer has paused the server.
        destroyed: whether the trainer has let go of it.
    """

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForCausalLM

        self.model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="sdpa").eval()
        self.names: list[list[str]] = []
        self.paused = self.destroyed = False
        self._lock = threading.Lock()

    def log_probs(self, prompt: list[int], ids: list[int]) -> list[float]:
        """The log-probability of each token of an answer behind its prompt."""
        import torch

        with self._lock, torch.inference_mode():
            logits = self.model(torch.tensor([[*prompt, *ids]])).logits[0, len(prompt) - 1 : -1]
            return torch.log_softmax(logits.float(), -1)[range(len(ids)), ids].tolist()  # type: ignore[no-any-return]

    def init_weight_transfer(self) -> None:
        """Do nothing: the weights come in this process."""

    def pause(self) -> None:
        """Stop answering."""
        self.paused = True

    def send_weights(self, iterator: Iterator[tuple[str, Any]]) -> None:
        """Take the weights; a server knows them by the names of the model's files."""
        import torch

        assert self.paused
        held = dict(self.model.named_parameters())
        with self._lock, torch.no_grad():
            self.names.append([])
            for name, value in iterator:
                held[name].copy_(value)
                self.names[-1].append(name)

    def resume(self) -> None:
        """Answer again."""
        self.paused = False

    def destroy(self) -> None:
        """Let go."""
        self.destroyed = True


def attention(
    query: Any,
    key: Any,
    value: Any,
    starts_q: Any,
    starts_k: Any,
    longest_q: int,
    longest_k: int,
    *,
    softmax_scale: float,
    causal: bool,
    window_size: tuple[int, int],
) -> Any:
    """`flash_attn_varlen_func` in plain torch: each segment of queries (N x H x D) sees its own keys (M x h x D)."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    assert causal
    assert window_size == (-1, -1)
    shared = query.shape[1] // key.shape[1]
    made = []
    for place in range(len(starts_q) - 1):
        q = query[starts_q[place] : starts_q[place + 1]].transpose(0, 1)
        k, v = (one[starts_k[place] : starts_k[place + 1]].transpose(0, 1) for one in (key, value))
        assert q.shape[1] <= longest_q
        assert k.shape[1] <= longest_k
        # The last query stands at the last key.
        seen = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool).tril(k.shape[1] - q.shape[1])
        k, v = (one.repeat_interleave(shared, 0) for one in (k, v))
        made.append(scaled_dot_product_attention(q, k, v, attn_mask=seen, scale=softmax_scale).transpose(0, 1))
    return torch.cat(made)


#: In the place of the kernel that TRL fetches for Hopper.
KERNEL = SimpleNamespace(flash_attn_varlen_func=attention)
