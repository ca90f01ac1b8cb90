"""The set of scenarios for readers: what there is, and what it covers, as a Markdown page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, count
from statistics import fmean

from pi_gym.pare.scenario_set import ScenarioSet
from pi_gym.pare.scenario_sheet import ScenarioSheet
from pi_gym.pare_proof.plays import ScenarioCase
from pi_gym.pare_proof.set_checks import apps_of, no_help_share, pairs_of


def describe_scenarios(scenarios: ScenarioSet) -> str:
    """The page of a set.

    Args:
        scenarios: the set.
    """
    sheets = {name: source.sheet for name, source in scenarios.sources.items()}
    held = sum(one.holdout for one in sheets.values())
    parts = [
        f"<!-- Made by `pi-gym describe {scenarios.name}`. -->",
        f"# {scenarios.title}",
        scenarios.description,
        f"{len(sheets)} scenarios, {held} of them held out. Each is a template over worlds; what is told here is what"
        " they share. Turns and calls are those of the model solution in a world in which help is wanted; the last"
        " column is the share of worlds in which none is.",
        "\n".join(_table(scenarios, sheets)),
        "## What happens",
        "\n".join(f"- **{name}**: {_line(sheet.about)}" for name, sheet in sheets.items()),
        "## What they begin with, and what they are about",
        "\n".join(_counted("begins with", Counter(one.trigger for one in sheets.values()))),
        "\n".join(_counted("theme", Counter(theme for one in sheets.values() for theme in one.themes))),
        "## Apps",
        "In how many scenarios an app has a part, and two of them together:",
        "\n".join(_matrix(sheets.values())),
    ]
    return "\n\n".join(parts) + "\n"


def _table(scenarios: ScenarioSet, sheets: Mapping[str, ScenarioSheet]) -> Iterator[str]:
    yield "| scenario | title | begins with | apps | help | turns | calls | no help |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    shares = {name: no_help_share(scenarios, name) for name in sheets}
    for name, sheet in sheets.items():
        source = scenarios.source(name)
        wanted = scenarios.instantiate(name, next(number for number in count() if source.wants_help(number)))
        assert wanted.help is not None
        solved = ScenarioCase(scenarios, wanted).solved
        acts = ", ".join(" or ".join(f"`{act}`" for act in sorted(ways)) for ways in wanted.help.acts)
        shown = f"{name}{' (held out)' if sheet.holdout else ''}"
        apps = ", ".join(apps_of(sheet))
        cells = (
            shown,
            sheet.title,
            sheet.trigger,
            apps,
            acts,
            str(solved.turn),
            str(solved.tool_calls),
            f"{shares[name]:.0%}",
        )
        yield f"| {' | '.join(cells)} |"
    yield f"| in the mean | | | | | | | {fmean(shares.values()):.0%} |"


def _line(text: str) -> str:
    return " ".join(text.split())


def _counted(title: str, counts: Counter[str]) -> Iterator[str]:
    yield f"| {title} | scenarios |"
    yield "| --- | --- |"
    yield from (f"| {name} | {count} |" for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _matrix(sheets: Iterable[ScenarioSheet]) -> Iterator[str]:
    listed = list(sheets)
    alone = Counter(app for one in listed for app in apps_of(one))
    pairs = pairs_of(listed)
    names = sorted(alone)
    yield f"| | {' | '.join(names)} |"
    yield f"| --- |{' --- |' * len(names)}"
    together = {**{frozenset(pair): pairs.get(pair, 0) for pair in combinations(names, 2)}}
    for row in names:
        cells = (alone[row] if row == other else together[frozenset((row, other))] for other in names)
        yield f"| {row} | {' | '.join(str(one or '') for one in cells)} |"
