"""Changing conversations: messages that are sent, groups that are made, people who come and go."""

from __future__ import annotations

from pi_gym.apps.attachments import attach, files_of
from pi_gym.apps.texts import is_blank
from pi_gym.phone.messages.app import CONVERSATIONS, MESSAGES, PEOPLE, TITLE_CHARS, is_group, own_id, title_of
from pi_gym.phone.messages.finding import with_people
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError


def written(
    desk: PhoneDesk, conversation_id: int, sender: int, content: str, attachment_path: str | None = None
) -> int:
    """The id of a message that somebody writes now.

    Raises:
        ToolError: it is empty, its file does not exist, or the sender does not belong to the conversation.
    """
    row = desk.need(CONVERSATIONS, conversation_id)
    if sender not in row["participants"]:
        who = desk.need(PEOPLE, sender)["name"]
        raise ToolError(f"{who} does not belong to the conversation {title_of(desk, row)!r}, and cannot write in it.")
    files = files_of(desk, [attachment_path]) if attachment_path else []
    if is_blank(content) and not files:
        raise ToolError("The message is empty; give content, attachment_path, or both.")
    key = desk.insert(MESSAGES, conversation=conversation_id, sender=sender, content=content, timestamp=desk.now)
    attach(desk, key, files)
    return key


def conversation_with(desk: PhoneDesk, user_id: int) -> int:
    """The conversation of the owner with one person; it begins where there is none."""
    me = own_id(desk)
    desk.need(PEOPLE, user_id)
    if user_id == me:
        raise ToolError("This is the owner's own id; a message goes to somebody else.")
    for key, row in with_people(desk, [user_id]):
        if not is_group(row):
            return key
    return desk.insert(CONVERSATIONS, participants=[me, user_id], created_at=desk.now)


def group_made(desk: PhoneDesk, user_ids: list[int], title: str | None) -> int:
    """The id of a new group of the owner and others; without a title, it is called by their names."""
    me = own_id(desk)
    others = [one for one in dict.fromkeys(user_ids) if one != me]
    names = [desk.need(PEOPLE, one)["name"] for one in others]
    if len(others) < 2:
        raise ToolError(f"A group has at least two people beside the owner; user_ids has {len(others)}.")
    called = _title(title) if title is not None else ", ".join(names)[:TITLE_CHARS]
    return desk.insert(CONVERSATIONS, title=called, participants=[me, *others], created_at=desk.now)


def joined(desk: PhoneDesk, conversation_id: int, user_id: int) -> Row:
    """A group with a person more; the row of the person."""
    row, person = need_group(desk, conversation_id), desk.need(PEOPLE, user_id)
    if user_id in row["participants"]:
        raise ToolError(f"{person['name']} belongs to the conversation {title_of(desk, row)!r} already.")
    desk.update(CONVERSATIONS, conversation_id, participants=[*row["participants"], user_id])
    return person


def departed(desk: PhoneDesk, conversation_id: int, user_id: int) -> Row:
    """A group with a person less; the row of the person."""
    row, person = need_group(desk, conversation_id), desk.need(PEOPLE, user_id)
    if user_id not in row["participants"]:
        raise ToolError(f"{person['name']} does not belong to the conversation {title_of(desk, row)!r}.")
    if len(row["participants"]) == 1:
        raise ToolError(f"{person['name']} is the last one in {title_of(desk, row)!r}; a group is never empty.")
    left = [one for one in row["participants"] if one != user_id]
    # It stays a group where two are left, so it keeps the title under which it was known.
    desk.update(CONVERSATIONS, conversation_id, participants=left, title=title_of(desk, row)[:TITLE_CHARS])
    return person


def renamed(desk: PhoneDesk, conversation_id: int, title: str) -> str:
    """A group with another title; the one that it had."""
    row = need_group(desk, conversation_id)
    desk.update(CONVERSATIONS, conversation_id, title=_title(title))
    return title_of(desk, row)


def need_group(desk: PhoneDesk, conversation_id: int) -> Row:
    """A conversation that is a group's; ToolError for one of two people."""
    row = desk.need(CONVERSATIONS, conversation_id)
    if not is_group(row):
        raise ToolError(
            f"The conversation {conversation_id} is one of two people, {title_of(desk, row)!r} and the owner. Only"
            " groups have a title and change their people; create_group_conversation makes one."
        )
    return row


def _title(title: str) -> str:
    cleaned = " ".join(title.split())
    if is_blank(cleaned):
        raise ToolError("title is empty; a group needs one.")
    return cleaned
