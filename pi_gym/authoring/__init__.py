"""Helpers for a task's `right.py`, beside the standard library: numbers, days and tables written and read one way."""

from pi_gym.authoring import debts, messages
from pi_gym.authoring.amounts import amounts_in, days_in, same_amounts, split_amount, written_amount
from pi_gym.authoring.drawn_amounts import draw_amounts
from pi_gym.authoring.handed import Change, File
from pi_gym.authoring.leavings import is_written, made_records, made_rows, new_csv_amounts, new_csv_rows
from pi_gym.authoring.messages import sent_messages
from pi_gym.authoring.spreads import mean_cell, mean_pattern, spread_pattern
from pi_gym.authoring.written_tables import csv_records, csv_text, keyed_texts, latex_table, markdown_table
from pi_gym.dates import written_day
from pi_gym.numbers import count_words, fixed
from pi_gym.seeding import Stream

__all__ = [
    "Change",
    "File",
    "Stream",
    "amounts_in",
    "count_words",
    "csv_records",
    "csv_text",
    "days_in",
    "debts",
    "draw_amounts",
    "fixed",
    "is_written",
    "keyed_texts",
    "latex_table",
    "made_records",
    "made_rows",
    "markdown_table",
    "mean_cell",
    "mean_pattern",
    "messages",
    "new_csv_amounts",
    "new_csv_rows",
    "same_amounts",
    "sent_messages",
    "split_amount",
    "spread_pattern",
    "written_amount",
    "written_day",
]
