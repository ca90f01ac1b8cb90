"""The predicate language: what authors write in YAML about replies, calls, files and apps (docs/predicates.md)."""

from pi_gym.predicates.compile import Predicate, check_shape, compile_predicate
from pi_gym.predicates.evidence import Evidence, Outcome

__all__ = ["Evidence", "Outcome", "Predicate", "check_shape", "compile_predicate"]
