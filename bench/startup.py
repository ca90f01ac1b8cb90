"""The cost of starting: the import, and the way to the first observation, each in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys

from measure import Figure
from subject import Subject

IMPORT_S = 0.5
_PROBE = """
import json, os, sys, time
def megabytes():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
level, begin = megabytes(), time.perf_counter()
import gymnasium
middle, peer = time.perf_counter(), megabytes()
import pi_gym
end, full = time.perf_counter(), megabytes()
env = gymnasium.make("PiBench-v0", pack=sys.argv[1]).unwrapped
env.reset(options={"task": sys.argv[2], "variant": 0})
ready = time.perf_counter()
print(json.dumps([end - begin, middle - begin, full - level, peer - level, ready - begin]))
"""


def measure(subject: Subject) -> list[Figure]:
    """Import time and memory beside Gymnasium's alone, and the time to the first observation."""
    command = [sys.executable, "-c", _PROBE, subject.source, subject.task_ids[0]]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(subject.size(7, 1))
    ]
    columns = [tuple(float(value) for value in column) for column in zip(*runs, strict=True)]
    return [
        Figure("startup", "import pi_gym", "s", columns[0], IMPORT_S, note="gymnasium and numpy included"),
        Figure("startup", "import gymnasium alone", "s", columns[1]),
        Figure("startup", "memory of the import", "MB", columns[2], note="gymnasium and numpy included"),
        Figure("startup", "memory of gymnasium alone", "MB", columns[3]),
        Figure("startup", "import to first observation", "s", columns[4], note="first session of the pack"),
    ]
