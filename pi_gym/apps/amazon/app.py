"""The app Amazon: its tables, and whose shopping it is."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.accounts import profile
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
    login="Products, reviews, questions and sellers can be looked at without signing in.",
    logout="Cart and wish list stay as they are.",
)


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
