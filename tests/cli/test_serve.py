"""`pi-gym serve`, with a stand-in for vLLM."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pi_gym.cli.main import app
from pi_gym.models.vllm_arguments import ServeError, rollout_arguments, serve_arguments


def dry(*arguments: str) -> list[str]:
    result = CliRunner().invoke(app, ["serve", "--dry-run", *arguments])
    assert result.exit_code == 0, result.output
    return shlex.split(result.stdout)


def test_the_command_has_the_flags_that_the_roles_need() -> None:
    command = dry("--model", "org/model", "--port", "8123")
    assert command[:3] == ["vllm", "serve", "org/model"]
    value = dict(pairwise(command))
    assert value["--port"] == "8123"
    assert int(value["--max-model-len"]) >= 16_384
    assert "--enable-prefix-caching" in command
    assert json.loads(value["--structured-outputs-config"])["backend"] == "xgrammar"
    assert "--tool-call-parser" not in command


@pytest.mark.parametrize("role", ["agent", "all"])
def test_an_agents_tool_calls_are_parsed_as_its_models_family_writes_them(role: str) -> None:
    command = dry("--model", "m", "--role", role, "--tool-parser", "hermes")
    assert "--enable-auto-tool-choice" in command
    assert command[command.index("--tool-call-parser") + 1] == "hermes"
    own = dry("--model", "m", "--role", role, "--", "--tool-call-parser", "mistral")
    assert own[-2:] == ["--tool-call-parser", "mistral"]
    assert "--enable-auto-tool-choice" in own
    result = CliRunner().invoke(app, ["serve", "--model", "m", "--role", role, "--dry-run"])
    assert result.exit_code == 1
    assert "--tool-parser NAME, such as hermes" in result.stderr


def test_what_to_pass_on_names_each_role_that_is_served() -> None:
    def told(role: str) -> list[str]:
        words = rollout_arguments("m", role, "http://127.0.0.1:1/v1")
        return [" ".join(pair) for pair in zip(words[::2], words[1::2], strict=True)]

    served = "m@http://127.0.0.1:1/v1"
    assert told("user") == [f"--role user={served}"]
    assert told("both") == [f"--role user={served}", f"--role grader={served}"]
    assert told("all") == [f"--role user={served}", f"--role grader={served}", f"--agent {served}"]


def test_ones_own_arguments_come_last_and_are_not_contradicted() -> None:
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


def test_an_unknown_role_and_a_missing_program_are_said_in_a_line() -> None:
    wrong = CliRunner().invoke(app, ["serve", "--model", "m", "--role", "judge", "--dry-run"])
    assert wrong.exit_code == 2
    assert "Unknown role 'judge'" in wrong.stderr
    missing = CliRunner().invoke(app, ["serve", "--model", "m", "--vllm", "no-such-vllm"])
    assert missing.exit_code == 1
    assert "'no-such-vllm' is not there. Install it (pip install 'pi-gym[vllm]')" in missing.stderr


def test_vllm_takes_the_commands_place_after_a_word_on_what_to_pass_on(tmp_path: Path) -> None:
    program = tmp_path / "vllm"
    program.write_text('#!/bin/sh\necho "$$ $*"\nexit 7\n')
    program.chmod(0o755)
    command = [sys.executable, "-m", "pi_gym", "serve", "--model", "org/m", "--host", "0.0.0.0", "--vllm", str(program)]
    with subprocess.Popen(
        [*command, "--", "--served-model-name", "tiny"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        shown, told, ran = process.stdout.read().splitlines()
    assert process.returncode == 7
    arguments = shlex.split(shown)[1:]
    assert arguments[:2] == ["serve", "org/m"]
    assert told.endswith("--role user=tiny@http://127.0.0.1:8000/v1 --role grader=tiny@http://127.0.0.1:8000/v1")
    # The process is the program: whoever stops the one stops the other.
    assert ran == f"{process.pid} {' '.join(arguments)}"
