"""The content of a pack's folder: read once, checked file by file and across files."""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from pi_gym.apps import app_names, apps_of, operations
from pi_gym.catalogue import TaskCard
from pi_gym.errors import PackError, SpecError, UnknownName, unknown
from pi_gym.installed import envs_folder
from pi_gym.packs.app_columns import check_column
from pi_gym.packs.app_rows import check_tables
from pi_gym.packs.app_seeds import AppSeeds
from pi_gym.packs.source import TaskSource, read_tree
from pi_gym.schema import EpisodeSpec, PackSpec, PersonaSpec, front_matter, load_model
from pi_gym.schema.models import RecoverSpec
from pi_gym.state import Workspace
from pi_gym.state.zones import load_zone

HISTORY_FILE = "memory/HISTORY.md"
MEMORY_FILE = "memory/MEMORY.md"
EMPTY_HISTORY = "# Log of past conversations\n"
EMPTY_MEMORY = "(nothing noted yet)\n"


@contextmanager
def _uncollected() -> Iterator[None]:
    """Spares the garbage collector a heap that only grows: what is read stays, and looking through it finds nothing."""
    if not gc.isenabled():  # by the program's own choice, or another pack is being read meanwhile
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class PackFolder:
    """A pack's files.

    Args:
        folder: where it lies.
        source: what `load_pack` was given, to find it again.

    Attributes:
        warnings: what is not as it should be and can be lived with, a sentence each.

    Raises:
        PackError: some file is wrong; the message names file and field.
    """

    has_rules = True
    """Whether its tasks have predicates, so that rule-based roles can judge them."""

    def __init__(self, folder: Path, source: str) -> None:
        self.folder, self.source, self.name = folder, source, folder.name
        self.warnings: tuple[str, ...] = ()
        self._tasks: dict[str, TaskSource] = {}
        with _uncollected():
            self._read()

    def _read(self) -> None:
        folder = self.folder
        self.spec = load_model(PackSpec, folder / "pack.yaml", "pack.yaml")
        self.persona = load_model(PersonaSpec, folder / "persona.yaml", "persona.yaml")
        self.task_ids: tuple[str, ...] = tuple(
            load_model(EpisodeSpec, folder / "episode.yaml", "episode.yaml").sessions
        )
        self._check_zone()
        self._check_folders()
        self._tasks = {
            name: TaskSource(folder / "tasks" / name, f"tasks/{name}", place)
            for place, name in enumerate(self.task_ids)
        }
        self._check_across()

    def _check_zone(self) -> None:
        if self.persona.timezone:
            try:
                load_zone(self.persona.timezone)
            except UnknownName as error:
                raise PackError("persona.yaml", "timezone", str(error)) from error

    def _check_folders(self) -> None:
        folders = {entry.name for entry in (self.folder / "tasks").glob("*") if (entry / "task.yaml").is_file()}
        for name in self.task_ids:
            if name not in folders:
                raise PackError("episode.yaml", "sessions", f"{name!r} has no folder tasks/{name} with a task.yaml")
        extra = sorted(folders - set(self.task_ids))
        if extra:
            raise PackError("episode.yaml", "sessions", f"tasks/{extra[0]} exists but is not listed")

    def _check_across(self) -> None:
        for position, (name, source) in enumerate(self._tasks.items()):
            for index, intent in enumerate(source.spec.intents):
                field = f"intents[{index}]"
                for value in intent.values:
                    if value.startswith("persona.") and value.removeprefix("persona.") not in self.persona.preferences:
                        raise PackError(source.file, f"{field}.values", f"persona.yaml has no preference {value!r}")
                for number, way in enumerate([] if intent.recover == "ask" else intent.recover):
                    if way.app is not None:
                        self._check_app_column(source, way, f"{field}.recover[{number}]")
                    if way.session is None:
                        continue
                    if way.session not in self.task_ids[:position]:
                        reason = f"{way.session!r} is not a session before {name!r}"
                        raise PackError(source.file, f"{field}.recover.session", reason)
                    earlier = self._tasks[way.session].spec
                    found = next((i for i in earlier.intents if i.name == way.intent), None)
                    if found is None or not found.always:
                        reason = f"{way.intent!r} must be an intent of {way.session} that is always drawn"
                        raise PackError(source.file, f"{field}.recover.intent", reason)
                    if earlier.holdout and not source.spec.holdout:
                        reason = f"{way.session} is holdout and {name} is not; no such task may recover from it"
                        raise PackError(source.file, f"{field}.recover.session", reason)
            for skill in source.spec.skills:
                self.skill(skill)
            _check_tools(source.file, "tools", source.spec.tools)
            try:
                check_tables(source.spec.apps)
            except SpecError as error:
                raise PackError(source.file, error.field, error.reason) from error
        _check_tools("pack.yaml", "general_tools", self.spec.general_tools or ())
        for path in sorted((self.folder / "apps").glob("*.json")):
            if path.stem not in app_names():
                raise PackError(f"apps/{path.name}", "", unknown("app", path.stem, app_names()))

    def _check_app_column(self, source: TaskSource, way: RecoverSpec, field: str) -> None:
        try:
            check_column(way.model_dump(), field)
        except SpecError as error:
            raise PackError(source.file, error.field, error.reason) from error
        if way.app not in apps_of([*source.spec.tools, *(self.spec.general_tools or ())]):
            raise PackError(source.file, f"{field}.app", f"the task offers no tool of {way.app!r}, so nobody can look")

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over all files of the pack, and the shared seed worlds of the apps."""
        digest = hashlib.sha256()
        for path, data in read_tree(self.folder, "").items():
            digest.update(os.fsencode(path) + b"\0" + hashlib.sha256(data).digest())
        for name in app_names():
            for file, shown in self.app_seeds.files(name):
                digest.update(shown.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()

    @cached_property
    def app_seeds(self) -> AppSeeds:
        """The seed worlds of the apps; read when they are first looked at."""
        return AppSeeds(self.folder, self.source)

    @property
    def title(self) -> str:
        """What it is about, and who the user is."""
        return f"{self.spec.title}, {self.persona.name}, {self.persona.role}"

    @property
    def description(self) -> str:
        """The same in a paragraph."""
        return self.spec.description

    def source_of(self, task_id: str) -> TaskSource:
        """The template of one task; UnknownName lists the known ones."""
        found = self._tasks.get(task_id)
        if found is None:
            raise UnknownName(unknown(f"task of pack {self.name!r}", task_id, self.task_ids, shown=25))
        return found

    def card(self, task_id: str) -> TaskCard:
        """One task at a glance; UnknownName lists the known ones."""
        spec, group = self.source_of(task_id).spec, self.source_of(task_id).spec.group or ""
        before = self.task_ids[: self.task_ids.index(task_id)]
        return TaskCard(
            id=task_id,
            group=group,
            depends_on=tuple(name for name in before if group and self._tasks[name].spec.group == group),
            holdout=spec.holdout,
            needs=tuple(spec.needs),
            graded=bool(spec.checklist),
            details=card_details(
                spec.category, spec.trigger.type, (spec.draw.min, spec.draw.max), len(spec.intents), len(spec.checklist)
            ),
        )

    @property
    def has_references(self) -> bool:
        """Whether every task has a reference, so that a past can be played."""
        return all(source.spec.reference for source in self._tasks.values())

    def skill(self, name: str) -> Mapping[str, str]:
        """Name and description of a skill, from the front matter of its SKILL.md."""
        for base in reversed(self._skill_folders):
            path = base / name / "SKILL.md"
            if path.is_file():
                return {"name": name, "description": _description(path, f"skills/{name}/SKILL.md")}
        listed = ", ".join(str(base) for base in reversed(self._skill_folders))
        raise PackError(f"skills/{name}/SKILL.md", "", f"no such skill; looked in {listed}")

    @property
    def _skill_folders(self) -> tuple[Path, ...]:
        """Where skills lie, the pack's own last: what all packs share is beside it, or else with the installed ones."""
        beside = self.folder.parent / "_shared" / "skills"
        return (beside if beside.is_dir() else envs_folder() / "_shared" / "skills", self.folder / "skills")

    @cached_property
    def base(self) -> Workspace:
        """The workspace before the first session: the persona's own files, skills, and an empty memory."""
        files = {f"skills/{path}": data for path, data in self._skill_files().items()}
        files |= read_tree(self.folder / "workspace", "workspace")
        files |= {HISTORY_FILE: EMPTY_HISTORY.encode(), MEMORY_FILE: EMPTY_MEMORY.encode()}
        return Workspace(files)

    def _skill_files(self) -> dict[str, bytes]:
        used = {skill for source in self._tasks.values() for skill in source.spec.skills}
        found: dict[str, bytes] = {}
        for base in self._skill_folders:
            found |= {path: data for path, data in read_tree(base, "skills").items() if path.split("/")[0] in used}
        return found


def card_details(category: str, trigger: str, intents: tuple[int, int], pool: int, items: int) -> dict[str, str]:
    """What a list shows of a task.

    Args:
        category: the letter of its kind of work; empty where it has none.
        trigger: what opens it.
        intents: the least and the most hidden intents that a variant holds.
        pool: how many they are drawn from.
        items: checklist items.
    """
    low, high = intents
    drawn = str(low) if low == high else f"{low}-{high}"
    return {"category": category, "trigger": trigger, "intents": f"{drawn} of {pool}", "items": str(items)}


def _check_tools(file: str, field: str, names: Iterable[str]) -> None:
    try:
        operations(names)
    except UnknownName as error:
        raise PackError(file, field, str(error)) from error


def _description(path: Path, shown: str) -> str:
    front, _ = front_matter(path.read_text(encoding="utf-8"), shown)
    if front.get("name") != path.parent.name:
        raise PackError(shown, "name", f"expected the folder's, {path.parent.name!r}, got {front.get('name')!r}")
    if not isinstance(front.get("description"), str):
        raise PackError(shown, "description", "expected a text")
    return " ".join(front["description"].split())
