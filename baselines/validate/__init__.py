"""The proof that tasks are good: what is checked, and the report (docs/validate.md)."""

from pi_gym.baselines.validate.report import Finding, Report, Row, TaskReport
from pi_gym.baselines.validate.run import validate_pack

__all__ = ["Finding", "Report", "Row", "TaskReport", "validate_pack"]
