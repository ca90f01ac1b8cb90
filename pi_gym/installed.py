"""The folder of the installed packs, and the names of packs and agents. Only names of files are read here."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

#: The package of the agents that have a short name: each is a module, with "_" for "-", and its `AGENT` the class.
BASELINES = "pi_gym.baselines"


def envs_folder() -> Path:
    """The folder that holds the installed packs."""
    spec = find_spec("pi_gym.envs")
    if spec is None or not spec.submodule_search_locations:
        here = Path(__file__).parent
        raise ModuleNotFoundError(
            f"pi_gym is imported from {here}, where its packs are not installed beside it. In a checkout, install it"
            " with `pip install --editable .`; to use an installed pi_gym, leave the folder of the checkout."
        )
    return Path(next(iter(spec.submodule_search_locations)))


def installed_packs() -> list[str]:
    """The installed packs' names, sorted: folders without a leading underscore that hold a pack.yaml."""
    return sorted(
        entry.name
        for entry in envs_folder().iterdir()
        if not entry.name.startswith(("_", ".")) and (entry / "pack.yaml").is_file()
    )


@cache
def agent_names() -> tuple[str, ...]:
    """The short names of agents, sorted; none of them is imported for that."""
    spec = find_spec(BASELINES)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    return tuple(sorted(found.name.replace("_", "-") for found in iter_modules(folders) if not found.ispkg))
