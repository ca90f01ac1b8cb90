"""The fixture packs, and copies of them that a test may break."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from pi_gym.packs import Pack, Task, load_pack
from pi_gym.packs.task import KnownAnswer
from pi_gym.proof.coherence import check_coherence
from pi_gym.questions import Matcher, compile_topic
from pi_gym.questions.choices import Choice

FOLDER = Path(__file__).parents[1] / "packs"
TINY = FOLDER / "tiny"
PROTOCOL = FOLDER / "protocol"


def tiny() -> Pack:
    return load_pack(TINY)


def protocol() -> Pack:
    return load_pack(PROTOCOL)


def three(variant: int = 0) -> Task:
    """The task with the intents i1 colour, i2 size, i3 shape and the items c1 done, c2 to c4, c5 sent, c6 guard."""
    return protocol().instantiate("01-three", variant)


COLOURS = (Choice("blue", ("blue", "navy"), True), Choice("red", ("red",)))


def outspoken() -> Task:
    """The task of `three` where the colour is one of two, and the user has an answer on a spare, the pen, the date."""
    task = three()
    colour = replace(task.intents[0], choices=COLOURS, corrects="Not that: blue.")
    words = (("pen", "No, leave my pen alone."), ("date", "It is for Friday."))
    answers = tuple(KnownAnswer(name, says, permission=name == "pen") for name, says in words)
    topics = [compile_topic(name, "answer", {"any": [{"groups": [[name]]}]}) for name, _ in words]
    matcher = Matcher((*task.questions.topics, *topics))
    return replace(
        task,
        intents=(colour, *task.intents[1:]),
        undrawn={"spare": "No spare, thank you.", "reserve": ""},
        answers=answers,
        _questions=lambda: matcher,
    )


def read_whole(folder: Path, variants: int = 4) -> Pack:
    """A pack of which everything is read, checked and made: what is wrong with it raises."""
    pack = load_pack(folder)
    check_coherence(pack)
    for name in pack.task_ids:
        for variant in range(variants):
            task = pack.instantiate(name, variant)
            task.complete()
            assert isinstance(task.reference, list)
    return pack


def copy_pack(source: Path, target: Path) -> Path:
    """A copy of a pack that a test may change before it loads it, with what the packs beside it share."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    shared = source.parent / "_shared"
    if shared.is_dir() and not (target.parent / "_shared").exists():
        shutil.copytree(shared, target.parent / "_shared")
    return target


def edit_yaml(path: Path, change: Callable[[Any], object]) -> None:
    """Change a YAML file's value in place."""
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    change(raw)
    path.write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
