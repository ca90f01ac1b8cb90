"""A logger to Weights & Biases; WANDB_MODE=offline keeps everything on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.loggers.logger import logger_package


class WandbLogger:
    """Logs to a run of a project; wandb's own variables (WANDB_MODE, WANDB_DIR, WANDB_API_KEY) hold.

    Args:
        project: its name.
        name: of the run; "": one that wandb makes up.

    Raises:
        LoggerMissing: the package wandb is not installed.
    """

    def __init__(self, project: str, name: str = "") -> None:
        self._wandb = logger_package("wandb")
        self._options = {"project": project, **({"name": name} if name else {})}
        self._run: Any = None

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Note figures; the first ones begin the run."""
        if self._run is None:
            settings = self._wandb.Settings(silent=True, console="off")
            self._run = self._wandb.init(**self._options, settings=settings, reinit="create_new")
        self._run.log(dict(values), step=step)

    def close(self) -> None:
        """Finish the run; a later `log` begins another."""
        if self._run is not None:
            self._run.finish()
            self._run = None
