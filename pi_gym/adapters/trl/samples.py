"""Sessions as token ids: what trainers of other kinds than GRPO learn from, with the environment's tokens marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pi_gym.adapters.trl.chat_tokens import ChatTokens, ToolFormat
from pi_gym.environments import family_named
from pi_gym.errors import SessionError
from pi_gym.session import Trajectory
from pi_gym.session.conversation import conversation, offered_tools

#: The label that the losses of torch leave out.
_IGNORED = -100


@dataclass(frozen=True, slots=True)
class TokenSample:
    """A session as a language model sees it.

    Args:
        prompt_ids: token ids of the opening, P of them.
        completion_ids: of all that followed, the agent's and the environment's, C of them.
        env_mask: for each of these 1 where the agent wrote it, else 0; TRL's word for it.
        logprobs: for each of these the log-probability with which it was drawn, 0.0 where the agent did not write it;
            None where they are not known, all of them or one.
    """

    prompt_ids: tuple[int, ...]
    completion_ids: tuple[int, ...]
    env_mask: tuple[int, ...]
    logprobs: tuple[float | None, ...] | None = None

    def preferred_to(self, other: TokenSample) -> dict[str, list[int]]:
        """A row for `DPOTrainer`: `prompt_ids`, and of both completions `…_ids` and `…_mask` (1: the agent wrote it).

        Args:
            other: the worse session, from the same opening.

        Raises:
            ValueError: it opens otherwise.
        """
        if self.prompt_ids != other.prompt_ids:
            raise ValueError("a pair: expected two sessions from one opening: of the same task, variant and seed")
        return {
            "prompt_ids": list(self.prompt_ids),
            "chosen_ids": list(self.completion_ids),
            "chosen_mask": list(self.env_mask),
            "rejected_ids": list(other.completion_ids),
            "rejected_mask": list(other.env_mask),
        }

    def sft_row(self) -> dict[str, list[int]]:
        """A row for `SFTTrainer`: `input_ids` and `labels`, P + C of each; what the agent did not write is -100."""
        labels = [one if made else _IGNORED for one, made in zip(self.completion_ids, self.env_mask, strict=True)]
        return {
            "input_ids": [*self.prompt_ids, *self.completion_ids],
            "labels": [*[_IGNORED] * len(self.prompt_ids), *labels],
        }


@dataclass(slots=True)
class GrowingSample:
    """A sample of a session that goes on.

    Args:
        prompt_ids: of the opening.
    """

    prompt_ids: list[int]
    ids: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float | None] = field(default_factory=list)
    has_logprobs: bool = True

    def add_action(self, ids: Sequence[int], logprobs: Sequence[float | None] | None) -> None:
        """Append what the agent wrote."""
        self._add(ids, 1, logprobs or [0.0] * len(ids))
        self.has_logprobs = self.has_logprobs and logprobs is not None

    def add_news(self, ids: Sequence[int]) -> None:
        """Append what the environment said."""
        self._add(ids, 0, [0.0] * len(ids))

    def sample(self) -> TokenSample:
        """The sample as it is now."""
        logprobs = tuple(self.logprobs) if self.has_logprobs else None
        return TokenSample(tuple(self.prompt_ids), tuple(self.ids), tuple(self.mask), logprobs)

    def _add(self, ids: Sequence[int], made: int, logprobs: Sequence[float | None]) -> None:
        self.ids.extend(ids)
        self.mask.extend([made] * len(ids))
        self.logprobs.extend(logprobs)


def token_sample(
    record: Trajectory, tokenizer: Any, *, tool_format: ToolFormat = "schemas", max_length: int | None = None
) -> TokenSample:
    """A recorded session as `SessionRollout` would have made it.

    What a policy gave as token ids is taken as it is; other actions are tokenised from the text that the record keeps
    of them.

    Args:
        record: the session.
        tokenizer: of the transformers library, with a chat template.
        tool_format: how the model is told of its tools; see `SessionRollout`.
        max_length: the sample ends behind the last action up to which it has no more tokens than that; None: with the
            session.

    Raises:
        SessionError: the session was never opened, or has no action (within `max_length`).
        BadTokens: a token is not in the tokenizer's vocabulary.
        StateMismatch: the record does not hold the whole conversation, or its tools are others now.
        BadTemplate: the tokenizer's chat template cannot be used; the message says what to pass.
    """
    if not record.actions:
        raise SessionError(f"the session {record.key} has no action to learn from: {record.error or record.end_reason}")
    family = family_named(record.family)
    offered_tools(record, family)  # raises where the tools are others now
    tokens = ChatTokens(tokenizer, tool_format)
    came: dict[int, list[dict[str, Any]]] = {}
    for spoken in conversation(record):
        if spoken.message.role != "assistant":
            came.setdefault(spoken.step, []).append(spoken.message.to_openai())
    given = {int(output["step"]): output for output in record.policy_outputs}
    growing = GrowingSample(tokens.opening(came[0], family.registry(record.tools)))
    ended = True
    for step, action in enumerate(record.actions, 1):
        news = tokens.following(came[step - 1], ended=ended) if step > 1 else []
        output = given.get(step, {})
        made = output.get("token_ids") or tokens.action(action)
        tokens.require_known(made)
        length = len(growing.prompt_ids) + len(growing.ids) + len(news) + len(made)
        if max_length is not None and length > max_length:
            if step == 1:
                raise SessionError(f"the session {record.key} has no action within max_length={max_length} tokens")
            break
        growing.add_news(news)
        growing.add_action(made, output.get("logprobs") if output.get("token_ids") else None)
        ended = made[-1] == tokens.end_id
    return growing.sample()
