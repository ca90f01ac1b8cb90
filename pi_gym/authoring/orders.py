"""Orders of the shop that a session placed, and what is written of them. Each takes the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.authoring import messages
from pi_gym.authoring.amounts import amounts_in
from pi_gym.authoring.leavings import made_records


def the_order(evidence: Any) -> dict[str, int]:
    """The total of the one order, in hundredths, by its number; nothing without just one."""
    orders = made_records(evidence, "amazon", "orders")
    return {str(key): round(100 * row["total"]) for key, row in orders.items()} if len(orders) == 1 else {}


def tells_order(evidence: Any, text: str) -> bool:
    """Whether a text gives number and total of the one order."""
    return any({100 * int(number), total} <= amounts_in(text) for number, total in the_order(evidence).items())


def order_told(evidence: Any) -> bool:
    """Whether a reply gives number and total of the one order."""
    return bool(the_order(evidence)) and messages.reply_tells(evidence, the_order(evidence))


def order_mailed(evidence: Any) -> bool:
    """Whether a mail that was sent gives number and total of the one order."""
    mails = made_records(evidence, "gmail", "emails").values()
    return any(tells_order(evidence, f"{row['subject']}\n{row['body']}") for row in mails)


def cart_is(evidence: Any, own: Mapping[str, int], account: int = 1) -> bool:
    """Whether these quantities, by product, lie in an account's cart, and nothing else."""
    rows = [row for _, row in evidence.apps["amazon"].table("cart_items").rows() if row["account"] == account]
    return {str(row["product_id"]): row["quantity"] for row in rows} == own
