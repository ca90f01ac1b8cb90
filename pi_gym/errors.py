"""The error vocabulary: what an author, a caller or the machinery can get wrong.

An agent's mistakes are never exceptions: they are observations. What is raised here concerns authors (a broken
pack), callers (a wrong argument) and our own failures (which leave a session unscored).
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class PiGymError(Exception):
    """Base of every error that pi_gym raises on purpose."""


class PackError(PiGymError):
    """A pack is broken: the message names the file, the field and what was expected."""

    def __init__(self, file: str, field: str, reason: str) -> None:
        self.file, self.field, self.reason = file, field, reason
        super().__init__(f"{file}: {field}: {reason}" if field else f"{file}: {reason}")

    def __reduce__(self) -> tuple[type[PackError], tuple[str, str, str]]:
        return type(self), (self.file, self.field, self.reason)


class SpecError(PiGymError):
    """One field of a task is wrong; the loader turns it into a `PackError` that names the file."""

    def __init__(self, field: str, reason: str) -> None:
        self.field, self.reason = field, reason
        super().__init__(f"{field}: {reason}" if field else reason)

    def __reduce__(self) -> tuple[type[SpecError], tuple[str, str]]:
        return type(self), (self.field, self.reason)


class UnknownName(PiGymError, LookupError):
    """A name that does not exist was asked for; the message lists the known ones."""


class BadArgument(PiGymError, ValueError):
    """An argument of a run is out of range or does not fit the others; the message says what is expected."""


class NoSuchVariant(PiGymError, ValueError):
    """A task has no such variant."""


class SessionError(PiGymError):
    """A session was used out of order (for example `apply` while asks are pending)."""


class StateMismatch(PiGymError):
    """A pickle or a record refers to a pack whose content is not the one installed."""


class RolesNeeded(PiGymError, ValueError):
    """A task has no predicates, so rules cannot judge it; the message says which roles to pass."""


class SandboxNeeded(PiGymError, RuntimeError):
    """Shell commands cannot be run here; the message says why, what to install, and how to do without.

    Args:
        what: what cannot be done.
        reason: for each sandbox why it does not work, and what would enable it.
        advice: what to do beside.
    """

    def __init__(self, what: str, reason: str, advice: str = "") -> None:
        self.what, self.reason, self.advice = what, reason, advice
        super().__init__(f"{what}: {reason}{advice}")

    def __reduce__(self) -> tuple[type[SandboxNeeded], tuple[str, str, str]]:
        return type(self), (self.what, self.reason, self.advice)


class AnswerError(PiGymError):
    """An answer does not have the form that its ask requires.

    Args:
        message: what it lacks.
        kind: whose failure it is, as in `Session.fail`.
    """

    def __init__(self, message: str, kind: str = "model") -> None:
        self.kind = kind
        super().__init__(message)


def closest(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The known names most similar to `name`, best first."""
    return get_close_matches(name, sorted(known), n=limit, cutoff=0.5)


def unknown(kind: str, name: str, known: Iterable[str], shown: int = 12) -> str:
    """A sentence that says that `name` is no known `kind`, and names what is.

    >>> unknown("tool", "read_flie", ["read_file", "grep"])
    "Unknown tool 'read_flie'. Did you mean 'read_file'? Known: grep, read_file."
    """
    names = sorted(known)
    near = closest(name, names)
    hint = f" Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
    more = f", … ({len(names)} in all)" if len(names) > shown else ""
    listed = f" Known: {', '.join(names[:shown])}{more}." if names else " There are none."
    return f"Unknown {kind} {name!r}.{hint}{listed}"
