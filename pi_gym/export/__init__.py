"""Runs as data sets: sessions as tables, as chats, and as what a trainer for supervised fine-tuning takes."""

from pi_gym.export.dataset import to_dataset
from pi_gym.export.run_file import Exported, export

__all__ = ["Exported", "export", "to_dataset"]
