"""Finding people who have an account."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.accounts import profile, search_accounts
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.todoist.app import APP


@APP.operation("read")
def search_users(desk: Desk, query: str = "", page_index: int = 0, page_limit: int = 5) -> Any:
    """Find people who have a Todoist account, with their e-mail addresses; best match first.

    A task can be assigned only to collaborators of its project, which show_project lists.

    Args:
        query: words of the name or of the e-mail address; empty for everybody.
        page_index: which page, from 0.
        page_limit: people a page, 1 to 20.
    """
    found = search_accounts(desk, query)
    nothing = "Nobody matches. Try the first name or the last name alone."
    return page(found, page_index, page_limit, "users", lambda key, row: profile(row), nothing)
