"""A conversation as token ids, appended to and never tokenised again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from pi_gym.errors import BadArgument, PiGymError
from pi_gym.session.transcript import with_actions
from pi_gym.tools import Registry

#: The way in which the model is told of its tools: by the chat template, or by signatures in the system message.
ToolFormat: TypeAlias = Literal["schemas", "text"]
Chat: TypeAlias = Sequence[Mapping[str, Any]]

#: Stands for whatever the agent said; found again in what a template makes of it.
_ANSWER = "ANSWER-OF-THE-AGENT"
_ASKED: dict[str, Any] = {"role": "user", "content": "?"}
_CALL: dict[str, Any] = {"type": "function", "id": "call_0", "function": {"name": "look", "arguments": {}}}


class BadTemplate(PiGymError, ValueError):
    """A chat template cannot be used; the message says why, and what to pass."""


class BadTokens(PiGymError, ValueError):
    """The error that tokens are not the tokenizer's; the message says what to do."""


class ChatTokens:
    """Token ids of a session's chat, by a tokenizer's template.

    Args:
        tokenizer: of the transformers library, with a chat template and an end-of-sequence token that ends a message.
        tool_format: how the model is told of its tools.

    Raises:
        BadTemplate: it has neither.
        BadArgument: (a ValueError) an unknown tool format.
    """

    def __init__(self, tokenizer: Any, tool_format: ToolFormat = "schemas") -> None:
        require_format(tool_format)
        self._tokenizer, self._format = tokenizer, tool_format
        if not getattr(tokenizer, "chat_template", None):
            raise BadTemplate("the tokenizer has no chat template; pass processing_class= with one that has")
        self.end: str = tokenizer.eos_token
        self.end_id: int = tokenizer.eos_token_id
        if not self.end or self.end not in self._render([_ASKED, {"role": "assistant", "content": "!"}]):
            raise BadTemplate(
                f"the chat template does not end the assistant's message with the eos token {self.end!r}, so the end of"
                " a turn cannot be told; set the tokenizer's eos_token to what ends a message"
            )

    def opening(self, messages: Chat, registry: Registry) -> list[int]:
        """The prompt: what the model is given before its first action.

        Args:
            messages: the opening messages, the system message first.
            registry: the tools that the session offers.

        Raises:
            BadTemplate: the template does not tell the model of its tools.
        """
        if self._format == "text":
            system, *others = messages
            told = {**system, "content": with_actions(system["content"], registry)}
            return self._ids(self._render([told, *others], add_generation_prompt=True))
        text = self._render(messages, tools=registry.schemas(), add_generation_prompt=True)
        if text == self._render(messages, add_generation_prompt=True):
            raise BadTemplate(
                "the chat template does not show tools to the model; pass tool_format='text', or processing_class= with"
                " a template that does (for models with <|im_start|> trl.chat_template_utils.qwen2_5_chat_template)"
            )
        return self._ids(text)

    def following(self, messages: Chat, *, ended: bool) -> list[int]:
        """The token ids between the model's last token and its next action.

        Args:
            messages: the tool results and the user's words that came since.
            ended: the model ended its message itself.
        """
        calls = [dict(_CALL) for message in messages if message["role"] == "tool"]
        answer = {"role": "assistant", "content": _ANSWER} | ({"tool_calls": calls} if calls else {})
        text = self._render([_ASKED, answer, *messages], add_generation_prompt=True)
        # Templates may write an earlier answer in another way than the last one (without its thoughts, say): so what
        # follows is looked for behind an answer that others follow, and what the model wrote stays as it was.
        place = text.index(self.end, text.index(_ANSWER)) + len(self.end)
        return [*([] if ended else [self.end_id]), *self._ids(text[place:])]

    def action(self, text: str) -> list[int]:
        """An action that is there as text, and the end of the message."""
        return [*self._ids(text), self.end_id]

    def require_known(self, ids: Sequence[int]) -> None:
        """Raise `BadTokens` where an id is beyond the vocabulary: the tokens are another tokenizer's."""
        size = len(self._tokenizer)
        if ids and max(ids) >= size:
            raise BadTokens(
                f"token {max(ids)} is not among the tokenizer's {size}: the run was made by a model with another"
                " tokenizer; pass that one, and train that model"
            )

    def text(self, ids: Sequence[int]) -> str:
        """The text of tokens that the model wrote, special ones left out."""
        return str(self._tokenizer.decode(ids, skip_special_tokens=True))

    def _render(self, messages: Chat, **options: Any) -> str:
        return str(self._tokenizer.apply_chat_template(list(messages), tokenize=False, **options))

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])


def require_format(tool_format: str) -> None:
    """Raise `BadArgument` where a tool format is unknown."""
    if tool_format not in ("schemas", "text"):
        raise BadArgument(f"tool_format: expected 'schemas' or 'text', got {tool_format!r}")
