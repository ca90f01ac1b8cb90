"""The comparison with peers measures our side, and skips with its reason a peer that cannot be installed."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[1] / "bench" / "peers.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, timeout=100)


def test_our_side_is_measured_and_a_peer_that_cannot_be_installed_is_skipped_with_the_reason(tmp_path: Path) -> None:
    done = run("--quick", "--only", "tau2", "--source", f"tau2={tmp_path}/nothing", "--cache", str(tmp_path / "cache"))
    assert done.returncode == 0, done.stderr
    cells = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("|")]
    assert cells[0] == ["unit", "ours"]
    measured = {name: float(value.replace(",", "")) for name, _, value, *_ in cells[2:-1]}
    assert {name.rpartition(", ")[0] or name for name in measured} == {
        "import",
        "import to the first session",
        "reset, fresh world",
        "reset, world at hand",
        "read step after 4 steps",
        "write step after 4 steps",
        "memory per live session",
    }
    assert min(measured.values()) > 0
    assert measured["import to the first session, CPU"] > measured["import, CPU"]
    assert "threads per live session" in done.stdout
    (reason,) = (line for line in done.stdout.splitlines() if line.startswith("skipped: "))
    assert reason.startswith("skipped: tau2: not installed: ERROR:")
    assert "nothing" in reason


def test_a_source_for_an_unknown_peer_is_refused() -> None:
    done = run("--source", "tau3=tau3")
    assert done.returncode == 2
    assert "expected PEER=ARGUMENTS with a peer of tau2, are; got ['tau3=tau3']" in done.stderr
