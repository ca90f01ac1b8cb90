"""Messages that the agent sends to the user in the middle of its work."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that went with a message, as it was then.

    Args:
        path: where it lies in the workspace.
        sha256: of its content when it was sent, in hexadecimal digits.
    """

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message to the user.

    Args:
        text: what it says; where it has attachments, a last line names them.
        attached: its attachments, in the order given.
    """

    text: str
    attached: tuple[Attachment, ...] = ()


def content_hash(data: bytes) -> str:
    """SHA-256 of a file's content, as attachments carry it."""
    return hashlib.sha256(data).hexdigest()
