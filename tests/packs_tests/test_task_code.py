"""right.py: pure, limited, and its faults named."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.packs import PROTOCOL, TINY, copy_pack, edit_yaml

from pi_gym.errors import PackError
from pi_gym.packs import load_pack
from pi_gym.packs.making import TaskMaking
from pi_gym.packs.task_code import load_task_code
from pi_gym.packs.task_world import TaskWorld
from pi_gym.packs.variants import make_variant

SHOWN = "tasks/01-three/right.py"


def refused(tmp_path: Path, text: str) -> PackError:
    path = tmp_path / "right.py"
    path.write_text(text)
    with pytest.raises(PackError) as caught:
        load_task_code(path, SHOWN)
    assert caught.value.file == SHOWN
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        "import os",
        "import os.path",
        "from pathlib import Path",
        "import random",
        "import time",
        "import re",
        "import importlib",
        "from . import x",
        "import pi_gym.session",
        "from pi_gym import authoring",
        "import pi_gym.authoring.worlds",
        "def world(s, v):\n    import socket",
        "open('x')",
        "exec('1')",
        "eval('1')",
        "__import__('os')",
        "print('x')",
        "hash('x')",
        "id(1)",
        "globals()",
        "setattr(1, 'a', 1)",
        "().__class__",
        "(lambda: 0).__globals__",
        "import datetime\ndatetime.datetime.now()",
        "import datetime\ndatetime.date.today()",
        "import datetime\ndatetime.datetime.utcnow()",
        "def world(s, v):\n    global x",
        "async def world(s, v):\n    pass",
    ],
)
def test_what_is_not_pure_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    error = refused(tmp_path, f"import math\n{text}\n")
    assert error.field.startswith("line ")
    assert error.field != "line 1"


def test_a_syntax_error_is_named_with_its_line(tmp_path: Path) -> None:
    assert refused(tmp_path, "import math\ndef world(:\n").field == "line 2"


def test_an_error_at_import_is_named(tmp_path: Path) -> None:
    assert "ZeroDivisionError" in refused(tmp_path, "1 / 0\n").reason


def test_what_is_pure_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "right.py"
    path.write_text(
        "from __future__ import annotations\nimport math, json\nfrom dataclasses import dataclass\n"
        "from datetime import date\nfrom pi_gym.authoring import fixed\n"
        "@dataclass(frozen=True)\nclass Row:\n    a: int\n"
        "def world(stream, values):\n    return {'n': Row(1).a}, {}\n"
        "def check_it(evidence):\n    return True\n"
        "def helper():\n    return 1\n"
    )
    code = load_task_code(path, SHOWN)
    assert code.world is not None
    assert code.world(None, None) == ({"n": 1}, {})
    assert code.right is None
    assert list(code.checks) == ["check_it"]


def test_no_file_means_nothing_computed(tmp_path: Path) -> None:
    code = load_task_code(tmp_path / "right.py", SHOWN)
    assert (code.world, code.right, dict(code.checks)) == (None, None, {})


@pytest.mark.parametrize(
    ("text", "field", "says"),
    [
        ("def world(stream, values):\n    return {}['x'], {}\n", "world", "KeyError"),
        ("def world(stream, values):\n    return values.p.nothing, {}\n", "world", "nothing"),
        ("def world(stream, values):\n    return None\n", "world", "TypeError"),
        ("def world(stream):\n    return {}, {}\n", "world", "TypeError"),
        ("def world(stream, values):\n    return {}, {'../x.txt': 'x'}\n", "world", ".."),
        ("def world(stream, values):\n    return {}, {'/etc/x': 'x'}\n", "world", "/etc/x"),
        ("def world(stream, values):\n    return {}, {'dup.txt': 'x'}\n", "world", "seed file"),
        ("def right(world, wishes):\n    return 1 / 0\n", "right", "ZeroDivisionError"),
        ("def right(world, wishes):\n    return ['x']\n", "right", "expected a mapping, got list"),
        ("def right(world):\n    return {}\n", "right", "TypeError"),
        ("def right(world, wishes):\n    return {'items': 1}\n", "right", "items"),
        ("def right(world, wishes):\n    return {'x': wishes.color}\n", "right", "color"),
    ],
)
def test_a_fault_of_a_function_names_it(tmp_path: Path, text: str, field: str, says: str) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    (folder / SHOWN).write_text(text)
    (folder / "tasks/01-three/files").mkdir()
    (folder / "tasks/01-three/files/dup.txt").write_text("seed")
    with pytest.raises(PackError) as caught:
        load_pack(folder).instantiate("01-three", 2).complete()
    assert (caught.value.file, caught.value.field) == (SHOWN, field)
    assert says in caught.value.reason


def test_computed_files_are_part_of_the_task() -> None:
    task = load_pack(TINY).instantiate("01-list", 4)
    assert task.files["beds/photo.bin"] == b"\x00\x01"
    assert task.files["beds/note.txt"].startswith(b"Lists go alphabetical.\n")


def test_the_same_file_can_be_loaded_in_several_threads_at_one_time(tmp_path):
    path = tmp_path / "right.py"
    path.write_text(
        "from dataclasses import dataclass\n"
        "SUM = sum(number * number for number in range(200_000))\n"
        "@dataclass\nclass Row:\n    name: 'str'\n"
        "def world(stream, preferences):\n    return {}, {}\n"
    )
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: load_task_code(path, SHOWN), range(16)))
    assert all(code.world is not None for code in found)


@pytest.mark.slow
def test_code_is_of_the_content_that_is_hashed_however_alike_two_files_look(tmp_path):
    """Same size, same second: Python's own check of kept bytecode takes the one for the other."""
    path, played = tmp_path / "right.py", []
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    load = (
        "import sys; from pathlib import Path; from pi_gym.packs.task_code import load_task_code as load;"
        f"sys.pycache_prefix = {str(tmp_path / 'kept')!r};"
        f"print(load(Path({str(path)!r}), 'right.py').world(None, None))"
    )
    for number in (1, 2, 2):
        path.write_text(f"def world(stream, preferences):\n    return {number}\n")
        os.utime(path, (1_700_000_000, 1_700_000_000))
        done = subprocess.run([sys.executable, "-c", load], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        played.append(int(done.stdout))
    assert played == [1, 2, 2]
    assert list((tmp_path / "kept").rglob("right*.pyc")), "no bytecode was kept, so nothing was shown"


def test_a_file_that_is_no_python_text_is_named(tmp_path):
    path = tmp_path / "right.py"
    path.write_bytes(b"world = '\xff'\n")
    with pytest.raises(PackError) as caught:
        load_task_code(path, SHOWN)
    assert caught.value.file == SHOWN


def test_a_sound_result_that_some_wish_leaves_out_says_so(tmp_path: Path) -> None:
    def read(folder: Path) -> TaskMaking:
        source = load_pack(folder).source_of("01-list")
        variant = make_variant(load_pack(folder), source, 4)
        making = TaskMaking(TaskWorld(source, variant, variant.values))
        making.read_all()
        return making

    silent = copy_pack(TINY, tmp_path / "silent")
    code = silent / "tasks/01-list/right.py"
    code.write_text(code.read_text().replace('return {"seeds":', 'return {} if not wishes.case else {"seeds":'))
    frank = copy_pack(silent, tmp_path / "frank")
    edit_yaml(frank / "tasks/01-list/task.yaml", lambda raw: raw["results"]["seeds"].update(optional=True))
    with pytest.raises(PackError, match=r"results\.seeds: right\(\) leaves it out .*case=None.*`optional: true`"):
        read(silent)
    assert "seeds-sound" in [item.name for item in read(TINY).checklist()]
    assert "seeds-sound" not in [item.name for item in read(frank).checklist()]


def test_a_helper_of_the_library_becomes_a_check_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "right.py"
    path.write_text(
        "from pi_gym.authoring import playlists\ncheck_once, LIMIT = playlists.nobody_twice, 3\ncheck_of = 3\n"
    )
    code = load_task_code(path, SHOWN)
    assert [*code.checks] == ["check_once"]
    assert code.makers == {}
