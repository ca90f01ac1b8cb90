"""Users: other accounts, and what they show of their music."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.accounts import profile, search_accounts
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.spotify.app import APP
from pi_gym.state.tables import Row

SHOWN_PLAYLISTS = 5


@APP.operation("read")
def search_users(desk: Desk, query: str = "", page_index: int = 0, page_limit: int = 5) -> Any:
    """Search the users of Spotify by words of name and e-mail address, with the public playlists of each.

    Args:
        query: words to look for; empty for all users.
        page_index: which page, from 0.
        page_limit: users a page, 1 to 20.
    """
    found = search_accounts(desk, query)
    nothing = "No users match. Try a first name, a last name or the beginning of an e-mail address."
    return page(found, page_index, page_limit, "users", lambda key, row: _line(desk, key, row), nothing)


def _line(desk: Desk, key: int, account: Row) -> dict[str, Any]:
    public = [pair for pair in desk.having("playlists", "account", key) if pair[1]["is_public"]]
    return {
        **profile(account),
        "is_you": key == desk.account_id,
        "public_playlist_count": len(public),
        "public_playlists": [
            {"playlist_id": number, "title": playlist["title"]} for number, playlist in public[:SHOWN_PLAYLISTS]
        ],
    }
