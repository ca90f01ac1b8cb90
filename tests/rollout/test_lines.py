from __future__ import annotations

import json
import resource
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.runs.lines import LineFile, RunError, cut_torn_tail, explained

WHOLE = b'{"a":1}\n{"b":"\xc3\xa4"}\n'


@contextmanager
def room_for(size):
    """Files can grow to `size` bytes: a write beyond is cut short, and the next fails, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@given(st.integers(0, 200_000))
def test_whatever_stays_of_a_last_line_is_cut_off(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    whole, last = WHOLE, json.dumps({"text": "y" * 150_000}).encode()
    torn = last[: min(cut, len(last))]
    path.write_bytes(whole + torn)
    assert cut_torn_tail(path) == len(torn)
    assert path.read_bytes() == whole


@pytest.mark.parametrize("tail", [b"\0" * 5000, b"\0\0\n", b'{"c": \n{"d\n', b"\xff\xfe\n"])
def test_what_a_power_cut_leaves_is_cut_off(tmp_path, tail):
    path = tmp_path / "x.jsonl"
    path.write_bytes(WHOLE + tail)
    cut_torn_tail(path)
    assert path.read_bytes() == WHOLE


def test_whole_files_and_missing_ones_stay_as_they_are(tmp_path):
    path = tmp_path / "x.jsonl"
    assert cut_torn_tail(path) == 0
    assert not path.exists()
    path.write_bytes(WHOLE)
    assert cut_torn_tail(path) == 0
    assert path.read_bytes() == WHOLE


def test_on_a_full_disk_the_file_ends_with_a_whole_line(tmp_path):
    path = tmp_path / "x.jsonl"
    file = LineFile(path)
    file.append('"' + "a" * 700 + '"')
    with room_for(1000), pytest.raises(OSError):
        file.append('"' + "b" * 700 + '"')
    file.append('"c"')
    file.sync()
    file.close()
    assert path.read_text() == '"' + "a" * 700 + '"\n"c"\n'


def test_a_failure_of_the_file_system_becomes_one_line(tmp_path):
    told = r"^\S*nowhere cannot be read: No such file or directory$"
    with pytest.raises(RunError, match=told), explained(tmp_path, "cannot be read"):
        (tmp_path / "nowhere").read_bytes()
