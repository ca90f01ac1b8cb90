"""A draft on a new drug: what its tables have, which of its figures are wrong, and the paper that is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from pi_gym.authoring import Change, Stream, attempts, fixed, markdown_rows, markdown_table, mends, see_to

DRAFT = "evidence/velorutamide/draft.md"
OPEN = "to come"
HEADS = ("Line", "Compared", "Study", "Endpoint", "Effect", "Interval", "Stopped first", "Stopped second")
LINES = {
    "A": ("velorutamide / placebo", "FULMAR-1", "overall survival", "OS"),
    "B": ("higher / lower level", "PETREL", "tolerability", ""),
    "C": ("velorutamide / placebo", "FULMAR-2", "metastasis-free survival", "MFS"),
    "D": ("velorutamide / placebo", "FULMAR-1", "PFS2", "PFS2"),
}
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
    for _ in attempts():
        counts = _counts(stream)
        figures = {key: _mend(counts, key) for key in PROSE}
        written = [*chain.from_iterable(figures.values()), "83", "61"]
        if len({*written}) == len(written) and _is_telling(counts):
            break
    always = {"falls", "followup"}
    wrong = always | {*stream.sample([key for key in PROSE if key not in always], stream.integer(2, 4))}
    typed = "protocol" if preferences.p.analysis_set != "protocol" else "randomised"
    facts = {
        **mends.draft_facts(PROSE, figures, wrong), "counts": counts, "falls": figures["falls"],
        "followup": figures["followup"], "stopped": counts["stopped"], "erratum": counts["erratum"],
        "readme_set": typed, "readme": {"protocol": "per protocol", "randomised": "for all who were randomised"}[typed],
        "table": markdown_table(HEADS, [_row(line, OPEN, (OPEN,) * 2, (OPEN,) * 2) for line in LINES]),
        "measured": {
            name: {
                line.lower(): [trials["effects"][one[3]][name][form][0].split()[0] for form in ("hr", "months", "nnt")]
                for line, one in LINES.items()
                if one[3]
            }
            for name in trials["effects"]["OS"]
        },
    }  # fmt: skip
    return facts, {}


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


def _row(line: str, study: str, effect: Sequence[str], stopped: Sequence[str], remark: str = "") -> list[str]:
    compared, _, endpoint, _ = LINES[line]
    return [line, compared, study, endpoint + remark, *(effect if line != "B" else ("none", "-")), *stopped]


# -- the right paper -------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The draft, and the pages beside it. Who knows nothing mends silently, mixes forms and goes by the README."""
    survival = world.shared.trials["effects"]["OS"][wishes.analysis_set or world.readme_set]
    ratio, months = survival["hr"][0], survival["months"][0]
    pairs = {key: world.mends[key] for key in world.wrong}
    changes, listed, below = mends.mending(PROSE, pairs, wishes.mend_mark)
    return {
        "draft": Change({world.table: _table(world, wishes), **changes}, below),
        "oneliners": see_to("mended" if wishes.one_liner else None, *world.falls, around="in {} men"),
        "agenda": see_to("mended" if wishes.agenda_line else None, *world.followup),
        "torbjorn": f"# Wrong in the draft\n\n{listed}" if wishes.torbjorn else None,
        "ratio_cell": f"| {ratio} |", "two_forms": f"| {ratio}; {months} |",  # for ways.yaml
    }  # fmt: skip


def _table(world: Any, wishes: Any) -> str:
    trials, chosen = world.shared.trials, wishes.analysis_set or world.readme_set
    marks = {"D": " (exploratory)"} if wishes.exploratory == "marked" else {}
    base = world.counts["took"] if wishes.treated_only else world.counts["arms"]
    rows = []
    for line in LINES:
        if line == "D" and wishes.exploratory == "out":
            continue
        study, endpoint = LINES[line][1], LINES[line][3]
        called = trials["named"][study][wishes.study_name or "mixed"]
        trial = "A" if line == "D" else line
        stopped = [*world.stopped[trial]]
        if wishes.erratum and line == "C":
            stopped[0] = world.erratum
        shares = [f"{fixed(100 * n / of, 1)} %" for n, of in zip(stopped, base[trial], strict=True)]
        effect = trials["effects"][endpoint][chosen][wishes.effect_form or MIXED[line]] if endpoint else ()
        rows.append(_row(line, called, effect, shares, marks.get(line, "")))
    return markdown_table(HEADS, rows)


# -- checks ----------------------------------------------------------------------------------------------------------


def check_measured(evidence: Any, figures: Mapping[str, Sequence[str]]) -> bool:
    """Each effect is one that the analysis set has, in one of its forms: small whole numbers too."""
    rows = [row for row in markdown_rows(evidence.text(DRAFT)) if len(row) == len(HEADS) and row[0] in figures]
    return bool(rows) and all(mends.numbers(row[4])[:1] in [[one] for one in figures[row[0]]] for row in rows)
