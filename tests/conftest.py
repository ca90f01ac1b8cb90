"""Settings of the whole suite."""

from __future__ import annotations

import gc
import signal
from collections.abc import Generator
from typing import Any

import pytest
from browsing import browser  # noqa: F401 (one browser for the tests of pages in a file)
from hypothesis import settings

from pi_gym.errors import SandboxNeeded

# A shell has what it starts in the background ignore Ctrl-C, and so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A worker holds a million objects: to search them for circles as often as usual takes a twentieth of all its time.
gc.set_threshold(50_000)

# Runs are the same each time and do not depend on the machine's load.
settings.register_profile("suite", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("suite")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, Any, Any]:
    """Skip what plays tasks that need a sandbox, where none works."""
    return (yield from skipping())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, Any, Any]:
    """The same."""
    return (yield from skipping())


def skipping() -> Generator[None, Any, Any]:
    try:
        return (yield)
    except SandboxNeeded:
        from support.shell import need

        need()
        raise
