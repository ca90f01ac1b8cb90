"""The division of an expense among those who take a share."""

from __future__ import annotations

from collections.abc import Sequence

from pi_gym.apps.desk import Desk
from pi_gym.apps.money import cents, split, units
from pi_gym.apps.splitwise.people import address
from pi_gym.tools.declare import ToolError

MAX_DEBTORS = 50


def debtors(desk: Desk, payer_email: str, debtor_emails: Sequence[str]) -> tuple[str, list[str]]:
    """The payer and those who take a share, as their accounts spell them.

    Raises:
        ToolError: somebody has no account or is named twice, or nobody but the payer takes a share.
    """
    payer = address(desk, payer_email, "payer_email")
    if len(debtor_emails) > MAX_DEBTORS:
        raise ToolError(f"At most {MAX_DEBTORS} people can share an expense, not {len(debtor_emails)}.")
    found = [address(desk, email, "debtor_emails") for email in debtor_emails]
    twice = [email for email in dict.fromkeys(found) if found.count(email) > 1]
    if twice:
        raise ToolError(f"debtor_emails names {', '.join(twice)} more than once; name everybody once.")
    if not found:
        raise ToolError("debtor_emails is empty; name everybody who takes a share, the payer too if they do.")
    if found == [payer]:
        raise ToolError("Only the payer takes a share, so nobody would owe anything; name the others in debtor_emails.")
    return payer, found


def shares(paid_amount: float, people: int, debt_amounts: Sequence[float] | None) -> list[float]:
    """The amount that each debtor owes the payer, in the order of the debtors.

    Args:
        paid_amount: how much was paid.
        people: how many take a share.
        debt_amounts: the shares, or None for equal ones to the cent; cents left over go to the first ones.

    Raises:
        ToolError: there are not as many shares as people, one is less than a cent, or they do not add up.
    """
    whole = cents(paid_amount, "paid_amount", least=1)
    if debt_amounts is None:
        if whole < people:
            raise ToolError(f"{units(whole):.2f} cannot be split among {people} people: a share is at least 0.01.")
        return [units(share) for share in split(whole, people)]
    if len(debt_amounts) != people:
        raise ToolError(
            f"debt_amounts has {len(debt_amounts)} amounts for {people} people; give one for each of debtor_emails, in"
            " their order, or null to split equally."
        )
    given = [cents(amount, f"debt_amounts[{at}]", least=1) for at, amount in enumerate(debt_amounts)]
    if sum(given) != whole:
        raise ToolError(
            f"debt_amounts add up to {units(sum(given)):.2f}, but paid_amount is {units(whole):.2f}; they must be"
            " equal. Give null to split equally."
        )
    return [units(share) for share in given]


def are_equal(paid_amount: float, amounts: Sequence[float]) -> bool:
    """Whether shares are those of an equal split."""
    parts = split(round(paid_amount * 100), len(amounts))
    return sorted(round(amount * 100) for amount in amounts) == sorted(parts)
