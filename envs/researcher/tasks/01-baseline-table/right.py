"""The evaluation dump of the noise baselines, what lies beside it, and the table that is right for it."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from pi_gym.authoring import Change, Stream, fixed, keyed_texts, mean_cell, new_lines, table_file

BASELINE = "ctc-base"
SYSTEMS = ("tide-s", "tide-m", "conf-rnnt", "mixaug", "sub4-ctc", "wav-xl")
# Renamed twice: the first seed ran under the first name, the second under the next.
RENAMED = (("enh-ctc", "ctc-enh", "mask-fe"), ("cleanfeat", "feat-c", "denoise-fe"), ("duo-dec", "dec-2", "rescore-2p"))
# By tool id, in the order of the runs: column head on the group page, WER of a middling system in tenths of a point.
CONDITIONS = {
    "babble0": ("Babble 0 dB", 312),
    "canteen5": ("Canteen 5 dB", 244),
    "car10": ("Car 10 dB", 152),
    "clean": ("Clean", 74),
    "street5": ("Street 5 dB", 186),
}
RUN_ORDER = tuple(CONDITIONS)
POINT = "- Noise baselines: are they through? Priya wants them for her slides (Nora)\n"
OFFSETS = (-58, -29, -2, 27, 55)  # tenths of a point, from the best system to the worst


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw the runs and write what the evaluation tool left behind."""
    p = preferences.p
    names = stream.sample(SYSTEMS, 3)
    aliases = stream.choice(RENAMED)
    torn = names[-1]
    new = aliases[-1]
    systems = [BASELINE, *sorted([*names, new])]
    seeds = sorted(stream.sample((7, 13, 21, 34, 55, 68, 89), 4))
    # The baseline is never the best one, so pinning it to the top differs from sorting.
    ranking = stream.shuffled([s for s in systems if s != BASELINE])
    ranking.insert(stream.integer(2, 4), BASELINE)
    noises = [c for c in RUN_ORDER if c != "clean"]
    order, october = (["clean", *stream.shuffled(noises)] for _ in range(2))
    while order == october or order[1:] in (noises, noises[::-1]):
        order = ["clean", *stream.shuffled(noises)]
    headline = stream.choice(noises)

    wer = {(s, c): _tenths(stream, s, c, ranking) for s in systems for c in RUN_ORDER}
    torn_at, stop = stream.integer(0, 3), stream.integer(2, 3)  # the condition at whose run the node went down
    for condition in RUN_ORDER[:stop]:  # far from the other seeds, so that counting it or not shows
        wer[torn, condition] = _outlier(wer[torn, condition], torn_at, stream.choice((-1, 1)))
    sign = stream.choice((-1, 1))
    for condition in RUN_ORDER:  # leaving out what ran under an older name shows too
        wer[new, condition] = _outlier(_outlier(wer[new, condition], 0, sign), 1, sign)
    partial = wer[torn, RUN_ORDER[stop]][torn_at] + stream.integer(150, 260)

    rows: list[dict[str, Any]] = []
    events, minute = [], 17
    for at, seed in enumerate(seeds):
        for system in systems:
            name = aliases[min(at, 2)] if system == new else system
            for place, condition in enumerate(RUN_ORDER):
                minute += stream.integer(11, 19)
                value = wer[system, condition][at]
                if (system, at) == (torn, torn_at) and place >= stop:
                    if place == stop:
                        events.append((minute, "torn"))
                        rows.append(_row(name, seed, condition, partial, minute, stream.integer(140, 310)))
                    continue
                rows.append(_row(name, seed, condition, value, minute))
        events += [(minute + 5, ("first", "second")[at])] if at < 2 else []
    sums = {(s, seed): f"{stream.integer(0x100000, 0xFFFFFF):x}" for s in systems for seed in seeds}
    kept = {"finished": sums[torn, seeds[torn_at]], "whole": f"{stream.integer(0x100000, 0xFFFFFF):x}"}
    loaded = sums | {(alias, seed): sums[new, seed] for alias, seed in zip(aliases, seeds, strict=False)}
    loaded[torn, seeds[torn_at]] = kept[p.aborted_seed]
    january, old_table = _january(stream)
    facts = {
        "systems": systems, "baseline": BASELINE, "aliases": aliases, "new": new, "seeds": seeds, "torn": torn,
        "torn_at": torn_at, "torn_seed": seeds[torn_at], "stop": stop, "torn_condition": RUN_ORDER[stop],
        "torn_run": _run(torn, seeds[torn_at], RUN_ORDER[0]), "sums": kept,
        "checkpoints": [(s, seed, sums[s, seed]) for s in sorted(systems) for seed in seeds],
        "run_order": RUN_ORDER, "partial": partial, "order": order, "october": october,
        "headline": headline, "best": ranking[0],
        "heads": [CONDITIONS[c][0] for c in order], "headline_head": CONDITIONS[headline][0],
        "october_heads": [CONDITIONS[c][0] for c in october], "head": {c: CONDITIONS[c][0] for c in RUN_ORDER},
        "wer": {s: {c: wer[s, c] for c in RUN_ORDER} for s in systems},
        "events": [(_clock(at, "{} Feb, {:02d}:{:02d}"), what) for at, what in sorted(events)],
        "jobs": _jobs(rows, loaded), "january": january, "day": p.day,
        "said": keyed_texts(preferences.data["said.csv"]),
    }  # fmt: skip
    return facts, {
        "results/noise-eval/runs.jsonl": "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows),
        f"group-page/results/{january}": old_table,
    }


def _clock(minute: int, style: str) -> str:
    """A moment of the evaluation, which began on 27 February."""
    return style.format(27 + minute // 1440, minute % 1440 // 60, minute % 60)


def _run(system: str, seed: int, condition: str) -> str:
    return f"{system}.s{seed:02d}.{condition}"


def _tenths(stream: Stream, system: str, condition: str, ranking: Sequence[str]) -> list[int]:
    """WER per seed in tenths of a point; wide enough that deviation, error and range cannot be taken for each other."""
    offset = OFFSETS[ranking.index(system)]
    middle = CONDITIONS[condition][1] + stream.integer(-3, 3) + (offset // 3 if condition == "clean" else offset)
    spread = [-stream.integer(9, 13), stream.integer(9, 13), stream.integer(-6, 6), stream.integer(-6, 6)]
    return [middle + shift for shift in stream.shuffled(spread)]


def _outlier(values: Sequence[int], place: int, sign: int) -> list[int]:
    rest = [v for at, v in enumerate(values) if at != place]
    return [round(sum(rest) / len(rest)) + sign * 17 if at == place else v for at, v in enumerate(values)]


def _row(system: str, seed: int, condition: str, tenths: int, minute: int, utterances: int = 1080) -> dict[str, Any]:
    run, status = _run(system, seed, condition), "ok" if utterances == 1080 else "aborted"
    end = _clock(minute, "2026-02-{:02d}T{:02d}:{:02d}")
    row = {"run": run, "sys": system, "seed": seed, "cond": condition, "wer": tenths / 10}
    return row | {"utts": utterances, "end": end, "status": status}


def _jobs(rows: Sequence[Mapping[str, Any]], loaded: Mapping[Any, str]) -> list[dict[str, Any]]:
    """The jobs in the order of time, with the checkpoint that each loaded."""
    nodes = [f"hh-{place % 5 + 1:02d}" if row["status"] == "ok" else "hh-07" for place, row in enumerate(rows)]
    return [
        {**row, "node": node, "loaded": loaded[row["sys"], row["seed"]]} for row, node in zip(rows, nodes, strict=True)
    ]


def _january(stream: Stream) -> tuple[str, str]:
    """The table of the section's former owner, in a style of its own that says nothing about the one wanted now."""
    names = ("ctc-base", "ctc-base+specaug", "lm-only")
    rows = [[name, f"{stream.integer(110, 160) / 10}", f"{stream.integer(280, 360) / 10}", 2] for name in names]
    style = stream.choice(("markdown", "csv", "latex"))
    return table_file("noise_sanity_jan", style, ["model", "car", "babble", "seeds"], rows)


# -- the right table -------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The table and what goes with it. Who knows nothing of a wish takes the dump as it lies there."""
    decimals, style = wishes.decimals or 2, wishes.table_format or "markdown"
    columns = world.order if wishes.condition_order else world.october
    found = {(name, c): one for c in columns for name, one in _counted(world, wishes, c).items()}
    names = sorted({name for name, _ in found}, key=lambda name: statistics.fmean(found[name, world.headline]))
    if wishes.baseline_row == "top":
        names = [world.baseline, *(name for name in names if name != world.baseline)]
    latex = style == "latex"
    rows = [[s, *(mean_cell(found[s, c], decimals, wishes.spread, latex=latex) for c in columns)] for s in names]
    called = (wishes.naming or "{topic}").format(topic="noise-baselines", date=world.day)
    table = table_file(called, style, ["System", *(world.head[c] for c in columns)], rows)
    left_out = f"from {world.torn_condition} on" if wishes.aborted_seed == "finished" else "all of it"
    note = f"- {world.day}, noise baselines: {world.torn}, seed {world.torn_seed}, {left_out}, node died.\n"
    best = found.get((world.best, world.headline))
    october, new = (", ".join(heads) for heads in (world.october_heads, world.heads))
    repeat = {"the listening test of October": "the repeated listening test of 17 February", october: new}
    point = ""
    if wishes.conventions == "agenda":
        point = "- CONVENTIONS.md: the order of the noise conditions is October's, the minutes have another (Nora)\n"
    settled = {"gone": {POINT: ""}, "done": {POINT: f"{POINT[:-1]} (done)\n"}}.get(wishes.agenda_point, {})
    return {
        "table": table,
        "index": _index(world, table.name, wishes.old_table),
        "notes": Change(append=note),
        "conventions": Change(repeat) if wishes.conventions == "mend" else None,
        "agenda": Change(settled, append=point) if settled or point else None,
        "best_value": fixed(statistics.fmean(best), decimals) if best else "",
    }


def _counted(world: Any, wishes: Any, condition: str) -> dict[str, list[float]]:
    """The values of a condition that count, by the row in which they stand."""
    found = {name: [tenths / 10 for tenths in world.wer[name][condition]] for name in world.systems}
    torn = found[world.torn]
    finished = world.run_order.index(condition) < world.stop
    # The run that was cut off has a figure too, which only somebody counts who counts whatever there is.
    if wishes.aborted_seed is None and condition == world.torn_condition:
        torn[world.torn_at] = world.partial / 10
    elif not finished or wishes.aborted_seed == "whole":
        del torn[world.torn_at]
    if not wishes.renamed_system:
        first, second, *rest = found.pop(world.new)
        found |= dict(zip(world.aliases, ([first], [second], rest), strict=True))
    return found


def _index(world: Any, name: str, old_entry: str | None) -> Change:
    """The index with the new table on top of its section, and what becomes of the old one."""
    line = f"- [January sanity check](results/{world.january}): three models, two seeds, 16 January (Jonas)\n"
    new = f"- [Noise baselines](results/{name}): {len(world.systems)} systems, {len(world.seeds)} seeds, {world.day}\n"
    after = {None: new + line, "mark": f"{new}{line[:-1]} (superseded)\n"}.get(old_entry, new)
    archive = {"## Archive\n\n": f"## Archive\n\n{line}"} if old_entry == "archive" else {}
    return Change({line: after, **archive})


def check_linked(evidence: Any) -> bool:
    """The index links, under noise robustness, a new file of the results folder."""
    text = (evidence.text("group-page/index.md") or "").partition("## Noise")[2].partition("\n## ")[0]
    new = [p.rpartition("/")[2] for p in sorted(evidence.created) if p.startswith("group-page/results/")]
    return any(f"results/{name}" in text for name in new)


def check_conventions(evidence: Any, how: str, heads: Sequence[str]) -> bool:
    """The page has the order of February's test; or it is as it was, and the next meeting has a point on it."""
    texts = (new_lines(evidence, f"group-page/{name}") for name in ("CONVENTIONS.md", "minutes/next.md"))
    page, agenda = ([line for line in text.splitlines() if line] for text in texts)
    raised = any(word in line.casefold() for line in agenda for word in ("convention", "october", "order"))
    if how == "agenda":
        return raised and len(agenda) < 9 and not page
    places = [" ".join(page).find(head) for head in heads]
    return not raised and len(page) < 9 and -1 not in places and places == sorted(places)
