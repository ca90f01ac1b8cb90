"""The check that a reference's shell commands do what it declares: they run once per variant, where a sandbox is."""

from __future__ import annotations

from pi_gym.packs.task import ReferenceAction
from pi_gym.pibench.declared_shell import declared_answer
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import SessionConfig
from pi_gym.proof.case import Case
from pi_gym.shell import ShellRunner
from pi_gym.tools.shell_result import ShellResult
from pi_gym.types import Answer
from pi_gym.validation.report import Sheet

_RUNNER = ShellRunner()


def _declared(case: Case) -> list[object]:
    found = [action for action in case.task.reference if isinstance(action, ReferenceAction)]
    return [result for action in found for result in action.results]


def check_commands(case: Case, sheet: Sheet) -> None:
    """Play the reference, run each of its commands over the workspace at that point, and compare."""
    sheet.numbers["commands"] = count = sum(result is not None for result in _declared(case))
    if not count:
        return
    found = _RUNNER.available()
    if not found:
        sheet.note("sandbox", f"the declared results were not compared: {found.text}")
        return
    session = PiSession(case.task, opening=case.opening, config=SessionConfig(history="reference"))
    number = 0
    for action in case.task.reference:
        if session.ended:
            break
        session.apply(action)
        while session.pending:
            for ask in session.pending:
                declared = declared_answer(session, ask, action)
                if ask.kind == "shell" and not declared.error:
                    number += 1
                    (real,) = _RUNNER.respond([ask])
                    _compare(f"command {number}", declared, real, sheet)
                session.answer(ask.id, declared)


def _compare(subject: str, declared: Answer, real: Answer, sheet: Sheet) -> None:
    if real.error:
        sheet.fail(subject, f"the sandbox failed: {real.error}")
        return
    said, did = ShellResult.from_json(declared.value), ShellResult.from_json(real.value)
    if did.ended or did.overflow:
        sheet.fail(subject, f"it does not run to its end: {did.ended or did.overflow}")
    if said.exit != did.exit:
        sheet.fail(subject, f"exit status: declared {said.exit}, got {did.exit} with {did.output[-300:]!r}")
    if said.output != did.output:
        sheet.fail(subject, f"output: declared {said.output[:200]!r}, got {did.output[:200]!r}")
    for path in sorted({*said.files, *did.files}):
        if said.files.get(path) != did.files.get(path):
            sheet.fail(subject, f"{path}: declared {_part(said, path)}, got {_part(did, path)}")
    gone, lost = set(said.deleted), set(did.deleted)
    if gone != lost:
        sheet.fail(subject, f"deleted: declared {sorted(gone)}, got {sorted(lost)}")
    for what, why in did.refused:
        sheet.fail(subject, f"{what} cannot be kept: {why}")


def _part(result: ShellResult, path: str) -> str:
    data = result.files.get(path)
    return "no change" if data is None else repr(data[:120])
