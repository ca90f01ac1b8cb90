"""The values that travel between the layers: messages, calls, asks, verdicts, events."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from json.encoder import encode_basestring
from typing import Any, Literal, TypeAlias, TypeVar, dataclass_transform

from pydantic_core import to_json

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
IntentStatus: TypeAlias = Literal["open", "completed", "inferred", "provided"]
VerdictName: TypeAlias = Literal["passed", "failed", "unscored", "unknown"]
AskKind: TypeAlias = Literal["model", "shell", "web", "policy"]
HistoryMode: TypeAlias = Literal["reference", "own", "none"]
JSON: TypeAlias = Any

T = TypeVar("T")
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_LONG_CHARS = 300


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_value(cls: type[T]) -> type[T]:
    """A dataclass with slots that is frozen for type checkers, and by convention.

    For the values that every step makes: a dataclass that guards its fields at run time takes twice as long to make,
    and all of them together a fifth of the step.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


STATUSES: tuple[IntentStatus, ...] = ("open", "completed", "inferred", "provided")


@frozen_value
class ToolCall:
    """One call of a tool by the agent.

    Args:
        name: the tool's name.
        arguments: its arguments by name, JSON values.
        id: the counter that the session gives the call ("call_1", …); empty until then.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    _json: str = field(default="", init=False, repr=False, compare=False)

    @property
    def arguments_json(self) -> str:
        """The arguments as JSON text; written once, since both the text and the chat form need it."""
        if not self._json:
            object.__setattr__(self, "_json", _object_text(dict(self.arguments)))
        return self._json

    def to_openai(self) -> dict[str, Any]:
        """The call in OpenAI chat format, as fresh objects."""
        function = {"name": self.name, "arguments": self._json or self.arguments_json}
        return {"id": self.id, "type": "function", "function": function}

    def to_text(self) -> str:
        """The call in the action syntax."""
        name = encode_basestring(self.name)
        return f'<tool_call>{{"name": {name}, "arguments": {self._json or self.arguments_json}}}</tool_call>'


def _object_text(values: Mapping[Any, JSON]) -> str:
    """An object as `json` writes it."""
    try:
        return f"{{{', '.join([f'{encode_basestring(name)}: {_json_text(value)}' for name, value in values.items()])}}}"
    except TypeError:  # a name is no text
        return _ENCODER.encode(values)


def _json_text(value: JSON) -> str:
    """A value as `json` writes it; of long texts pydantic's encoder writes the same in less time."""
    if type(value) is not str:
        return "true" if value is True else repr(value) if type(value) is int else _ENCODER.encode(value)
    if len(value) > _LONG_CHARS:
        try:
            return to_json(value).decode()
        except ValueError:  # it holds a lone surrogate
            pass
    return encode_basestring(value)


@frozen_value
class Message:
    """One chat message.

    Args:
        role: who speaks.
        content: the text; may be empty where there are tool calls.
        tool_calls: calls of an assistant message, in order.
        tool_call_id: for a tool message, the call that it answers.
    """

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""

    def to_openai(self) -> dict[str, Any]:
        """The message in OpenAI chat format, as fresh objects."""
        message: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.tool_calls:
            message["tool_calls"] = list(map(ToolCall.to_openai, self.tool_calls))
        if self.tool_call_id:
            message["tool_call_id"] = self.tool_call_id
        return message


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A tool call as it ran: what was asked, what came back.

    Args:
        name: the tool's name.
        arguments: the arguments as the agent wrote them.
        result: the text that the agent got.
        ok: False where the result is an error.
        turn: the turn of the call, from 1.
    """

    name: str
    arguments: Mapping[str, Any]
    result: str
    ok: bool
    turn: int


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to a language model.

    Args:
        messages: chat messages in OpenAI format, oldest first.
        schema: JSON schema of the answer; None for free text. Lengths in it (maxLength, maxItems) only keep a server
            that can do so from going on for ever; what is too long is for `check` to say.
        name: a name for the schema, letters and underscores.
        sampling: sampling parameters beyond the role's own.
        check: gives the fault of an answer that fits the schema, in words that repeat nothing of it; empty where there
            is none. An answer with a fault is no answer, and is asked for again. Picklable.
        fallback: of free text: what is taken where the model's answers are too long to the last, for the server or for
            `check`; None: then there is no answer.
    """

    messages: tuple[Mapping[str, str], ...]
    schema: Mapping[str, Any] | None = None
    name: str = "answer"
    sampling: Mapping[str, Any] = field(default_factory=dict)
    check: Callable[[Any], str] | None = field(default=None, compare=False)
    fallback: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The request as a JSON object."""
        return {
            "messages": [dict(message) for message in self.messages],
            "schema": self.schema,
            "name": self.name,
            "sampling": dict(self.sampling),
        }

    @property
    def sha256(self) -> str:
        """The hash over the whole request: two asks with equal hashes asked the same."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """Work of a tool that leaves the process, such as a shell command.

    Args:
        kind: what has to answer it.
        payload: everything the answerer needs, picklable.
    """

    kind: Literal["shell", "web", "policy"]
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """The need of a session for something from outside before it can go on.

    Args:
        id: unique in the session, for `session.answer`.
        kind: what has to answer: a model, a shell, the web, a policy.
        role: on whose behalf: "user", "grader", or a tool's name.
        stage: the step of the protocol: "satisfied", "asked", "message", "grade" or "call".
        request: the request itself.
    """

    id: str
    kind: AskKind
    role: str
    stage: str
    request: ModelRequest | ToolRequest


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to an ask.

    Args:
        value: parsed JSON where the ask has a schema, text otherwise; for a tool its result.
        error: why there is no value (after retries); the session then ends unscored. Environments show it in info, so
            it repeats nothing that a model said or was asked.
        note: for the record alone: what came instead of a value, or why this is not the model's own.
    """

    value: Any = None
    error: str = ""
    note: str = field(default="", repr=False)

    def to_json(self) -> dict[str, Any]:
        """The answer as an event of kind "answer" keeps it."""
        kept = {"value": self.value, "error": self.error}
        return {**kept, "note": self.note} if self.note else kept

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Answer:
        """The answer that an event keeps."""
        return cls(raw["value"], raw["error"], raw.get("note", ""))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one checklist item.

    Args:
        id: the item's id ("c1", …).
        verdict: passed, failed, unscored where a failure of ours prevented a judgement, or unknown where the pack lacks
            what it takes to judge the item: then the session has a Proc and no Comp.
        grader: "rule" or "rubric".
        reason: why, in a sentence.
        part_of: the item's id, where the grader found that it has parts and this is the verdict of one ("c3.1", …).
        name: of the part.
    """

    id: str
    verdict: VerdictName
    grader: Literal["rule", "rubric"]
    reason: str = ""
    part_of: str = ""
    name: str = ""


@frozen_value
class Event:
    """One entry of a session's log.

    Args:
        kind: "agent", "call", "refused", "reply", "environment", "reminder", "asked", "user", "status", "ask",
            "answer", "verdict" or "end".
        turn: the turn in which it happened, from 1.
        step: the number of the agent's action, from 1; 0 for the opening.
        data: the rest, JSON values, never changed after the event was made.
    """

    kind: str
    turn: int
    step: int
    data: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The event as a JSON object."""
        return {"kind": self.kind, "turn": self.turn, "step": self.step, **self.data}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Event:
        """The event that `to_json` wrote."""
        data = {k: v for k, v in raw.items() if k not in ("kind", "turn", "step")}
        return cls(raw["kind"], raw["turn"], raw["step"], data)


@dataclass(frozen=True, slots=True)
class EngineFault:
    """An error of pi_gym's own in a session: of a tool, a rule, a role or the session itself.

    Args:
        where: what raised: "tool NAME", "rule FIELD", "user STAGE", "grader grade" or "session".
        step: the number of the agent's action, from 1; 0 for the opening.
        error: type, text and place of the exception, in one line.
        traceback: its last frames, one a line, outermost first; no path of the machine is in it.
    """

    where: str
    step: int
    error: str
    traceback: str

    def to_json(self) -> dict[str, Any]:
        """The fault as a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> EngineFault:
        """The fault that `to_json` wrote."""
        return cls(**raw)


@frozen_value
class StepRecord:
    """The record of one action.

    Args:
        messages: everything that was appended to the conversation, the assistant message first.
        reward: the step's reward; NaN where the session ended unscored.
        components: the reward by component; they sum to the reward.
        terminated: the session reached its end.
        truncated: a limit or a failure of ours cut it short.
        error: why the session is unscored; empty otherwise.
        invalid: the action was rejected as a whole, or some of its calls failed.
        failed: the ids of these, refused ones among them; empty where nothing of the action ran.
        new_tools: what the session offers is not what it was before the action.
    """

    messages: tuple[Message, ...]
    reward: float = 0.0
    components: Mapping[str, float] = field(default_factory=dict)
    terminated: bool = False
    truncated: bool = False
    error: str = ""
    invalid: bool = False
    failed: tuple[str, ...] = ()
    new_tools: bool = False
