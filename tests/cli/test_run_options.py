"""The options of `pi-gym rollout`, which come from the declaration of a run's arguments."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

import pi_gym
from pi_gym.cli.main import app
from pi_gym.cli.run_options import request_arguments
from pi_gym.runs.request import RunRequest, argument_helps

#: In Python alone: the command line has options of its own for them.
ELSEWHERE = {"env_kwargs", "progress"}


def parameters() -> dict[str, Any]:
    group: Any = typer.main.get_command(app)
    return {parameter.name: parameter for parameter in group.commands["rollout"].params}


def test_every_argument_of_a_run_is_an_option_or_belongs_to_python_alone() -> None:
    names = {entry.name for entry in fields(RunRequest)}
    assert set(argument_helps()) == names
    assert names - set(parameters()) == ELSEWHERE


@pytest.mark.parametrize("name", sorted(set(argument_helps()) - ELSEWHERE))
def test_an_option_has_the_help_and_the_default_of_its_argument(name: str) -> None:
    option, declared = parameters()[name], argument_helps()[name]
    assert option.help.casefold().startswith(declared.text.casefold())
    default = inspect.signature(RunRequest).parameters[name].default
    if isinstance(default, bool | int | str):
        assert option.default == default


@pytest.mark.parametrize("name", [name for name, found in argument_helps().items() if found.least is not None])
def test_a_number_below_the_least_is_refused(name: str) -> None:
    least, flag = argument_helps()[name].least, parameters()[name].opts[0]
    assert least is not None
    refused = CliRunner().invoke(app, ["rollout", "PiBench-v0", flag, str(min(int(least), least - 1))])
    assert refused.exit_code == 2
    assert flag in refused.stderr


def test_what_python_calls_by_its_name_is_a_word_of_the_shell() -> None:
    flags = {name: parameter.opts for name, parameter in parameters().items()}
    assert flags["policy"] == ["--agent"]
    assert flags["group_size"] == ["--group-size"]
    assert flags["session_timeout_s"] == ["--session-timeout"]
    assert flags["workers"] == ["--workers", "--num-envs"]


def test_lists_and_pairs_are_what_the_request_takes() -> None:
    given = {"tasks": [], "variants": [1, 2], "ray_options": ["num_cpus=2"], "policy_kwargs": None, "quiet": True}
    assert request_arguments(given) == {
        "tasks": None, "variants": [1, 2], "ray_options": {"num_cpus": 2}, "policy_kwargs": {},
    }  # fmt: skip


def test_help_and_signature_of_collect_have_every_argument() -> None:
    for function in (pi_gym.collect, pi_gym.collect_async):
        doc = inspect.getdoc(function) or ""
        for name in argument_helps():
            assert f"\n    {name}: " in doc
        assert doc.index("Args:") < doc.index("Raises:")
        assert str(inspect.signature(function)).startswith(
            "(env_id: 'str', policy: 'Policy', *, sessions: 'int | None' ="
        )


def test_an_argument_that_there_is_not_is_refused_in_the_name_of_the_function() -> None:
    wrong: Any = {"sesions": 3}
    with pytest.raises(TypeError, match="collect: got an unexpected keyword argument 'sesions'"):
        pi_gym.collect("PiBench-v0", "silent", **wrong)
    with pytest.raises(TypeError, match="collect: missing a required argument: 'policy'"):
        pi_gym.collect(**{"env_id": "PiBench-v0"})  # type: ignore[call-arg]
