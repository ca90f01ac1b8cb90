"""Settings of the whole suite."""

from __future__ import annotations

from hypothesis import settings

# Runs are the same each time and do not depend on the machine's load.
settings.register_profile("suite", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("suite")
