"""Looking for people, and for conversations by their people, titles and messages."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.row_search import search, words_of
from pi_gym.apps.times import between
from pi_gym.phone.messages.app import (
    CONVERSATIONS,
    MESSAGES,
    PEOPLE,
    heading,
    last_updated,
    message,
    newest_first,
    own_id,
    recent,
    title_of,
)
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import MAX_PAGE, page
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError
from pi_gym.tools.search import compiled


def bounds(min_date: str | None, max_date: str | None) -> tuple[str, str]:
    """Two times as texts that compare with those of rows; one that is None bounds nothing."""
    return between(min_date or "", max_date or "", ("min_date", "max_date"))


def person_named(desk: PhoneDesk, name: str) -> int:
    """The id of the person with exactly this name; ToolError where there is none, or several."""
    wanted = " ".join(name.split()).casefold()
    found = [key for key, row in desk.table(PEOPLE).rows() if row["name"].casefold() == wanted]
    if len(found) > 1:
        listed = ", ".join(map(str, found))
        raise ToolError(
            f"Several people are called {name[:60]!r}, with the ids {listed}; their conversations tell who is who."
        )
    if not found:
        raise ToolError(f"Nobody is called exactly {name[:60]!r}; lookup_user_id looks for parts of names.")
    return found[0]


def people_found(desk: PhoneDesk, query: str) -> list[dict[str, Any]]:
    """The people whose name or number has a word of the query, best first."""
    if not words_of(query):
        raise ToolError("user_name is empty; give a name, or a part of it.")
    hits = search(desk.table(PEOPLE), query, {"name": 2, "phone": 1})
    return [{"user_id": key, "name": row["name"], "phone": row["phone"]} for key, row in hits]


def with_people(desk: PhoneDesk, user_ids: list[int]) -> list[tuple[int, Row]]:
    """The conversations that the owner has with exactly these people, as (id, row)."""
    wanted = {*user_ids, own_id(desk)}
    return [pair for pair in desk.table(CONVERSATIONS).rows() if set(pair[1]["participants"]) == wanted]


def by_words(desk: PhoneDesk, query: str, first: str, last: str, limit: int = MAX_PAGE) -> dict[str, Any]:
    """The conversations that have a word of the query in a message, in their title, or in a participant's name.

    Args:
        desk: the app.
        query: what is looked for.
        first: the first moment that counts.
        last: the last one.
        limit: how many conversations to show.
    """
    if not words_of(query):
        raise ToolError("The query is empty; give words of messages, titles or names.")
    hits = search(desk.table(MESSAGES), query, {"content": 1}, newest=True)
    titled = [key for key, _ in search(desk.table(CONVERSATIONS), query, {"title": 1})]
    for person, _ in search(desk.table(PEOPLE), query, {"name": 1}):
        titled += [key for key, _ in desk.having(CONVERSATIONS, "participants", person)]
    return _grouped(desk, hits, titled, first, last, limit)


def by_pattern(desk: PhoneDesk, pattern: str, first: str, last: str) -> dict[str, Any]:
    """The conversations with a message or a title in which an RE2 expression, whatever the case, has a match."""
    regex = compiled(pattern, True, False, f"{desk.app.name}__search finds words")

    def matches(text: str) -> bool:
        data = text.encode(errors="replace")
        desk.context.effort.left -= len(data) * regex.programsize
        if desk.context.effort.left < 0:
            raise ToolError("This is too much text for this pattern; bound it by dates, or write a simpler one.")
        return regex.search(data) is not None

    rows = [pair for pair in desk.table(MESSAGES).rows() if first <= pair[1]["timestamp"] <= last]
    hits = newest_first(pair for pair in rows if matches(pair[1]["content"]))
    titled = [key for key, row in recent(desk, list(desk.table(CONVERSATIONS).rows())) if matches(title_of(desk, row))]
    return _grouped(desk, hits, titled, first, last, MAX_PAGE)


def _grouped(
    desk: PhoneDesk, hits: list[tuple[int, Row]], titled: list[int], first: str, last: str, limit: int
) -> dict[str, Any]:
    """Conversations with the messages that were found in them; those found by other things come behind."""
    found: dict[int, list[tuple[int, Row]]] = {}
    for pair in hits:
        if first <= pair[1]["timestamp"] <= last:
            found.setdefault(pair[1]["conversation"], []).append(pair)
    for key in titled:
        if first <= last_updated(desk, key, desk.need(CONVERSATIONS, key)) <= last:
            found.setdefault(key, [])

    def entry(key: int, row: Row) -> dict[str, Any]:
        return {**heading(desk, key, row), "matches": [message(desk, *pair) for pair in found[key]]}

    return page([(key, desk.need(CONVERSATIONS, key)) for key in found], 0, limit, "conversations", entry)
