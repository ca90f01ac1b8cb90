"""The sign-ins that task texts give ("My Amazon login info: Email: … Password: …"), as accounts of our apps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import re2

from pi_gym.apps import load_app
from pi_gym.packs.app_seeds import AppSeeds

_PASSWORD = re2.compile(r"(?i)password\s*(?::|=|\bis\b)\s*(\S+)")
_EMAIL = re2.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re2.compile(r"\b\d{7,15}\b")
#: The distance before a password at which its app and its user name may stand.
_REACH_CHARS = 250


@dataclass(frozen=True, slots=True)
class SignIn:
    """The sign-in to an app: an e-mail address or a phone number, and the password."""

    username: str
    password: str


def sign_ins(text: str, apps: Iterable[str]) -> dict[str, SignIn]:
    """The sign-ins in a text by app; of each password the app that is named last before it.

    >>> sign_ins("My Gmail login info: Email: ann@post.example Password: k3y!", ["gmail", "phone"])
    {'gmail': SignIn(username='ann@post.example', password='k3y!')}
    """
    titles = {name: load_app(name) for name in apps}
    found: dict[str, SignIn] = {}
    for match in _PASSWORD.finditer(text):
        before = text[max(0, match.start() - _REACH_CHARS) : match.start()]
        # An address tells no app: many end in "@gmail.com".
        lower = _EMAIL.sub(" @ ", before).casefold()
        places = {name: max(map(lower.rfind, _spellings(name, app.title))) for name, app in titles.items()}
        name = max(places, key=lambda one: (places[one], one), default="")
        if not name or places[name] < 0:
            continue
        pattern = _PHONE if titles[name].username == "phone_number" else _EMAIL
        users = pattern.findall(before)
        if users and name not in found:
            found[name] = SignIn(users[-1], match.group(1).rstrip(".,;"))
    return found


def _spellings(name: str, title: str) -> tuple[str, ...]:
    return tuple({name, name.replace("_", " "), name.replace("_", ""), title.casefold()})


def account_rows(seeds: AppSeeds, given: Mapping[str, SignIn]) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """The rows that let these sign-ins open our apps, as `apps:` of a task of ours writes them."""
    rows: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for name, one in sorted(given.items()):
        column, taken = load_app(name).username, seeds.rows(name)["accounts"]
        first, last = _names(one.username, given)
        row = {"first_name": first, "last_name": last, "password": one.password, "email": "", column: one.username}
        if not row["email"]:
            row["email"] = next((other.username for other in given.values() if "@" in other.username), "")
        same = [key for key, account in taken.items() if account[column] == one.username]
        key = same[0] if same else next(number for number in range(1, len(taken) + 2) if number not in taken)
        rows[name] = {"accounts": [{"id": key, **row}]}
    return rows


def _names(username: str, given: Mapping[str, SignIn]) -> tuple[str, str]:
    """A first and a last name, from an e-mail address."""
    address = username if "@" in username else next((one.username for one in given.values() if "@" in one.username), "")
    words = re2.findall(r"[A-Za-z]+", address.partition("@")[0]) or ["the", "user"]
    return words[0].capitalize(), " ".join(words[1:] or ["user"]).capitalize()
