"""The proof that tasks are good: what is checked, and the report (docs/validate.md)."""

from pi_gym.proof.report import Finding, Report, Row, TaskReport
from pi_gym.proof.run import validate_pack

__all__ = ["Finding", "Report", "Row", "TaskReport", "validate_pack"]
