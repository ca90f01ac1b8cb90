"""What several of Mairead's sessions must agree on: what the laboratory orders, and what its degraders do."""

from typing import Any

from pi_gym.authoring import keyed_rows

DEGRADERS = ("ESD-114", "ESD-121", "ESD-127", "ESD-133")


def shared(stream: Any, preferences: Any) -> dict[str, Any]:
    """The items of the laboratory's orders by key, with drawn catalogue numbers, its suppliers, its degraders."""
    stock = keyed_rows(preferences.data["stock.csv"])
    numbers = stream.child("numbers").sample(range(1000, 9999), len(stock))
    return {
        "stock": {
            key: {**one, "number": f"{one['supplier']}-{number}"}
            for (key, one), number in zip(stock.items(), numbers, strict=True)
        },
        "suppliers": keyed_rows(preferences.data["suppliers.csv"]),
        "degraders": _degraders(stream.child("degraders")),
    }


def _degraders(stream: Any) -> dict[str, Any]:
    """What the four compounds do, concentrations as those of pure compound, and who is first by what.

    DC50 is in nM, Dmax in per cent, the window without a unit. No two orders are one, the three firsts are three
    compounds, and the fourth is the lead of before.
    """
    while True:
        orders = [stream.shuffled(DEGRADERS) for _ in range(3)]
        firsts = [order[0] for order in orders]
        lead = next((one for one in DEGRADERS if one not in firsts), "")
        # Whoever misreads a blot takes the second for the first, and that must not be the lead of before.
        if len(set(firsts)) == 3 and lead not in (orders[0][1], orders[1][1]) and orders[0][-1] != "ESD-133":
            break
    by_dc50, by_dmax, by_window = orders
    dc50, dmax, window = {}, {}, {}
    half, loss, wide = stream.uniform(4, 9), stream.uniform(92, 95), stream.uniform(400, 750)
    for place in range(len(DEGRADERS)):
        dc50[by_dc50[place]], dmax[by_dmax[place]] = round(half, 2), round(loss, 1)
        window[by_window[place]] = round(wide, 1)
        # Behind ESD-133 the next one follows so closely that as weighed, and not as pure, it is the other way round.
        half *= stream.uniform(1.13, 1.15) if by_dc50[place] == "ESD-133" else stream.uniform(1.8, 2.3)
        loss -= stream.uniform(6, 8)
        wide = stream.uniform(130, 200) if place == 0 else wide / stream.uniform(2.6, 3.2)
    return {
        "dc50": dc50, "dmax": dmax, "window": window, "lead": lead,
        "first": {"dc50": firsts[0], "dmax": firsts[1], "window": firsts[2]},
        "assumed": stream.choice(firsts[:2]),
        "hooked": stream.choice([one for one in ("ESD-114", "ESD-121") if one != lead]),
    }  # fmt: skip
