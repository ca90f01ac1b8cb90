"""The sessions as verifiers finds them: an id of its is the name of a top-level module that exports these."""

from pi_gym.adapters.verifiers.session_harness import SessionHarness
from pi_gym.adapters.verifiers.session_taskset import SessionTaskset

__all__ = ["SessionHarness", "SessionTaskset"]
