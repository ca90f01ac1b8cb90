"""The map of drug treatment: what is on it for each way of deciding that, and what its lines say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.authoring import File, Stream, markdown_table, new_text, number_word, own_choices, see_to, written_day

FOLDER = "medicines/map/"
COUNTED = {number: number_word(number) for number in range(10, 17)}
PLACES = {
    "castration": "Castration", "sensitive": "Hormone-sensitive, with metastases",
    "before": "Castration-resistant, before a taxane", "after": "Castration-resistant, after a taxane",
}  # fmt: skip
APART = "Not on our list"
SAID = {"before": "before a taxane", "after": "after a taxane"}
STUDIES = {
    "3m": "randomised, phase III, run by the maker", "3g": "randomised, phase III, run by a group of hospitals",
    "2m": "phase II, run by the maker", "2g": "phase II, run by a group of hospitals",
    "2h": "phase II, run by another group of hospitals",
    "xm": "longer follow-up of the men of (1), run by the maker", "xg": "pooled look at the men of (1)",
    "rg": "register cohort, run by hospitals",
}  # fmt: skip
CAUTIONS = {"qt": "QT", "cyp": "CYP", "bone": "bone"}
DOSES = {"abiraterone": "prednisolone 5 mg a day", "cabazitaxel": "prednisolone 10 mg a day"}
LAST_YEAR = (
    "goserelin", "leuprorelin", "degarelix", "bicalutamide", "abiraterone", "enzalutamide", "docetaxel", "olaparib",
    "radium-223", "cabazitaxel", "carboplatin",
)  # fmt: skip


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Write the notes, the list, the minutes and last year's maps from what the pack's sessions share."""
    shared = preferences.shared.pathway
    drugs: Mapping[str, Any] = shared["drugs"]
    forgotten, order = stream.choice(tuple(DOSES)), preferences.p.row_order
    notes = {
        name: f"{stream.integer(2024, 2025)}-{stream.integer(10, 12)}_{name.split()[0]}.txt"
        for name, drug in drugs.items()
        if drug["studies"]
    } | {"old": "2025-12_osteparib.txt", "osteparib": "2026-04_osteparib.txt"}
    other = {"before": "after", "after": "before"}[shared["branch"]]
    old = {"branch": other, "partners": DOSES | {forgotten: "-"}}
    facts = {name: shared[name] for name in ("drugs", "branch", "gained", "lost", "off", "off_before")} | {
        "names": {name: sorted({name, name.split()[0], name.split("-")[0]}) for name in drugs},
        "notes": notes, "forgotten": forgotten, "places": PLACES, "said": SAID, "other": other,
        "listing": stream.shuffled(list(drugs)), "plain": ["goserelin", "abiraterone", "enzalutamide", "docetaxel"],
        "sure": sorted(set(shared["off"]) - {shared["gained"]}),
    }  # fmt: skip
    maps = {}
    for year, day in ((2024, "2024-05-21"), (2025, "2025-05-19")):
        younger = ("carboplatin", "olaparib") if year == 2024 else ()
        names = [name for name in (*LAST_YEAR, shared["lost"]) if name not in younger]
        foot = f"Made {written_day(day, preferences.persona.date_style)} by MT.\n"
        maps[year] = _text({**facts, **old}, _rows({**facts, **old}, names, order, {}, list(CAUTIONS)), foot, CAUTIONS)
    castration = [name for name in LAST_YEAR if drugs[name]["place"] == "castration"]
    # The first two lines of last year's first table, in each order: what shows it.
    facts["shown"] = {
        way: "\n".join(
            _text(facts, _rows({**facts, **old}, castration, way, {}, list(CAUTIONS)), "", CAUTIONS).split("\n")[6:8]
        )
        for way in ("name", "class", "since")
    }
    files = {f"{FOLDER}map-{year}.md": text for year, text in maps.items()}
    for name, path in notes.items():
        files[f"{FOLDER}sources/{path}"] = _note("osteparib" if name == "old" else name, drugs, name == "old")
    return facts, files


def _note(name: str, drugs: Mapping[str, Any], old: bool) -> str:
    """What the pharmacy wrote down when it appraised a drug."""
    drug = drugs[name]
    studies = [STUDIES[one] for one in (["3m", "2g"] if old else drug["studies"].split())]
    where = "the board has it" if name == "radium-223" else PLACES[drug["place"]]
    lines = [
        f"{name}, {drug['class']}", f"Setting, where it may first be begun: {where}",
        "In our file (the literature holds more):", *(f"({n}) {one}" for n, one in enumerate(studies, 1)),
        f"Always given with: {DOSES.get(name, drug['with']).replace('-', 'nothing')}",
        "Appraised in men with and without test results" if drug["needs"] == "-"
        else f"Appraised only in men with: {drug['needs']}",
    ]  # fmt: skip
    if name == "osteparib" and not old:
        lines.append(
            "Replaces the note of 2025-12: its (2) was a longer look at the men of (1), not a study of hospitals."
        )
    return "\n".join(lines) + "\n"


def _rows(
    world: Mapping[str, Any], names: list[str], order: str | None, marks: Mapping[str, str], cautions: list[str]
) -> dict[str, list[list[str]]]:
    """The lines of each section."""
    keys = {
        "name": lambda name: name, "class": lambda name: (world["drugs"][name]["class"].lower(), name),
        "since": lambda name: (world["drugs"][name]["since"], name), None: lambda name: world["listing"].index(name),
    }  # fmt: skip
    found: dict[str, list[list[str]]] = {place: [] for place in (*PLACES.values(), APART)}
    for name in sorted(names, key=keys[order]):
        drug = world["drugs"][name]
        partner, needs = world["partners"].get(name, drug["with"]), drug["needs"]
        if not world.get("gates") and name != "radium-223":
            needs = "-"
        place = world["branch"] if name == "radium-223" else drug["place"]
        section = APART if marks.get(name) == APART else PLACES[place]
        label = f"{name} (*)" if marks.get(name) == "(*)" else name
        found[section].append([label, drug["class"], partner, needs, *(drug[one] for one in cautions)])
    return {section: rows for section, rows in found.items() if rows}


def _text(world: Mapping[str, Any], rows: Mapping[str, Any], foot: str, cautions: Mapping[str, str]) -> str:
    heads = ["drug", "class", "with", "needs", *cautions.values()]
    tables = "".join(f"## {section}\n\n{markdown_table(heads, lines)}\n" for section, lines in rows.items())
    return f"# Drug treatment, prostate\n\n{tables}{foot}\nFor staff of U3; the prescriber decides.\n"


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The map and the pages beside it. Who knows nothing takes all drugs, and the rest as last year's map has it."""
    off = world.off if wishes.list_change else world.off_before
    out = off if wishes.off_list == "out" else ()
    passed = [name for name, drug in world.drugs.items() if not wishes.bar or drug[wishes.bar]]
    names = [name for name, drug in world.drugs.items() if drug["place"] == "castration" or name in passed]
    names = [name for name in names if name not in out]
    how = {"star": "(*)", "apart": APART}.get(wishes.off_list, "")
    partners = dict.fromkeys(DOSES, "prednisolone") if wishes.no_doses else DOSES
    facts = {
        "drugs": world.drugs, "listing": world.listing, "gates": wishes.gate,
        "branch": world.branch if wishes.branch else world.other,
        "partners": partners if wishes.partner else partners | {world.forgotten: "-"},
    }  # fmt: skip
    cautions = {wishes.watch: CAUTIONS[wishes.watch]} if wishes.watch else CAUTIONS
    day = written_day("2026-05-18", wishes.made_line) if wishes.made_line else "18.5."
    rows = _rows(facts, names, wishes.row_order, dict.fromkeys(off, how), list(cautions))
    text = _text(facts, rows, f"Made {day} by MT.\n", cautions)
    index, here, behind = f"{FOLDER}map-2025.md", f"{FOLDER}map.md", ", beside the board room U3-04\n"
    first, new = (world.said[one] for one in (world.other, world.branch))
    note = f"Annelise, the list is another from 18 May: {world.lost} is off it.\n"
    return {
        "map": text, "foot": text, "count": len(names),
        "index": see_to("mended" if wishes.ward_index else None, index, here, around=f"{{}}{behind}"),
        "phone": see_to("mended" if wishes.phone_answer else None, first, new, around="for men {},"),
        "note": File("2026-05-18_annelise.md", note) if wishes.annelise_note else None,
    }  # fmt: skip


def check_counted(evidence: Any) -> bool:
    """A reply says how many drugs the map has."""
    lines = [line.replace(" ", "") for line in new_text(evidence, FOLDER).lower().splitlines() if line.startswith("|")]
    count = sum(not line.startswith(("|drug|", "|-", "|:-")) for line in lines)
    said = " ".join(evidence.replies_since([path for path in evidence.changed_paths if path.startswith(FOLDER)]))
    words = [word.strip("*.,;:()").casefold() for word in said.split()]
    return count > 0 and not {str(count), COUNTED.get(count)}.isdisjoint(words)


def check_listed(evidence: Any, gained: str, lost: str, off: list[str]) -> bool:
    """One drug is shown as those that are off the list, another is not, however the map shows what is off."""
    # The first cell of a row is the drug's, and sentences show none.
    lines = [line.lstrip() for line in new_text(evidence, FOLDER).splitlines()]
    page = "\n".join("|".join(line.split("|")[:2]) for line in lines if line.startswith(("|", "#", "-", "*")))
    ways = {name: own_choices.ways_shown(page, name, "not on our list") for name in (gained, *off)}
    # Where what is off for long stands like any other, no map shows what was taken off in May.
    open_to_all = any("plain" in ways[name] for name in off if name != lost)
    return ways[gained] <= {"plain"} and (open_to_all or "plain" not in ways[lost])
