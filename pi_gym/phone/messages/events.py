"""The events of conversations: messages that come in, and groups that others make and change."""

from __future__ import annotations

from typing import Any

from pi_gym.phone.declare import EVENT
from pi_gym.phone.messages.app import APP, CONVERSATIONS, PEOPLE, is_group, own_id, title_of
from pi_gym.phone.messages.changing import departed, group_made, joined, renamed, written
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import beginning
from pi_gym.tools.declare import ToolError


@APP.operation("write", EVENT)
def create_and_add_message(desk: PhoneDesk, conversation_id: int, sender_id: int, content: str) -> Any:
    """Let somebody write to a conversation of the owner.

    Args:
        conversation_id: the conversation's id.
        sender_id: the id of who writes.
        content: the text.
    """
    if sender_id == own_id(desk):
        raise ToolError("sender_id is the owner; messages that come in are from somebody else.")
    if own_id(desk) not in desk.need(CONVERSATIONS, conversation_id)["participants"]:
        raise ToolError(f"The owner does not belong to the conversation {conversation_id}, and gets nothing from it.")
    key = written(desk, conversation_id, sender_id, content)
    sender, row = desk.need(PEOPLE, sender_id)["name"], desk.need(CONVERSATIONS, conversation_id)
    place = f" in {title_of(desk, row)}" if is_group(row) else ""
    desk.notify(
        f"{sender}{place}: {beginning(content)}",
        f"Message {key} from {sender} (user {sender_id}){place} (conversation {conversation_id}): {content}",
    )
    return {"message": f"{sender} wrote.", "message_id": key}


@APP.operation("write", EVENT)
def create_group_conversation(desk: PhoneDesk, user_ids: list[int], title: str | None = None) -> Any:
    """Let others make a group with the owner in it.

    Args:
        user_ids: the ids of two others or more.
        title: its title; the names of the others where it is left out.
    """
    key = group_made(desk, user_ids, title)
    called = desk.need(CONVERSATIONS, key)["title"]
    desk.notify(
        f"You are in a new group: {called}", f"New group {called!r} (conversation {key}) of {_everybody(desk, key)}."
    )
    return {"message": "Group made.", "conversation_id": key}


@APP.operation("write", EVENT)
def add_participant_to_conversation(desk: PhoneDesk, conversation_id: int, user_id: int) -> Any:
    """Let a person come to a group.

    Args:
        conversation_id: the group's id.
        user_id: the person's id.
    """
    return _notify_change(desk, conversation_id, user_id, joined(desk, conversation_id, user_id)["name"], "joined")


@APP.operation("write", EVENT)
def remove_participant_from_conversation(desk: PhoneDesk, conversation_id: int, user_id: int) -> Any:
    """Let a person leave a group.

    Args:
        conversation_id: the group's id.
        user_id: the person's id.
    """
    return _notify_change(desk, conversation_id, user_id, departed(desk, conversation_id, user_id)["name"], "left")


@APP.operation("write", EVENT)
def change_conversation_title(desk: PhoneDesk, conversation_id: int, title: str) -> Any:
    """Let a group get another title.

    Args:
        conversation_id: the group's id.
        title: the title from now on.
    """
    old = renamed(desk, conversation_id, title)
    new = desk.need(CONVERSATIONS, conversation_id)["title"]
    desk.notify(f"{old} is now called {new}", f"The group {old!r} (conversation {conversation_id}) is now {new!r}.")
    return f"The conversation {old!r} has a new title."


def _notify_change(desk: PhoneDesk, conversation_id: int, user_id: int, name: str, did: str) -> str:
    title = title_of(desk, desk.need(CONVERSATIONS, conversation_id))
    told = f"{name} {did} {title}"
    desk.notify(
        told,
        f"{name} (user {user_id}) {did} the group {title!r} (conversation {conversation_id}); in it are"
        f" {_everybody(desk, conversation_id)}.",
    )
    return f"{told}."


def _everybody(desk: PhoneDesk, conversation_id: int) -> str:
    """The people of a conversation by name."""
    return ", ".join(
        desk.need(PEOPLE, one)["name"] for one in desk.need(CONVERSATIONS, conversation_id)["participants"]
    )
