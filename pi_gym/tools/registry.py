"""A set of operations in a stable order, and the one place where calls are run."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from pi_gym.errors import UnknownName, unknown
from pi_gym.state.paths import PathRefused
from pi_gym.state.workspace import WorkspaceError
from pi_gym.tools.declare import Audience, Operation, ToolContext, ToolError
from pi_gym.tools.parameters import ArgumentError, preview
from pi_gym.types import ToolCall, ToolRequest, frozen_value

MAX_RESULT_CHARS = 16_000
#: Function schemas by operation, made once for all who list them together.
MadeSchemas: TypeAlias = dict[Operation, dict[str, Any]]
_PAGING = ("offset", "page_index", "max_results", "max_entries", "limit", "page_limit")


@frozen_value
class ToolResult:
    """The result of a call.

    Args:
        text: the result or the error, for the agent; empty while a request is open.
        ok: False where the text is an error.
        request: work that leaves the process; its answer goes to `Registry.resume`.
    """

    text: str
    ok: bool = True
    request: ToolRequest | None = None


class Registry:
    """Operations by name.

    Args:
        operations: in the order in which they are listed.

    Raises:
        ValueError: two operations have one name.
    """

    __slots__ = ("_operations", "_schemas")

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._operations: dict[str, Operation] = {}
        self._schemas = b""  # pickled once: of all ways to make them anew, unpickling takes the least time
        for operation in operations:
            if operation.name in self._operations:
                raise ValueError(f"two operations are named {operation.name!r}")
            self._operations[operation.name] = operation

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._operations)

    def get(self, name: str) -> Operation:
        """One operation; `UnknownName` lists the closest names."""
        found = self._operations.get(name)
        if found is None:
            raise UnknownName(unknown("tool", name[:80], self._operations))
        return found

    def subset(self, names: Iterable[str]) -> Registry:
        """The operations with these names, in this registry's order; `UnknownName` where one does not exist."""
        wanted = {self.get(name).name for name in names}
        return Registry(operation for operation in self if operation.name in wanted)

    def audience(self, audience: Audience) -> Registry:
        """The operations that this party may call."""
        return Registry(operation for operation in self if audience in operation.audience)

    def merged(self, *others: Registry) -> Registry:
        """This registry's operations, then the others'."""
        return Registry([*self, *(operation for other in others for operation in other)])

    def schemas(self, made: MadeSchemas | None = None) -> list[dict[str, Any]]:
        """OpenAI function schemas, as fresh objects.

        Args:
            made: schemas that several registries share: what it lacks is added to it, the rest is taken from it.
        """
        if made is None:
            if not self._schemas:
                listed = json.loads(f"[{','.join(operation.schema_json for operation in self)}]")
                self._schemas = pickle.dumps(listed, pickle.HIGHEST_PROTOCOL)
            schemas: list[dict[str, Any]] = pickle.loads(self._schemas)
            return schemas
        for operation in self:
            if operation not in made:
                made[operation] = operation.schema()
        return [made[operation] for operation in self]

    @property
    def schemas_hash(self) -> str:
        """The hash of all operations' schemas, in order: registries with equal hashes tell an agent the same."""
        return hashlib.sha256("\n".join(operation.schema_json for operation in self).encode()).hexdigest()

    def signatures(self) -> str:
        """One line for each operation: its signature and what it does."""
        return "\n".join(operation.signature() for operation in self)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self._operations.values())

    def __len__(self) -> int:
        return len(self._operations)

    def __contains__(self, name: object) -> bool:
        return name in self._operations

    def run(self, call: ToolCall, context: ToolContext, answered: tuple[Any] | None = None) -> ToolResult:
        """Run one call. Whatever the agent wrote, this gives a result; after an error the world is as before.

        Args:
            call: the call.
            context: the session's context.
            answered: for a call whose request was answered, the answer's value.

        Raises:
            Exception: any other than those that speak to the agent is a fault of the operation and passes through;
                the world is as before then too.
        """
        operation = self._operations.get(call.name)
        if operation is None:
            return ToolResult(f"Error: {unknown('tool', call.name[:80], self._operations)}", ok=False)
        arguments: object = call.arguments  # the agent's JSON: any value may come
        if type(arguments) is not dict and not isinstance(arguments, Mapping):
            return _refusal(operation, f"the arguments must be an object, not {preview(arguments)}")
        try:
            given = operation.check(call.arguments)
        except ArgumentError as error:
            return _refusal(operation, str(error))
        before = context.world.fork() if operation.effect == "write" else None
        sent = len(context.outbox)
        try:
            if answered is None:
                result = operation.function(context, **given)
            else:
                assert operation.resume is not None, f"{operation.name} gave a request but declares no resume"
                result = operation.resume(context, given, answered[0])
        except BaseException as error:
            if before is not None:
                context.world.restore(before)
            del context.outbox[sent:]
            if isinstance(error, ToolError | WorkspaceError | PathRefused):
                return ToolResult(_capped(f"Error: {_sentence(str(error))}", operation), ok=False)
            raise
        if isinstance(result, ToolRequest):
            return ToolResult("", request=result)
        return ToolResult(result if len(result) <= MAX_RESULT_CHARS else _capped(result, operation))

    def resume(self, call: ToolCall, context: ToolContext, value: Any) -> ToolResult:
        """Go on with a call whose request was answered.

        Args:
            call: the call, as it was run.
            context: the session's context.
            value: the answer's value.
        """
        return self.run(call, context, (value,))


def _refusal(operation: Operation, reason: str) -> ToolResult:
    text = f"Error: {operation.name} did not run: {_sentence(reason)} It is called as {operation.call_form()}."
    return ToolResult(_capped(text, operation), ok=False)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."


def _capped(text: str, operation: Operation) -> str:
    if len(text) <= MAX_RESULT_CHARS:
        return text
    paging = [parameter.name for parameter in operation.parameters if parameter.name in _PAGING]
    advice = f"page with {' and '.join(paging)}" if paging else "ask for less at a time"
    note = f"\n[result cut: {len(text)} characters, at most {MAX_RESULT_CHARS} are shown; {advice}]"
    return text[: MAX_RESULT_CHARS - len(note)] + note
