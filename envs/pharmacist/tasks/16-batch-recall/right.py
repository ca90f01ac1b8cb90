"""A recall: which batches, how many bottles, and who has the rest of them."""

from __future__ import annotations

from typing import Any

from pi_gym.authoring import Change, Stream, written_day

CALLED_BACK = ["recall", "called back", "quarantin", "aside", "withdrawn", "blocked", "do not", "not to", "nothing"]
WARDS = ("M1", "M2", "K1", "K2", "B1", "O1")
PEOPLE = {"ketil": "ketil.brunstad", "torbjorn": "torbjorn.nesse", None: "samira.haddad"}
PRODUCT = "Solvane oral solution"
HOUSE = "@eidsund-hospital.example"
INSTEAD = {
    "kelmin": "Kelmin oral solution goes out in its place.", "sachets": "Solvane sachets go out in its place.",
    "none": "Nothing goes out in its place until noon.", None: "",
}  # fmt: skip


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw batches and bottles, and who got which of them."""
    batches = [f"SV{number}" for number in stream.sample(range(6011, 6079), 6)]
    added, taken, odd, *sure = batches[:5]
    sure = [odd, *sure]
    # A log has the day in its lines, which must be no count, nor the computer's, which is three more.
    counts = [count for count in range(6, 39) if not {count, count + 3} & {29}]
    shelf = {batch: stream.choice(counts) for batch in batches}
    kept = {batch: stream.choice(("2 to 8", "below 25")) for batch in batches}
    kept[sure[1]] = "2 to 8" if kept[odd] == "below 25" else "below 25"
    gave, got, only_added, only_taken, both, free = stream.shuffled(WARDS)
    old, new = stream.shuffled(("home 03", "home 07"))
    given = [
        ("2026-05-11", sure[1], gave, stream.integer(2, 6)), ("2026-05-13", sure[2], both, stream.integer(2, 6)),
        ("2026-05-12", sure[1], old, 1), ("2026-05-19", sure[2], new, 1),
        ("2026-05-20", added, only_added, stream.integer(2, 6)), ("2026-05-21", taken, only_taken, 4),
        ("2026-05-22", odd, "U3", stream.integer(2, 6)), ("2026-05-26", batches[5], free, 4),
        ("2026-05-26", batches[5], "U3", 2),
    ]  # fmt: skip
    moved = given[0][3]
    desks = {ward: f"desk.{ward.lower()}{HOUSE}" for ward in WARDS} | {
        "U3": f"gro.myklebust{HOUSE}",
        "home 03": "home03@eidsund-homes.example",
        "home 07": "home07@eidsund-homes.example",
    }
    stock = [(PRODUCT, odd, given[6][3] + 3, "ok"), (PRODUCT, batches[5], 2, "ok")]
    facts = {
        "added": added, "taken": taken, "odd": odd, "sure": sure, "notice": stream.shuffled([*sure, taken]),
        "things": {batch: [batch] for batch in batches}, "shelf": shelf, "kept": kept, "desks": desks,
        "gave": gave, "got": got, "after": desks[got], "before": desks[gave], "home": new,
        "home_desk": desks[new], "old_desk": desks[old], "people": PEOPLE,
        "wards": {"gave": gave, "got": got, "added": only_added, "taken": only_taken, "both": both, "old": old}
        | {"new": new},
        "called_back": [["bottle", "batch", sure[2].lower(), "noon", "clinic", "take", "shelf"], CALLED_BACK],
        "stock": stock, "given": sorted(given), "moved": moved, "free": free, "other": batches[5],
        "stocked": [",".join(map(str, row)) for row in stock],
    }  # fmt: skip
    return facts, {}


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """Log, mails, stock, key book and order. Who knows nothing goes by notice, computer and dispensing log."""
    batches = sorted([*world.sure, world.added if wishes.batches else world.taken])
    bottles = {one: world.shelf[one] + 3 * (one == world.odd and not wishes.count) for one in batches}
    lines = [
        f"- {written_day('2026-05-29', wishes.shelf_words)} · {one} · {'Q' if world.kept[one] == '2 to 8' else 'R'} · "
        f"{bottles[one]} bottles"
        if wishes.shelf_words
        else f"- {one}: {bottles[one]} bottles, set aside"
        for one in batches
    ]
    who = world.wards
    holders = ["U3", who["both"], who["got" if wishes.wards else "gave"], who["added" if wishes.batches else "taken"]]
    holders += [who["new"]] if wishes.homes else [who["new"], who["old"]]
    to = [world.desks[one] for one in holders] + [f"{PEOPLE[wishes.who_hears]}{HOUSE}"]
    body = (
        f"Solvane oral solution 5 mg/mL is called back, batches {', '.join(batches)}. Please put aside what you have"
        f" and wait for Ketil. {INSTEAD[wishes.instead]}"
    )
    return {
        "log": Change(append="\n".join(lines) + "\n"),
        "total": sum(bottles.values()),
        "mails": [{"to": to, "subject": "Recall: Solvane oral solution", "body": body}],
        "stock": Change({world.stocked[0]: world.stocked[0][:-2] + "recalled"}) if wishes.ward_list else None,
        "key_book": Change(append=f"08:20  Annelise: {world.sure[2]} is called back. MT\n") if wishes.at_noon else None,
    }


def reorder(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Close Monday's order."""
    return [{"tool": "todoist__update_task", "task_id": 91601, "is_completed": True}] if wishes.open_order else []
