"""`pi-gym serve` and `ServedModel`, with a stand-in for vLLM: real processes, signals and sockets."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pi_gym.cli.main import app
from pi_gym.models.answering import ModelAnswerer
from pi_gym.models.serving import ServedModel
from pi_gym.models.vllm_arguments import ServeError, serve_arguments
from pi_gym.types import Ask, ModelRequest

FAKE = Path(__file__).parents[1] / "support" / "fake_vllm.py"


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_model_that_is_served_here_is_sent_the_lengths_of_schemas_unless_told_otherwise():
    assert ServedModel("m").config().bound_schemas is True
    assert ServedModel("m").config(bound_schemas=False).bound_schemas is False


@pytest.fixture
def vllm(tmp_path, monkeypatch):
    """Gives a function that makes the program with some settings."""

    def make(**settings):
        program = tmp_path / "vllm"
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(FAKE))} "$@"\n')
        program.chmod(0o755)
        monkeypatch.setenv("FAKE_VLLM", json.dumps({"diary": str(tmp_path / "diary.jsonl"), **settings}))
        return str(program)

    return make


def diary(tmp_path, what):
    path = tmp_path / "diary.jsonl"
    entries = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [entry[what] for entry in entries if what in entry]


def is_gone_now(pid):
    try:
        # A Z is dead, and nobody has asked how.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def is_gone(pid):
    until = time.monotonic() + 20
    while not is_gone_now(pid):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def dry(*arguments):
    result = CliRunner().invoke(app, ["serve", "--dry-run", *arguments])
    assert result.exit_code == 0, result.output
    return shlex.split(result.stdout)


def test_the_command_has_the_flags_that_the_roles_need():
    command = dry("--model", "org/model", "--port", "8123")
    assert command[:3] == ["vllm", "serve", "org/model"]
    value = dict(pairwise(command))
    assert value["--port"] == "8123"
    assert int(value["--max-model-len"]) >= 16_384
    assert "--enable-prefix-caching" in command
    assert json.loads(value["--structured-outputs-config"])["backend"] == "xgrammar"
    assert "--tool-call-parser" not in command


@pytest.mark.parametrize("role", ["agent", "all"])
def test_an_agents_tool_calls_are_parsed_as_its_models_family_writes_them(role):
    command = dry("--model", "m", "--role", role, "--tool-parser", "hermes")
    assert "--enable-auto-tool-choice" in command
    assert command[command.index("--tool-call-parser") + 1] == "hermes"
    own = dry("--model", "m", "--role", role, "--", "--tool-call-parser", "mistral")
    assert own[-2:] == ["--tool-call-parser", "mistral"]
    assert "--enable-auto-tool-choice" in own
    result = CliRunner().invoke(app, ["serve", "--model", "m", "--role", role, "--dry-run"])
    assert result.exit_code == 1
    assert "--tool-parser NAME, such as hermes" in result.stderr


def test_what_to_pass_on_names_each_role_that_is_served():
    def told(role):
        words = ServedModel("m", role, port=1, tool_parser="hermes").arguments
        assert set(words[1::2]) == {"m@http://127.0.0.1:1/v1"}
        return words[::2]

    assert told("user") == ["--user"]
    assert told("both") == ["--user", "--grader"]
    assert told("all") == ["--user", "--grader", "--agent"]


def test_ones_own_arguments_come_last_and_are_not_contradicted():
    command = dry("--model", "m", "--", "--dtype", "float32", "--max-model-len", "4096", "--no-enable-prefix-caching")
    assert command[-5:] == ["--dtype", "float32", "--max-model-len", "4096", "--no-enable-prefix-caching"]
    assert command.count("--max-model-len") == 1
    assert "--enable-prefix-caching" not in command
    same = dry("--model", "m", "--", "--max_model_len=4096")
    assert "--max-model-len" not in same
    dotted = serve_arguments("m", host="h", port=1, extra=["--structured-outputs-config.backend=guidance"])
    assert "--structured-outputs-config" not in dotted
    with pytest.raises(ServeError, match="--port is an option of ours"):
        serve_arguments("m", host="h", port=1, extra=["--port=9"])


def test_an_unknown_role_and_a_missing_program_are_said_in_a_line(port):
    wrong = CliRunner().invoke(app, ["serve", "--model", "m", "--role", "judge", "--dry-run"])
    assert wrong.exit_code == 2
    assert "Unknown role 'judge'" in wrong.stderr
    missing = CliRunner().invoke(app, ["serve", "--model", "m", "--port", str(port), "--vllm", "no-such-vllm"])
    assert missing.exit_code == 1
    assert "'no-such-vllm' is not there. Install it (pip install 'pi-gym[vllm]')" in missing.stderr


def test_a_served_model_answers_and_ends_with_all_its_processes(tmp_path, port, vllm):
    extra = ["--served-model-name", "tiny"]
    with ServedModel("org/m", port=port, vllm=vllm(wait_s=0.3), extra=extra) as server:
        answerer = ModelAnswerer({"user": server.config(cache=None)})
        request = ModelRequest(({"role": "user", "content": "Who are you?"},))
        assert answerer([Ask("a1", "model", "user", "message", request)])[0].value == "I am tiny."
        answerer.close()
        assert server.arguments == ["--user", f"tiny@{server.url}", "--grader", f"tiny@{server.url}"]
    (pids,) = diary(tmp_path, "pids")
    assert all(map(is_gone, pids))
    assert diary(tmp_path, "signal") == [signal.SIGTERM]
    assert diary(tmp_path, "arguments")[0][:2] == ["serve", "org/m"]


def test_a_server_that_ends_before_it_is_ready_is_an_error(port, vllm):
    with pytest.raises(ServeError, match="ended before it was ready \\(status 7\\)"):
        ServedModel("m", port=port, vllm=vllm(fail=7)).__enter__()


def test_a_server_that_is_never_ready_is_ended(tmp_path, port, vllm):
    with pytest.raises(ServeError, match="not ready after 1 s"):
        ServedModel("m", port=port, vllm=vllm(wait_s=60), ready_s=1).__enter__()
    assert all(map(is_gone, diary(tmp_path, "pids")[0]))


def test_the_context_that_was_asked_for_is_named_where_the_server_may_not_have_it(port, vllm):
    program = vllm(fail=1)
    with pytest.raises(ServeError, match=r"a context of 32768 tokens.*give vLLM `--max-model-len N`"):
        ServedModel("m", port=port, vllm=program).__enter__()
    with pytest.raises(ServeError) as caught:
        ServedModel("m", port=port, vllm=program, extra=["--max-model-len", "64"]).__enter__()
    assert "context" not in str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "localhost", ""])
def test_a_port_that_is_taken_is_an_error_before_anything_starts(tmp_path, port, vllm, host):
    with socket.socket() as silent:  # whatever listens there, it need not speak HTTP
        silent.bind(("127.0.0.1", port))
        silent.listen()
        with pytest.raises(ServeError, match="choose another port"):
            ServedModel("m", host=host, port=port, vllm=vllm()).start()
    assert diary(tmp_path, "arguments") == []


def test_a_server_starts_again_at_once_where_one_has_just_ended(port, vllm):
    program = vllm()
    for _ in range(2):
        with ServedModel("m", port=port, vllm=program):
            pass


def test_a_second_interrupt_while_it_ends_leaves_no_process(tmp_path, port, vllm):
    server = ServedModel("m", port=port, vllm=vllm(stubborn=True), stop_s=60)
    server.start()
    server.wait_ready()

    def press():
        while not diary(tmp_path, "signal"):  # it was asked to end, and does not
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        server.stop()
    assert all(map(is_gone, diary(tmp_path, "pids")[0]))


def test_a_server_that_will_not_end_is_killed(tmp_path, port, vllm):
    with ServedModel("m", port=port, vllm=vllm(stubborn=True), stop_s=0.3):
        pass
    assert diary(tmp_path, "signal") == [signal.SIGTERM]
    assert all(map(is_gone, diary(tmp_path, "pids")[0]))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_says_what_to_pass_on_and_a_signal_ends_it_cleanly(tmp_path, port, vllm, number):
    command = [sys.executable, "-m", "pi_gym", "serve", "--model", "m", "--port", str(port), "--vllm", vllm()]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == f"ready: http://127.0.0.1:{port}/v1\n"
        told = process.stdout.readline()
        for role in ("user", "grader"):
            assert f"--{role} m@http://127.0.0.1:{port}/v1" in told
        os.kill(process.pid, number)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 0
    assert errors.splitlines() == [shlex.join([command[-1], *diary(tmp_path, "arguments")[0]])]
    assert diary(tmp_path, "signal") == [number]
    assert all(map(is_gone, diary(tmp_path, "pids")[0]))


def test_a_server_that_dies_later_is_said(tmp_path, port, vllm):
    command = [sys.executable, "-m", "pi_gym", "serve", "--model", "m", "--port", str(port), "--vllm", vllm()]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        os.kill(diary(tmp_path, "pids")[0][0], signal.SIGKILL)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 1
    assert "vllm ended by itself (status -9)" in errors
    assert all(map(is_gone, diary(tmp_path, "pids")[0]))


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_command_that_is_killed_leaves_no_process_behind(tmp_path, port, vllm, stubborn):
    code = (
        "import sys; from pi_gym.models.serving import ServedModel;"
        "server = ServedModel('m', port=int(sys.argv[1]), vllm=sys.argv[2], stop_s=0.5);"
        # From a thread that ends: what counts is the process.
        "import threading; thread = threading.Thread(target=server.start); thread.start(); thread.join();"
        "server.wait_ready(); print(server.pid, flush=True); server.wait()"
    )
    command = [sys.executable, "-c", code, str(port), vllm(stubborn=stubborn)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        guard = int(process.stdout.readline())
        pids = [guard, *diary(tmp_path, "pids")[0]]
        assert not any(map(is_gone_now, pids))
    finally:
        process.kill()
        process.communicate()
    assert all(map(is_gone, pids))
    assert diary(tmp_path, "signal") == [signal.SIGTERM]
