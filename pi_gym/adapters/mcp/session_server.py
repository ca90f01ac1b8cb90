"""A session as a server of the Model Context Protocol; needs the package mcp."""

from __future__ import annotations

from time import monotonic
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server

from pi_gym.adapters.mcp.tool_session import INSTRUCTIONS, ToolSession
from pi_gym.adapters.threaded_steps import ThreadedSteps
from pi_gym.version import __version__

#: The name of the prompt that is the opening, for hosts that show prompts.
PROMPT = "opening"


class SessionServer:
    """One session as a server: its tools, and its opening as a prompt.

    Hosts may call tools in parallel; they are run one after the other, in the order in which they came. A call that the
    host no longer waits for is run all the same.

    Args:
        session: the session.

    Attributes:
        server: speaks the protocol, over any transport.
    """

    def __init__(self, session: ToolSession) -> None:
        self.session = session
        self._steps = ThreadedSteps()
        self._calls, self._used_at = 0, monotonic()
        self.server: Any = Server(
            "pi_gym",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )

    @property
    def idle_for_s(self) -> float:
        """The seconds since it was last used; 0 while a call is run."""
        return 0.0 if self._calls else monotonic() - self._used_at

    @property
    def over_for_s(self) -> float:
        """Likewise where the session is over; 0 where it is not."""
        return self.idle_for_s if self.session.over else 0.0

    def touch(self) -> None:
        """Take note that it is used."""
        self._used_at = monotonic()

    async def end(self) -> None:
        """End the session; see `ToolSession.end`."""
        await self._in_turn(self.session.end)

    async def _in_turn(self, function: Any, *arguments: Any) -> Any:
        # Shielded: a call that waits for its turn is run too.
        self._calls += 1
        try:
            with anyio.CancelScope(shield=True):
                return await self._steps.run(function, *arguments)
        finally:
            self._calls -= 1
            self.touch()

    async def _list_tools(self, context: Any, params: Any) -> Any:
        tools = [
            types.Tool(name=one["name"], description=one["description"], input_schema=one["parameters"])
            for one in self.session.functions()
        ]
        return types.ListToolsResult(tools=tools)

    async def _call_tool(self, context: Any, params: Any) -> Any:
        text, failed = await self._in_turn(self.session.call, params.name, params.arguments or {})
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)

    async def _list_prompts(self, context: Any, params: Any) -> Any:
        prompt = types.Prompt(name=PROMPT, description="Who you are, and how the conversation begins.")
        return types.ListPromptsResult(prompts=[prompt])

    async def _get_prompt(self, context: Any, params: Any) -> Any:
        text = await self._in_turn(self.session.read)
        said = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(messages=[said])
