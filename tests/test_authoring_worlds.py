"""Seed worlds are made of a pack's own seeds, by makers that know no name; a second person is data beside the first."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import yaml
from support.apps import app_context, done
from support.packs import FOLDER, copy_pack
from typer.testing import CliRunner

import pi_gym
from pi_gym.apps import app_names, load_app
from pi_gym.apps.references import References
from pi_gym.authoring.worlds import make_world, world_folder
from pi_gym.cli.main import app
from pi_gym.errors import PackError, UnknownName
from pi_gym.tools import ToolContext

ROOT = Path(__file__).parents[1]
SKIPPER = FOLDER / "skipper"
MADE = ["_shared", "pharmacist", "researcher", str(SKIPPER)]


def made(*arguments: object, status: int = 0) -> str:
    result = CliRunner().invoke(app, ["make-world", *map(str, arguments)])
    assert result.exit_code == status, result.output
    return result.output


def edited(tmp_path: Path, file: str, old: str, new: str) -> Path:
    """A copy of the skipper's pack with one text of its seeds changed."""
    copy = copy_pack(SKIPPER, tmp_path / "packs" / "skipper")
    path = copy / "world" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return copy


# -- what is committed is what is made ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("world", MADE, ids=lambda name: Path(name).name)
@pytest.mark.parametrize("hash_seed", [pytest.param("0", marks=pytest.mark.slow), "17"])
def test_the_seeds_make_the_committed_bytes(world: str, hash_seed: str) -> None:
    command = [sys.executable, "-m", "pi_gym", "make-world", world, "--check"]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("world", MADE, ids=lambda name: Path(name).name)
def test_made_files_are_marked_as_made(world: str) -> None:
    apps = world_folder(world) / "apps"
    marked = re.findall(r"^- (.+)$", (apps / "MADE.md").read_text(), flags=re.MULTILINE)
    assert marked == sorted(path.name for path in apps.glob("*.json"))


def test_a_made_file_that_was_edited_is_found_and_made_again(tmp_path: Path) -> None:
    copy = copy_pack(SKIPPER, tmp_path / "packs" / "skipper")
    path = copy / "apps" / "phone.json"
    before = path.read_bytes()
    path.write_bytes(before.replace(b"5550201003", b"5550201999"))
    assert "other files than its seeds make (apps/phone.json)" in made(copy, "--check", status=1)
    assert path.read_bytes() != before
    written = [line for line in made(copy).splitlines() if line.endswith(", written")]
    assert written == [f"{path}: {len(before):,} bytes, written"]
    assert path.read_bytes() == before
    made(copy, "--check")


# -- a second person ---------------------------------------------------------------------------------------------------


def opened(name: str) -> ToolContext:
    """An app of the skipper's, signed in with the account that the persona has."""
    pack = pi_gym.load_pack(SKIPPER)
    context = app_context(name, pack=pack)
    account = next(one for one in pack.persona.accounts if one.app == name)
    done(context, f"{name}__login", username=account.username, password=account.password)
    return context


@pytest.mark.parametrize(
    ("name", "operation", "arguments", "text"),
    [
        ("amazon", "show_orders", {}, "Dough bowl"),
        ("amazon", "show_wish_list", {}, "Rye socks"),
        ("gmail", "show_starred_threads", {}, "New propeller"),
        ("gmail", "show_inbox_threads", {"query": "order"}, "Your order of 20 January 2025"),
        ("gmail", "show_outbox_threads", {"query": "meter"}, "Power, fourth quarter"),
        ("gmail", "show_inbox_threads", {"query": "tides"}, "Tides of January 2025, No. 4"),
        ("gmail", "show_drafts", {}, "Re: New propeller"),
        ("phone", "search_contacts", {"query": "mate"}, "Vold"),
        ("phone", "search_text_messages", {"query": "pier"}, "fog, can you see the pier"),
        ("phone", "search_text_messages", {"query": "coffee"}, "coffee and a "),
        ("simple_note", "search_notes", {"query": "starboard"}, "Whistle signals"),
        ("simple_note", "search_notes", {"query": "ramp"}, "the new ramp and about its cost"),
        ("splitwise", "show_groups", {}, "The boat"),
        ("spotify", "show_song_queue", {}, "Flour on the Fiddle"),
        ("todoist", "show_projects", {}, "All that must not sink."),
        ("todoist", "search_users", {"query": "per"}, "Vold"),
    ],
)
def test_a_second_persons_apps_show_what_her_seeds_say(
    name: str, operation: str, arguments: dict[str, Any], text: str
) -> None:
    assert text in str(done(opened(name), f"{name}__{operation}", **arguments))


def test_a_second_persons_mailbox_is_hers_alone() -> None:
    rows = pi_gym.load_pack(SKIPPER).app_seeds.rows("gmail")
    # She is the second of the people.
    assert {row["account"] for row in rows["thread_states"].values()} == {2}
    assert "Present for Tove" not in str(done(opened("gmail"), "gmail__show_inbox_threads", query="present bell"))
    assert "Present for Tove" in str(rows)


def test_nobody_of_another_world_is_in_hers() -> None:
    text = b"".join(path.read_bytes() for path in (SKIPPER / "apps").glob("*.json")).decode().lower()
    assert not [name for name in researchers_names() if re.search(rf"\b{name}\b", text)]


@pytest.mark.parametrize("name", app_names())
def test_what_her_rows_refer_to_is_there(name: str) -> None:
    rows = pi_gym.load_pack(SKIPPER).app_seeds.rows(name)
    references = References(load_app(name), rows)
    assert not [
        missing for table, found in rows.items() for row in found.values() for missing in references.missing(table, row)
    ]


def test_her_task_can_be_played_in_her_world() -> None:
    env = gymnasium.make("pi_gym:PiBench-v0", pack=str(SKIPPER))
    env.reset(seed=0)
    for action in env.unwrapped.session.task.reference:  # type: ignore[attr-defined]
        _, _, terminated, _, info = env.step(action)
    assert terminated
    assert info["proc"] == info["comp"] == 1.0


def test_the_world_of_the_documentation_is_made(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "worlds.md").read_text()
    (tmp_path / "world").mkdir()
    for name, body in re.findall(r"`world/(\w+\.yaml)`:\n\n```yaml\n(.*?)```", page, flags=re.DOTALL):
        (tmp_path / "world" / name).write_text(body)
    mails = json.loads(make_world(tmp_path)["apps/gmail.json"])["emails"]["rows"]
    subjects = [row[4] for row in mails]
    assert subjects.count("The lease of the mill") == subjects.count("Re: The lease of the mill") == 1
    assert {f"Wool prices, week {week}" for week in range(1, 27)} <= set(subjects)
    models = dict(re.findall(r"^\| `(\w+)\.yaml` \| `(\w+)`", page, flags=re.MULTILINE))
    assert set(models) == set(app_names())
    for name, model in models.items():
        assert hasattr(import_module(f"pi_gym.authoring.worlds.{name}_world"), model)


# -- no name in code ---------------------------------------------------------------------------------------------------


def researchers_names() -> set[str]:
    persona = yaml.safe_load((ROOT / "envs" / "researcher" / "persona.yaml").read_text("utf-8"))
    return {persona["user"], *persona["name"].lower().split()}


def test_no_module_names_the_researchers_person() -> None:
    pattern = re.compile(rf"(?<![a-z])({'|'.join(researchers_names())})(?:s|'s)?(?![a-z])", re.IGNORECASE)
    places = [path for top in ("pi_gym", "wrappers", "baselines") for path in (ROOT / top).rglob("*")]
    files = [path for path in places if path.suffix in (".py", ".md", ".yaml", ".json", ".txt", ".j2")]
    assert len(files) > 300
    assert not [str(path.relative_to(ROOT)) for path in files if pattern.search(path.read_text("utf-8"))]


def test_apps_and_their_makers_do_not_speak_of_one_pack() -> None:
    places = [*(ROOT / "pi_gym" / "apps").rglob("*.py"), *(ROOT / "pi_gym" / "authoring").rglob("*.py")]
    assert not [str(path.relative_to(ROOT)) for path in places if "researcher" in path.read_text("utf-8").lower()]


def test_task_code_does_not_load_the_makers_of_worlds() -> None:
    code = "import sys, pi_gym.authoring; sys.exit('pi_gym.authoring.worlds' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- what an author gets wrong -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("people.yaml", "relation: self", "relation: cook", "people.yaml: expected one person with .* got none"),
        ("people.yaml", "relation: mate", "relation: self", "people.yaml: expected one .* got those of per, tove"),
        ("people.yaml", "first_name: Gro, ", "", "world/people.yaml: gro.first_name: Field required"),
        ("life.yaml", '"2025-02-28"', '"2025-02-30"', "life.yaml: to: expected a day such as .*, got '2025-02-30'"),
        ("life.yaml", "between: [tove, per]", "to: per, shares: [1]", r"expenses\[0\]: expected a share for each"),
        ("life.yaml", "between: [tove, per]", "by: per", r"expenses\[0\]: expected exactly one of between"),
        ("life.yaml", "price: 0.1", "prize: 0.1", r"life.yaml: orders\[0\].items\[0\].prize: Extra inputs"),
        ("life.yaml", "color: white", "color: black", "amazon.yaml: no product 'Dough bowl' in .*it has white"),
        ("amazon.yaml", "Salad bowl", "Salad boat", "'Salad boat'.*the catalogue has none of this name"),
        ("amazon.yaml", "tove: seven-knots, ", "", "Unknown person with an account 'tove'"),
        ("amazon.yaml", "{account: per, name", "{account: tove, name", "orders of 2025-02-01: an address is needed"),
        ("gmail.yaml", "gro, tove, ", "gor, tove, ", "gmail.yaml: .* sender 'gor'. Did you mean 'gro'"),
        ("gmail.yaml", "No. {n}", "No. {nn}", "world/gmail.yaml: Unknown word in braces 'nn'"),
        ("gmail.yaml", "  every: 28\n", "", r"series\[0\]: expected exactly one of every and"),
        ("gmail.yaml", "answers: New", "answers: Old", "drafts: 'Old propeller' is the subject of no thread"),
        ("phone.yaml", "< I can", "I can", "phone.yaml: expected a line of a conversation.* got 'I can hear it'"),
        ("phone.yaml", "< I can", "<05:00 I can", "not later than the one before it, of 2025-02-03 05:20"),
        ("phone.yaml", "a {cake}", "a {pie}", "phone.yaml: Unknown word in braces 'pie'.* Known: cake"),
        ("simple_note.yaml", '"2026-01-01"', '"2024-12-01"', "meetings.talked: there is a meeting on 2024-12-02"),
        ("splitwise.yaml", "boat: {created", "ship: {created", "Unknown group with details 'boat'"),
        ("splitwise.yaml", 'what: "Power', 'what: "Sail', r"receipts\[0\]: expected one expense 'Sail.* got 0"),
        ("spotify.yaml", "on the Fiddle], public", "], public", "'Flour ?': the catalogue has no such song"),
        ("todoist.yaml", "labels: [engine]", "labels: [engin]", "label of tove 'engin'. Did you mean 'engine'"),
        ("todoist.yaml", "months: [12]", "months: [13]", r"routines\[0\].months\[0\]: Input should be less than"),
        ("todoist.yaml", "months: [12], ", "", r"routines\[0\]: expected exactly one of every_days.* got none"),
    ],
)
def test_a_wrong_seed_is_an_error_with_file_and_reason(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    with pytest.raises(PackError, match=message):
        make_world(edited(tmp_path, file, old, new))


def test_seeds_of_no_app_are_an_error_that_lists_the_apps(tmp_path: Path) -> None:
    copy = copy_pack(SKIPPER, tmp_path / "packs" / "skipper")
    (copy / "world" / "gmial.yaml").write_text("accounts: {}")
    with pytest.raises(PackError, match=r"world/gmial.yaml: Unknown app .* Did you mean 'gmail'"):
        make_world(copy)


def test_a_folder_without_seeds_is_refused_with_the_worlds_there_are() -> None:
    with pytest.raises(UnknownName, match="has no folder world/"):
        world_folder(str(FOLDER / "tiny"))
    with pytest.raises(UnknownName, match=r"Unknown world 'reseacher'. Did you mean 'researcher'"):
        world_folder("reseacher")
    assert "Unknown world" in made("reseacher", status=2)
