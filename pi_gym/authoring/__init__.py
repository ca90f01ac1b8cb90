"""Helpers for a pack's `right.py`, beside the standard library: numbers, days and tables written and read one way."""

from pi_gym.authoring.amounts import amounts_in, days_in
from pi_gym.authoring.handed import Change, File
from pi_gym.authoring.leavings import is_written, made_rows, new_csv_rows, new_text
from pi_gym.authoring.messages import message_call, name_day, reached, send_calls, sent_messages
from pi_gym.authoring.prose import kept_share, promises_in, prose_sections, statements
from pi_gym.authoring.read_texts import keyed_rows, markdown_rows, yaml_fields
from pi_gym.authoring.run_logs import ends_of_runs, repeated_values
from pi_gym.authoring.spreads import mean_cell, mean_pattern, sample_figures, spread_pattern
from pi_gym.authoring.working_days import working_day_before
from pi_gym.authoring.written_tables import csv_records, csv_text, keyed_texts, latex_table, markdown_table, table_file
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
    "ends_of_runs",
    "fixed",
    "is_written",
    "kept_share",
    "keyed_rows",
    "keyed_texts",
    "latex_table",
    "made_rows",
    "markdown_rows",
    "markdown_table",
    "mean_cell",
    "mean_pattern",
    "message_call",
    "name_day",
    "new_csv_rows",
    "new_text",
    "promises_in",
    "prose_sections",
    "reached",
    "repeated_values",
    "sample_figures",
    "send_calls",
    "sent_messages",
    "spread_pattern",
    "statements",
    "table_file",
    "working_day_before",
    "written_day",
    "yaml_fields",
]
