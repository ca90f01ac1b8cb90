"""The committed seed worlds: coherent, and worth searching."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml
from support.apps import app_context, call_tool, done

from pi_gym import load_pack
from pi_gym.apps import app_names, load_app
from pi_gym.installed import installed_packs

ROOT = Path(__file__).parents[2]
ACCOUNTS = [(pack, account) for pack in installed_packs() for account in load_pack(pack).persona.accounts]


@pytest.mark.parametrize(("pack", "account"), ACCOUNTS, ids=lambda value: getattr(value, "app", str(value)))
def test_the_personas_accounts_open_their_apps(pack: str, account: object) -> None:
    app = account.app  # type: ignore[attr-defined]
    context = app_context(app, pack=load_pack(pack))
    given = {"username": account.username, "password": account.password}  # type: ignore[attr-defined]
    assert call_tool(context, f"{app}__login", **given).ok


@pytest.mark.parametrize("pack", installed_packs())
@pytest.mark.parametrize("app", app_names())
def test_ids_are_those_of_seeds(pack: str, app: str) -> None:
    tables = load_pack(pack).app_seeds.rows(app)
    for name in load_app(app).tables:
        for key in tables[name]:
            assert 0 < key < 100_000


def test_the_people_are_those_of_the_persona() -> None:
    people = yaml.safe_load((ROOT / "envs/researcher/world/people.yaml").read_text("utf-8"))
    facts = load_pack("researcher").persona.facts
    names = {f"{one['first_name']} {one['last_name']}" for one in people.values()}
    for fact in ("postdoc", "labmate", "student", "partner_contact", "flatmate"):
        assert facts[fact] in names
    assert people["nora"]["email"] == facts["email"]
    known = {one["email"]: one["first_name"] for one in people.values()}
    for app in app_names():
        accounts = load_pack("researcher").app_seeds.rows(app)["accounts"]
        # From 100 on they are strangers: reviewers, sellers, mailing lists.
        assert {row["email"]: row["first_name"] for key, row in accounts.items() if key < 100}.items() <= known.items()
        assert not any(row["email"] in known for key, row in accounts.items() if key >= 100)


def test_the_notes_are_worth_searching() -> None:
    notes = list(load_pack("researcher").app_seeds.rows("simple_note")["notes"].values())
    own = [row for row in notes if row["account"] == 1]
    assert 140 <= len(own) <= 180
    assert len({row["title"] for row in own}) == len(own)
    tags = Counter(tag for row in own for tag in row["tags"])
    assert {"reading", "meetings", "recipes", "packing", "ideas", "lists"} <= set(tags)
    assert 5 <= sum(row["pinned"] for row in own) <= 12
    assert min(row["created_at"] for row in own) < "2024-05"
    assert max(row["updated_at"] for row in own) < "2026-03"
    assert all(row["updated_at"] >= row["created_at"] for row in notes)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("printer code", "Lab printer"),
        ("cardamom buns", "Mum's cardamom buns"),
        ("packing conference", "Packing: conference, four days"),
        ("read wind noise", "Read: Haugen & Lie, Wind noise for hearing aids"),
        ("jonas timeline", "Jonas: timeline, new"),
    ],
)
def test_notes_are_found(query: str, first: str) -> None:
    context = app_context("simple_note", pack=load_pack("researcher"))
    account = next(one for one in load_pack("researcher").persona.accounts if one.app == "simple_note")
    done(context, "simple_note__login", username=account.username, password=account.password)
    found = done(context, "simple_note__search_notes", query=query, page_limit=3, dont_reorder_pinned=True)
    assert first in [note["title"] for note in found["notes"]], found
