"""One task folder in the official layout: its task.yaml, its assets, its rule script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import re2

from pi_gym.apps import app_names
from pi_gym.apps.declare import SEPARATOR
from pi_gym.errors import PackError
from pi_gym.packs.official.names import PREFIX, own_name
from pi_gym.packs.official.script_slips import modules_beside, script_slips
from pi_gym.packs.official.specs import OfficialTask
from pi_gym.packs.plain_files import read_tree
from pi_gym.packs.task import RuleScript
from pi_gym.schema.yaml_files import check_model, parse_yaml, read_text
from pi_gym.state.paths import PathRefused, normalise

MEMORY = "memory"
TASK_FILE = "task.yaml"
_LEAVINGS = (".history", ".result", ".eval_result")
_JUNK = (".DS_Store", "Thumbs.db")
_FILE_NAME = re2.compile(
    r"[\w][\w./-]*\.(?:txt|md|csv|json|ya?ml|pdf|png|jpe?g|svg|zip|py|tex|xlsx?|docx?|html?|ipynb)\b"
)
_TO_BE_MADE = re2.compile(
    r"(?i)\b(?:named?|call|saved?|create|write|written|produce|generate|implement|export|draft)\b[^.;:!?]{0,30}$"
)


class OfficialSource:
    """A task as its folder holds it.

    Args:
        folder: the task's folder.
        persona: the persona's folder.
        shown: the task folder's name in messages.

    Attributes:
        spec: what task.yaml says.
        request: the opening request.
        files: the assets by workspace path.
        script: the program that judges, if there is one.
        script_file: where it lies, relative to the persona's folder; "" where this copy has none.
        warnings: slips that are put up with.
    """

    def __init__(self, folder: Path, persona: Path, shown: str) -> None:
        self.folder, self.persona, self.shown = folder, persona, shown
        self.file = f"{shown}/task.yaml"
        self.warnings: list[str] = []
        text = read_text(folder / "task.yaml", self.file)
        first, _, rest = text.lstrip().partition("\n")
        if first.strip() == "|":
            self._warn("", "begins with a stray '|', which is left out")
            text = rest
        self.spec = check_model(OfficialTask, parse_yaml(text, self.file), self.file)
        if self.spec.task_id != folder.name:
            raise PackError(
                self.file, "task_id", f"expected {folder.name!r}, the folder's name, got {self.spec.task_id!r}"
            )
        self.request = self._request()
        self.files = self._files()
        self.script_file = ""
        self.script = self._script()
        self._look_for_slips()

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that the user may say: the request, then the hidden intents."""
        return (self.request, *(intent.content for intent in self.spec.intent.hidden_intent))

    def _files(self) -> Mapping[str, bytes]:
        files: dict[str, bytes] = {}
        places = _Places()
        for path, data in read_tree(self.folder, self.shown).items():
            if path == TASK_FILE or not self.takes(path):
                continue
            try:
                place = normalise(path)
            except PathRefused as error:
                self._warn("", f"the asset {path!r} is left out: {error}")
                continue
            if place.split("/")[0].casefold() == MEMORY:
                self._warn("", f"the asset {path!r} is left out: memory/ is the engine's and the agent's own")
                continue
            other = places.take(place)
            if other:
                self._warn("", f"the asset {path!r} is left out: {other!r} takes its place in the workspace")
                continue
            files[place] = data
        return files

    @staticmethod
    def takes(path: str) -> bool:
        """Whether a task depends on a file, by its path in the task's folder: what runs leave there is nobody's."""
        return path.split("/")[0] not in _LEAVINGS and PurePosixPath(path).name not in _JUNK

    def missing(self, present: frozenset[str]) -> Iterator[str]:
        """Files that the request names, that are neither here nor in `present`, and that nothing says are to be made.

        A file is to be made where the request says so, and where the grading looks at it: it is shown to the grader, a
        criterion names it, or the script does.

        Args:
            present: paths that earlier tasks have brought.
        """
        known = {*present, *self.files}
        names = {PurePosixPath(path).name for path in (*known, *self._graded_names())}
        seen: set[str] = set()
        for match in _FILE_NAME.finditer(self.request):
            name, before = match.group().lstrip("./"), self.request[max(0, match.start() - 40) : match.start()]
            if name in seen or "://" in before.split()[-1:] or before.endswith(("/", "@")):
                continue
            seen.add(name)
            if name not in known and PurePosixPath(name).name not in names and not _TO_BE_MADE.search(before):
                yield name

    def _graded_names(self) -> Iterator[str]:
        """Files that the grading names."""
        objectives = self.spec.objectives
        yield from objectives.files_read
        script = self.script.source or "" if self.script is not None else ""
        for text in (*(item.criterion for item in objectives.checklist), script):
            yield from (match.group() for match in _FILE_NAME.finditer(text))

    def _warn(self, field: str, text: str) -> None:
        self.warnings.append(f"{self.file}: {field}: {text}" if field else f"{self.file}: {text}")

    def _request(self) -> str:
        text = self.spec.intent.initial_input.strip()
        if text.startswith("|"):
            self._warn("intent.initial_input", "begins with a stray '|', which is left out")
            text = text[1:].strip()
        if not text:
            raise PackError(self.file, "intent.initial_input", "expected a request, got nothing but '|'")
        return text

    def _script(self) -> RuleScript | None:
        path = self.spec.objectives.tools_evaluation_path
        if not path:
            return None
        field = "objectives.tools_evaluation_path"
        try:
            parts = normalise(path).split("/")
        except PathRefused as error:
            raise PackError(self.file, field, f"expected the relative path of a Python file: {error}") from error
        if path.startswith("/") or not parts[-1].endswith(".py"):
            raise PackError(self.file, field, f"expected the relative path of a Python file, got {path!r}")
        # It is written relative to the folder that holds `data/`; what lies outside the persona's folder is not read.
        own = parts[2:] if parts[:2] in (["data", self.spec.user_id], ["data", self.persona.name]) else parts
        place = self.persona.joinpath(*own)
        if place.is_file():
            self.script_file = "/".join(own)
            source = read_text(place, self.script_file)
            for slip in script_slips(source, modules_beside(place)):
                self.warnings.append(
                    f"{self.script_file}: {slip}; where that fails, the items of {self.spec.task_id}'s script are"
                    " unknown and its Comp is null"
                )
            return RuleScript(path, source)
        self._warn(field, f"this copy lacks {path}, so its items are unknown and the task's Comp is null")
        return RuleScript(path, None)

    def _look_for_slips(self) -> None:
        criteria = [item.criterion.strip() for item in self.spec.objectives.checklist]
        self._look_for_twins("objectives.checklist", criteria)
        hidden = self.spec.intent.hidden_intent
        self._look_for_twins("intent.hidden_intent", [intent.content.strip() for intent in hidden])
        for number, intent in enumerate(hidden):
            if intent.status == "provided":
                self._warn(
                    f"intent.hidden_intent[{number}]", "is provided from the start, so it is not hidden: left out"
                )
        for name in dict.fromkeys(self.spec.objectives.tool_names):
            if own_name(name) == name and name.partition(SEPARATOR)[0] in app_names():
                self._warn("objectives.tools", f"{name!r} lacks {PREFIX!r}; it is taken for the app's tool")

    def _look_for_twins(self, field: str, texts: list[str]) -> None:
        for number, text in enumerate(texts):
            if text in texts[:number]:
                self._warn(f"{field}[{number}]", f"says the same as [{texts.index(text)}]; both count")


class _Places:
    """The places in the workspace that are taken; it tells apart no names that differ only in case."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def take(self, place: str) -> str:
        """Take a place for a file; gives the one that is in its way, "" where there is none."""
        names = place.casefold().split("/")
        above = ["/".join(names[:count]) for count in range(1, len(names))]
        whole = "/".join(names)
        for folded in (*above, whole):
            if folded in self._files:
                return self._files[folded]
        if whole in self._folders:
            return self._folders[whole]
        self._files[whole] = place
        self._folders |= {folded: place for folded in above if folded not in self._folders}
        return ""
