"""The people that groups and expenses name: by the e-mail addresses of their accounts."""

from __future__ import annotations

from collections.abc import Iterable

from pi_gym.apps.accounts import find_account, full_name
from pi_gym.apps.desk import Desk
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError


def address(desk: Desk, email: str, name: str) -> str:
    """An account's e-mail address as its row spells it.

    Args:
        desk: the app.
        email: what the agent wrote.
        name: the parameter, for the message.

    Raises:
        ToolError: there is no such account.
    """
    found = find_account(desk, email)
    if found is None:
        raise ToolError(
            f"{name}: Splitwise has no account with the e-mail address {email[:80]!r}. splitwise__search_users finds"
            " people."
        )
    spelled: str = found[1]["email"]
    return spelled


def own_address(desk: Desk) -> str:
    """The e-mail address of the account that is signed in."""
    email: str = desk.account["email"]
    return email


def name_of(desk: Desk, email: str) -> str:
    """An account's first and last name."""
    found = find_account(desk, email)
    return full_name(found[1]) if found else email


def check_members(group_id: int, group: Row, emails: Iterable[str]) -> None:
    """See to it that everybody is a member of a group.

    Raises:
        ToolError: somebody is not; the message names them and the members.
    """
    missing = [email for email in dict.fromkeys(emails) if email not in group["member_emails"]]
    if missing:
        raise ToolError(
            f"Not in the group {group['name']!r} (group_id {group_id}): {', '.join(missing)}. Its members:"
            f" {', '.join(group['member_emails'])}. splitwise__add_member_to_group adds somebody; group_id null records"
            " the expense outside groups."
        )
