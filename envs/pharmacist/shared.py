"""What several of Mairead's sessions must agree on: the seven emollients."""

from __future__ import annotations

from typing import Any

MAKERS = ("Ulvik 5", "Ulvik 10", "Dermalind", "Myrkrem", "Havsalve", "Lyngkrem")
ASKED = {"wool": "wool alcohols", "pg": "propylene glycol", "perfume": "perfume"}


def shared(stream: Any, preferences: Any) -> dict[str, Any]:
    """The emollients by name, and which of them plays which part."""
    return {"products": _products(stream.child("products"))}


def _products(stream: Any) -> dict[str, Any]:
    """Three have one thing each that may be unwanted, one of these is on the list, another is what the wards use.

    Of the others one is sold in cartons that became smaller, one is cheapest of all and not fully declared, one is
    cheapest by weight, and the pharmacy's own is cheapest by what it holds of urea.
    """
    has = dict(zip(ASKED, stream.sample(MAKERS, 3), strict=True))
    carton, gap, plain = stream.shuffled([name for name in MAKERS if name not in has.values()])
    old, wards = stream.sample(list(has.values()), 2)
    while {old, wards} == {"Ulvik 5", "Ulvik 10"}:  # which come in two orders by name
        old, wards = stream.sample(list(has.values()), 2)
    price = {name: stream.integer(3000, 3600) for name in has.values()} | {
        old: stream.integer(4400, 5200), carton: stream.integer(3000, 3400), gap: stream.integer(1500, 1700),
        plain: stream.integer(2350, 2600), "BL-00": stream.integer(3500, 3900),
    }  # fmt: skip
    label = {name: stream.integer(5, 7) for name in has.values()} | {
        old: 5, carton: stream.integer(6, 7), gap: stream.integer(10, 11), plain: stream.integer(3, 4),
        "BL-00": stream.integer(13, 15),
    }  # fmt: skip
    dear, over = stream.sample(MAKERS, 3), stream.sample([plain, *has.values()], 2)
    tubes = dict(zip((*has.values(), plain), stream.shuffled((100, 100, 250, 250)), strict=True))
    tubes |= {carton: stream.choice((250, 500)), gap: 100, "BL-00": 250}
    said = {name: {key: "yes" if has[key] == name else "no" for key in ASKED} for name in (*MAKERS, "BL-00")}
    for name in (gap, has[stream.choice(tuple(ASKED))]):
        said[name][stream.choice([key for key in ASKED if has[key] != name])] = ""
    rows = {}
    for name, number in zip((*MAKERS, "BL-00"), stream.sample(range(20100, 20999), 7), strict=True):
        first = round(price[name] * tubes[name] / 10000, 1)
        change = 0 if name == "BL-00" else stream.integer(5, 9) if name in dear else -stream.integer(5, 9)
        found = label[name] * (stream.integer(106, 112) if name in over else stream.integer(78, 90)) / 100
        rows[name] = {
            "number": str(number), "grams": tubes[name], "first": first, "second": round(first * (1 + change / 100), 1),
            "label": label[name], "found": round(found, 1), "has": said[name],
        }  # fmt: skip
    return {"rows": rows, "list": old, "wards": wards, "carton": carton, "gap": gap, "plain": plain, "has": has}
