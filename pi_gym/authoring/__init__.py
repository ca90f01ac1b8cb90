"""Helpers for a task's `right.py`, beside the standard library: numbers, days and tables written and read one way."""

from pi_gym.authoring import (
    assays,
    curves,
    debts,
    logs,
    measures,
    mends,
    messages,
    orders,
    own_choices,
    plate,
    playlists,
    replicates,
    stock,
    telling,
    trial_effects,
)
from pi_gym.authoring.amounts import amounts_in, days_in, same_amounts, split_amount, written_amount
from pi_gym.authoring.drawn_amounts import draw_amounts
from pi_gym.authoring.handed import Change, File
from pi_gym.authoring.leavings import (
    added_lines,
    is_written,
    made_records,
    made_rows,
    new_csv_amounts,
    new_csv_rows,
    new_lines,
    new_text,
)
from pi_gym.authoring.messages import send_calls, sent_messages
from pi_gym.authoring.page_changes import see_to
from pi_gym.authoring.prose import kept_share, promises_in, prose_sections
from pi_gym.authoring.read_texts import keyed_rows, markdown_rows, yaml_fields
from pi_gym.authoring.run_logs import ends_of_runs, repeated_values
from pi_gym.authoring.spreads import mean_cell, sample_figures
from pi_gym.authoring.telling import attempts, redraw
from pi_gym.authoring.working_days import next_weekday, working_day_after, working_day_before
from pi_gym.authoring.written_tables import csv_records, csv_text, keyed_texts, latex_table, markdown_table, table_file
from pi_gym.dates import written_day
from pi_gym.numbers import count_words, fixed, number_word
from pi_gym.seeding import Stream

__all__ = [
    "Change",
    "File",
    "Stream",
    "added_lines",
    "amounts_in",
    "assays",
    "attempts",
    "count_words",
    "csv_records",
    "csv_text",
    "curves",
    "days_in",
    "debts",
    "draw_amounts",
    "ends_of_runs",
    "fixed",
    "is_written",
    "kept_share",
    "keyed_rows",
    "keyed_texts",
    "latex_table",
    "logs",
    "made_records",
    "made_rows",
    "markdown_rows",
    "markdown_table",
    "mean_cell",
    "measures",
    "mends",
    "messages",
    "new_csv_amounts",
    "new_csv_rows",
    "new_lines",
    "new_text",
    "next_weekday",
    "number_word",
    "orders",
    "own_choices",
    "plate",
    "playlists",
    "promises_in",
    "prose_sections",
    "redraw",
    "repeated_values",
    "replicates",
    "same_amounts",
    "sample_figures",
    "see_to",
    "send_calls",
    "sent_messages",
    "split_amount",
    "stock",
    "table_file",
    "telling",
    "trial_effects",
    "working_day_after",
    "working_day_before",
    "written_amount",
    "written_day",
    "yaml_fields",
]
