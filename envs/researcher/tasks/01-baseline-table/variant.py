"""The evaluation dump of the noise baselines, and the table that is right for it."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from pi_gym.authoring import (
    Stream,
    csv_text,
    fixed,
    is_written,
    latex_table,
    markdown_table,
    mean_cell,
    mean_pattern,
    spread_pattern,
)

BASELINE = "ctc-base"
SYSTEMS = ("tide-s", "tide-m", "conf-rnnt", "mixaug", "sub4-ctc", "wav-xl")
RENAMED = (("enh-ctc", "mask-fe"), ("cleanfeat", "denoise-fe"), ("duo-dec", "rescore-2p"))
# Tool id, column head on the group page, WER of a middling system.
CONDITIONS = {
    "babble0": ("Babble 0 dB", 312),
    "canteen5": ("Canteen 5 dB", 244),
    "car10": ("Car 10 dB", 128),
    "clean": ("Clean", 74),
    "street5": ("Street 5 dB", 186),
}
RUN_ORDER = tuple(CONDITIONS)
OFFSETS = (-58, -29, -2, 27, 55)  # tenths of a point, from the best system to the worst


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw the runs and write what the evaluation tool left behind."""
    names = stream.sample(SYSTEMS, 3)
    old, new = stream.choice(RENAMED)
    control, doubled, torn = names
    systems = [BASELINE, *sorted([*names, new])]
    seeds = sorted(stream.sample((7, 13, 21, 34, 55, 68, 89), 4))
    # The baseline is never the best one, so pinning it to the top differs from sorting.
    ranking = _ranking(stream, systems)
    noises = [c for c in RUN_ORDER if c != "clean"]
    order = ["clean", *stream.shuffled(noises)]
    while order[1:] == noises or order[1:] == noises[::-1]:
        order = ["clean", *stream.shuffled(noises)]
    headline = stream.choice(noises)

    wer = {(s, c): _cell(stream, s, c, ranking, len(seeds)) for s in systems for c in RUN_ORDER}
    torn_seed = stream.integer(0, 3)
    stop = stream.integer(2, 3)  # the condition at whose run the node went down
    for place, condition in enumerate(RUN_ORDER):
        if place < stop:  # far from the other seeds, so that counting it or not shows
            wer[torn, condition] = _outlier(wer[torn, condition], torn_seed, stream.choice((-1, 1)))
    for condition in RUN_ORDER:  # the first seed ran under the old name; leaving it out shows too
        wer[new, condition] = _outlier(wer[new, condition], 0, stream.choice((-1, 1)))
    twice_seed = stream.choice((0, 1, 2, 3))
    twice = stream.sample(RUN_ORDER, 2)
    for condition in twice:
        wer[doubled, condition] = _outlier(wer[doubled, condition], twice_seed, 1)

    rows: list[dict[str, Any]] = []
    torn_minute, first_done, minute = 0, 0, 17
    for seed_at, seed in enumerate(seeds):
        for system in systems:
            written = old if system == new and seed_at == 0 else system
            for place, condition in enumerate(RUN_ORDER):
                minute += stream.integer(11, 19)
                cut = system == torn and seed_at == torn_seed
                if cut and place > stop:
                    continue
                partial = cut and place == stop
                value = wer[system, condition][seed_at] + (stream.integer(150, 260) if partial else 0)
                if partial:
                    torn_minute = minute
                rows.append(
                    _row(written, seed, condition, value, minute, stream.integer(140, 310) if partial else 1080)
                )
        first_done = first_done or minute
    again = [r for r in rows if r["sys"] == doubled and r["seed"] == seeds[twice_seed] and r["cond"] in twice]
    rows += again
    facts = {
        "systems": systems, "baseline": BASELINE, "control": control, "doubled": doubled, "torn": torn,
        "old": old, "new": new, "seeds": seeds, "torn_seed": seeds[torn_seed], "torn_at": torn_seed,
        "twice_seed": seeds[twice_seed], "twice": twice, "stop": stop, "order": order, "headline": headline,
        "heads": [CONDITIONS[c][0] for c in order], "headline_head": CONDITIONS[headline][0],
        "ranking": ranking, "wer": {s: {c: wer[s, c] for c in RUN_ORDER} for s in systems}, "run_order": RUN_ORDER,
        "torn_condition": RUN_ORDER[stop], "torn_clock": _clock(torn_minute), "renamed_clock": _clock(first_done + 20),
        "torn_first": torn_minute < first_done + 20,
    }  # fmt: skip
    january = _january(stream)
    files = {
        "results/noise-eval/runs.jsonl": "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows),
        "results/noise-eval/summary.json": json.dumps(_summary(rows), indent=1) + "\n",
        january["path"]: january["text"],
    }
    return facts | {"january": january["path"].rpartition("/")[2], "rows": len(rows)}, files


def _clock(minute: int) -> str:
    return f"{27 + minute // 1440} Feb, {minute % 1440 // 60:02d}:{minute % 60:02d}"


def _ranking(stream: Stream, systems: Sequence[str]) -> list[str]:
    others = stream.shuffled([s for s in systems if s != BASELINE])
    others.insert(stream.integer(2, 4), BASELINE)
    return others


def _cell(stream: Stream, system: str, condition: str, ranking: Sequence[str], count: int) -> list[int]:
    """WER per seed in tenths of a point; wide enough that deviation, error and range cannot be taken for each other."""
    middle = CONDITIONS[condition][1] + OFFSETS[ranking.index(system)] * (1 if condition != "clean" else 0)
    middle += stream.integer(-3, 3) + (OFFSETS[ranking.index(system)] // 3 if condition == "clean" else 0)
    low, high = -stream.integer(9, 13), stream.integer(9, 13)
    spread = [low, high, *(stream.integer(-6, 6) for _ in range(count - 2))]
    return [middle + shift for shift in stream.shuffled(spread)]


def _outlier(values: Sequence[int], place: int, sign: int) -> list[int]:
    rest = [v for at, v in enumerate(values) if at != place]
    return [round(sum(rest) / len(rest)) + sign * 17 if at == place else v for at, v in enumerate(values)]


def _row(system: str, seed: int, condition: str, tenths: int, minute: int, utterances: int) -> dict[str, Any]:
    clock = f"2026-02-{27 + minute // 1440:02d}T{minute % 1440 // 60:02d}:{minute % 60:02d}"
    run = f"{system}.s{seed:02d}.{condition}"
    status = "ok" if utterances == 1080 else "aborted"
    return {"run": run, "sys": system, "seed": seed, "cond": condition, "wer": tenths / 10, "utts": utterances,
            "end": clock, "status": status}  # fmt: skip


def _stats(values: Sequence[float]) -> dict[str, Any]:
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return {
        "n": len(values),
        "mean": round(statistics.fmean(values), 5),
        "std": None if deviation is None else round(deviation, 5),
        "sem": None if deviation is None else round(deviation / len(values) ** 0.5, 5),
        "min": min(values),
        "max": max(values),
    }


def _summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the tool makes of the rows as they lie there: double lines, old names and torn runs included."""
    groups: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        groups.setdefault(row["sys"], {}).setdefault(row["cond"], []).append(row["wer"])
    cells = {s: {c: _stats(by[c]) for c in sorted(by)} for s, by in sorted(groups.items())}
    return {"tool": "nrbench 0.9.2", "metric": "wer", "unit": "percent", "lines_read": len(rows), "systems": cells}


def _january(stream: Stream) -> dict[str, str]:
    """The table of the section's former owner, in a style of its own that says nothing about the one wanted now."""
    columns = ["model", "car", "babble", "seeds"]
    rows = [[name, f"{stream.integer(110, 160) / 10}", f"{stream.integer(280, 360) / 10}", 2]
            for name in ("ctc-base", "ctc-base+specaug", "lm-only")]  # fmt: skip
    suffix, write = stream.choice((("md", markdown_table), ("csv", csv_text), ("tex", latex_table)))
    return {"path": f"group-page/results/noise_sanity_jan.{suffix}", "text": write(columns, rows)}


# -- the right table -------------------------------------------------------------------------------------------------


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    """The cells, the deliverable in the style at hand, and the specs that check it."""
    decimals, spread = values.persona.decimals, values.persona.spread
    cells = {(s, c): _counted(world, values.p.aborted, s, c) for s in world.systems for c in world.order}
    order = list(world.ranking)
    if values.persona.baseline_first and "baseline-row" in draw:
        order = [world.baseline, *(s for s in order if s != world.baseline)]
    sure = [(s, c) for s in (world.baseline, world.control) for c in world.order]
    twice = [(world.doubled, c) for c in world.order if c in world.twice]
    torn = [(world.torn, c) for c in world.order if world.run_order.index(c) < world.stop]
    merged = [(world.new, c) for c in world.order]

    def table(pick: Sequence[tuple[str, str]], how: Any) -> dict[str, Any]:
        return {
            "cells": [{"row": {"System": s}, "column": CONDITIONS[c][0], "text": how(cells[s, c])} for s, c in pick]
        }

    def about(found: Sequence[float]) -> dict[str, Any]:
        return {"number": {"value": statistics.fmean(found), "tolerance": 0.0501}}

    columns = ["System", *world.heads]
    latex = values.persona.table_format == "latex"
    rows = [[s, *(mean_cell(cells[s, c], decimals, spread, latex=latex) for c in world.order)] for s in order]
    write = {"markdown": markdown_table, "csv": csv_text, "latex": latex_table}[values.persona.table_format]
    return {
        "text": write(columns, rows),
        "core": table(sure, about),
        "rounded": table(sure, lambda found: {"matches": mean_pattern(found, decimals)}),
        "spread": table(sure, lambda found: {"matches": spread_pattern(found, spread)}),
        "twice": table(twice, about),
        "torn": table(torn, about),
        "merged": table(merged, about) | {"rows": len(world.systems)},
        "ordered": {"cells": [{"row": at, "column": "System", "value": s} for at, s in enumerate(order, 1)]},
        "columns": {"columns": columns},
        **_index(world, values, "old-table" in draw),
        "best": world.ranking[0],
        # In the form of a cell, with figures that are none of the table's.
        "example": mean_cell((56.18, 57.43, 58.91), decimals, spread),
        "best_value": fixed(statistics.fmean(cells[world.ranking[0], world.headline]), decimals),
    }


def _index(world: Any, values: Any, minded: bool) -> dict[str, Any]:
    """The index as it should become: the edit of its noise section, and what shows that the old entry was minded."""
    name = world.january
    line = f"- [January sanity check](results/{name}): three models, two seeds, 16 January (Jonas)"
    path = values.persona.naming.format(topic="noise-baselines", date=values.p.day) + "." + values.persona.suffix
    new = f"- [Noise baselines](results/{path}): {len(world.systems)} systems, {len(world.seeds)} seeds, {values.p.day}"
    kept = (
        {"remove": "", "archive": "", "mark": f"{line} (superseded)\n"}[values.p.old_entry] if minded else f"{line}\n"
    )
    escaped = name.replace(".", r"\.")
    spec: dict[str, Any] = {
        "remove": {"lacks": name},
        "mark": {"section": {"heading": "noise", "matches": rf"(?i)^.*{escaped}.*supersed"}},
        "archive": {"section": {"heading": "archive", "contains": name, "lacks": "sanity check (supersed"}},
    }[values.p.old_entry]
    if values.p.old_entry == "archive":
        spec["count"] = {"text": name, "max": 1}
    return {
        "index": spec | {"matches": rf"results/[^\s)]*{values.p.day}"},
        "index_old": line + "\n",
        "index_new": f"{new}\n{kept}",
        "january_line": line,
    }


def _counted(world: Any, aborted: str, system: str, condition: str) -> list[float]:
    """The values that count: all seeds, but for what the aborted one did not give."""
    found = [tenths / 10 for tenths in world.wer[system][condition]]
    finished = world.run_order.index(condition) < world.stop
    if system == world.torn and not (aborted == "finished" and finished):
        del found[world.torn_at]
    return found


def _text(evidence: Any, path: str) -> str:
    return evidence.text(path) or ""


def check_link(evidence: Any) -> bool:
    """The index names some new file of the results folder."""
    text = _text(evidence, "group-page/index.md")
    created = [p.rpartition("/")[2] for p in sorted(evidence.created) if p.startswith("group-page/results/")]
    return any(f"results/{name}" in text for name in created)


def check_one_table(evidence: Any) -> bool:
    """Among the new files of the page's folder exactly one is more than an emptied draft (a line that says so)."""
    created = [path for path in sorted(evidence.created) if path.rpartition("/")[0] == "group-page/results"]
    return sum(is_written(evidence.text(path)) for path in created) == 1
