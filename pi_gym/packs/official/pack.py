"""A persona in the official layout, as a pack. Use `load_pack`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from pi_gym.apps import app_names, apps_of, operations
from pi_gym.apps.declare import SEPARATOR
from pi_gym.catalogue import TaskCard
from pi_gym.errors import NoSuchVariant, PackError, RolesNeeded, UnknownName
from pi_gym.packs.app_rows import StagedApps, staged_rows
from pi_gym.packs.folder import EMPTY_HISTORY, EMPTY_MEMORY, HISTORY_FILE, MEMORY_FILE, card_details
from pi_gym.packs.official.convert import Setting, convert, needs_of, trigger_of
from pi_gym.packs.official.names import PREFIX, own_name
from pi_gym.packs.official.script_slips import idle_scripts
from pi_gym.packs.official.sign_ins import SignIn, account_rows, sign_ins
from pi_gym.packs.official.skills import read_skills
from pi_gym.packs.official.source import OfficialSource
from pi_gym.packs.official.specs import OfficialEpisode, OfficialProfile, OfficialTools
from pi_gym.packs.pack import Pack
from pi_gym.packs.plain_files import plain_files, read_tree
from pi_gym.packs.source import TaskSource
from pi_gym.packs.task import Task
from pi_gym.schema import PackSpec, PersonaSpec, load_model
from pi_gym.state import Workspace
from pi_gym.state.paths import PathRefused, normalise
from pi_gym.tools import EVERY

#: Of a persona's folder, the files that every task depends on.
PLAYED_FILES = ("episode.yaml", "profile.yaml", "tools.yaml")
#: Of the profile, what the LLM user is given to speak as this person.
MAX_VOICE_CHARS = 6_000


class OfficialPack(Pack):
    """The tasks of one persona, in one world (variant 0), to be judged by model roles."""

    has_rules = False

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        """Whether a folder holds a persona in this layout; looks at names of files only."""
        return not (folder / "pack.yaml").is_file() and sum((folder / name).is_file() for name in PLAYED_FILES) > 1

    def _read(self) -> None:
        folder = self.folder
        for _ in plain_files(folder, ""):
            pass  # what is no plain file is refused, wherever it lies
        episode = load_model(OfficialEpisode, folder / "episode.yaml", "episode.yaml")
        profile = load_model(OfficialProfile, folder / "profile.yaml", "profile.yaml")
        tools = load_model(OfficialTools, folder / "tools.yaml", "tools.yaml")
        user = episode.user_id
        _same_user("profile.yaml", profile.user_id, user)
        self.task_ids = tuple(listed.task_id for listed in episode.tasks)
        self._depends = {listed.task_id: listed.depends_on for listed in episode.tasks}
        self._sources = {
            name: OfficialSource(folder / "tasks" / name, folder, f"tasks/{name}") for name in self.task_ids
        }
        for source in self._sources.values():
            _same_user(source.file, source.spec.user_id, user)
        self._check_dependencies()
        found: list[str] = []
        self.skills = read_skills(folder / "skills", found)
        offered = self._offered(tools.tool_names, found)
        title = " ".join(word.capitalize() for word in user.replace("-", "_").split("_"))
        self.spec = PackSpec(
            title=f"{title}, official layout",
            description=f"{episode.episode_id} in the official layout of π-Bench: model roles judge its tasks.",
            benchmark=False,
            general_tools=[*EVERY.names, *offered],
            references=False,
        )
        login = "".join(letter if letter.isalnum() else "_" for letter in user.lower())
        self.persona = PersonaSpec(
            name=title,
            role=title.lower(),
            user=login if login[:1].isalpha() else f"user_{login}",
            voice=_voice(profile),
        )
        self.warnings = (*found, *self._slips(offered))

    # -- what packs offer ------------------------------------------------------------------------------------------

    def source_of(self, task_id: str) -> TaskSource:
        """Raise RolesNeeded: these tasks are no templates."""
        self.require_task(task_id)
        raise RolesNeeded(f"{task_id} is in the official layout: it has no template, no predicates and no reference")

    def card(self, task_id: str) -> TaskCard:
        """One task at a glance; UnknownName lists the known ones."""
        self.require_task(task_id)
        source = self._sources[task_id]
        items = len(source.spec.objectives.checklist) + (source.script is not None)
        hidden = sum(intent.status == "not_provided" for intent in source.spec.intent.hidden_intent)
        return TaskCard(
            id=task_id,
            group=self._groups[task_id],
            depends_on=self._depends[task_id],
            needs=needs_of(source),
            fixed=True,
            graded=bool(items),
            details=card_details("", trigger_of(source), (hidden, hidden), hidden, items),
        )

    def has_rubric_items(self, task_id: str) -> bool:
        """Whether a task's checklist has items, all of which a model judges; its script does without."""
        self.require_task(task_id)
        return bool(self._sources[task_id].spec.objectives.checklist)

    def skill(self, name: str) -> Mapping[str, str]:
        """Name and description of a skill."""
        for found in self.skills:
            if found["name"] == name:
                return found
        raise PackError(f"skills/{name}/SKILL.md", "", "no such skill")

    def is_played(self, path: str) -> bool:
        """Whether sessions are played from a file: what describes the persona, its tasks' own, and their scripts."""
        top, _, rest = path.partition("/")
        if top == "tasks":
            task, _, inner = rest.partition("/")
            return task in self._sources and self._sources[task].takes(inner)
        if top == "skills":
            return rest.partition("/")[0] in {skill["name"] for skill in self.skills}
        if top == "apps":
            return rest.endswith(".json")
        return path in PLAYED_FILES or any(path == source.script_file for source in self._sources.values())

    @cached_property
    def base(self) -> Workspace:
        """The workspace before the first session: the skills, and an empty memory."""
        names = {skill["name"] for skill in self.skills}
        files: dict[str, bytes] = {}
        for path, data in read_tree(self.folder / "skills", "skills").items():
            if path.split("/")[0] in names:
                try:
                    files[normalise(f"skills/{path}")] = data
                except PathRefused as error:
                    raise PackError(f"skills/{path}", "", str(error)) from error
        files |= {HISTORY_FILE: EMPTY_HISTORY.encode(), MEMORY_FILE: EMPTY_MEMORY.encode()}
        return Workspace(files)

    def _make(self, task_id: str, variant: int, canary: str) -> Task:
        if variant:
            raise NoSuchVariant(f"variant: {task_id} is in the official layout and has one world, 0; got {variant}")
        setting = Setting(
            home=self,
            persona=self.persona,
            general_tools=tuple(self.spec.general_tools or ()),
            skills=self.skills,
        )
        return convert(
            setting,
            self._sources[task_id],
            index=self.task_ids.index(task_id),
            group=self._groups[task_id],
            variant=variant,
            apps=self._accounts(task_id),
            canary=canary,
        )

    # -- parts -----------------------------------------------------------------------------------------------------

    @cached_property
    def _groups(self) -> dict[str, str]:
        """Dependency group by task: tasks that are joined by dependencies, named after the last of them."""
        groups = {name: {name} for name in self.task_ids}
        for name, earlier in self._depends.items():
            joined = set().union(groups[name], *(groups[one] for one in earlier))
            for one in joined:
                groups[one] = joined
        order = self.task_ids.index
        return {name: max(members, key=order) if len(members) > 1 else "" for name, members in groups.items()}

    @cached_property
    def _sign_ins(self) -> dict[str, dict[str, SignIn]]:
        """By task, the sign-ins that its texts give."""
        apps = apps_of(self.spec.general_tools or ())
        return {name: sign_ins("\n".join(source.texts), apps) for name, source in self._sources.items()}

    def _accounts(self, task_id: str) -> StagedApps:
        """The accounts that open the apps: as this task says, else as the first that says it."""
        given: dict[str, SignIn] = dict(self._sign_ins[task_id])
        for found in self._sign_ins.values():
            given = {**found, **given}
        return staged_rows(self.app_seeds, account_rows(self.app_seeds, given))

    def _check_dependencies(self) -> None:
        for name, earlier in self._depends.items():
            if earlier and not self._sources[name].spec.graded:
                reason = "the task depends on earlier ones, so it needs a checklist or a script"
                raise PackError(self._sources[name].file, "objectives", reason)
            for one in earlier:
                if self._sources[one].spec.graded:
                    reason = f"{name} depends on this task, so its checklist must be empty: it is graded there"
                    raise PackError(self._sources[one].file, "objectives", reason)

    def _offered(self, names: Iterable[str], warnings: list[str]) -> list[str]:
        """The persona's app tools as ours are named; those that we lack are left out with a warning."""
        offered: list[str] = []
        for name in dict.fromkeys(map(own_name, names)):
            try:
                operations([name])
            except UnknownName as error:
                warnings.append(f"tools.yaml: tool_names: not offered: {error}")
            else:
                offered.append(name)
        return offered

    def _slips(self, offered: list[str]) -> list[str]:
        found: list[str] = []
        brought: frozenset[str] = frozenset()
        for source in self._sources.values():
            found += source.warnings
            for name in source.missing(brought):
                found.append(
                    f"{source.file}: intent.initial_input: names {name!r}, which this copy lacks: no agent can read it,"
                    " unless it is to write it"
                )
            brought |= frozenset(source.files)
            found += self._tool_slips(source, offered)
        named = {source.script_file for source in self._sources.values()}
        for path in idle_scripts(self.folder, plain_files(self.folder, ""), named):
            found.append(
                f"{path}: defines score(), and no task names it in objectives.tools_evaluation_path: it is never run"
            )
        listed = set(self.task_ids)
        for folder in sorted(self.folder.glob("tasks/*")):
            if folder.name not in listed and (folder / "task.yaml").is_file():
                found.append(f"episode.yaml: tasks: tasks/{folder.name} is not listed, so it is left out")
        return found

    def _tool_slips(self, source: OfficialSource, offered: list[str]) -> list[str]:
        found = []
        named = [own_name(name) for name in source.spec.objectives.tool_names]
        for name in dict.fromkeys(named):
            if name not in offered and name not in EVERY.names:
                shown, why = (f"{PREFIX}{name}", "tools.yaml lacks it") if SEPARATOR in name else (name, "unknown here")
                found.append(f"{source.file}: objectives.tools: {shown} is not offered ({why}): no evidence of it")
        apps = sorted({*apps_of(named), *self._sign_ins[source.spec.task_id]} & set(app_names()))
        if apps:
            found.append(
                f"{source.file}: counts on the official app data of {', '.join(apps)}; its tools run on our apps, which"
                " hold other data"
            )
        return found


def _same_user(file: str, found: str, expected: str) -> None:
    if found != expected:
        raise PackError(file, "user_id", f"expected {expected!r} as in episode.yaml, got {found!r}")


def _voice(profile: OfficialProfile) -> str:
    """The profile, for the LLM user."""
    parts = [profile.role.strip()]
    parts += [f"{name}: {value}" for name, value in profile.preferences.items()]
    parts += [f"Long-term goal: {goal}" for goal in profile.long_term_goals]
    text = "\n".join(part for part in parts if part)
    return text if len(text) <= MAX_VOICE_CHARS else text[:MAX_VOICE_CHARS].rstrip() + " […]"
