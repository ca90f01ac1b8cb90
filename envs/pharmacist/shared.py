"""What several of Mairead's sessions must agree on: what the laboratory orders, from whom, and for how much."""

from typing import Any

from pi_gym.authoring import keyed_rows


def shared(stream: Any, preferences: Any) -> dict[str, Any]:
    """The items of the laboratory's orders by key, with drawn catalogue numbers, and the suppliers by letter."""
    stock = keyed_rows(preferences.data["stock.csv"])
    numbers = stream.child("numbers").sample(range(1000, 9999), len(stock))
    return {
        "stock": {
            key: {**one, "number": f"{one['supplier']}-{number}"}
            for (key, one), number in zip(stock.items(), numbers, strict=True)
        },
        "suppliers": keyed_rows(preferences.data["suppliers.csv"]),
    }
