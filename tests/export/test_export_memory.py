"""An export needs no more memory for a longer run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.runs import records

CODE = """
import resource, sys
from pi_gym.export import export, to_dataset
from pi_gym.export.packages import package
package("datasets"), package("pyarrow.parquet")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
run, out, form = sys.argv[1:]
if form == "dataset":
    to_dataset(run, cache_dir=out)
else:
    export(run, out + "/file", format=form)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def kilobytes(run: Path, out: Path, form: str) -> int:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-c", CODE, run, out, form], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "sft", "chat", "dataset"])
def test_memory_does_not_grow_with_the_run(tmp_path: Path, form: str) -> None:
    lines = [one.to_line() for one in records()]
    needed = []
    for count in (500, 4_000):
        run = tmp_path / f"{count}.jsonl"
        with run.open("w") as file:
            file.writelines(lines[number % 3] + "\n" for number in range(count))
        out = tmp_path / f"out{count}"
        out.mkdir()
        needed.append(kilobytes(run, out, form))
    size = (tmp_path / "4000.jsonl").stat().st_size // 1024
    assert needed[1] - needed[0] < size / 3, (needed, size)
