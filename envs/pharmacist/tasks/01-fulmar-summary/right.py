"""A draft on a new drug: what its tables have, which of its figures are wrong, and the paper that is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from pi_gym.authoring import Change, Stream, csv_text, fixed, markdown_rows, markdown_table, mends

DRAFT = "evidence/velorutamide/draft.md"
TABLES = "evidence/velorutamide/tables/"
OPEN = "to come"
HEADS = ("Line", "Compared", "Study", "Endpoint", "Effect", "Interval", "Stopped first", "Stopped second")
LINES = {
    "A": ("velorutamide / placebo", "FULMAR-1", "overall survival", "OS"),
    "B": ("higher / lower level", "PETREL", "tolerability", ""),
    "C": ("velorutamide / placebo", "FULMAR-2", "metastasis-free survival", "MFS"),
    "D": ("velorutamide / placebo", "FULMAR-1", "PFS2", "PFS2"),
}
SETS = {"randomised": "all randomised", "protocol": "per protocol", "treated": "all treated"}
BRACKETS = {"there": "paper in", "path": DRAFT, "by": "paper TN, MT"}
MIXED = {"A": "months", "C": "hr", "D": "nnt"}
# A figure of the draft by the sentence that it stands in; which of them are wrong, each world draws.
PROSE = {
    "sites": "It ran at {} sites.",
    "treated": "Of the men who were randomised {} took at least one tablet.",
    "age": "Their median age was {} years.",
    "followup": "Median follow-up was {} months at the cut-off that counts.",
    "deaths": "By that day {} men had died, both arms together.",
    "falls": "Falls were reported by {} men on velorutamide.",
    "dizzy": "Dizziness was reported by {} men on velorutamide.",
    "pressure": "Severe high blood pressure was found in {} men on velorutamide.",
    "petrel": "In line B the dose had to be reduced in {} men at the higher level.",
}
PLACEBO = {"falls": (34, 48), "dizzy": (37, 51), "pressure": (11, 19)}


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw who took part and who was harmed, and which of nine figures are wrong in the draft."""
    trials = preferences.shared.trials
    while True:
        counts = _counts(stream)
        figures = {key: _mend(counts, key) for key in PROSE}
        written = [*chain.from_iterable(figures.values()), "83", "61"]
        if len({*written}) == len(written) and _is_telling(counts):
            break
    wrong = {"falls", *stream.sample([key for key in PROSE if key != "falls"], stream.integer(3, 5))}
    shown = {key: old if key in wrong else new for key, (old, new) in figures.items()}
    typed = "protocol" if preferences.p.analysis_set != "protocol" else "randomised"
    facts = {
        "counts": counts, "mends": figures, "falls": figures["falls"],
        "wrong": [key for key in PROSE if key in wrong], "named": trials["named"],
        "effects": trials["effects"], "stopped": counts["stopped"], "erratum": counts["erratum"], "readme_set": typed,
        "readme": {"protocol": "per protocol", "randomised": "for all who were randomised"}[typed],
        "prose": {key: PROSE[key].format(one) for key, one in shown.items()},
        "pairs": [figures[key] for key in PROSE if key in wrong],
        "table": markdown_table(HEADS, [_row(line, OPEN, (OPEN,) * 2, (OPEN,) * 2) for line in LINES]),
        "bracket": BRACKETS,
        "measured": {
            name: {
                line.lower(): [trials["effects"][one[3]][name][form][0].split()[0] for form in ("hr", "months", "nnt")]
                for line, one in LINES.items()
                if one[3]
            }
            for name in SETS
        },
        "no_bracket": {how: [one for key, one in BRACKETS.items() if key != how] for how in BRACKETS},
        "wrong_sentences": [PROSE[key].split("{}")[0] for key in PROSE if key in wrong],
        "many": [str(len(wrong)), ("four", "five", "six")[len(wrong) - 4]],
    }  # fmt: skip
    return facts, _tables(counts, trials)


def _counts(stream: Stream) -> dict[str, Any]:
    """What tables 1 and 3 have, velorutamide (or the higher level) before placebo (or the lower one)."""
    arms = {"A": (506, 506), "B": (93, 93), "C": (400, 398)}
    missed = {"A": (7, 15), "B": (2, 4), "C": (6, 12)}
    took = {line: [n - stream.integer(*missed[line]) for n in both] for line, both in arms.items()}
    ranges = {"A": ((38, 58), (22, 34)), "B": ((12, 17), (5, 8)), "C": ((30, 44), (17, 26))}
    stopped = {line: [stream.integer(*one) for one in both] for line, both in ranges.items()}
    men = {"falls": stream.integer(52, 78), "dizzy": stream.integer(63, 86), "pressure": stream.integer(21, 33)}
    return {
        "arms": arms, "took": took, "stopped": stopped, "erratum": stopped["C"][0] + stream.integer(5, 9), "men": men,
        "events": {"falls": round(men["falls"] * stream.integer(130, 160) / 100)},
        "placebo": {key: stream.integer(*of) for key, of in PLACEBO.items()},
        "any": stream.integer(88, 120), "reduced": (stream.integer(19, 27), stream.integer(8, 13)),
        "sites": (stream.integer(112, 134), stream.integer(84, 99)),
        "age": (stream.integer(671, 694) / 10, stream.integer(709, 733) / 10),
        "followup": (stream.integer(421, 459) / 10, stream.integer(241, 268) / 10),
        "deaths": (stream.integer(560, 619), stream.integer(371, 429)),
    }  # fmt: skip


def _mend(counts: Mapping[str, Any], key: str) -> tuple[str, str]:
    """A figure as the draft has it where it is wrong, and as it is right."""
    old, new = {
        "sites": counts["sites"][::-1], "age": counts["age"][::-1], "followup": counts["followup"][::-1],
        "deaths": counts["deaths"][::-1], "petrel": counts["reduced"][::-1],
        "treated": (sum(counts["arms"]["A"]), sum(counts["took"]["A"])),
        "falls": (counts["events"]["falls"], counts["men"]["falls"]),
        "dizzy": (counts["placebo"]["dizzy"], counts["men"]["dizzy"]),
        "pressure": (counts["any"], counts["men"]["pressure"]),
    }[key]  # fmt: skip
    return str(old), str(new)


def _is_telling(counts: Mapping[str, Any]) -> bool:
    """Whether percentages of all who were randomised are others than those of who took it, in lines A and C."""
    stopped = counts["stopped"] | {"C": [counts["erratum"], counts["stopped"]["C"][1]]}
    shares = [
        {fixed(100 * stopped[line][arm] / counts[of][line][arm], 1) for of in ("arms", "took")}
        for line in "AC" for arm in (0, 1)
    ]  # fmt: skip
    return all(len(both) == 2 for both in shares)


def _tables(counts: Mapping[str, Any], trials: Any) -> dict[str, str]:
    """The tables of the three studies, as they were typed off."""
    arms, took, stopped, men, others = (counts[one] for one in ("arms", "took", "stopped", "men", "placebo"))
    of_any, severe = counts["any"], men["pressure"]
    heads = ["item", "velorutamide", "placebo", "all"]
    found = {}
    for study, line, place in (("fulmar1", "A", 0), ("fulmar2", "C", 1)):
        rows = [
            ("sites", "", "", counts["sites"][place]), ("median age (years)", "", "", counts["age"][place]),
            ("all randomised", *arms[line], sum(arms[line])),
            ("all treated (at least one tablet)", *took[line], sum(took[line])),
        ]  # fmt: skip
        if line == "A":
            rows += [
                (f"{what} ({when})", "", "", counts[key][at])
                for key, what in (("followup", "median follow-up in months"), ("deaths", "deaths, all randomised"))
                for at, when in ((1, "interim 2024-03-31"), (0, "final 2025-09-30"))
            ]
        found[f"{study}_t1.csv"] = csv_text(heads, rows)
    heads = ["item", "velorutamide men", "velorutamide events", "placebo men", "placebo events"]
    found["fulmar1_t3_harms.csv"] = csv_text(heads, [
        ("falls", men["falls"], counts["events"]["falls"], others["falls"], round(others["falls"] * 1.3)),
        ("dizziness", men["dizzy"], men["dizzy"] + 31, others["dizzy"], others["dizzy"] + 14),
        ("high blood pressure: any", of_any, of_any + 9, others["pressure"] + 41, others["pressure"] + 49),
        ("high blood pressure: severe", severe, severe + 2, others["pressure"], others["pressure"] + 1),
        ("stopped for harm", stopped["A"][0], "", stopped["A"][1], ""),
    ])  # fmt: skip
    found["fulmar2_t3_harms.csv"] = csv_text(heads, [
        ("falls", 41, 55, 29, 35), ("fatigue", 118, 161, 83, 102),
        ("stopped for harm", stopped["C"][0], "", stopped["C"][1], ""),
    ])  # fmt: skip
    found["petrel_t1.csv"] = csv_text(["item", "higher level men", "lower level men"], [
        ("all randomised", *arms["B"]), ("all treated (at least one tablet)", *took["B"]),
        ("dose reduced", *counts["reduced"]), ("stopped for harm", *stopped["B"]),
    ])  # fmt: skip
    found["fulmar1_t2_efficacy.csv"] = _gains([
        ("OS", "primary", "interim 2024-03-31", trials["interim"]),
        ("OS", "primary", "final 2025-09-30", trials["effects"]["OS"]),
        ("PFS2", "exploratory", "final 2025-09-30", trials["effects"]["PFS2"]),
    ])  # fmt: skip
    found["fulmar2_t2_efficacy.csv"] = _gains([("MFS", "primary", "2025-01-15", trials["effects"]["MFS"])])
    return {TABLES + name: text for name, text in found.items()}


def _gains(rows: Sequence[tuple[str, str, str, Any]]) -> str:
    heads = "endpoint,kind,cut-off,set,HR,low,high,median velorutamide,median placebo,free at 12 velorutamide,"
    lines = []
    for endpoint, kind, cut, by_set in rows:
        for key, name in SETS.items():
            one = by_set[key]
            medians = ["not reached" if cut.startswith("interim") else one["medians"][0], one["medians"][1]]
            free = [share for month in (12, 24) for share in one["free"][month]]
            lines.append((endpoint, kind, cut, name, *one["hazard"], *medians, *free))
    return csv_text([*(heads + "free at 12 placebo,free at 24 velorutamide,free at 24 placebo").split(",")], lines)


def _row(line: str, study: str, effect: Sequence[str], stopped: Sequence[str], remark: str = "") -> list[str]:
    compared, _, endpoint, _ = LINES[line]
    return [line, compared, study, endpoint + remark, *(effect if line != "B" else ("none", "-")), *stopped]


# -- the right paper -------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The draft, and the pages beside it. Who knows nothing mends silently, mixes forms and goes by the README."""
    survival = world.effects["OS"][wishes.analysis_set or world.readme_set]
    ratio, months = survival["hr"][0], survival["months"][0]
    pairs = {key: world.mends[key] for key in world.wrong}
    how = wishes.mend_mark
    shown = {"was": "{1} [was {0}]", "struck": "~~{0}~~ {1}"}.get(how, "{1}")
    changes = {PROSE[key].format(old): PROSE[key].format(shown.format(old, new)) for key, (old, new) in pairs.items()}
    listed = "".join(f"- {key}: {old}, now {new}\n" for key, (old, new) in pairs.items())
    corrections = f"\n## Corrections\n\n{listed}"
    old, new = world.mends["falls"]
    line = {"mended": f"in {new} men", "marked": f"in {old} (under review) men", "struck": f"in ~~{old}~~ {new} men"}
    bracket = world.bracket.get(wishes.agenda_line)
    return {
        "draft": Change({world.table: _table(world, wishes), **changes}, corrections if how == "list" else ""),
        "oneliners": Change({f"in {old} men": line[wishes.one_liner]}) if wishes.one_liner else None,
        "agenda": Change({"paper missing": bracket}) if bracket else None,
        "torbjorn": f"# Wrong in the draft\n\n{listed}" if wishes.torbjorn else None,
        "ratio_cell": f"| {ratio} |", "two_forms": f"| {ratio}; {months} |",  # for ways.yaml
    }  # fmt: skip


def _table(world: Any, wishes: Any) -> str:
    chosen = wishes.analysis_set or world.readme_set
    marks = {"D": " (exploratory)"} if wishes.exploratory == "marked" else {}
    base = world.counts["took"] if wishes.treated_only else world.counts["arms"]
    rows = []
    for line in LINES:
        if line == "D" and wishes.exploratory == "out":
            continue
        study, endpoint = LINES[line][1], LINES[line][3]
        called = world.named[study][wishes.study_name or "mixed"]
        trial = "A" if line == "D" else line
        stopped = [*world.stopped[trial]]
        if wishes.erratum and line == "C":
            stopped[0] = world.erratum
        shares = [f"{fixed(100 * n / of, 1)} %" for n, of in zip(stopped, base[trial], strict=True)]
        effect = world.effects[endpoint][chosen][wishes.effect_form or MIXED[line]] if endpoint else ()
        rows.append(_row(line, called, effect, shares, marks.get(line, "")))
    return markdown_table(HEADS, rows)


# -- checks ----------------------------------------------------------------------------------------------------------


def check_interval(evidence: Any, form: str) -> bool:
    """Each effect has its interval beside it where it is a ratio, and none where it is not."""
    rows = [row for row in markdown_rows(evidence.text(DRAFT)) if len(row) == len(HEADS)]
    found = [len(mends.numbers(row[5])) for row in rows if row[0] in "acd"]
    return bool(found) and (min(found) == 2 if form == "hr" else max(found) == 0)


def check_measured(evidence: Any, figures: Mapping[str, Sequence[str]]) -> bool:
    """Each effect is one that the analysis set has, in one of its forms: small whole numbers too."""
    rows = [row for row in markdown_rows(evidence.text(DRAFT)) if len(row) == len(HEADS) and row[0] in figures]
    return bool(rows) and all(mends.numbers(row[4])[:1] in [[one] for one in figures[row[0]]] for row in rows)


check_mended = mends.mended
check_mends_shown = mends.shown
check_text_stays = mends.text_stays
