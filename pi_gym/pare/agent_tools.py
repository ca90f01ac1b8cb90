"""The operations of an agent that belong to no app: the clock, waiting, and speaking to the person."""

from __future__ import annotations

from datetime import datetime
from functools import cache

from pi_gym.phone.installed_apps import agent_tools, phone_app_names
from pi_gym.tools import Registry, ToolContext
from pi_gym.tools.declare import operation

GET_TIME, WAIT_FOR = "System__get_current_time", "System__wait_for_notification"
SPEAK, WAIT = "AgentUI__send_message_to_user", "AgentUI__wait"
#: Calls of these end the agent's turn, so that the session does them.
ENDING = frozenset((WAIT_FOR, SPEAK, WAIT))


@operation("read", name=GET_TIME)
def get_current_time(context: ToolContext) -> str:
    """Tell the phone's date and time, and the day of the week."""
    now = datetime.fromisoformat(context.clock)
    return f"{context.clock} ({_WEEKDAYS[now.weekday()]})"


@operation("read", name=WAIT_FOR)
def wait_for_notification(context: ToolContext, timeout: int = 0) -> str:
    """End your turn, and wait until the next notification comes, or the time is over.

    Args:
        timeout: how many seconds to wait at most, 0 to 31536000.
    """
    return f"Waited for at most {timeout} s."


@operation("read", name=SPEAK)
def send_message_to_user(context: ToolContext, content: str = "") -> str:
    """Say something to the person, which ends your turn: a proposal while you watch, a report once you have acted.

    Args:
        content: what you say.
    """
    return "Said."


@operation("read", name=WAIT)
def wait(context: ToolContext) -> str:
    """End your turn without a word."""
    return "Waiting."


@cache
def all_agent_tools() -> Registry:
    """Everything that an agent may call."""
    own = Registry((get_current_time, wait_for_notification, send_message_to_user, wait))
    return own.merged(agent_tools(phone_app_names()))


@cache
def watching_tools() -> Registry:
    """Those of them that only read, wait, or speak."""
    return Registry(one for one in all_agent_tools() if one.effect == "read")


_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
