"""The dossier of a gel: what is weighed in, how long it keeps, and what earlier sessions have settled of it."""

from __future__ import annotations

import statistics
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import Change, File, Stream, csv_records, csv_text, fixed

MADE = date(2026, 6, 9)
DIHYDRATE, ANHYDROUS = 294.10, 258.07


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The recipe, the shelf, earlier batches, the pilot's cells and the prices of June."""
    products, wanted = preferences.shared.products, preferences.p.grams
    urea = stream.choice((8, 10, 12))
    recipe = {
        "urea": urea, "glycerol": stream.choice((3, 4)), "carbomer": 0.8, "trometamol": stream.choice((0.5, 0.6, 0.7)),
        "citric acid": 0.3, "trisodium citrate": stream.choice((0.8, 0.9, 1.1)), "phenoxyethanol": 0.9,
    }  # fmt: skip
    numbers = stream.sample(range(1100, 9900), len(recipe) + 1)
    lots = {name: f"{letter}-{number}" for (name, letter), number in
            zip([*((name, "K") for name in recipe), ("purified water", "W")], numbers, strict=True)}  # fmt: skip
    short = stream.choice(("carbomer", "glycerol", "phenoxyethanol"))
    expires = {name: MADE + timedelta(days=stream.integer(150, 700)) for name in recipe}
    expires[short] = MADE + timedelta(days=stream.integer(15, 20))
    losses = [stream.integer(31, 78) / 10 for _ in range(3)]
    first = stream.integer(21, 34)
    slope = stream.uniform(21, 34)
    cells = [(n, *(fixed(of * factor, 2) for of in (slope * 3.45, slope, slope * 2.27, slope * 0.262)))
             for n, factor in zip((1, 2, 6), stream.shuffled((0.96, 1.01, 1.05)), strict=True)]  # fmt: skip
    price = {name: (one["grams"], one["price"], one["found"]) for name, one in products["rows"].items()}
    price["BL-07"] = (100, stream.integer(470, 690) / 10, urea)
    facts = {
        "recipe": recipe, "old_urea": urea - stream.choice((2, 3)), "lots": lots, "wanted": wanted,
        "expiry": expires[short].isoformat(), "expires": expires, "loss": statistics.fmean(losses),
        "printed": f"{statistics.fmean(losses):.3f}\n", "number": f"26-{first + 7:03}", "first": first,
        "losses": losses, "price": price, "cells": cells,
        "list": products["list"], "wards": products["wards"],
        "release": {
            key: statistics.fmean(float(row[n]) for row in cells)
            for n, key in enumerate((None, "slope", "six", "flux"), 1)
        },
    }  # fmt: skip
    return facts, {}


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The dossier and its files. Who knows nothing weighs by the recipe alone and takes the days of the table."""
    total = world.wanted * (1 + (world.loss / 100 if wishes.batch else 0))
    grams = {name: total * share / 100 for name, share in world.recipe.items()}
    if wishes.salt:
        grams["trisodium citrate"] *= DIHYDRATE / ANHYDROUS
    grams["purified water"] = round(total, 2) - sum(round(one, 2) for one in grams.values())
    days = {"yes": 28, "no": 14, None: 35}[wishes.shelf_life]
    last = (MADE + timedelta(days=days)).isoformat()
    if wishes.shelf_life:
        last = min(last, world.expiry)
    yard = {"wards": world.wards, "list": world.list, "own": "BL-00", None: "BL-07"}[wishes.yardstick]
    digits = 4 if wishes.price_per == "ftu" else 2
    own, other = (_price(world.price[name], wishes.price_per) for name in ("BL-07", yard))
    said = {
        "Recipe": "rev 3", "Batch": world.number, "Wanted in g": world.wanted, "Made on": MADE.isoformat(),
        "Last day": last, "Release": fixed(world.release[wishes.release_by], 2), "Price in kr": fixed(own, digits),
        "Against": yard, "Difference in kr": fixed(own - other, digits),
        "Not in it": world.shared.asked.get(wishes.never_in, "parabens"),
    }  # fmt: skip
    old, new = f"{world.old_urea} %", f"{world.recipe['urea']} %"
    mail = (
        "To: Oddvar Lillebo <oddvar.lillebo@eidsund-hospital.example>\nSubject: Dossier of BL-07\n\n"
        "Oddvar, the dossier of the trial batch is filled and waits for you.\n\nMairead\n"
    )
    weighed = [(name, world.lots[name], fixed(one, 2)) for name, one in grams.items()]
    return {
        "dossier": Change({f"\n{label}:\n": f"\n{label}: {value}\n" for label, value in said.items()}),
        "weighing": csv_text(["ingredient", "lot", "g"], weighed),
        "proof": Change({f"urea {old}": f"urea {new}"}) if wishes.label_proof else None,
        "board": Change({"BL-07 rev 2": "BL-07 rev 3"}) if wishes.scales else None,
        "mail": File("2026-06-08_oddvar.txt", mail) if wishes.oddvar_word else None,
        "citrate": fixed(grams["trisodium citrate"], 2),
    }


def _price(one: Any, by: str | None) -> float:
    """The price of what is asked for, of a tube's grams, price and per cent of urea."""
    grams, tube, urea = one
    per = {"100g": 100 / grams, "ftu": 0.5 / grams, "active": 100 / grams / urea, None: 1000 / grams}
    return float(tube * per[by])


def check_sums(evidence: Any, wanted: float, loss: float) -> bool:
    """All grams together are the batch, with or without the loss on top."""
    rows = csv_records(evidence.text("topical/gel/weighing.csv"))
    try:
        total = sum(float(row["g"].strip(" g")) for row in rows)
    except (KeyError, ValueError):
        return False
    return min(abs(total - wanted), abs(total - wanted * (1 + loss / 100))) < 0.06
