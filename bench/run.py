"""The benchmark: measure, write results.json, print a table.

    python bench/run.py [--quick] [--out bench/results.json] [--only GROUP …] [--pack researcher]

The garbage collector stays on. Ratios are taken within one run, sample by sample in turns.
"""

from __future__ import annotations

import argparse
import gc
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import apps
import collect
import copies
import fresh
import growth
import latency
import live
import pare
import resets
import startup
import steps
import throughput
import vector
from measure import Figure, machine_facts, shown
from rich.console import Console
from rich.table import Table
from subject import Subject, results_path

GROUPS: Mapping[str, Callable[[Subject], list[Figure]]] = {
    "startup": startup.measure,
    "step": steps.measure,
    "reset": resets.measure,
    "fresh": fresh.measure,
    "copy": copies.measure,
    "live": live.measure,
    "throughput": throughput.measure,
    "latency": latency.measure,
    "growth": growth.measure,
    "apps": apps.measure,
    "vector": vector.measure,
    "collect": collect.measure,
    "pare": pare.measure,
}


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="Measure pi_gym on this machine.")
    parser.add_argument("--quick", action="store_true", help="few samples: a look, not a result")
    parser.add_argument("--out", type=Path, default=results_path(), help="where the results go (JSON)")
    parser.add_argument("--only", nargs="+", choices=list(GROUPS), default=list(GROUPS), help="groups to run")
    parser.add_argument("--pack", default="researcher", help="name or folder of the pack that is measured")
    options = parser.parse_args()
    console = Console(width=max(140, Console().width))
    facts = machine_facts()
    subject = Subject(options.pack, options.quick)
    figures: list[dict[str, Any]] = []
    for group in [name for name in GROUPS if name in options.only]:
        begin = perf_counter()
        gc.collect()
        figures += [figure.to_json() for figure in GROUPS[group](subject)]
        console.print(f"{group}: {perf_counter() - begin:.1f} s", style="dim")
    settings = {"pack": options.pack, "tasks": len(subject.task_ids), "quick": options.quick, "gc": gc.isenabled()}
    results = {"machine": facts, "settings": settings, "figures": figures}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    console.print(table_of(figures))
    console.print(f"{facts['cpu']}, {facts['cores']} cores, load {facts['load_at_start']}, {facts['python']}")
    console.print(f"Results: {options.out}")


def table_of(figures: list[dict[str, Any]]) -> Table:
    """The figures as a table; the ratio is the median over the target."""
    table = Table(title="pi_gym benchmark")
    table.add_column("figure", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    for column in ("median", "p10", "p90", "n", "target", "ratio", "met"):
        table.add_column(column, justify="right", no_wrap=True)
    group = ""
    for figure in figures:
        if figure["group"] != group:
            group = figure["group"]
            table.add_section()
        target = figure["target"]
        values = [shown(figure[name]) for name in ("median", "p10", "p90")]
        held = ["", "", ""]
        if target is not None:
            met = "[green]yes[/green]" if figure["met"] else "[red]no[/red]"
            held = [shown(target), f"{figure['median'] / target:.2f}", met]
        table.add_row(figure["name"], figure["unit"], *values, str(figure["n"]), *held)
    return table


if __name__ == "__main__":
    main()
