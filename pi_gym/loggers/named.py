"""Loggers by name: "tensorboard:DIR" and "wandb:PROJECT"."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pi_gym.errors import BadArgument, UnknownName, unknown
from pi_gym.loggers.logger import Logger, require_package
from pi_gym.loggers.tensorboard import TensorBoardLogger
from pi_gym.loggers.wandb import WandbLogger

KINDS = ("tensorboard", "wandb")


def make_logger(text: str, part: str = "") -> Logger:
    """The logger that a text means.

    Args:
        text: "tensorboard:DIR" or "wandb:PROJECT".
        part: of several runs that are logged there, this one's name: a folder below DIR, or the run's name.

    Raises:
        BadArgument: it has another form.
        UnknownName: there is no such logger.
        LoggerMissing: its package is not installed.
    """
    kind, where = _parts(text)
    if kind == "wandb":
        return WandbLogger(where, part)
    return TensorBoardLogger(Path(where) / part if part else where)


def require_loggers(targets: Iterable[object]) -> None:
    """Raise what `make_logger` would for texts, and BadArgument for what is no logger; nothing is imported."""
    for target in targets:
        if isinstance(target, str):
            require_package(_parts(target)[0])
        elif not (callable(getattr(target, "log", None)) and callable(getattr(target, "close", None))):
            raise BadArgument(f"log: expected tensorboard:DIR, wandb:PROJECT, or a logger (log, close), got {target!r}")


def _parts(text: str) -> tuple[str, str]:
    kind, _, where = text.partition(":")
    if kind not in KINDS:
        raise UnknownName(unknown("logger", kind, KINDS))
    if not where:
        raise BadArgument(f"log: expected tensorboard:DIR or wandb:PROJECT, got {text!r}")
    return kind, where
