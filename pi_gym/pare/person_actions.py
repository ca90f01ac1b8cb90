"""The actions of the person beside those of their screens: answering a proposal, and letting a turn pass."""

from __future__ import annotations

from pi_gym.phone.declare import USER
from pi_gym.phone.handset import offered
from pi_gym.phone.navigation import Navigation
from pi_gym.tools import Registry
from pi_gym.tools.declare import ToolContext, operation

ACCEPT, REJECT, PASS_BY = "AgentUI__accept_proposal", "AgentUI__reject_proposal", "AgentUI__let_pass"
ANSWERS = frozenset((ACCEPT, REJECT))


@operation("read", name=ACCEPT, audience=USER)
def accept_proposal(context: ToolContext, content: str) -> str:
    """Accept what the assistant proposes: it will do that on your phone.

    Args:
        content: what you say to it, a few words.
    """
    return "Accepted."


@operation("read", name=REJECT, audience=USER)
def reject_proposal(context: ToolContext, content: str) -> str:
    """Reject what the assistant proposes.

    Args:
        content: what you say to it, a few words that do not tell what would be right.
    """
    return "Rejected."


@operation("read", name=PASS_BY, audience=USER)
def let_pass(context: ToolContext) -> str:
    """Do nothing for now."""
    return "Nothing was done."


_ALWAYS = Registry((let_pass,))
_WHILE_PENDING = Registry((accept_proposal, reject_proposal, let_pass))


def person_actions(navigation: Navigation, *, answering: bool) -> Registry:
    """All that the person may do: what the phone offers, and passing; answers only while a proposal waits."""
    return offered(navigation, _WHILE_PENDING if answering else _ALWAYS)
