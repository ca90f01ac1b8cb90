"""A run into a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pi_gym.export.draft_file import draft
from pi_gym.export.forms import FILES, Form, Format
from pi_gym.export.packages import package
from pi_gym.export.parquet import write_parquet
from pi_gym.export.records import Counts, RunRecords, Selection
from pi_gym.export.sft import RowKind
from pi_gym.runs.lines import RunError
from pi_gym.runs.run_files import RUN_FILES


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export.

    Args:
        path: the file.
        rows: rows, or lines.
        counts: what became of the run's sessions.
    """

    path: Path
    rows: int
    counts: Counts


def export(
    run: str | Path,
    out: str | Path | None = None,
    *,
    format: Format = "parquet",
    rows: RowKind = "session",
    thoughts: bool = False,
    min_return: float | None = None,
    include_unscored: bool = False,
    force: bool = False,
) -> Exported:
    """Write the sessions of a run into one file.

    A run that still grows is taken as it stands. The same run gives the same bytes.

    Args:
        run: a run's folder, or a file of trajectories.
        out: the file; None: in the run's folder, named for the format.
        format: "parquet", "chat" or "sft"; see `Form`, also for `rows` and `thoughts`.
        rows: of "sft": one row for each "session", "turn" or "step".
        thoughts: of "sft" and "chat": with what the agent thought.
        min_return: only sessions with at least this return.
        include_unscored: attempts without a score too.
        force: replace a file that is there.

    Raises:
        RunError: there is no such run, a line of it is no record, or the file is there or cannot be written.
        StateMismatch: the tools are others now than those of a record.
        DataMissing: a table is asked for, and the packages of `pi-gym[data]` are not installed.
        UnknownName, BadArgument: an argument is none that is known.
    """
    form, source = Form(format, rows, thoughts), Path(run)
    if format != "chat":
        package("datasets")  # rather than after hours
    records = RunRecords(source, Selection(min_return, include_unscored))
    target = _target(source, out, format, records)
    with draft(target, force=force) as place:
        if format == "chat":
            count = _write_lines(place, form.lines(records))
        else:
            count = write_parquet(place, form.table(records), form.columns(records.family))
    return Exported(target, count, records.counts)


def _target(run: Path, out: str | Path | None, format: Format, records: RunRecords) -> Path:
    if out is None:
        if run.is_file():
            raise RunError(f"{run} is a file, so there is no folder to write to; give a file with --out (out=)")
        return run / FILES[format]
    target, folder = Path(out), run.parent if run.is_file() else run
    own = {part.path for part in records.parts} | {str((folder / name).resolve()) for name in RUN_FILES}
    if str(target.resolve()) in own:
        raise RunError(f"{target} is a file of the run itself; choose another")
    return target


def _write_lines(path: Path, lines: Iterable[str]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for line in lines:
            file.write(f"{line}\n")
            count += 1
    return count
