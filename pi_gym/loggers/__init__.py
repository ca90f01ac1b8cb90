"""Loggers: where the figures of a run or a training go as they come, to TensorBoard or to Weights & Biases."""

from pi_gym.loggers.logger import Logger
from pi_gym.loggers.named import make_logger, require_loggers
from pi_gym.loggers.tensorboard import TensorBoardLogger
from pi_gym.loggers.wandb import WandbLogger

__all__ = ["Logger", "TensorBoardLogger", "WandbLogger", "make_logger", "require_loggers"]
