"""Runs to report on: the sessions of a run that was played, with figures that are drawn anew."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from typer.testing import CliRunner, Result

from pi_gym.cli.main import app

BENCH, PHONE = "PiBench-v0", "Pare-v0"
#: Of each person's tasks the type, and the tasks that it builds on, as its file says.
PEOPLE: Mapping[str, Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "pharmacist": {
        "02-qpcr-run": ("J", ()),
        "11-viability-plate": ("J", ("02-qpcr-run",)),
        "16-batch-recall": ("R", ()),
    },
    "researcher": {
        "14-cabin-settling": ("C", ()),
        "16-challenge-entry": ("A", ()),
        "18-quarter-bill": ("R", ("14-cabin-settling",)),
        "20-money-round": ("R", ("14-cabin-settling", "18-quarter-bill")),
    },
}
TASKS = {name: of for tasks in PEOPLE.values() for name, of in tasks.items()}
#: Of each scenario the apps in which it lets the agent change something, and its themes.
SCENARIOS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "agenda-note": {"app": ("Notes",), "theme": ("notes", "conflicts")},
    "back-in-stock": {"app": ("Shopping",), "theme": ("purchases",)},
    "birthday-wish": {"app": ("Shopping",), "theme": ("purchases", "contacts")},
    "bounced": {"app": ("Contacts", "Emails"), "theme": ("contacts",)},
}
MODEL = {"model": "some-model", "temperature": 0.0, "max_tokens": 512, "seed": 7}
KEY = ("agent", "env_id", "family", "pack", "task_id", "variant", "seed", "history_mode", "sample")


@dataclass(frozen=True)
class PlayedRows:
    """The rows of one label in a report, as the test knows them: the folders of its run and of that without a past."""

    run: Path
    ablation: Path | None = None
    person: str = "rule"
    noise: str = "none"
    tool_failure: str = "none"


def report(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


def records(run: Path, name: str = "trajectories.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / name).read_text().splitlines()]


def written(run: Path, found: list[dict[str, Any]], name: str = "trajectories.jsonl") -> None:
    (run / name).write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in found))


def drawn_run(source: Path, out: Path, seed: int, *, unscored: int = 0, **asked: Any) -> Path:
    """A run with the sessions of another one, whose figures are drawn; the first `unscored` have no score."""
    out.mkdir(parents=True)
    (out / "run.json").write_text(json.dumps(json.loads((source / "run.json").read_text()) | asked))
    random, found, used = Random(seed), [], []
    for record in records(source):
        record |= {name: asked[name] for name in ("agent", "history_mode") if name in asked}
        record |= {name: random.randint(0, 9) for name in ("tool_calls", "invalid_actions")}
        record |= {"turns": random.randint(2, 9), "steps": random.randint(9, 30)}
        draw = _draw_bench if record["family"] == "pibench" else _draw_phone
        record["scores"], labels = draw(random, record["labels"])
        record["labels"] |= labels
        found.append(record)
        if random.random() < 0.7:
            asked_of = {"prompt_tokens": random.randint(100, 900), "completion_tokens": random.randint(10, 90)}
            parts = {"models": {"user": asked_of}, "agent_metadata": {"prompt_tokens": random.randint(1, 99)}}
            used.append({name: record[name] for name in KEY} | parts)
    failed = [one | {"scored": False, "scores": {}, "error": f"no answer\n{n}", "error_kind": "model"}
              for n, one in enumerate(found[:unscored])]  # fmt: skip
    fault = {"where": "grade", "step": 1, "error": "KeyError", "traceback": ""}
    found[-1]["engine_faults"] = [fault] if unscored else []
    written(out, found[unscored:])
    written(out, failed, "unscored.jsonl")
    written(out, used, "metrics.jsonl")
    return out


def _draw_bench(random: Random, labels: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    statuses = ("completed", "inferred", "provided", "open")
    proc = random.choice((0.0, 0.25, 0.5, 1.0, 1.0))
    scores = {
        "proc": proc,
        "strict_proc": random.choice((None, proc / 2, proc)),
        "comp": random.choice((0.25, 1.0, 1.0)),
        "return": random.uniform(-1, 2),
    }
    return scores, {
        "intents": [one | {"status": random.choice(statuses)} for one in labels["intents"]],
        "intent_count": len(labels["intents"]),
        "shares": [one | {"met": random.randint(0, one["of"])} for one in labels["shares"]],
        **{name: random.randint(0, 5) for name in ("needless", "questions", "question_misses")},
    }


def _draw_phone(random: Random, labels: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    accepted, rejected, replaced, open_ = (random.randint(0, 3) for _ in range(4))
    gathered_accepted, gathered_rejected = random.randint(0, accepted), random.randint(0, rejected)
    gathered = gathered_accepted + gathered_rejected
    proposals = accepted + rejected + replaced + open_
    scores = {"success": float(random.random() < 0.6), "score": random.random(), "return": random.uniform(-1, 2)}
    return scores, {
        "proposals": proposals, "accepted": accepted, "rejected": rejected, "replaced": replaced,
        "looked": gathered + random.randint(0, replaced + open_), "gathered": gathered,
        "gathered_accepted": gathered_accepted, "reads": random.randint(0, 9), "writes": random.randint(0, 9),
        "wanted": random.random() < 0.7, "proposed": proposals > 0,
    }  # fmt: skip


def estimates(parts: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The figures with an interval of some tables, each with where it stands."""
    for name, part in parts.items():
        for row in part["rows"]:
            yield from ((f"{name} {row[0]}", cell) for cell in row if isinstance(cell, dict))
