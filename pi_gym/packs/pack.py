"""A pack: one persona's world, read from a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from pi_gym.caches import BoundedCache
from pi_gym.errors import PackError, UnknownName, unknown
from pi_gym.packs.build import build_task
from pi_gym.packs.source import TaskSource, read_tree
from pi_gym.packs.task import Task
from pi_gym.schema import EpisodeSpec, PackSpec, PersonaSpec, load_model
from pi_gym.state import Workspace

TASK_CACHE = 512
HISTORY_FILE = "memory/HISTORY.md"
MEMORY_FILE = "memory/MEMORY.md"
_EMPTY_HISTORY = "# Log of past conversations\n"
_EMPTY_MEMORY = "(nothing noted yet)\n"


def envs_folder() -> Path:
    """The folder that holds the installed packs."""
    import pi_gym.envs

    return Path(next(iter(pi_gym.envs.__path__)))


def pack_names(folder: Path | None = None) -> list[str]:
    """The names of the installed packs, sorted: folders without a leading underscore that hold a pack.yaml."""
    folder = folder or envs_folder()
    return sorted(
        entry.name
        for entry in folder.iterdir()
        if not entry.name.startswith(("_", ".")) and (entry / "pack.yaml").is_file()
    )


def load_pack(name_or_path: str | Path) -> Pack:
    """A pack by the name of an installed one, or by the path of a folder; read once per process.

    Raises:
        UnknownName: neither; the message lists the installed packs.
        PackError: the pack is broken; the message names file and field.

    >>> load_pack("researcher").task_ids[0][:2]
    '01'
    """
    text = str(name_or_path)
    installed = pack_names()
    if text in installed:
        return _read(envs_folder() / text, text)
    path = Path(text).expanduser()
    if path.is_dir() and (path / "pack.yaml").is_file():
        return _read(path.resolve(), str(path.resolve()))
    reason = unknown("pack", text, installed)
    if path.is_dir():
        reason = f"{text} holds no pack.yaml, so it is no pack. {reason}"
    raise UnknownName(reason)


@cache
def _read(folder: Path, source: str) -> Pack:
    return Pack(folder, source)


class Pack:
    """One persona's whole world. Use `load_pack` rather than the constructor.

    Args:
        folder: where it lies.
        source: what `load_pack` was given, to find it again.

    Raises:
        PackError: some file is wrong; the message names file and field.
    """

    def __init__(self, folder: Path, source: str) -> None:
        self.folder, self.source, self.name = folder, source, folder.name
        self.spec = load_model(PackSpec, folder / "pack.yaml", "pack.yaml")
        self.persona = load_model(PersonaSpec, folder / "persona.yaml", "persona.yaml")
        self.task_ids: tuple[str, ...] = tuple(
            load_model(EpisodeSpec, folder / "episode.yaml", "episode.yaml").sessions
        )
        self._check_folders()
        self._tasks = {name: TaskSource(folder / "tasks" / name, f"tasks/{name}") for name in self.task_ids}
        self._check_across()
        self._cache: BoundedCache[tuple[str, int, str], Task] = BoundedCache(TASK_CACHE)

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
                for way in [] if intent.recover == "ask" else intent.recover:
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

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over all files of the pack."""
        digest = hashlib.sha256()
        for path, data in read_tree(self.folder, self.name).items():
            digest.update(path.encode() + b"\0" + hashlib.sha256(data).digest())
        return digest.hexdigest()

    def source_of(self, task_id: str) -> TaskSource:
        """The template of one task; UnknownName lists the known ones."""
        found = self._tasks.get(task_id)
        if found is None:
            raise UnknownName(unknown(f"task of pack {self.name!r}", task_id, self.task_ids, shown=25))
        return found

    def instantiate(self, task_id: str, variant: int = 0, *, canary: str = "") -> Task:
        """One task of one variant, rendered whole; cached.

        Args:
            task_id: a folder name, one of `task_ids`.
            variant: the world's number, 0 or more; 0 is the canonical world.
            canary: a word that every hidden text of the task then carries (for tests of leaks).

        Raises:
            UnknownName: no such task.
            PackError: the task cannot be rendered for this variant.
        """
        if isinstance(variant, bool) or not isinstance(variant, int) or variant < 0:
            raise ValueError(f"variant: expected an integer of 0 or more, got {variant!r}")
        source = self.source_of(task_id)
        return self._cache.get((task_id, variant, canary), lambda: build_task(self, source, variant, canary))

    @property
    def has_references(self) -> bool:
        """Whether every task has a reference, so that a past can be played."""
        return all(source.spec.reference for source in self._tasks.values())

    def skill(self, name: str) -> Mapping[str, str]:
        """Name and description of a skill, from the front matter of its SKILL.md."""
        for base in (self.folder / "skills", self.folder.parent / "_shared" / "skills"):
            path = base / name / "SKILL.md"
            if path.is_file():
                return {"name": name, "description": _description(path, f"skills/{name}/SKILL.md")}
        raise PackError(f"skills/{name}/SKILL.md", "", "no such skill in the pack or in _shared")

    @cached_property
    def base(self) -> Workspace:
        """The workspace before the first session: the persona's own files, skills, and an empty memory."""
        files = {f"skills/{path}": data for path, data in self._skill_files().items()}
        files |= read_tree(self.folder / "workspace", "workspace")
        files |= {HISTORY_FILE: _EMPTY_HISTORY.encode(), MEMORY_FILE: _EMPTY_MEMORY.encode()}
        return Workspace(files)

    def _skill_files(self) -> dict[str, bytes]:
        used = {skill for source in self._tasks.values() for skill in source.spec.skills}
        found: dict[str, bytes] = {}
        for base in (self.folder.parent / "_shared" / "skills", self.folder / "skills"):
            found |= {path: data for path, data in read_tree(base, "skills").items() if path.split("/")[0] in used}
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return load_pack, (self.source,)


def _description(path: Path, shown: str) -> str:
    parts = path.read_text(encoding="utf-8").split("---", 2)
    front = yaml.safe_load(parts[1]) if len(parts) == 3 and not parts[0].strip() else None
    if not isinstance(front, dict) or not isinstance(front.get("description"), str):
        raise PackError(shown, "description", "expected front matter between --- lines with name and description")
    return " ".join(front["description"].split())
