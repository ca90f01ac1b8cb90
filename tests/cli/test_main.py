from __future__ import annotations

import subprocess
import sys

import pytest
from support.packs import TINY
from typer.testing import CliRunner

import pi_gym
from pi_gym.cli.main import app

ENV_ID = "PiBench-v0"


def invoke(*arguments: str, **options: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)


def test_the_commands_load_nothing_heavy_before_they_run():
    code = (
        "import sys, pi_gym.cli.main\n"
        "heavy = {'pi_gym.env', 'pi_gym.packs', 'pi_gym.rollout', 'pi_gym.session', 'pi_gym.models', 're2', 'pydantic',"
        " 'jinja2', 'rich.progress', 'torch', 'aiohttp'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_the_module_is_the_command():
    told = subprocess.run([sys.executable, "-m", "pi_gym", "--version"], capture_output=True, text=True, check=True)
    assert told.stdout == f"pi_gym {pi_gym.__version__}\n"


@pytest.mark.parametrize("command", ["list", "show", "play", "rollout", "validate", "demo"])
def test_every_command_has_help(command):
    result = invoke(command, "--help")
    assert result.exit_code == 0
    assert command in result.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["rollout", "PiBnch-v0"], "Did you mean 'PiBench-v0'"),
        (["rollout", ENV_ID, "--agent", "referense"], "Did you mean 'reference'"),
        (["rollout", ENV_ID, "--split", "tran", "--pack", TINY], "Did you mean 'train'"),
        (["rollout", ENV_ID, "--task", "01-lst", "--pack", TINY], "Did you mean '01-list'"),
        (["rollout", ENV_ID, "--history", "nope", "--pack", TINY], "Known: none, own, reference"),
        (["rollout", ENV_ID, "--sessions", "1000000000", "--pack", TINY], "at most 1,000,000"),
        (["rollout", ENV_ID, "--pack", "./nope/x"], "pack './nope/x': there is no such folder"),
        (["rollout", ENV_ID, "--pack", TINY, "--variant", 1, "--variant", 1], "variant 1 is given twice"),
        (["rollout", ENV_ID, "--pack", TINY, "--task", "01-list", "--task", "01-list"], "'01-list' is given twice"),
        (["play", ENV_ID, "--history", "own", "--pack", TINY], "one session is opened here, not an episode"),
        (["play", ENV_ID, "--history", "nope", "--pack", TINY], "Known: none, own, reference"),
        (["rollout", ENV_ID, "--resume", "--pack", TINY], "folder in 'out'"),
        (["rollout", ENV_ID, "--pack", "nowhere"], "Unknown pack 'nowhere'"),
        (["play", ENV_ID, "--split", "tran"], "Did you mean 'train'"),
        (["play", ENV_ID, "--task", "01-lst", "--pack", TINY], "Did you mean '01-list'"),
        (["show", "01-lst", "--pack", TINY], "Did you mean '01-list'"),
        (["list", "./nope/x"], "there is no such folder"),
        (["show", "01-list", "--pack", "~/nope/x"], "there is no such folder"),
        (["demo", "--pack", "/nope/x"], "there is no such folder"),
        (["validate", "nope/x"], "there is no such folder"),
        (["list", "nowhere"], "Unknown pack 'nowhere'"),
        (["demo", "--pack", "nowhere"], "Unknown pack 'nowhere'"),
        (["validate", "nowhere"], "Unknown pack 'nowhere'"),
        (["validate", TINY, "--task", "01-lst"], "Did you mean '01-list'"),
    ],
)
def test_a_bad_argument_is_one_line_that_names_the_known_ones(arguments, told):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        *(["bogus"], ["rollout"], ["rollout", ENV_ID, "--sessions", "0"], ["show", "x", "y"]),
        *(["rollout", ENV_ID, "--out", ""], ["demo", "--out", ""], ["validate", TINY, "--out", ""]),
        *(["demo", "--variants", "100000000"], ["validate", "--variants", "100000000"]),
    ],
)
def test_wrong_usage_ends_with_status_2(arguments):
    assert invoke(*arguments).exit_code == 2


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error():
    command = f"{sys.executable} -m pi_gym show 01-list --hidden --pack {TINY} | head -n 1"
    told = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("=== system")
    assert told.stderr == ""
