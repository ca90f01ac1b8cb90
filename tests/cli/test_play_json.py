from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.packs import TINY, tiny

from pi_gym.cli.play_json import BadLine, read_action

COMMAND = [sys.executable, "-m", "pi_gym", "play", "PiBench-v0", "--pack", str(TINY), "--task", "01-list", "--json"]


class Pipe:
    """A program that plays over a real pipe, line by line."""

    def __enter__(self):
        self.process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={"LC_ALL": "C"}
        )
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.wait(timeout=20)

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def say(self, line: bytes):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return self.hear()


def test_a_program_plays_a_session_to_its_end():
    task = tiny().instantiate("01-list", 0)
    forms = [
        lambda action: json.dumps({"action": action}),
        lambda action: json.dumps(action),
        lambda action: json.dumps({"role": "assistant", "content": action}),
        lambda action: json.dumps({"action": {"content": action}}, ensure_ascii=False),
    ]
    with Pipe() as pipe:
        opening = pipe.hear()
        assert set(opening) == {"observation", "reward", "terminated", "truncated", "info"}
        assert opening["info"]["task_id"] == "01-list"
        assert opening["info"]["tools"]
        rewards, last = [], opening
        for action, form in zip(task.reference, forms, strict=True):
            assert not last["terminated"]
            last = pipe.say(form(action).encode())
            rewards.append(last["reward"])
        assert last["terminated"]
        assert sum(rewards) == pytest.approx(1.0)
        assert last["info"]["scores"]["return"] == pytest.approx(1.0)
        assert pipe.process.stdout.readline() == b""
        assert pipe.process.wait(timeout=20) == 0


def test_bad_lines_are_answered_and_the_session_goes_on():
    with Pipe() as pipe:
        assert pipe.hear()["info"]["steps"] == 0
        for line in (b"nonsense", b"[1]", b"null", b'{"x": 1}', b"\xff\xfe", b'{"action": 3}', b"[" * 100_000):
            assert set(pipe.say(line)) == {"error"}
        answer = pipe.say('"Grüße, \\ud800 ✓"'.encode())
        assert answer["info"]["steps"] == 1
        assert "Grüße" in answer["observation"]["history"]
        pipe.process.stdin.close()
        assert pipe.process.stdout.read() == b""
        assert pipe.process.wait(timeout=20) == 0
        assert pipe.process.stderr.read() == b""


@given(st.binary(max_size=80) | st.text(max_size=40).map(str.encode))
@example(b'{"action": NaN}')
@example(b"1" * 5000)
def test_whatever_a_line_holds_it_is_an_action_or_says_what_is_expected(line):
    try:
        action = read_action(line)
    except BadLine as error:
        action = str(error)
        told = "expected" in action
    else:
        told = True
    assert told
    assert isinstance(action, str | dict)


@given(st.text())
def test_every_text_can_be_sent_both_ways(text):
    assert read_action(json.dumps(text).encode()) == text
    assert read_action(json.dumps({"action": text}, ensure_ascii=True).encode()) == text


def test_a_sandbox_that_is_not_there_is_said_and_one_can_be_switched_off():
    for backend, told in (("off", b'"info"'), ("docker", b"")):
        command = [*COMMAND, "--exec-backend", backend]
        found = subprocess.run(command, input=b"", capture_output=True, env={"LC_ALL": "C"}, timeout=100)
        assert told in found.stdout
        assert (found.returncode == 0) == bool(told), found.stderr
    assert b"landlock" in found.stderr
    assert b"Traceback" not in found.stderr
