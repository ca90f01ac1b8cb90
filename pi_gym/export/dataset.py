"""A run as a `datasets.Dataset`, on disk and mapped into memory."""

from __future__ import annotations

import hashlib
import json
import warnings
from dataclasses import astuple
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pi_gym.errors import BadArgument, PiGymError
from pi_gym.export.forms import Form
from pi_gym.export.packages import package
from pi_gym.export.parquet import BATCH_ROWS
from pi_gym.export.records import RunRecords, Selection
from pi_gym.export.sft import RowKind
from pi_gym.export.table_columns import features
from pi_gym.runs.lines import RunError
from pi_gym.version import __version__

if TYPE_CHECKING:
    import datasets


def to_dataset(
    run: str | Path,
    *,
    format: Literal["parquet", "sft"] = "parquet",
    rows: RowKind = "session",
    thoughts: bool = False,
    min_return: float | None = None,
    include_unscored: bool = False,
    cache_dir: str | Path | None = None,
) -> datasets.Dataset:
    """The sessions of a run as a data set; they are written to a file once, and not held in memory.

    A run that still grows is taken as it stands; a later call sees what was added. Scored sessions come in the order
    in which they were written, then the unscored attempts, where they are asked for.

    Args:
        run: a run's folder, or a file of trajectories.
        format: the columns of which file `pi_gym.export.export` would write.
        rows: of "sft": one row for each "session", "turn" or "step".
        thoughts: of "sft": with what the agent thought.
        min_return: only sessions with at least this return.
        include_unscored: attempts without a score too.
        cache_dir: where the data set is written; None: the cache of `datasets`.

    Raises:
        RunError: there is no such run, or a line of it is no record.
        StateMismatch: the tools are others now than those of a record.
        DataMissing: the packages of `pi-gym[data]` are not installed.
        UnknownName, BadArgument: an argument is none that is known.
    """
    form = Form(format, rows, thoughts)
    if form.format == "chat":
        raise BadArgument("the format 'chat' is a file of lines, no table; use 'parquet' or 'sft'")
    library = package("datasets")
    records = RunRecords(Path(run), Selection(min_return, include_unscored))
    columns = features(form.columns(records.family))
    table = form.table(records)
    first = next(table, None)
    if first is None:
        nothing: datasets.Dataset = library.Dataset(columns.arrow_schema.empty_table())  # no file can hold it
        return nothing
    try:
        made: datasets.Dataset = library.Dataset.from_generator(
            lambda: chain([first], table),
            features=columns,
            cache_dir=None if cache_dir is None else str(cache_dir),
            fingerprint=_fingerprint(form, records, str(columns)),
            writer_batch_size=BATCH_ROWS,
        )
    except library.exceptions.DatasetGenerationError as error:
        cause = error.__cause__
        if isinstance(cause, PiGymError):
            raise cause from None
        raise RunError(f"{run} does not fit the table: {cause or error}") from error
    if records.counts.unfit:
        warnings.warn(f"{records.counts.unfit} sessions of {run} do not fit and were left out", stacklevel=2)
    return made


def _fingerprint(form: Form, records: RunRecords, columns: str) -> str:
    """Names what the data set holds: the library would give the same for a run that has grown."""
    parts = [astuple(part) for part in records.parts]
    known = [__version__, astuple(form), astuple(records.selection), parts, columns]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:32]
