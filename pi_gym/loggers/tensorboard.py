"""A logger to TensorBoard: event files in a folder, without torch or tensorflow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from pi_gym.loggers.logger import logger_package

#: The time after which a process that is killed has lost nothing older.
FLUSH_S = 5.0


class TensorBoardLogger:
    """Writes event files, which `tensorboard --logdir` reads.

    Args:
        folder: where; made with the first figure.

    Raises:
        LoggerMissing: the package tensorboard is not installed.
    """

    def __init__(self, folder: str | Path) -> None:
        self._module = logger_package("tensorboard", "tensorboard.summary")
        self._folder, self._flushed = Path(folder), 0.0
        self._writer: Any = None

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Note figures."""
        if self._writer is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._writer = self._module.Writer(str(self._folder))
            self._flushed = monotonic()
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)
        if monotonic() - self._flushed >= FLUSH_S:
            self._writer.flush()
            self._flushed = monotonic()

    def close(self) -> None:
        """Write what is outstanding; a later `log` begins another file in the folder."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
