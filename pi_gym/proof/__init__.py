"""The proof that tasks are good: what is checked, and the report (docs/validate.md)."""

from pi_gym.proof.prover import validate_pack
from pi_gym.validation.report import CheckRow, Finding, Report, TaskReport

__all__ = ["CheckRow", "Finding", "Report", "TaskReport", "validate_pack"]
