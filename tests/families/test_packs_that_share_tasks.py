"""An environment over packs that share task ids collects, resumes, reports and exports each task of each pack."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.copies import ROOT, Copy

PLAY = """
import json, sys
import gymnasium as gym
import pi_gym
from pi_gym.export import export

out, resume = sys.argv[1], len(sys.argv) > 2
summary = pi_gym.collect("PiBench-v0", "reference", tasks=["bo/01-list", "cy/01-list", "cy/02-memo"], out=out,
                         resume=resume, env_kwargs={"exec_backend": "off"})
rows = __import__("pyarrow.parquet").parquet.read_table(export(out, force=True).path).to_pylist()
print(json.dumps({
    "tasks": list(summary.tasks),
    "groups": list(summary.groups),
    "scored": summary.scored,
    "proc": summary.mean("proc"),
    "keys": [list(record.key) for record in pi_gym.read_trajectories(out)],
    "rows": [[row["family"], row["pack"], row["task_id"]] for row in rows],
}))
"""
OPEN = """
import gymnasium as gym, pi_gym
from pi_gym.errors import UnknownName
env = gym.make("PiBench-v0")
for pack in ("bo", "cy"):
    _, info = env.reset(seed=0, options={"pack": pack, "task": "01-list"})
    print(info["pack"], info["task_id"])
try:
    env.reset(options={"task": "01-list"})
except UnknownName as error:
    print(error)
"""
REFUSED = """
import pi_gym
from pi_gym.runs.plan import BadArgument
try:
    pi_gym.collect("PiBench-v0", "silent", tasks=["01-list"])
except BadArgument as error:
    print(error)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """An installation with two personas that have tasks of the same names, and no others."""
    found = Copy(tmp_path_factory.mktemp("packs"))
    envs = found.root / "envs"
    for path in envs.iterdir():
        if path.name not in ("_shared", "__init__.py"):
            path.unlink()
    for name in ("bo", "cy"):
        shutil.copytree(ROOT / "tests" / "packs" / "tiny", envs / name)
        pack = envs / name / "pack.yaml"
        pack.write_text(pack.read_text().replace("benchmark: false", "benchmark: true"))
    return found


@pytest.mark.slow
def test_they_are_collected_and_resumed_side_by_side(copy: Copy, tmp_path: Path) -> None:
    out = tmp_path / "run"
    whole = json.loads(copy.python("-c", PLAY, str(out)))
    assert whole["tasks"] == ["bo/01-list", "cy/01-list", "cy/02-memo"]
    assert whole["groups"] == ["bo/style", "cy/style"]
    assert (whole["scored"], whole["proc"]) == (3, 1.0)
    named = [["pibench", "bo", "01-list"], ["pibench", "cy", "01-list"], ["pibench", "cy", "02-memo"]]
    assert [key[2:5] for key in whole["keys"]] == whole["rows"] == named
    # What a kill lost is played again, and nothing else.
    lines = (out / "trajectories.jsonl").read_bytes().splitlines(keepends=True)
    (out / "trajectories.jsonl").write_bytes(lines[0] + lines[2][:40])
    assert json.loads(copy.python("-c", PLAY, str(out), "resume"))["keys"] == whole["keys"]


def test_a_name_that_two_packs_have_is_asked_for_with_its_pack(copy: Copy) -> None:
    first, second, refused = copy.python("-c", OPEN).splitlines()
    assert (first, second) == ("bo 01-list", "cy 01-list")
    assert "'01-list' is a task of bo, cy; say which by options['pack']" in refused
    assert "write 'bo/01-list' or 'cy/01-list'" in copy.python("-c", REFUSED)
