"""The content of a pack's folder: what describes it is read at once, its tasks when they are first looked at."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pi_gym.apps import app_names
from pi_gym.catalogue import TaskCard
from pi_gym.errors import PackError, StateMismatch, UnknownName, unknown
from pi_gym.installed import envs_folder
from pi_gym.packs.app_seeds import AppSeeds
from pi_gym.packs.pack_shared import DATA, FILES, SHARED, PackShared
from pi_gym.packs.plain_files import file_stamps, plain_files, read_tree
from pi_gym.packs.source import TaskSource, attribute, require_tools
from pi_gym.schema import EpisodeSpec, PackSpec, PersonaSpec, front_matter, load_model
from pi_gym.schema.specs import ParamSpec
from pi_gym.schema.task_sheet import LastingWishSpec
from pi_gym.state import Workspace
from pi_gym.state.zones import load_zone
from pi_gym.tools.web_corpus import LazyPages, WebCorpus

if TYPE_CHECKING:
    from pi_gym.questions.topic_files import Entries

HISTORY_FILE = "memory/HISTORY.md"
MEMORY_FILE = "memory/MEMORY.md"
EMPTY_HISTORY = "# Log of past conversations\n"
EMPTY_MEMORY = "(nothing noted yet)\n"
#: What of a pack's folder sessions are played from: files and folders by name. Whatever else lies there, such as the
#: seeds in world/ that apps/ is made from, changes no session.
PLAYED = (
    DATA,
    FILES,
    SHARED,
    "apps",
    "episode.yaml",
    "pack.yaml",
    "persona.yaml",
    "questions.yaml",
    "skills",
    "tasks",
    "web",
    "wishes",
    "workspace",
)
_TASK_FILE = re.compile(r"tasks/[^/]+/task\.yaml")


class PackFolder:
    """A pack's files. Its tasks and its worlds are read when they are first looked at.

    Args:
        folder: where it lies.
        source: what `load_pack` was given, to find it again.

    Attributes:
        warnings: what is not as it should be and can be lived with, a sentence each.
        shared: what its tasks share.

    Raises:
        PackError: pack.yaml, persona.yaml or episode.yaml is wrong, or does not fit the folder; the message names file
            and field.
    """

    has_rules = True
    """Whether its tasks have predicates, so that rule-based roles can judge them."""

    def __init__(self, folder: Path, source: str) -> None:
        self.folder, self.source, self.name = folder, source, folder.name
        self.warnings: tuple[str, ...] = ()
        self._stamps = file_stamps(folder)
        self._tasks: dict[str, TaskSource] = {}
        self._cards: dict[str, TaskCard] = {}
        self._skills: dict[str, Mapping[str, str]] = {}
        self.shared = PackShared(folder, self.name, self.require_unchanged)
        self._read()

    def _read(self) -> None:
        folder = self.folder
        self.spec = load_model(PackSpec, folder / "pack.yaml", "pack.yaml")
        self.persona = load_model(PersonaSpec, folder / "persona.yaml", "persona.yaml")
        self.task_ids: tuple[str, ...] = tuple(
            load_model(EpisodeSpec, folder / "episode.yaml", "episode.yaml").sessions
        )
        self._read_wishes()
        self._check_zone()
        self._check_folders()

    def _source(self, name: str) -> TaskSource:
        """The template of one task; its task.yaml is read once, at the first look."""
        found = self._tasks.get(name)
        if found is None:
            found = self._tasks[name] = self._read_source(name)
        return found

    def _read_source(self, name: str) -> TaskSource:
        shown = f"tasks/{name}"
        return TaskSource(
            self.folder / shown,
            shown,
            self.task_ids.index(name),
            self.spec.references,
            self.require_unchanged,
            lambda: self.lasting_questions,
            self.lasting_wishes,
            self.persona.accounts,
            self.shared,
        )

    def _read_wishes(self) -> None:
        """Read the persona's lasting wishes: what each can be is drawn as her preferences are."""
        found: dict[str, LastingWishSpec] = {}
        for path in sorted(self._stamps):
            top, _, name = path.partition("/")
            if top == "wishes":
                if not name.endswith(".yaml"):
                    raise PackError(path, "", "expected a file NAME.yaml, one for each lasting wish")
                found[name.removesuffix(".yaml")] = load_model(LastingWishSpec, self.folder / path, path)
        for name in self.spec.wishes:
            if name in found:
                raise PackError("pack.yaml", "wishes", f"wishes/{name}.yaml is the pack's own; name only shared ones")
            found[name] = self._shared_wish(name)
        found = dict(sorted(found.items()))
        drawn = {attribute(name): ParamSpec(choices=list(wish.choices)) for name, wish in found.items()}
        twice = sorted(set(drawn) & {*self.persona.preferences, *self.persona.facts, *self.persona.derived})
        if twice:
            reason = f"persona.yaml has {twice[0]!r} too, and both are persona.{twice[0]}; keep one"
            raise PackError(f"wishes/{twice[0].replace('_', '-')}.yaml", "", reason)
        self.lasting_wishes: Mapping[str, LastingWishSpec] = found
        preferences = {**self.persona.preferences, **drawn}
        self.persona = self.persona.model_copy(update={"preferences": preferences})

    def _shared_wish(self, name: str) -> LastingWishSpec:
        path = self._shared_place("wishes") / f"{name}.yaml"
        if not path.is_file():
            known = sorted(one.stem for one in path.parent.glob("*.yaml"))
            raise PackError("pack.yaml", "wishes", unknown(f"lasting wish in {path.parent}", name, known))
        return load_model(LastingWishSpec, path, f"_shared/wishes/{name}.yaml")

    def _check_zone(self) -> None:
        if self.persona.timezone:
            try:
                load_zone(self.persona.timezone)
            except UnknownName as error:
                raise PackError("persona.yaml", "timezone", str(error)) from error

    def _check_folders(self) -> None:
        folders = {path.split("/")[1] for path in self._stamps if _TASK_FILE.fullmatch(path)}
        for name in self.task_ids:
            if name not in folders:
                raise PackError("episode.yaml", "sessions", f"{name!r} has no folder tasks/{name} with a task.yaml")
        extra = sorted(folders - set(self.task_ids))
        if extra:
            raise PackError("episode.yaml", "sessions", f"tasks/{extra[0]} exists but is not listed")
        for path in self._stamps:
            folder, _, name = path.partition("/")
            if folder == "apps" and name.endswith(".json") and name.removesuffix(".json") not in app_names():
                raise PackError(path, "", unknown("app", name.removesuffix(".json"), app_names()))

    def require_unchanged(self, part: str = "") -> None:
        """See to it that what is played is still what the pack was loaded with, so that all of it is of one content.

        Args:
            part: the folder to look at, relative to the pack; empty for all of it.

        Raises:
            StateMismatch: a file is not.
        """
        begin = f"{part}/" if part else ""
        place = self.folder / part
        stamps = {begin + path: stamp for path, stamp in file_stamps(place).items()} if place.is_dir() else {}
        known = {path: one for path, one in self._stamps.items() if path.startswith(begin) and self.is_played(path)}
        found = {path: one for path, one in stamps.items() if self.is_played(path)}
        if found != known:
            path = min(path for path in {*found, *known} if found.get(path) != known.get(path))
            raise StateMismatch(
                f"{path} of pack {self.name!r} has changed since the pack was loaded; load it in a new process"
            )

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over all files that sessions are played from, those that packs share among them.

        Raises:
            StateMismatch: the files have changed since the pack was loaded.
        """
        self.require_unchanged()
        digest = hashlib.sha256()
        for path, file in self._played_files():
            digest.update(os.fsencode(path) + b"\0" + hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()

    def is_played(self, path: str) -> bool:
        """Whether sessions are played from a file.

        Args:
            path: relative to the pack's folder.
        """
        top, _, rest = path.partition("/")
        if top == "apps":
            return rest.endswith(".json")
        if top == "skills":
            return rest.partition("/")[0] in self.spec.skills
        if top == "tasks":
            return rest.partition("/")[0] in self.task_ids
        return top in PLAYED

    def _played_files(self) -> Iterator[tuple[str, Path]]:
        """The files that sessions are played from, each with a name that is the same on every machine."""
        yield from ((path, self.folder / path) for path in plain_files(self.folder, "") if self.is_played(path))
        shared = self._skill_folders[-1]
        for name in self.spec.skills:
            yield from (
                (f"_shared/skills/{name}/{path}", shared / name / path) for path in plain_files(shared / name, name)
            )
        for name in self.spec.wishes:
            yield f"_shared/wishes/{name}.yaml", self._shared_place("wishes") / f"{name}.yaml"
        for name in app_names():
            yield from ((shown, file) for file, shown in self.app_seeds.files(name) if shown.startswith("_shared/"))

    @cached_property
    def app_seeds(self) -> AppSeeds:
        """The seed worlds of the apps; read when they are first looked at."""
        return AppSeeds(self.folder, self.source, lambda: self.require_unchanged("apps"))

    @property
    def title(self) -> str:
        """The pack's title, with the user's name and role."""
        return f"{self.spec.title}, {self.persona.name}, {self.persona.role}"

    @property
    def description(self) -> str:
        """The same in a paragraph."""
        return self.spec.description

    @cached_property
    def web(self) -> LazyPages:
        """Its offline web; nothing is read until it is looked at."""
        return LazyPages(lambda: self._web_pages)

    @cached_property
    def _web_pages(self) -> WebCorpus:
        from pi_gym.packs.web_pages import read_web

        self.require_unchanged("web")
        return read_web(self.folder / "web")

    @cached_property
    def lasting_questions(self) -> Entries:
        """The persona's own entries on how things are asked about that matter in many tasks; empty without a file."""
        from pi_gym.questions.topic_files import concepts, read_topics

        if "questions.yaml" not in self._stamps:
            return {}
        self.require_unchanged()
        return read_topics(self.folder / "questions.yaml", "questions.yaml", concepts())

    @cached_property
    def general_tools(self) -> tuple[str, ...] | None:
        """Names of the tools that every task offers, None for the engine's; PackError where there is no such tool."""
        if self.spec.general_tools is None:
            return None
        require_tools("pack.yaml", "general_tools", self.spec.general_tools)
        return tuple(self.spec.general_tools)

    def require_task(self, task_id: str) -> None:
        """Raise UnknownName where there is no such task; the message lists the known ones."""
        if task_id not in self.task_ids:
            raise UnknownName(unknown(f"task of pack {self.name!r}", task_id, self.task_ids, shown=25))

    def source_of(self, task_id: str) -> TaskSource:
        """The template of one task; UnknownName lists the known ones."""
        self.require_task(task_id)
        return self._source(task_id)

    def card(self, task_id: str) -> TaskCard:
        """One task at a glance, made once: its task.yaml is read, and those of earlier tasks where it has a group.

        Raises:
            UnknownName: no such task; the message lists the known ones.
            PackError: one of these files is wrong; the message names file and field.
        """
        self.require_task(task_id)
        found = self._cards.get(task_id)
        if found is None:
            found = self._cards[task_id] = self._card(task_id)
        return found

    def has_rubric_items(self, task_id: str) -> bool:
        """Whether a task's checklist has items that a model judges, where one grades."""
        self.require_task(task_id)
        return False

    def _card(self, task_id: str) -> TaskCard:
        source = self._source(task_id)
        spec = source.spec
        group = spec.group or ""
        before = self.task_ids[: self.task_ids.index(task_id)] if group else ()
        return TaskCard(
            id=task_id,
            group=group,
            depends_on=tuple(name for name in before if self._source(name).spec.group == group),
            holdout=spec.holdout,
            needs=tuple(spec.needs),
            graded=bool(source.item_count),
            details=card_details(
                spec.category, spec.trigger.type, (spec.draw.min, spec.draw.max), len(source.pool), source.item_count
            ),
        )

    @property
    def has_references(self) -> bool:
        """Whether every task has a reference, so that a past can be played."""
        return self.spec.references

    def skill(self, name: str) -> Mapping[str, str]:
        """Name and description of a skill of the workspace, from the front matter of its SKILL.md."""
        found = self._skills.get(name)
        if found is None:
            found = self._skills[name] = self._skill(name)
        return found

    def _skill(self, name: str) -> Mapping[str, str]:
        shown = f"skills/{name}/SKILL.md"
        for place in self._skill_folders:
            if (place / name / "SKILL.md").is_file() and name in self.spec.skills:
                return {"name": name, "description": _description(place / name / "SKILL.md", shown)}
        listed = ", ".join(map(str, self._skill_folders))
        raise PackError(shown, "", f"no such skill: it must lie in one of {listed}, and pack.yaml name it in skills")

    @property
    def _skill_folders(self) -> tuple[Path, ...]:
        """The folders of skills, the pack's own first."""
        return (self.folder / "skills", self._shared_place("skills"))

    def _shared_place(self, part: str) -> Path:
        """The folder of what all packs share of a sort: beside the pack, or else the installed one."""
        beside = self.folder.parent / "_shared" / part
        return beside if beside.is_dir() else envs_folder() / "_shared" / part

    @cached_property
    def base(self) -> Workspace:
        """The workspace before the first session: the persona's own files, skills, and an empty memory."""
        for part in ("skills", "workspace"):
            self.require_unchanged(part)
        files: dict[str, bytes] = {}
        for name in self.spec.skills:
            self.skill(name)
            for place in reversed(self._skill_folders):
                found = read_tree(place / name, f"skills/{name}")
                files |= {f"skills/{name}/{path}": data for path, data in found.items()}
        files |= read_tree(self.folder / "workspace", "workspace")
        files |= {HISTORY_FILE: EMPTY_HISTORY.encode(), MEMORY_FILE: EMPTY_MEMORY.encode()}
        return Workspace(files)


def card_details(category: str, trigger: str, intents: tuple[int, int], pool: int, items: int) -> dict[str, str]:
    """The details of a task that a list shows.

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


def _description(path: Path, shown: str) -> str:
    front, _ = front_matter(path.read_text(encoding="utf-8"), shown)
    if front.get("name") != path.parent.name:
        raise PackError(shown, "name", f"expected the folder's, {path.parent.name!r}, got {front.get('name')!r}")
    if not isinstance(front.get("description"), str):
        raise PackError(shown, "description", "expected a text")
    return " ".join(front["description"].split())
