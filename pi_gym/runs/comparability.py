"""Whether the figures of two runs may stand side by side: what sets them apart beside their agents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pi_gym.runs.run_json import SERVERS

#: What is the agent's, what says nothing of how it was played, and what is compared by the worlds that it gives.
_APART = frozenset(
    (
        *("format", "agent", "agent_source", "agent_settings", SERVERS),
        *("sessions", "seed", "variants", "tasks", "packs", "env_kwargs"),
    )
)
#: Arguments of environments that decide nothing, or that show elsewhere: in the tasks, the content, the history.
_SHOWN_ELSEWHERE = frozenset(("pack", "history", "exclude_needs", "keep_prompts"))
_TITLES = {
    "pi_gym": "version of pi_gym",
    "env_id": "environment",
    "history_mode": "history",
    "prompts": "prompts",
    "group_size": "group size",
}
_MAX_CHARS = 80


def differences(run_json_a: Mapping[str, Any], run_json_b: Mapping[str, Any]) -> list[str]:
    """The differences that make two runs not comparable, a sentence each; empty where they may stand side by side.

    Who the agents are, where models are served, and how often the tasks were played in whole rounds are none. A key
    that only one has, such as those of a re-scoring, is one: put `protocol` into both to have it compared.

    Args:
        run_json_a: the run.json of one run.
        run_json_b: that of the other.

    >>> differences({"split": "test", "agent": "a"}, {"split": "train", "agent": "b"})
    ["The split is 'test' in one and 'train' in the other."]
    """
    return list(_differences(run_json_a, run_json_b))


def incomparable(runs: Iterable[tuple[Path, Mapping[str, Any]]]) -> Iterator[str]:
    """The sentences on runs that cannot be compared, each beside the first of its environment and history.

    Args:
        runs: folders with their run.json.
    """
    first: dict[tuple[Any, Any], tuple[Path, Mapping[str, Any]]] = {}
    for path, asked in runs:
        known, before = first.setdefault((asked.get("env_id"), asked.get("history_mode")), (path, asked))
        for sentence in differences(before, asked) if known is not path else ():
            yield f"{path} and {known}: {sentence}"


def _differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys((*a, *b)):
        if name not in _APART and a.get(name) != b.get(name):
            yield _sentence(f"The {_TITLES.get(name, name)}", a.get(name), b.get(name))
    yield from _arguments(_mapping(a, "env_kwargs"), _mapping(b, "env_kwargs"))
    yield from _worlds(a, b)
    yield from _contents(a, b)


def _arguments(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    """Differences of the environments' arguments: of a model each part, so that it is seen which."""
    for name in dict.fromkeys((*a, *b)):
        one, other = _unless_rule(a.get(name)), _unless_rule(b.get(name))
        if name in _SHOWN_ELSEWHERE or one == other:
            continue
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            for part in dict.fromkeys((*one, *other)):
                if one.get(part) != other.get(part):
                    yield _sentence(f"{name}: the {part}", one.get(part), other.get(part))
        else:
            yield _sentence(f"{name}: it", one, other)


def _worlds(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    """Differences of what was played: the tasks, in which worlds, and each as often as the others."""
    tasks, others = _tasks(a), _tasks(b)
    if tasks != others:
        only, lacking = sorted(tasks - others), sorted(others - tasks)
        told = [
            f"{len(found)} tasks only in {which} ({_named(found)})"
            for found, which in ((only, "one"), (lacking, "the other"))
            if found
        ]
        yield f"The tasks differ: {' and '.join(told)}."
        return
    rounds, other_rounds = _rounds(a, len(tasks)), _rounds(b, len(tasks))
    if rounds != other_rounds and None in (rounds, other_rounds):
        yield _sentence("The number of sessions, which is no whole number of rounds,", a["sessions"], b["sessions"])
    if a.get("variants") != b.get("variants"):
        yield _sentence("The list of variants", a.get("variants"), b.get("variants"))
    elif not a.get("variants") and a.get("split") == b.get("split") != "test":
        # Worlds are drawn by the seed, a round each.
        if a.get("seed") != b.get("seed"):
            yield _sentence("The seed that draws the worlds", a.get("seed"), b.get("seed"))
        elif rounds != other_rounds:
            yield _sentence("The number of worlds that were drawn", rounds, other_rounds)


def _contents(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    """Differences of the content of the packs that were played."""
    packs, others = _mapping(a, "packs"), _mapping(b, "packs")
    played = {pack for pack, _ in _tasks(a) | _tasks(b)} or {*packs, *others}
    for name in sorted(played):
        if packs.get(name) != others.get(name):
            one, other = (str(found.get(name))[:12] for found in (packs, others))
            yield f"The content of the pack {name!r} is {one} in one and {other} in the other."


def _tasks(run: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    return frozenset((pack, task) for pack, task in run.get("tasks") or ())


def _rounds(run: Mapping[str, Any], tasks: int) -> int | None:
    """The number of times that each task was to be played; None where some have more than others."""
    whole, rest = divmod(run.get("sessions") or 0, tasks or 1)
    return None if rest else whole


def _mapping(run: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return run.get(name) or {}


def _unless_rule(value: Any) -> Any:
    """A role that says "rule" is one that says nothing."""
    return None if value == "rule" else value


def _named(tasks: list[tuple[str, str]]) -> str:
    names = ", ".join(task for _, task in tasks[:3])
    return names if len(tasks) <= 3 else f"{names}, …"


def _sentence(what: str, one: Any, other: Any) -> str:
    return f"{what} is {_short(one)} in one and {_short(other)} in the other."


def _short(value: Any) -> str:
    if value is None:
        return "not given"
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS - 1]}…"
