"""Five cases of a tumour board, and what is open to each by the lines of the map."""

from __future__ import annotations

from typing import Any

from pi_gym.authoring import Change, File, Stream, csv_text, markdown_table, new_text, own_choices, see_to, written_day

FOLDER = "board/2026-06-03/"
CAUTIONS = {"qt": "QT", "cyp": "CYP", "bone": "bone"}
RESULTS = ("BRCA result", "bone scan", "PSMA scan", "MSI result")
# What each case is: how far, what it has had, results, medicines; "?" is under way, and "+" speaks for what needs it.
CASES = {
    "new": ("hormone-sensitive", [], "....", ["ramipril"]),
    "letter": ("castration-resistant", ["abiraterone", "docetaxel"], "-+..", ["bisoprolol"]),
    "pending": ("castration-resistant", ["enzalutamide", "docetaxel"], "?.+.", ["amlodipine", "ramipril"]),
    "many": ("castration-resistant", ["docetaxel", "abiraterone"], "-+.+", ["simvastatin"]),
    "upfront": ("hormone-sensitive", ["docetaxel"], "-...", ["bisoprolol", "amlodipine"]),
}
SAID = {"+": "there, and it speaks for it", "-": "there, no change", "?": "under way", ".": "not asked for"}
LETTERS = "ABDEGHIKLMNORST"
CARD = {
    "cabazitaxel": "cabazitaxel from the clean room, by ten for the day after",
    "radium-223": "radium-223 through the nuclear pharmacy, by number of the case",
}
GRO = "gro.myklebust@eidsund-hospital.example"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Number the cases, and write their letters, the log and the lines of the map."""
    shared = preferences.shared.pathway
    numbers = dict(zip(stream.shuffled(list(CASES)), range(1, 6), strict=True))
    clash = stream.choice(("apixaban", "rivaroxaban", "tacrolimus"))
    dropped = stream.choice(("cabazitaxel", "radium-223"))
    initials = [".".join(stream.sample(LETTERS, 2)) + "." for _ in CASES]
    facts = {
        "numbers": numbers, "clash": clash, "clash_case": numbers["new"], "dropped": dropped, "card": CARD[dropped],
        "initials": initials, "wrong_letter": numbers["letter"], "pending": numbers["pending"],
        "day": written_day("2026-06-03", preferences.persona.date_style),
        "inducers": [name for name, drug in shared["drugs"].items() if drug["cyp"].startswith("strong inducer")],
    }  # fmt: skip
    files, given = {}, []
    for key, number in numbers.items():
        how, had, results, takes = CASES[key]
        given += [(number, "docetaxel", cycle) for cycle in range(1, stream.integer(4, 7)) if "docetaxel" in had]
        told = [drug for drug in had if key != "letter" or drug != "docetaxel"]
        lines = [
            f"Letter for the board. {initials[number - 1]}, {stream.integer(61, 83)} years, {how}, with metastases.",
            f"Had so far, beside castration: {', '.join(told) or 'nothing'}.",
            *(["No taxane as yet."] if key == "letter" else []),
            *(f"{name}: {SAID[result]}." for name, result in zip(RESULTS, results, strict=True)),
            f"Takes: {', '.join(stream.shuffled([*takes, *([clash] if key == 'new' else [])]))}.",
        ]
        files[f"{FOLDER}case-{number}.txt"] = "\n".join(lines) + "\n"
    # What is off the list and passes the bar is open to some case, since one of them is new.
    bar = preferences.persona.bar
    facts["seen"] = [name for name in shared["off"] if shared["drugs"][name][bar]]
    return facts, files | {"board/infusions.csv": csv_text(["case", "drug", "cycle"], sorted(given))}


def _open(world: Any, wishes: Any) -> list[tuple[int, str, str]]:
    """Case, drug and what it waits for, of all that is open and passes the bar."""
    found, drugs = [], world.shared.pathway["drugs"]
    for number, key in sorted((number, key) for key, number in world.numbers.items()):
        how, had, results, _ = CASES[key]
        had = [drug for drug in had if wishes.earlier_line or key != "letter" or drug != "docetaxel"]
        classes = {drugs[drug]["class"] for drug in had}
        places = ["sensitive"]
        if how != "hormone-sensitive":
            places += ["before", "after"] if "taxane" in classes else ["before"]
        for name, drug in drugs.items():
            result = results[RESULTS.index(drug["needs"])] if drug["needs"] in RESULTS else "+-"[drug["needs"] != "-"]
            if drug["place"] not in places or (drug["class"] in classes and name != "cabazitaxel") or result in "-.":
                continue
            if wishes.bar is None or drug[wishes.bar]:
                found.append((number, name, drug["needs"] if result == "?" and wishes.pending else "-"))
    return found


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The sheet and the pages beside it. Who knows nothing lists all that is open, with all cautions."""
    opened = _open(world, wishes)
    drugs = world.shared.pathway["drugs"]
    off = [*world.shared.pathway["off"], *([world.dropped] if wishes.off_since else [])]
    cautions = [wishes.watch] if wishes.watch else list(CAUTIONS)
    rows, below = [], []
    for number, name, waits in opened:
        label = f"{name} (*)" if name in off and wishes.off_list == "star" else name
        if name in off and wishes.off_list == "apart":
            below.append(f"- case {number}: {name}" + (f", waits for {waits}" if waits != "-" else ""))
        elif name not in off or wishes.off_list != "out":
            rows.append([number, label, waits, *(drugs[name][one] for one in cautions)])
    text = "# Tumour board, 3 June 2026\n\nFor the staff of U3; the board decides.\n\n"
    if not wishes.initials:
        text += "Cases: " + ", ".join(f"{n} {name}" for n, name in enumerate(world.initials, 1)) + "\n\n"
    text += markdown_table(["case", "drug", "waits for", *(CAUTIONS[one] for one in cautions)], rows)
    if wishes.clash_drug:
        shown = [name for number, name, _ in opened if number == world.clash_case and name in world.inducers]
        shown = [name for name in shown if name not in off or wishes.off_list != "out"]
        text += "".join(f"\nClash: case {world.clash_case}, {name}, {world.clash}\n" for name in shown)
    if below:
        text += "\n## Not on our list\n\n" + "\n".join(below) + "\n"
    line = f"- {world.day}, five cases, board/2026-06-03/sheet.md\n"
    body = f"Gro, {world.dropped} is off our list since yesterday, before you order it today. Mairead"
    return {
        "sheet": File("sheet.md", text),
        "door": Change(append=line) if wishes.door_line else None,
        "card": see_to("struck" if wishes.order_card else None, world.card, around="- {}\n"),
        "gro": {"to": GRO, "subject": world.dropped, "body": body} if wishes.gro_word else None,
    }


# -- what facets do not say -------------------------------------------------------------------------------------------


def _shown(evidence: Any, name: str) -> set[str]:
    return own_choices.ways_shown(new_text(evidence, FOLDER), name, "not on our list", but="clash")


def check_shown(evidence: Any, how: str, drugs: list[str]) -> bool:
    """What is off the list is shown in this way alone, wherever it is shown, and most of it is, if it is to be."""
    ways = [_shown(evidence, name) for name in drugs]
    there = [one for one in ways if one]
    return not there if how == "out" else all(one == {how} for one in there) and 2 * len(there) >= len(ways)


def check_dropped(evidence: Any, drug: str, off: list[str]) -> bool:
    """A drug is nowhere shown as on the list, or what is off it for long is shown so too."""
    return "plain" not in _shown(evidence, drug) or any("plain" in _shown(evidence, one) for one in off)


def check_clashes(evidence: Any, drugs: list[str]) -> bool:
    """Each of these drugs that the sheet shows has its line on the clash."""
    lines = [line for line in new_text(evidence, FOLDER).lower().splitlines() if "clash" in line]
    return all(any(name in line for line in lines) for name in drugs if _shown(evidence, name))
