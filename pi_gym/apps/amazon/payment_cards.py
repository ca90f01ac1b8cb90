"""Operations on payment cards."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.amazon.app import APP
from pi_gym.apps.desk import Desk
from pi_gym.state.tables import Row


@APP.operation("read")
def show_payment_cards(desk: Desk) -> Any:
    """Show the account's payment cards: last digits, until when they can be used, and what can still be spent."""
    cards = desk.own("payment_cards")
    shown: dict[str, Any] = {"payment_cards": [_shown(desk, key, row) for key, row in cards]}
    return shown if cards else {**shown, "message": "The account has no payment cards."}


@APP.operation("read")
def show_payment_card(desk: Desk, payment_card_id: int) -> Any:
    """Show a payment card: last digits, until when it can be used, and what can still be spent with it.

    Args:
        payment_card_id: the card's id.
    """
    return _shown(desk, payment_card_id, desk.need("payment_cards", payment_card_id))


def is_expired(desk: Desk, card: Row) -> bool:
    """Whether a card can no longer be used: its last month is over."""
    expires: str = card["expires"]
    return expires < desk.now[:7]


def _shown(desk: Desk, key: int, card: Row) -> dict[str, Any]:
    columns = {name: value for name, value in card.items() if name != "account"}
    return {"payment_card_id": key, **columns, "is_expired": is_expired(desk, card)}
