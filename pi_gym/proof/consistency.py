"""The check that a world does not contradict itself, over all files and rows that a session and those before it have.

An address belongs to one person and a person has one address, a day of the week is that of its date, and a skill names
tools that its session offers. Who is who comes from the accounts of the apps, from what is written as `Name <address>`,
and from addresses of the form first.last@place.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

import re2

from pi_gym.apps import all_tools, app_names
from pi_gym.packs.app_seeds import AppSeeds
from pi_gym.proof.case import Case
from pi_gym.state import World
from pi_gym.validation.report import Sheet

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("january", "february", "march", "april", "may", "june",
           "july", "august", "september", "october", "november", "december")  # fmt: skip


def _any_of(names: Iterable[str]) -> str:
    """An expression for names, whole or cut to three letters."""
    return "|".join(f"{name[:3]}(?:{name[3:]})?" for name in names)


_WEEKDAY, _MONTH = rf"(?P<weekday>{_any_of(_WEEKDAYS)})\b\.?,?", rf"(?P<month>{_any_of(_MONTHS)})\b\.?"
_DAY, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?", r"(?:,? (?P<year>(?:19|20)\d\d)\b)?"
_ISO = r"(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)\b"
_DATES = tuple(
    re2.compile(rf"(?i)\b{form}")
    for form in (
        rf"{_WEEKDAY} (?:the )?{_DAY} (?:of )?{_MONTH}{_YEAR}",
        rf"{_WEEKDAY} {_MONTH} {_DAY}\b{_YEAR}",
        rf"{_WEEKDAY} {_ISO}",
        rf"{_DAY} {_MONTH}{_YEAR},? (?:a |\(){_WEEKDAY}",
        rf"{_ISO},? (?:a |\(){_WEEKDAY}",
    )
)
_ANY_WEEKDAY = re2.compile(rf"(?i)\b(?:{_any_of(_WEEKDAYS)})\b")
_ANY_YEAR = re2.compile(r"\b20\d\d\b")
_ADDRESS = re2.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_OWNER = re2.compile(r"((?:\pL[\pL'’-]+ )+)<([\w.+-]+@[\w.-]+\w)>")
_CODE = re2.compile(r"`([^`\n]+)`")
_CALLED = re2.compile(r"\b([a-z][a-z_]*)\(")


@dataclass(frozen=True, slots=True)
class _Written:
    """The facts that one text states.

    Args:
        owners: names with the address that each has.
        days: as written; day of the week, day and month; the years that it can be in, None for the session's too.
    """

    owners: frozenset[tuple[str, str]] = frozenset()
    days: tuple[tuple[str, int, tuple[int, int], frozenset[int | None]], ...] = ()


def check_consistency(case: Case, sheet: Sheet) -> None:
    """Check that the world of a session names each person, each day and each tool in one way."""
    texts = [*_seeded_texts(case), *_texts(case)]
    _check_addresses(texts, sheet)
    _check_days(texts, int(case.task.time[:4]), sheet)
    _check_skills(case, sheet)
    sheet.numbers["texts"] = len(texts)


def _check_addresses(texts: Iterable[tuple[str, _Written]], sheet: Sheet) -> None:
    addresses: dict[str, dict[str, str]] = {}
    names: dict[str, dict[str, str]] = {}
    for place, written in texts:
        for name, address in written.owners:
            addresses.setdefault(name, {}).setdefault(address, place)
            names.setdefault(address, {}).setdefault(name, place)
    for name, found in addresses.items():
        if len(found) > 1:
            sheet.fail(name, f"one person, {len(found)} addresses: {_listed(found)}; write one everywhere")
    for address, found in names.items():
        if len(found) > 1:
            sheet.fail(address, f"one address, {len(found)} names: {_listed(found)}; write one everywhere")


def _listed(found: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({place})" for name, place in sorted(found.items()))


def _check_days(texts: Iterable[tuple[str, _Written]], year: int, sheet: Sheet) -> None:
    for place, written in texts:
        for said, weekday, (month, day), years in written.days:
            known = [found for one in sorted({one or year for one in years}) if (found := _date(one, month, day))]
            if weekday not in [one.weekday() for one in known]:
                right = ", ".join(f"{one} is a {_WEEKDAYS[one.weekday()].capitalize()}" for one in known)
                sheet.fail(place, f"says {said!r}; {right or 'there is no such day'}")


def _check_skills(case: Case, sheet: Sheet) -> None:
    offered, known = {*case.opening.registry.names}, {*all_tools().names}
    for skill in case.task.skills:
        place = f"skills/{skill['name']}/SKILL.md"
        text = case.opening.world.workspace.text(place) or ""
        named = {name for code in _CODE.findall(text) for name in _CALLED.findall(code)}
        for name in sorted(named - offered):
            if name in known or "__" in name:
                reason = "which this session does not offer" if name in known else "and there is no such tool"
                sheet.fail(place, f"names {name}, {reason}; offer it, or take it out of the skill")


# -- texts and what they state ---------------------------------------------------------------------------------------


def _texts(case: Case) -> Iterator[tuple[str, _Written]]:
    """The session's opening, what its user may say, its files, and the rows that it or one before it put into apps."""
    yield "the opening", _written(case.task.opening)
    for intent in case.task.intents:
        yield f"the reveal of {intent.name}", _written(intent.reveal)
    world = case.opening.world
    for path, blob in world.workspace.walk():
        if blob.text is not None:
            yield path, _written(blob.text)
    for place, row in _rows(world):
        yield place, _of_row(row)


def _rows(world: World) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for app in sorted(world.apps):
        for table in world.apps[app].names:
            for key, row in world.apps[app].table(table).changed_rows().items():
                if row is not None:
                    yield f"{app}.{table} {key}", row


def _seeded_texts(case: Case) -> Iterator[tuple[str, _Written]]:
    for app in app_names():
        if app in case.opening.world.apps:
            yield from _seeded(case.pack.app_seeds, app)


@lru_cache(maxsize=64)
def _seeded(seeds: AppSeeds, app: str) -> tuple[tuple[str, _Written], ...]:
    """The rows of an app's seed world that state something; each is read once."""
    found = (
        (f"{app}.{table} {key}", _of_row(row)) for table, rows in seeds.rows(app).items() for key, row in rows.items()
    )
    return tuple((place, written) for place, written in found if written != _Written())


def _of_row(row: Mapping[str, Any]) -> _Written:
    written = _written("\n".join(map(str, row.values())))
    name, address = f"{row.get('first_name', '')} {row.get('last_name', '')}", row.get("email")
    if len(name.split()) < 2 or not isinstance(address, str) or not address:
        return written
    others = {pair for pair in written.owners if pair[1] != address.casefold()}
    return _Written(frozenset(others | {(_key(name), address.casefold())}), written.days)


@lru_cache(maxsize=8192)
def _written(text: str) -> _Written:
    return _Written(frozenset(_owners(text)) if "@" in text else frozenset(), tuple(_days(text)))


def _owners(text: str) -> Iterator[tuple[str, str]]:
    named = {address.casefold(): _key(name) for name, address in _OWNER.findall(text)}
    for found in _ADDRESS.findall(text):
        address = found.casefold()
        parts = address.partition("@")[0].split(".")
        if address in named:
            yield named[address], address
        elif len(parts) == 2 and all(len(part) > 1 and part.replace("-", "").isalpha() for part in parts):
            yield " ".join(parts), address


def _key(name: str) -> str:
    """A name's last two words in small letters without marks, so that titles do not matter."""
    plain = "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    return " ".join(plain.casefold().split()[-2:])


def _days(text: str) -> Iterator[tuple[str, int, tuple[int, int], frozenset[int | None]]]:
    if not _ANY_WEEKDAY.search(text):
        return
    years = frozenset[int | None]([None, *map(int, _ANY_YEAR.findall(text))])
    for form in _DATES:
        for found in form.finditer(text):
            year = found["year"]
            month = found["month"]
            number = int(month) if month.isdecimal() else _place(month, _MONTHS) + 1
            at = frozenset([int(year)]) if year else years
            yield found[0].rstrip(".,"), _place(found["weekday"], _WEEKDAYS), (number, int(found["day"])), at


def _place(word: str, names: tuple[str, ...]) -> int:
    return next(place for place, name in enumerate(names) if name.startswith(word.casefold()))


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
