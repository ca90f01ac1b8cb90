"""The content of a result, as a session left it or as it is right: facets read both in one way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, TypeAlias

from pi_gym.predicates.text import View, view_of

# Where HTML comments show in no rendering, so what stands in them says nothing.
_COMMENTED = (".md", ".markdown", ".html", ".htm", ".txt", "")


@dataclass(frozen=True)
class ResultText:
    """A text: a file, a reply, or the body of a message.

    Args:
        path: in the workspace; "" for what is no file.
        text: its content.
        before: its content when the session began; None where there was no such file.
        day: the day of the session, ISO.
    """

    path: str
    text: str
    before: str | None = None
    day: str = ""

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return self.path.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The part of the name behind its last point, in small letters; "" where there is none."""
        return self.name.rpartition(".")[2].lower() if "." in self.name else ""

    @cached_property
    def view(self) -> View:
        """The text as conditions read it."""
        suffix = f".{self.suffix}" if self.suffix else ""
        return view_of(self.text, suffix in _COMMENTED)

    def part(self, text: str) -> ResultText:
        """A piece of it as a text of its own."""
        return replace(self, text=text, before=None)


@dataclass(frozen=True)
class Letter:
    """A mail or a text message.

    Args:
        to, cc: addresses or numbers, sorted.
        body: its text, the subject apart.
        channel: "mail" or "text".
        attached: names of files, sorted.
        extra: whatever else is known of it by name, such as the thread that it answers.
    """

    to: tuple[str, ...]
    body: ResultText
    cc: tuple[str, ...] = ()
    subject: str = ""
    channel: str = "mail"
    attached: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Letters:
    """The mails and texts of one result, at least one."""

    each: tuple[Letter, ...]


@dataclass(frozen=True)
class Record:
    """A row of an app's table.

    Args:
        key: by what it is told from the others of its result.
        values: by column; lists and mappings are told apart by `column[0].name`.
        deleted: whether the session deleted it.
    """

    key: str
    values: Mapping[str, Any]
    deleted: bool = False


@dataclass(frozen=True)
class Records:
    """The rows of one result; there may be none."""

    each: tuple[Record, ...]


ResultContent: TypeAlias = ResultText | Letters | Records


def digest(content: ResultContent | None) -> bytes:
    """The digest of all that a content says; None is what is not there."""
    if isinstance(content, ResultText):
        before = content.before or ""
        # The lengths say where each text ends, so that no two contents are one.
        head = repr((content.path, content.day, content.before is None, len(before), len(content.text)))
        said = f"{head}{before}{content.text}"
    else:
        said = repr(content)
    return blake2b(said.encode(errors="surrogatepass"), digest_size=32).digest()


def as_text(content: ResultContent) -> ResultText:
    """The words of a result as one text: of letters the subjects and bodies, of rows their values."""
    if isinstance(content, ResultText):
        return content
    if isinstance(content, Letters):
        return ResultText("", "\n\n".join(f"{one.subject}\n\n{one.body.text}" for one in content.each))
    return ResultText("", "\n".join(str(value) for one in content.each for value in one.values.values()))
