"""Rows into a Parquet file, batch by batch, so that a run of any size needs little memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pi_gym.export.packages import package
from pi_gym.export.table_columns import Columns, features, stored
from pi_gym.runs.lines import RunError

BATCH_ROWS = 64
BATCH_CHARS = 32_000_000


def write_parquet(path: Path, rows: Iterable[Mapping[str, Any]], columns: Columns) -> int:
    """Write a table; a batch becomes one row group, and the same rows give the same bytes.

    The file's metadata names the columns' types as `datasets` knows them, so they come back from it as they were.

    Args:
        path: the file.
        rows: one mapping for each row, in order; JSON columns hold texts.
        columns: names and kinds.

    Returns:
        The number of rows.

    Raises:
        RunError: a value does not fit its column.
    """
    arrow, parquet = package("pyarrow"), package("pyarrow.parquet")
    schema, text_schema = features(columns).arrow_schema, features(stored(columns)).arrow_schema
    count = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in _batches(rows):
            try:
                table = arrow.Table.from_pylist(batch, schema=text_schema).cast(schema)
            except (arrow.ArrowException, OverflowError, UnicodeError) as error:
                raise RunError(f"rows {count + 1} to {count + len(batch)} do not fit the table: {error}") from error
            writer.write_table(table, row_group_size=len(batch))
            count += len(batch)
    return count


def _batches(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    batch: list[Mapping[str, Any]] = []
    chars = 0
    for row in rows:
        batch.append(row)
        chars += _chars(row)
        if len(batch) == BATCH_ROWS or chars >= BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


def _chars(value: Any) -> int:
    """The approximate number of characters that a value takes."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_chars, value.values()))
    if isinstance(value, list) and value and isinstance(value[0], int | float):
        return 8 * len(value)
    return sum(map(_chars, value)) if isinstance(value, list) else 8
