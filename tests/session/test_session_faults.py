"""Exceptions inside a stage, as a record has them: type, text, place; no address, no path of this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.packs import PROTOCOL, copy_pack, edit_yaml
from support.play import opened, play

from pi_gym.packs import load_pack
from pi_gym.session.faults import describe_error, describe_with_place
from pi_gym.users.rule import RuleUser


class Raising(RuleUser):
    """A user that fails in stage 1."""

    def satisfied(self, view: object, answers: object = None) -> object:  # type: ignore[override]
        raise KeyError(object())


def test_a_stage_that_raises_is_located() -> None:
    session = opened(user=Raising())
    play(session, "Hm.")
    line = Raising.satisfied.__code__.co_firstlineno + 1
    assert session.error == f"user (satisfied): KeyError: <object object at 0x...> ({__name__}:{line})"
    assert (session.scored, session.error_kind) == (False, "engine")


def test_a_rule_of_the_task_is_named_by_its_module(tmp_path: Path) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "protocol")
    task = folder / "tasks" / "01-three"
    (task / "variant.py").write_text("def check_it(evidence):\n    return 1 / 0\n", encoding="utf-8")
    edit_yaml(task / "task.yaml", lambda raw: raw["checklist"][0].update(check={"function": "check_it"}))
    session = opened(load_pack(folder).instantiate("01-three"))
    session.truncate("now")
    assert session.error == "grader (grade): ZeroDivisionError: division by zero (pi_gym_variant_01_three:2)"
    assert str(tmp_path) not in session.trajectory().to_line()


def raised(work: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:
        work()
    return caught.value


def test_the_place_is_the_innermost_one_outside_of_libraries() -> None:
    import json

    error = raised(lambda: json.loads("{"))
    assert f"({__name__}:" in describe_with_place(error)
    error = raised(lambda: load_pack("no-such-pack"))
    assert "(pi_gym.packs." in describe_with_place(error)


class Speechless(Exception):
    """An exception without words."""

    def __str__(self) -> str:
        raise RuntimeError


def test_exceptions_without_text_with_surrogates_or_of_any_length_can_be_told() -> None:
    assert describe_error(Speechless()) == "Speechless: (no text)"
    assert describe_error(ValueError()) == "ValueError"
    describe_error(ValueError("\ud800")).encode()
    assert describe_error(ValueError("für 0xdeadbeef – 0x12")) == "ValueError: für 0x... – 0x12"
    assert len(describe_error(ValueError("x" * 100_000))) < 3_000
    assert describe_with_place(ValueError("never raised")) == "ValueError: never raised"
