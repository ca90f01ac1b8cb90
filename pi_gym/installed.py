"""The folder of the installed packs, and their names. Only folder names are read here: no pack is opened."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


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
