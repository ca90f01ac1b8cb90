"""A draft on a new drug: what its tables have, which of its figures are wrong, and the paper that is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from pi_gym.authoring import Change, Stream, csv_text, fixed, kept_share, markdown_table, prose_sections

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
ORDERS = {None: "ABCD", "largest": "ADCB", "newest": "CADB", "oldest": "BADC"}
SETS = {"randomised": "all randomised", "protocol": "per protocol", "treated": "all treated"}
BRACKETS = {"there": "paper in", "path": DRAFT, "by": "paper TN, MT"}
MIXED = {"A": "months", "C": "hr", "D": "nnt"}
# A figure of the draft by the sentence that it stands in; which of them are wrong, each world draws.
PROSE = {
    "sites": "It ran at {} sites in fourteen countries.",
    "treated": "Of the men who were drawn for an arm {} took at least one tablet.",
    "age": "Their median age was {} years.",
    "followup": "Median follow-up was {} months at the cut-off that counts.",
    "deaths": "By that day {} men had died, both arms together.",
    "falls": "Falls were reported by {} men on velorutamide.",
    "dizzy": "Dizziness was reported by {} men on velorutamide.",
    "pressure": "Severe high blood pressure was found in {} men on velorutamide.",
    "petrel": "In line B the dose had to be reduced in {} men at the higher level.",
}
# Studies of older summaries: name, people, effect. Each way of sorting puts another one first.
OLDER = {
    "tasperil": [("Lind 2021", 640, "HR 0.71"), ("Osk 2024", 210, "3.1 months"), ("Rye 2018", 412, "NNT 19")],
    "norcabine": [("Moe 2023", 128, "NNT 8"), ("Falk 2019", 255, "HR 0.66"), ("Gran 2016", 96, "0.9 months")],
    "dosulip": [("Sand 2020", 702, "HR 0.99"), ("Ek 2025", 344, "NNT 210"), ("Bru 2017", 188, "0.1 months")],
}


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw who took part and who was harmed, and which of nine figures are wrong in the draft."""
    trials = preferences.shared.trials
    while True:
        counts = _counts(stream)
        mends = {key: _mend(counts, key) for key in PROSE}
        figures = [*chain.from_iterable(mends.values()), "83", "61"]
        if len({*figures}) == len(figures) and _is_telling(counts):
            break
    wrong = {"falls", *stream.sample([key for key in PROSE if key != "falls"], stream.integer(3, 5))}
    shown = {key: old if key in wrong else new for key, (old, new) in mends.items()}
    readme = "per protocol" if preferences.p.analysis_set != "protocol" else "for all who were randomised"
    facts = {
        "counts": counts,
        "mends": mends, "falls": mends["falls"],
        "wrong": [key for key in PROSE if key in wrong], "named": trials["named"],
        "effects": trials["effects"], "stopped": counts["stopped"], "erratum": counts["erratum"], "readme": readme,
        "readme_set": "protocol" if preferences.p.analysis_set != "protocol" else "randomised",
        "prose": {key: PROSE[key].format(one) for key, one in shown.items()},
        "pairs": [mends[key] for key in PROSE if key in wrong],
        "table": markdown_table(HEADS, [_row(line, OPEN, (OPEN,) * 2, (OPEN,) * 2) for line in LINES]),
        "bracket": BRACKETS,
        "no_bracket": {how: [one for key, one in BRACKETS.items() if key != how] for how in BRACKETS},
        "older": {drug: {how: _older(studies, how) for how in ORDERS if how} for drug, studies in OLDER.items()},
        "wrong_sentences": [PROSE[key].split("{}")[0] for key in PROSE if key in wrong],
        "many": [str(len(wrong)), ("four", "five", "six")[len(wrong) - 4]],
    }  # fmt: skip
    return facts, _tables(counts, trials)


def _counts(stream: Stream) -> dict[str, Any]:
    """What tables 1 and 3 have, velorutamide (or the higher level) before placebo (or the lower one)."""
    arms = {"A": (506, 506), "B": (93, 93), "C": (400, 398)}
    missed = {"A": (7, 15), "B": (2, 4), "C": (6, 12)}
    took = {line: [n - stream.integer(*missed[line]) for n in both] for line, both in arms.items()}
    stopped = {
        "A": [stream.integer(38, 58), stream.integer(22, 34)],
        "B": [stream.integer(12, 17), stream.integer(5, 8)],
        "C": [stream.integer(30, 44), stream.integer(17, 26)],
    }
    men = {"falls": stream.integer(52, 78), "dizzy": stream.integer(63, 86), "pressure": stream.integer(21, 33)}
    return {
        "arms": arms, "took": took, "stopped": stopped,
        "erratum": stopped["C"][0] + stream.integer(5, 9),
        "men": men,
        "events": {"falls": round(men["falls"] * stream.integer(130, 160) / 100)},
        "placebo": {
            "falls": stream.integer(34, 48), "dizzy": stream.integer(37, 51), "pressure": stream.integer(11, 19),
        },
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
    """Whether percentages of all who were drawn for an arm are others than those of who took it, in lines A and C."""
    stopped = counts["stopped"] | {"C": [counts["erratum"], counts["stopped"]["C"][1]]}
    return all(
        fixed(100 * stopped[line][arm] / counts["arms"][line][arm], 1)
        != fixed(100 * stopped[line][arm] / counts["took"][line][arm], 1)
        for line in "AC"
        for arm in (0, 1)
    )


def _tables(counts: Mapping[str, Any], trials: Any) -> dict[str, str]:
    """The tables of the three studies, as they were typed off."""
    heads = ["item", "velorutamide", "placebo", "all"]
    found = {}
    for study, line, place in (("fulmar1", "A", 0), ("fulmar2", "C", 1)):
        arms, took = counts["arms"][line], counts["took"][line]
        rows = [
            ("sites", "", "", counts["sites"][place]),
            ("median age (years)", "", "", counts["age"][place]),
            ("all randomised", *arms, sum(arms)),
            ("all treated (at least one tablet)", *took, sum(took)),
        ]
        if line == "A":
            rows += [
                (f"{what} ({when})", "", "", counts[key][at])
                for key, what in (("followup", "median follow-up in months"), ("deaths", "deaths, all randomised"))
                for at, when in ((1, "interim 2024-03-31"), (0, "final 2025-09-30"))
            ]
        found[f"{study}_t1.csv"] = csv_text(heads, rows)
    men, others, events = counts["men"], counts["placebo"], counts["events"]["falls"]
    harm = [
        ("falls", men["falls"], events, others["falls"], round(others["falls"] * 1.3)),
        ("dizziness", men["dizzy"], men["dizzy"] + 31, others["dizzy"], others["dizzy"] + 14),
        (
            "high blood pressure: any",
            counts["any"],
            counts["any"] + 9,
            others["pressure"] + 41,
            others["pressure"] + 49,
        ),
        (
            "high blood pressure: severe",
            men["pressure"],
            men["pressure"] + 2,
            others["pressure"],
            others["pressure"] + 1,
        ),
        ("stopped for harm", counts["stopped"]["A"][0], "", counts["stopped"]["A"][1], ""),
    ]
    harm_heads = ["item", "velorutamide men", "velorutamide events", "placebo men", "placebo events"]
    found["fulmar1_t3_harms.csv"] = csv_text(harm_heads, harm)
    two = counts["stopped"]["C"]
    found["fulmar2_t3_harms.csv"] = csv_text(
        harm_heads,
        [("falls", 41, 55, 29, 35), ("fatigue", 118, 161, 83, 102), ("stopped for harm", two[0], "", two[1], "")],
    )
    both = [
        ("all randomised", *counts["arms"]["B"]),
        ("all treated (at least one tablet)", *counts["took"]["B"]),
        ("dose reduced", *counts["reduced"]),
        ("stopped for harm", *counts["stopped"]["B"]),
    ]
    found["petrel_t1.csv"] = csv_text(["item", "higher level men", "lower level men"], both)
    gains = {
        "fulmar1_t2_efficacy.csv": [
            ("OS", "primary", "interim 2024-03-31", trials["interim"]),
            ("OS", "primary", "final 2025-09-30", trials["effects"]["OS"]),
            ("PFS2", "exploratory", "final 2025-09-30", trials["effects"]["PFS2"]),
        ],
        "fulmar2_t2_efficacy.csv": [("MFS", "primary", "2025-01-15", trials["effects"]["MFS"])],
    }
    found |= {name: _gains(rows) for name, rows in gains.items()}
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


def _older(studies: Sequence[tuple[str, int, str]], how: str) -> str:
    """The rows of an older summary in an order, and a blank line."""
    by = {"largest": lambda one: -one[1], "newest": lambda one: -int(one[0][-4:]), "oldest": lambda one: one[0][-4:]}
    rows = enumerate(sorted(studies, key=by[how]))
    return "".join(f"| {'ABC'[at]} | {' | '.join(map(str, one))} |\n" for at, one in rows)


def _row(line: str, study: str, effect: Sequence[str], stopped: Sequence[str], remark: str = "") -> list[str]:
    compared, _, endpoint, _ = LINES[line]
    return [line, compared, study, endpoint + remark, *(effect if line != "B" else ("none", "-")), *stopped]


# -- the right paper -------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The draft, and the pages beside it. Who knows nothing mends silently, mixes forms and goes by the README."""
    table = _table(world, wishes)
    survival = world.effects["OS"][wishes.analysis_set or world.readme_set]
    ratio, months = survival["hr"][0], survival["months"][0]
    pairs = {key: world.mends[key] for key in world.wrong}
    how = wishes.mend_mark
    shown = {"was": "{1} [was {0}]", "struck": "~~{0}~~ {1}"}.get(how, "{1}")
    changes = {PROSE[key].format(old): PROSE[key].format(shown.format(old, new)) for key, (old, new) in pairs.items()}
    listed = "".join(f"- {key}: {old}, now {new}\n" for key, (old, new) in pairs.items())
    old, new = world.mends["falls"]
    line = {"mended": f"in {new} men", "marked": f"in {old} (under review) men", "struck": f"in ~~{old}~~ {new} men"}
    bracket = world.bracket.get(wishes.agenda_line)
    return {
        "draft": Change({world.table: table, **changes}, f"\n## Corrections\n\n{listed}" if how == "list" else ""),
        "oneliners": Change({f"in {old} men": line[wishes.one_liner]}) if wishes.one_liner else None,
        "agenda": Change({"paper missing": bracket}) if bracket else None,
        "torbjorn": f"# Wrong in the draft\n\n{listed}" if wishes.torbjorn else None,
        # Ways of ways.yaml.
        "ratio_cell": f"| {ratio} |",
        "two_forms": f"| {ratio}; {months} |",
    }


def _table(world: Any, wishes: Any) -> str:
    chosen = wishes.analysis_set or world.readme_set
    marks = {"D": " (exploratory)"} if wishes.exploratory == "marked" else {}
    base = world.counts["took"] if wishes.treated_only else world.counts["arms"]
    rows = []
    for line in ORDERS[wishes.study_order]:
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
    cells = [row[5] for row in _rows(evidence.text(DRAFT) or "") if row[0] in ("A", "C", "D")]
    found = [len(_numbers(cell)) for cell in cells]
    return bool(found) and (min(found) == 2 if form == "hr" else max(found) == 0)


def _rows(text: str) -> list[list[str]]:
    rows = [[cell.strip(" *") for cell in line.strip("| ").split("|")] for line in text.splitlines() if "|" in line]
    return [row for row in rows if len(row) == len(HEADS)]


def check_mended(evidence: Any, pairs: Sequence[Sequence[str]], least: int = 0) -> bool:
    """So many of the wrong figures are right, all without `least`, whether or not one sees what they were."""
    found = [_how(evidence.text(DRAFT) or "", *pair) for pair in pairs]
    return sum(map(bool, found)) >= (least or len(pairs))


def check_mends_shown(evidence: Any, how: str, pairs: Sequence[Sequence[str]]) -> bool:
    """What was mended shows what it was in one way, and nothing does in another."""
    found = [one for pair in pairs for one in [_how(evidence.text(DRAFT) or "", *pair)] if one]
    return len(found) >= 3 and {*found} == {how}


def _how(text: str, old: str, new: str) -> str:
    """How a figure was mended: "was", "struck", "list", several of these, or "silent"; "" where it is still wrong."""
    at = next((at for at, line in enumerate(text.splitlines()) if line.strip("#*_ :").lower() == "corrections"), None)
    body = [line for line in text.splitlines()[:at] if not line.startswith("|")]
    listed = [] if at is None else text.splitlines()[at + 1 :]
    parts = " ".join(body).replace("[Was ", "[was ").split("~~")
    plain, *were = " ".join(parts[::2]).split("[was ")
    clean = " ".join([plain, *(one.partition("]")[2] for one in were)])
    if old in _numbers(clean) or new not in _numbers(clean):
        return ""
    leads, found = [plain, *were], [*map(_numbers, parts)]
    inside = [_numbers(one.partition("]")[0]) for one in were]
    ways = {
        "was": any(old in was and new in _numbers(lead[-40:]) for was, lead in zip(inside, leads, strict=False)),
        "struck": any(old in was and new in after[:2] for was, after in zip(found[1::2], found[2::2], strict=False)),
        "list": any({old, new} <= {*_numbers(line)} for line in listed),
    }  # fmt: skip
    return " ".join(way for way, is_there in ways.items() if is_there) or "silent"


def _numbers(text: str) -> list[str]:
    """The numbers of a text, as they are written."""
    return [
        one.strip(".") for one in "".join(c if c.isdecimal() or c == "." else " " for c in text).split() if one != "."
    ]


def check_text_stays(evidence: Any, wrong: Sequence[str]) -> bool:
    """Of the sentences without a wrong figure nearly all stand as they did."""
    start, now = (
        [*chain(*prose_sections(one or "").values())] for one in (evidence.start.text(DRAFT), evidence.text(DRAFT))
    )
    sentences = [
        one for paragraph in start for one in paragraph.split(". ") if not any(said[:20] in one for said in wrong)
    ]
    return kept_share(sentences, now) >= 0.85
