"""Asks to a served model, and their answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from pi_gym.models.answerer import ModelAnswerer
from pi_gym.models.usage import Usage
from pi_gym.types import Answer, Ask, ModelRequest
from support.faulty_server import LONG_S
from support.served_roles import SCHEMA, config


def ask(text: str = "q", schema: Any = SCHEMA, role: str = "user", number: int = 1, **sampling: Any) -> Ask:
    request = ModelRequest(({"role": "user", "content": text},), schema, "verdict", sampling)
    return Ask(f"a{number}", "model", role, "asked", request)


def answers(url: str, asks: Sequence[Ask], **options: Any) -> tuple[list[Answer], Usage]:
    answerer = ModelAnswerer({"user": config(url, **options)})
    try:
        return answerer(asks), answerer.usage["user"]
    finally:
        answerer.close()


def wait_for(condition: Callable[[], Any]) -> None:
    until = time.monotonic() + LONG_S
    while not condition():
        assert time.monotonic() < until, "nothing happened"
        time.sleep(0.002)
