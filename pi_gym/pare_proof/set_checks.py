"""The checks of a scenario over its worlds, and of the whole set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import get_args

from pi_gym.pare.scenario_set import ScenarioSet
from pi_gym.pare.scenario_sheet import ScenarioSheet, Theme, Trigger
from pi_gym.phone.installed_apps import load_phone_app, phone_app_names
from pi_gym.validation.report import Sheet, TaskReport

#: What a proposal that is right in another world may be worth on average.
WORTHLESS = 0.2
#: All that scenarios begin with, and all themes: each is to come.
TRIGGERS, THEMES = frozenset(get_args(Trigger)), frozenset(get_args(Theme))
#: The share of worlds in which no help is wanted.
NO_HELP = (0.1, 0.25)
#: Worlds over which that share is counted.
COUNTED = 60
_NO_APPS = ("System", "AgentUI")


def check_worth(sheets: Iterable[Sheet]) -> Sheet:
    """The mean, over the worlds in which a scenario wants help, of what agents earn that do not look."""
    sheet = Sheet("worth", -1)
    found = [one.numbers for one in sheets if one.check == "false agents"]
    for name in ("propose-everything", "fixed-proposal"):
        scores = [numbers[name] for numbers in found if name in numbers]
        if scores:
            sheet.numbers[name] = sum(scores) / len(scores)
            if sheet.numbers[name] >= WORTHLESS and len(scores) > 1:
                sheet.fail(name, f"a mean score of {sheet.numbers[name]:.2f}; {WORTHLESS} is too much")
    return sheet


def apps_of(sheet: ScenarioSheet) -> tuple[str, ...]:
    """The apps that a scenario is about: those of its rows, events, reference and rows that may change, sorted."""
    calls = [*sheet.events.values(), *sheet.plan]
    if sheet.reference is not None:
        calls += [*sheet.reference.look, *sheet.reference.calls]
    named = {*sheet.apps, *sheet.keep, *(call.do.partition("__")[0] for call in calls)}
    named |= {"Files"} if sheet.files or sheet.keep_files else set()
    return tuple(sorted(named.difference(_NO_APPS)))


def pairs_of(sheets: Iterable[ScenarioSheet]) -> Mapping[tuple[str, str], int]:
    """The numbers of scenarios that are about two apps at once, by these."""
    found: dict[tuple[str, str], int] = {}
    for sheet in sheets:
        for pair in combinations(apps_of(sheet), 2):
            found[pair] = found.get(pair, 0) + 1
    return found


def no_help_share(scenarios: ScenarioSet, name: str) -> float:
    """The share of a scenario's worlds in which no help is wanted."""
    source = scenarios.source(name)
    return sum(not source.wants_help(number) for number in range(COUNTED)) / COUNTED


def check_set(scenarios: ScenarioSet, reports: Sequence[TaskReport]) -> Sheet:
    """The set as a whole: all apps, all triggers, some held out, and about one world in six without help."""
    sheet = Sheet("set", -1)
    sheets = {name: source.sheet for name, source in scenarios.sources.items()}
    named = {app for one in sheets.values() for app in apps_of(one)}
    missing = sorted({load_phone_app(name).name for name in phone_app_names()} - named)
    if missing:
        sheet.fail("apps", f"no scenario is about {', '.join(missing)}")
    begins, about = (
        {one.trigger for one in sheets.values()},
        {theme for one in sheets.values() for theme in one.themes},
    )
    for subject, expected, there in (("triggers", TRIGGERS, begins), ("themes", THEMES, about)):
        if expected - there:
            sheet.fail(subject, f"no scenario has {', '.join(sorted(expected - there))}")
    shares = [no_help_share(scenarios, name) for name in sheets]
    share = sum(shares) / len(shares)
    low, high = NO_HELP
    if not low <= share <= high:
        sheet.fail("no help", f"no help is wanted in {share:.0%} of the worlds; expected {low:.0%} to {high:.0%}")
    if max(shares) == 1.0:
        sheet.fail("no help", "a scenario has no world in which help is wanted")
    sheet.numbers |= {
        "scenarios": len(sheets),
        "held out": sum(one.holdout for one in sheets.values()),
        "pairs of apps": len(pairs_of(sheets.values())),
        "no help": share,
        "lines": sum(_mean(report, "form", "lines") for report in reports) / len(reports),
    }
    return sheet


def _mean(report: TaskReport, check: str, name: str) -> float:
    found = report.number(check, name)
    return 0.0 if found is None else found.mean
