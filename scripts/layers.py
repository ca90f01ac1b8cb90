"""The parts of pi_gym in the order in which they may import each other, and what each is for.

A test parses the imports and holds them to this order; docs/protocol.md shows it.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
#: As they are installed: pi_gym/ itself, and wrappers/ and baselines/ as parts of it.
PLACES = {"pi_gym": ROOT / "pi_gym", "pi_gym.wrappers": ROOT / "wrappers", "pi_gym.baselines": ROOT / "baselines"}

#: Modules beside the package, above all layers: plug-ins that a framework finds by a module's name. They hand on what
#: the adapters have, and nothing imports them.
FRONTS = {"pi_gym_verifiers": ROOT / "pi_gym_verifiers.py"}

#: From the lowest layer to the highest: a part imports what stands before it, never what stands behind. The parts of
#: one line are single modules that import nothing of each other.
LAYERS: tuple[str, ...] = (
    "version types errors seeding spaces numbers dates markdown_text installed caches heap",
    "templates",
    "state",
    "web",
    "tools",
    "apps",
    "shell",
    "session",
    "models",
    "driving",
    "env_answerers",
    "catalogue dossier",
    "sampling",
    "validation",
    "family",
    "info observation",
    "registration",
    "env",
    "environments",
    "loggers",
    "runs",
    "vector",
    "rollout",
    "cluster",
    "evaluation",
    "rejudging",
    "audit",
    "calibration",
    "export",
    "report",
    "viewer",
    "adapters",
    "cli",
    "wrappers",
    "phone",
    "schema",
    "authoring",
    "rewards",
    "predicates",
    "pare",
    "results",
    "questions",
    "packs",
    "users",
    "graders",
    "pibench",
    "baselines",
    "proof",
    "pare_proof",
)
#: The first part of a family: what stands before it knows none.
FIRST_OF_A_FAMILY = "phone"
LEVEL = {name: level for level, line in enumerate(LAYERS) for name in line.split()}


def summary(part: str) -> str:
    """The purpose of a part: the first sentence of its docstring."""
    import ast

    found = next(place for place in _places(part) if place.is_file())
    text = ast.get_docstring(ast.parse(found.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".")


def _places(part: str) -> list[Path]:
    inside = PLACES["pi_gym"]
    return [inside / f"{part}.py", inside / part / "__init__.py", ROOT / part / "__init__.py"]
