"""The check of one variant of a task, for its author: every proof at once, and what to do about what fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pi_gym.errors import PackError
from pi_gym.packs import Pack
from pi_gym.proof.author_advice import ADVICE
from pi_gym.proof.coherence import check_coherence
from pi_gym.proof.prover import check_variants
from pi_gym.validation.report import Finding

#: Checks that compare variants, or read the pack anew: one variant tells nothing, or it takes too long.
LEFT_OUT = ("same bytes", "variety")


@dataclass(frozen=True, slots=True)
class TaskCheck:
    """The outcome of a check.

    Args:
        task: the task's id; `variant` the variant's number.
        checks: how many checks were made.
        findings: what was found, failures first.
    """

    task: str
    variant: int
    checks: int
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not any(one.level == "failure" for one in self.findings)

    def text(self) -> str:
        """The findings for an author, by check, each with what to do."""
        lines = []
        for check in dict.fromkeys(one.check for one in self.findings):
            found = [one for one in self.findings if one.check == check]
            lines.append(f"{check}:")
            lines += [f"  {'- ' if one.level == 'failure' else '(note) '}{one.subject}: {one.reason}" for one in found]
            if check in ADVICE and any(one.level == "failure" for one in found):
                lines.append(f"  {ADVICE[check]}")
        failed = sum(one.level == "failure" for one in self.findings)
        verdict = "nothing fails" if self.ok else f"{failed} findings to mend"
        lines.append(f"{self.task}, variant {self.variant}: {self.checks} checks, {verdict}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The findings for programs."""
        found = [{name: getattr(one, name) for name in Finding.__slots__} for one in self.findings]
        return {"task": self.task, "variant": self.variant, "checks": self.checks, "ok": self.ok, "findings": found}


def check_task(pack: Pack, task_id: str, variant: int = 0) -> TaskCheck:
    """Make every check of one task that a single variant can show.

    Args:
        pack: the pack.
        task_id: the task.
        variant: the variant's number.

    Raises:
        PackError: the pack has no predicates, or the task's files cannot be read; the message names file and field.
        UnknownName: no such task.
    """
    pack.require_task(task_id)
    if not pack.has_rules:
        raise PackError(pack.name, "", "it has no predicates, so there is nothing to prove; only `validate` opens it")
    check_coherence(pack, [task_id])
    sheets = check_variants(pack, [task_id], [variant], fresh=pack, left_out=LEFT_OUT).sheets[task_id]
    findings = sorted((one for sheet in sheets for one in sheet.findings), key=lambda one: one.level != "failure")
    return TaskCheck(task_id, variant, len(sheets), tuple(findings))
