from __future__ import annotations

import json

import pytest

from pi_gym.errors import PackError
from pi_gym.session.faults import FRAMES_KEPT, describe_error, error_place, error_trace, own_error_trace


def caught(call, *arguments):
    try:
        call(*arguments)
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def run_code(tmp_path, code):
    path = tmp_path / "their_agent.py"
    path.write_text(code)
    return caught(exec, compile(code, str(path), "exec"), {"__name__": "their_agent"})


class Mute(Exception):
    def __str__(self):
        raise ValueError("no text for you")


def test_the_place_is_the_last_line_of_the_agents_own_code_not_of_the_library_that_it_called(tmp_path):
    error = run_code(tmp_path, "import json\n\ndef read():\n    return json.loads('{')\n\nread()\n")
    assert isinstance(error, json.JSONDecodeError)
    assert error_place(error) == "their_agent.py line 4"
    frames = own_error_trace(error)
    assert frames.count("their_agent.py") == 2
    assert "decoder.py" not in frames
    assert "decoder.py" in error_trace(error)


def test_our_own_errors_name_a_file_themselves_unless_foreign_code_raised_them():
    from pi_gym.packs import load_pack

    assert error_place(PackError("x.yaml", "field", "is wrong")) == ""
    error = caught(load_pack, "nowhere")
    assert error_place(error).startswith("test_faults.py line "), "this file called it"


def test_an_error_without_frames_has_no_place():
    assert error_place(ValueError("x")) == ""
    assert own_error_trace(ValueError("x")) == ""


@pytest.mark.parametrize("error", [Mute(), ValueError("a\ud800b"), SystemExit(3), KeyError("k"), Exception()])
def test_every_error_can_be_told_and_stored(error):
    for text in (describe_error(error), error_trace(error), error_place(error)):
        text.encode()
    assert describe_error(error).startswith(type(error).__name__)


def test_causes_are_in_the_trace_and_long_traces_are_cut(tmp_path):
    code = (
        "def down(n):\n"
        "    down(n - 1) if n else 1 / 0\n\n"
        "try:\n"
        "    down(500)\n"
        "except Exception as error:\n"
        "    raise OSError(9) from error\n"
    )
    text = error_trace(run_code(tmp_path, code))
    assert "ZeroDivisionError" in text
    assert text.rstrip().endswith("OSError: 9")
    assert text.count("in down") <= FRAMES_KEPT
