"""Operations on groups."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.money import total
from pi_gym.apps.pages import page
from pi_gym.apps.splitwise.app import APP
from pi_gym.apps.splitwise.people import address, name_of, own_address
from pi_gym.apps.texts import is_blank
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

MAX_MEMBERS = 50


@APP.operation("read")
def show_groups(desk: Desk, delete: bool = False, page_index: int = 0, page_limit: int = 5) -> Any:
    """List the groups in which you are, the newest first.

    Args:
        delete: list the deleted groups (true) instead of those in use (false).
        page_index: which page, from 0.
        page_limit: groups a page, 1 to 20.
    """
    found = [pair for pair in own_groups(desk) if pair[1]["deleted"] == delete]
    found.sort(key=lambda pair: (pair[1]["created_at"], pair[0]), reverse=True)
    nothing = "You are in no deleted group." if delete else "You are in no group; splitwise__create_group makes one."
    return page(found, page_index, page_limit, "groups", _short, nothing)


@APP.operation("read")
def show_group(desk: Desk, group_id: int) -> Any:
    """Show a group: its members, how many expenses it has and what they come to, without deleted ones.

    Args:
        group_id: the group's id.
    """
    group = need_group(desk, group_id, deleted=True)
    amounts = [row["paid_amount"] for _, row in desk.having("expenses", "group_id", group_id) if not row["deleted"]]
    members = [{"name": name_of(desk, email), "email": email} for email in group["member_emails"]]
    return {
        "group_id": group_id,
        **{name: group[name] for name in ("name", "description", "creator_email", "created_at", "deleted")},
        "members": members,
        "expenses": len(amounts),
        "total_amount": total(amounts),
    }


@APP.operation("write")
def create_group(desk: Desk, name: str, member_emails: list[str], description: str | None = None) -> Any:
    """Make a new group. You are a member of it yourself.

    Args:
        name: its name, 1 to 100 characters.
        member_emails: the e-mail addresses of the other members, who need Splitwise accounts; search_users finds
            them. May be empty; at most 50 with you.
        description: what it is for, at most 400 characters.
    """
    cleaned, me = name.strip(), own_address(desk)
    if is_blank(cleaned):
        raise ToolError("The name is empty; give the group a name.")
    members = list(dict.fromkeys([me, *(address(desk, email, "member_emails") for email in member_emails)]))
    if len(members) > MAX_MEMBERS:
        raise ToolError(f"A group has at most {MAX_MEMBERS} members, not {len(members)}.")
    key = desk.insert(
        "groups",
        name=cleaned,
        description=(description or "").strip(),
        creator_email=me,
        member_emails=members,
        created_at=desk.now,
    )
    return {"message": "Group created.", "group_id": key, "member_emails": members}


@APP.operation("write")
def add_member_to_group(desk: Desk, group_id: int, user_email: str) -> Any:
    """Add somebody to a group in which you are. Expenses recorded before are not shared anew.

    Args:
        group_id: the group's id.
        user_email: the e-mail address of their Splitwise account; search_users finds it.
    """
    group = need_group(desk, group_id)
    email = address(desk, user_email, "user_email")
    if email in group["member_emails"]:
        raise ToolError(f"{email} is in the group {group['name']!r} already.")
    if len(group["member_emails"]) >= MAX_MEMBERS:
        raise ToolError(f"A group has at most {MAX_MEMBERS} members; {group['name']!r} is full.")
    members = [*group["member_emails"], email]
    desk.update("groups", group_id, member_emails=members)
    return {"message": f"{name_of(desk, email)} is in the group now.", "group_id": group_id, "member_emails": members}


def own_groups(desk: Desk) -> list[tuple[int, Row]]:
    """The groups of the account that is signed in, deleted ones too, as (id, row), by id."""
    return desk.having("groups", "member_emails", own_address(desk))


def need_group(desk: Desk, group_id: int, *, deleted: bool = False) -> Row:
    """A group of the signed-in account.

    Args:
        desk: the app.
        group_id: its id.
        deleted: whether it may be a deleted one.

    Raises:
        ToolError: there is none, the account is not in it, or it is deleted; the message lists the groups there are.
    """
    row = desk.table("groups").get(group_id)
    if row is not None and own_address(desk) in row["member_emails"]:
        if row["deleted"] and not deleted:
            raise ToolError(f"The group {row['name']!r} (group_id {group_id}) was deleted; use another one.")
        return row
    listed = ", ".join(f"{key} ({group['name'][:40]})" for key, group in own_groups(desk)[:20] if not group["deleted"])
    yours = f"Your groups by group_id: {listed}." if listed else "You are in no group yet."
    raise ToolError(f"You are in no group with the id {group_id}. {yours} splitwise__show_groups lists them.")


def _short(key: int, group: Row) -> dict[str, Any]:
    return {
        "group_id": key,
        **{name: group[name] for name in ("name", "description", "member_emails", "created_at", "deleted")},
    }
