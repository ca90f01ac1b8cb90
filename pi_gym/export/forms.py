"""The forms that a run can be brought into."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pi_gym.errors import BadArgument, UnknownName, unknown
from pi_gym.export.chat import chat_line
from pi_gym.export.records import RunRecords
from pi_gym.export.sessions import session_columns, session_row
from pi_gym.export.sft import ROWS, RowKind, sft_columns, sft_rows
from pi_gym.export.table_columns import Columns
from pi_gym.family import Family

Format: TypeAlias = Literal["parquet", "chat", "sft"]
#: By format, what a run's file is called where no name is given.
FILES: dict[str, str] = {"parquet": "sessions.parquet", "chat": "chat.jsonl", "sft": "sft.parquet"}


@dataclass(frozen=True, slots=True)
class Form:
    """A form, with its options.

    Args:
        format: "parquet": a row for each session; "chat": a line of JSON for each; "sft": rows for fine-tuning.
        rows: of "sft": one row for each "session", "turn" or "step".
        thoughts: of "sft" and "chat": with what the agent thought. In "parquet" that stands beside each action.

    Raises:
        UnknownName: no such format or kind of rows; the message lists the known ones.
        BadArgument: an option that the format does not have.
    """

    format: Format = "parquet"
    rows: RowKind = "session"
    thoughts: bool = False

    def __post_init__(self) -> None:
        if self.format not in FILES:
            raise UnknownName(unknown("format", str(self.format), FILES))
        if self.rows not in ROWS:
            raise UnknownName(unknown("rows", str(self.rows), ROWS))
        if self.rows != "session" and self.format != "sft":
            raise BadArgument(f"rows={self.rows!r} goes with the format 'sft' only; {self.format!r} has one a session")
        if self.thoughts and self.format == "parquet":
            raise BadArgument("the format 'parquet' has the thoughts in its column of actions; leave the option away")

    def columns(self, family: Family) -> Columns:
        """The columns of a family's table; "chat" is none."""
        return sft_columns(self.rows, family) if self.format == "sft" else session_columns(family)

    def table(self, records: RunRecords) -> Iterator[dict[str, Any]]:
        """The rows of a table."""
        family = records.family
        if self.format == "sft":
            for made in records.read(lambda record: sft_rows(record, family, self.rows, thoughts=self.thoughts)):
                yield from made
        else:
            yield from records.read(lambda record: session_row(record, family))

    def lines(self, records: RunRecords) -> Iterator[str]:
        """The lines of "chat"."""
        family = records.family
        return records.read(lambda record: chat_line(record, family, thoughts=self.thoughts))
