"""The app Amazon: its tables, and whose shopping it is."""

# ruff: noqa: D417 - the decorator sees to it that every argument of the agent is described
from __future__ import annotations

from typing import Any

from pi_gym.apps.accounts import profile, sign_in, sign_out
from pi_gym.apps.amazon.tables import CATALOGUE, OWNED
from pi_gym.apps.declare import App
from pi_gym.apps.desk import Desk

RECENT = 5

APP = App(
    "amazon",
    "Amazon",
    "A shop for everything. Anybody may look at products, reviews, questions and sellers; the cart, the wish list,"
    " orders, addresses and payment cards belong to an account. Prices are in kroner. A product in another colour or"
    " size is a product of its own, with its own price, stock and reviews.",
    {**CATALOGUE, **OWNED},
)


@APP.operation("write", open=False)
def login(desk: Desk, username: str, password: str) -> Any:
    """Sign in to Amazon; it stays open for the rest of the session.

    Products, reviews, questions and sellers can be looked at without signing in.

    Args:
        username: the account's e-mail address.
        password: the account's password for this app.
    """
    return sign_in(desk, username, password)


@APP.operation("write")
def logout(desk: Desk) -> Any:
    """Sign out of Amazon. Cart and wish list stay as they are."""
    return sign_out(desk)


@APP.operation("read")
def show_account(desk: Desk) -> Any:
    """Show the account that is signed in, with the number of its orders and what it looked at last."""
    account = desk.account
    visits = sorted(desk.own("browsing_history"), key=lambda pair: (pair[1]["viewed_at"], pair[0]), reverse=True)
    products = desk.table("products")
    viewed = ((row["product_id"], products.get(row["product_id"])) for _, row in visits[:RECENT])
    return {
        **profile(account),
        "phone_number": account["phone_number"],
        "orders": len(desk.own("orders")),
        "addresses": len(desk.own("addresses")),
        "payment_cards": len(desk.own("payment_cards")),
        "last_viewed": [{"product_id": key, "product_name": row["name"]} for key, row in viewed if row],
    }
