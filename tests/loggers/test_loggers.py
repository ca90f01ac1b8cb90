"""Loggers, with the real packages: files are read back."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.packs import TINY

import pi_gym
from pi_gym.errors import PiGymError
from pi_gym.loggers import TensorBoardLogger, WandbLogger

ARGUMENTS: dict[str, Any] = {"sessions": 6, "env_kwargs": {"pack": str(TINY)}}


class Kept:
    def __init__(self) -> None:
        self.lines: list[tuple[int, dict[str, float]]] = []
        self.closed = 0

    def log(self, step: int, values: Mapping[str, float]) -> None:
        self.lines.append((step, dict(values)))

    def close(self) -> None:
        self.closed += 1


class Broken(Kept):
    def log(self, step: int, values: Mapping[str, float]) -> None:
        super().log(step, values)
        raise OSError("the disk is gone")


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    loader = pytest.importorskip("tensorboard.backend.event_processing.event_file_loader")
    found: dict[str, list[tuple[int, float]]] = {}
    for path in sorted(folder.rglob("events.out.tfevents.*")):
        for event in loader.EventFileLoader(str(path)).Load():
            for value in event.summary.value:
                found.setdefault(value.tag, []).append((event.step, float(value.tensor.float_val[0])))
    return found


def test_running_means_counts_and_rates_are_logged_as_sessions_end(tmp_path: Path) -> None:
    kept = Kept()
    summary = pi_gym.collect("PiBench-v0", "reference", out=tmp_path, log=kept, **ARGUMENTS)
    assert [step for step, _ in kept.lines] == [1, 2, 3, 4, 5, 6]
    last = kept.lines[-1][1]
    for one in summary.family.shown:
        assert last[f"measures/{one.name}"] == pytest.approx(summary.overall[one.name].mean)
    assert (last["sessions/scored"], last["sessions/unscored"], kept.closed) == (6, 0, 1)
    more = Kept()
    pi_gym.collect("PiBench-v0", "reference", out=tmp_path, log=more, resume=True, **ARGUMENTS)
    assert (more.lines, more.closed) == ([], 1)


def test_rates_of_another_family_are_those_of_its_summary() -> None:
    kept = Kept()
    summary = pi_gym.collect("Pare-v0", "reference", sessions=4, log=[kept])
    last = kept.lines[-1][1]
    means = {one.name: summary.overall[one.name].mean for one in summary.family.shown}
    assert {name.removeprefix("measures/"): value for name, value in last.items() if name.startswith("measures/")} == {
        name: pytest.approx(mean) for name, mean in means.items() if mean is not None
    }


def test_a_logger_that_fails_ends_no_run(caplog: pytest.LogCaptureFixture) -> None:
    broken, kept = Broken(), Kept()
    with caplog.at_level(logging.WARNING):
        summary = pi_gym.collect("PiBench-v0", "silent", log=[broken, kept], **ARGUMENTS)
    assert (summary.scored, len(broken.lines), len(kept.lines)) == (6, 1, 6)
    assert "the disk is gone" in caplog.text


@pytest.mark.parametrize("log", ["tensorbord:x", "tensorboard:", "wandb", 7, ["wandb:p", object()]])
def test_what_is_no_logger_is_refused_before_anything_is_played(tmp_path: Path, log: Any) -> None:
    with pytest.raises(PiGymError, match=r"logger|log:|pi-gym\[wandb\]"):
        pi_gym.collect("PiBench-v0", "silent", log=log, out=tmp_path / "run", **ARGUMENTS)
    assert not (tmp_path / "run").exists()


def test_tensorboard_reads_what_was_logged(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="needs tensorboard: pip install 'pi-gym[tensorboard]'")
    summary = pi_gym.collect("PiBench-v0", "reference", log=f"tensorboard:{tmp_path / 'tb'}", **ARGUMENTS)
    found = scalars(tmp_path / "tb")
    assert [step for step, _ in found["measures/proc"]] == [1, 2, 3, 4, 5, 6]
    assert found["measures/proc"][-1][1] == pytest.approx(summary.mean("proc"))
    logger = TensorBoardLogger(tmp_path / "own")
    logger.log(1, {"loss": 2.0})
    logger.close()
    logger.log(2, {"loss": 1.0})
    logger.close()
    assert sorted(scalars(tmp_path / "own")["loss"]) == [(1, 2.0), (2, 1.0)]


def test_an_evaluation_has_a_part_for_each_run(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="needs tensorboard: pip install 'pi-gym[tensorboard]'")
    log = f"tensorboard:{tmp_path / 'tb'}"
    pi_gym.evaluate("PiBench-v0", ["silent"], runs=1, out=tmp_path / "e", log=log, env_kwargs={"pack": str(TINY)})
    assert scalars(tmp_path / "tb" / "silent" / "history-reference")["sessions/scored"][-1] == (3, 3.0)


@pytest.mark.slow
def test_wandb_keeps_what_was_logged(tmp_path: Path) -> None:
    pytest.importorskip("wandb", reason="needs wandb: pip install 'pi-gym[wandb]'")
    code = (
        "from pi_gym.loggers import WandbLogger\n"
        "logger = WandbLogger('tries', 'one')\n"
        "logger.log(1, {'measures/proc': 0.5}); logger.log(2, {'measures/proc': 0.75}); logger.close()\n"
    )
    environment = {"WANDB_MODE": "offline", "WANDB_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    (file,) = tmp_path.rglob("run-*.wandb")
    data = file.read_bytes()
    assert b"measures/proc" in data
    assert b"0.75" in data
    assert WandbLogger("tries")


@pytest.mark.parametrize("package", ["tensorboard", "wandb"])
def test_a_package_that_is_missing_is_named_with_what_installs_it(package: str) -> None:
    code = f"""
import importlib.util, json
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == {package!r} else found(name, *rest)
from pi_gym.loggers import make_logger
try:
    make_logger({package!r} + ":x")
except ImportError as error:
    print(json.dumps(str(error)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"pip install 'pi-gym[{package}]'" in json.loads(done.stdout)


def test_a_run_without_a_logger_imports_none() -> None:
    code = f"""
import sys, pi_gym
pi_gym.collect("PiBench-v0", "silent", sessions=1, env_kwargs={{"pack": {str(TINY)!r}}})
print([name for name in ("tensorboard", "wandb", "google.protobuf") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
