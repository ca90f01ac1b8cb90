"""The operations on messages: an agent's, and the owner's by screen."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.attachments import download
from pi_gym.phone.declare import USER
from pi_gym.phone.messages.app import (
    APP,
    CONVERSATIONS,
    LIST,
    MESSAGES,
    OPENED,
    PEOPLE,
    conversation,
    conversation_list,
    own_id,
)
from pi_gym.phone.messages.changing import conversation_with, departed, group_made, joined, renamed, written
from pi_gym.phone.messages.finding import bounds, by_pattern, by_words, people_found, person_named, with_people
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.tools.declare import ToolError


@APP.operation("read")
def get_user_id(desk: PhoneDesk, user_name: str) -> Any:
    """Give the id of the person with exactly this name.

    Args:
        user_name: the full name.
    """
    return {"user_id": person_named(desk, user_name)}


@APP.operation("read")
def get_user_name_from_id(desk: PhoneDesk, user_id: int) -> Any:
    """Give the name of a person.

    Args:
        user_id: the person's id.
    """
    return {"name": desk.need(PEOPLE, user_id)["name"]}


@APP.operation("read")
def lookup_user_id(desk: PhoneDesk, user_name: str) -> Any:
    """Search the people by parts of a name, or by their number, best first.

    Args:
        user_name: words to look for.
    """
    return people_found(desk, user_name)


@APP.operation("read")
def get_existing_conversation_ids(desk: PhoneDesk, user_ids: list[int]) -> Any:
    """Give the ids of the conversations that the owner has with exactly these people.

    Args:
        user_ids: the people's ids; the owner's may be left out.
    """
    for one in user_ids:
        desk.need(PEOPLE, one)
    return {"conversation_ids": [key for key, _ in with_people(desk, user_ids)]}


@APP.operation("read", USER, on=LIST)
@APP.operation("read")
def list_recent_conversations(
    desk: PhoneDesk,
    offset: int = 0,
    limit: int = 5,
    offset_recent_messages_per_conversation: int = 0,
    limit_recent_messages_per_conversation: int = 10,
) -> Any:
    """List the conversations, the one with the newest message first, each with its newest messages.

    Args:
        offset: how many conversations to skip.
        limit: how many to list.
        offset_recent_messages_per_conversation: how many of the newest messages to skip.
        limit_recent_messages_per_conversation: how many messages to show of each.
    """
    rows = list(desk.table(CONVERSATIONS).rows())
    pages = offset_recent_messages_per_conversation, limit_recent_messages_per_conversation
    return conversation_list(desk, rows, offset, limit, *pages)


@APP.operation("read")
def list_conversations_by_participant(
    desk: PhoneDesk,
    user_id: int,
    offset: int = 0,
    limit: int = 5,
    offset_recent_messages_per_conversation: int = 0,
    limit_recent_messages_per_conversation: int = 5,
) -> Any:
    """List the conversations to which a person belongs, the one with the newest message first.

    Args:
        user_id: the person's id.
        offset: how many conversations to skip.
        limit: how many to list.
        offset_recent_messages_per_conversation: how many of the newest messages to skip.
        limit_recent_messages_per_conversation: how many messages to show of each.
    """
    desk.need(PEOPLE, user_id)
    rows = desk.having(CONVERSATIONS, "participants", user_id)
    pages = offset_recent_messages_per_conversation, limit_recent_messages_per_conversation
    return conversation_list(desk, rows, offset, limit, *pages)


@APP.operation("read")
def read_conversation(
    desk: PhoneDesk,
    conversation_id: int,
    offset: int = 0,
    limit: int = 10,
    min_date: str | None = None,
    max_date: str | None = None,
) -> Any:
    """Show the messages of a conversation, the newest first.

    Args:
        conversation_id: the conversation's id.
        offset: how many messages to skip.
        limit: how many to show.
        min_date: only those from then on, "YYYY-MM-DD HH:MM:SS".
        max_date: only those until then.
    """
    return conversation(desk, conversation_id, offset, limit, *bounds(min_date, max_date))


@APP.operation("read")
def search(desk: PhoneDesk, query: str, min_date: str | None = None, max_date: str | None = None) -> Any:
    """Search the conversations by words of messages, titles and names, with the messages that were found.

    Args:
        query: words to look for.
        min_date: only messages from then on, "YYYY-MM-DD HH:MM:SS".
        max_date: only messages until then.
    """
    return by_words(desk, query, *bounds(min_date, max_date))


@APP.operation("read")
def regex_search(desk: PhoneDesk, query: str, min_date: str | None = None, max_date: str | None = None) -> Any:
    """Search messages and titles for an RE2 expression, whatever the case.

    Args:
        query: the expression (no look-around, no back-references).
        min_date: only messages from then on, "YYYY-MM-DD HH:MM:SS".
        max_date: only messages until then.
    """
    return by_pattern(desk, query, *bounds(min_date, max_date))


@APP.operation("write", name="send_message")
def send_to_person(desk: PhoneDesk, user_id: int, content: str = "", attachment_path: str | None = None) -> Any:
    """Send a message to one person, in the conversation of the two; it begins where there is none.

    Args:
        user_id: the person's id.
        content: the text.
        attachment_path: a file of the workspace to send.
    """
    return _sent(desk, conversation_with(desk, user_id), content, attachment_path)


@APP.operation("write")
def send_message_to_group_conversation(
    desk: PhoneDesk, conversation_id: int, content: str = "", attachment_path: str | None = None
) -> Any:
    """Send a message to a conversation, a group's or one of two.

    Args:
        conversation_id: the conversation's id.
        content: the text.
        attachment_path: a file of the workspace to send.
    """
    return _sent(desk, conversation_id, content, attachment_path)


@APP.operation("write")
def create_group_conversation(desk: PhoneDesk, user_ids: list[int], title: str | None = None) -> Any:
    """Make a group of the owner and others.

    Args:
        user_ids: the ids of two others or more.
        title: its title; the names of the others where it is left out.
    """
    return {"message": "Group made.", "conversation_id": group_made(desk, user_ids, title)}


@APP.operation("write")
def download_attachment(
    desk: PhoneDesk, conversation_id: int, message_id: int, download_path: str = "Downloads/"
) -> Any:
    """Write the files that a message carries into a folder of the workspace.

    Args:
        conversation_id: the conversation's id.
        message_id: the message's id.
        download_path: the folder.
    """
    desk.need(CONVERSATIONS, conversation_id)
    if desk.need(MESSAGES, message_id)["conversation"] != conversation_id:
        raise ToolError(f"The message {message_id} is not in the conversation {conversation_id}.")
    return download(desk, f"The message {message_id}", message_id, download_path)


@APP.operation("write")
def add_participant_to_conversation(desk: PhoneDesk, conversation_id: int, user_id: int) -> Any:
    """Add a person to a group.

    Args:
        conversation_id: the group's id.
        user_id: the person's id.
    """
    return f"{joined(desk, conversation_id, user_id)['name']} belongs to the conversation {conversation_id}."


@APP.operation("write")
def remove_participant_from_conversation(desk: PhoneDesk, conversation_id: int, user_id: int) -> Any:
    """Take a person out of a group.

    Args:
        conversation_id: the group's id.
        user_id: the person's id.
    """
    return f"{departed(desk, conversation_id, user_id)['name']} is out of the conversation {conversation_id}."


@APP.operation("write")
def change_conversation_title(desk: PhoneDesk, conversation_id: int, title: str) -> Any:
    """Give a group another title.

    Args:
        conversation_id: the group's id.
        title: the title from now on.
    """
    return f"The conversation {renamed(desk, conversation_id, title)!r} has a new title."


@APP.operation("read", USER, on=LIST, goto=OPENED)
def open_conversation(desk: PhoneDesk, conversation_id: int, offset: int = 0, limit: int = 20) -> Any:
    """Open a conversation, the newest messages first.

    Args:
        conversation_id: the conversation's id.
        offset: how many messages to skip.
        limit: how many to show.
    """
    told = conversation(desk, conversation_id, offset, limit)
    desk.show(OPENED, conversation_id=conversation_id)
    return told


@APP.operation("read", USER, on=LIST)
def search_conversations(
    desk: PhoneDesk, query: str, min_date: str | None = None, max_date: str | None = None, limit: int = 10
) -> Any:
    """Search the conversations by words of messages, titles and names, with the messages that were found.

    Args:
        query: words to look for.
        min_date: only messages from then on, "YYYY-MM-DD HH:MM:SS".
        max_date: only messages until then.
        limit: how many conversations to show.
    """
    return by_words(desk, query, *bounds(min_date, max_date), limit)


@APP.operation("read", USER, on=OPENED)
def read_messages(
    desk: PhoneDesk, offset: int = 0, limit: int = 10, min_date: str | None = None, max_date: str | None = None
) -> Any:
    """Read the conversation that is open, the newest messages first.

    Args:
        offset: how many messages to skip.
        limit: how many to show.
        min_date: only those from then on, "YYYY-MM-DD HH:MM:SS".
        max_date: only those until then.
    """
    return conversation(desk, desk.shown["conversation_id"], offset, limit, *bounds(min_date, max_date))


@APP.operation("write", USER, on=OPENED)
def send_message(desk: PhoneDesk, content: str, attachment_path: str | None = None) -> Any:
    """Send a message to the conversation that is open.

    Args:
        content: the text.
        attachment_path: a file of the workspace to send.
    """
    return _sent(desk, desk.shown["conversation_id"], content, attachment_path)


def _sent(desk: PhoneDesk, conversation_id: int, content: str, attachment_path: str | None) -> dict[str, Any]:
    key = written(desk, conversation_id, own_id(desk), content, attachment_path)
    return {"message": "Message sent.", "message_id": key, "conversation_id": conversation_id}
