"""File System against a dict: any sequence of operations leaves the files and directories that a simple model says."""

from __future__ import annotations

import pickle

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from support.apps import app_context, call_tool, done

from pi_gym.state import World
from pi_gym.tools import ToolContext

IDA = {"username": "ida@notes.example", "password": "oven"}
paths = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map("/".join)
texts = st.text(st.sampled_from("xyÅ\n"), max_size=5)


def parents(path: str) -> list[str]:
    names = path.split("/")
    return ["/".join(names[:count]) for count in range(1, len(names))]


def below(path: str, folder: str) -> bool:
    return path.startswith(folder + "/")


class FileMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.context = app_context("file_system")
        done(self.context, "file_system__login", **IDA)
        # By path: the text of a file, None for a directory.
        self.model: dict[str, str | None] = {}

    def works(self, operation: str, **arguments: object) -> bool:
        return call_tool(self.context, f"file_system__{operation}", **arguments).ok

    def reachable(self, path: str) -> bool:
        """Whether nothing above a path is a file."""
        return all(self.model.get(parent) is None for parent in parents(path))

    def is_file(self, path: str) -> bool:
        return self.model.get(path) is not None

    def is_folder(self, path: str) -> bool:
        return path in self.model and self.model[path] is None

    def put(self, path: str, text: str | None) -> None:
        for parent in parents(path):
            self.model[parent] = None
        self.model[path] = text

    @rule(path=paths, text=texts, overwrite=st.booleans())
    def create_file(self, path: str, text: str, overwrite: bool) -> None:
        free = path not in self.model or (self.is_file(path) and overwrite)
        worked = self.works("create_file", file_path=f"~/{path}", content=text, overwrite=overwrite)
        assert worked == (free and self.reachable(path))
        if worked:
            self.put(path, text)

    @rule(path=paths, recursive=st.booleans())
    def create_directory(self, path: str, recursive: bool) -> None:
        above = parents(path)[-1:]
        allowed = recursive or all(self.is_folder(parent) for parent in above)
        worked = self.works("create_directory", directory_path=path, recursive=recursive)
        assert worked == (path not in self.model and allowed and self.reachable(path))
        if worked:
            self.put(path, None)

    @rule(source=paths, goal=paths, overwrite=st.booleans(), move=st.booleans())
    def copy_or_move_file(self, source: str, goal: str, overwrite: bool, move: bool) -> None:
        free = goal not in self.model or (self.is_file(goal) and overwrite)
        worked = self.works(
            "move_file" if move else "copy_file",
            source_file_path=source, destination_file_path=f"~/{goal}", overwrite=overwrite,
        )  # fmt: skip
        assert worked == (self.is_file(source) and source != goal and free and self.reachable(goal))
        if worked:
            text = self.model[source]
            if move:
                del self.model[source]
            self.put(goal, text)

    @rule(source=paths, goal=paths, overwrite=st.booleans(), move=st.booleans())
    def copy_or_move_directory(self, source: str, goal: str, overwrite: bool, move: bool) -> None:
        apart = source != goal and not below(goal, source) and not below(source, goal)
        free = goal not in self.model or (self.is_folder(goal) and overwrite)
        worked = self.works(
            "move_directory" if move else "copy_directory",
            source_directory_path=source, destination_directory_path=goal, overwrite=overwrite,
        )  # fmt: skip
        assert worked == (self.is_folder(source) and apart and free and self.reachable(goal))
        if worked:
            held = {path[len(source) :]: text for path, text in self.model.items() if below(path, source)}
            gone = [path for path in self.model if below(path, goal) or (move and below(path, source))]
            for path in [*gone, *([source] if move else [])]:
                del self.model[path]
            self.put(goal, None)
            for path, text in held.items():
                self.put(goal + path, text)

    @rule()
    def pickle_and_go_on(self) -> None:
        world: World = pickle.loads(pickle.dumps(self.context.world))
        assert world.state_hash() == self.context.world.state_hash()
        self.context = ToolContext(world, root=self.context.root, ids=self.context.ids)

    @rule(path=paths)
    def write_in_a_fork(self, path: str) -> None:
        fork = ToolContext(self.context.world.fork(), root=self.context.root, ids=self.context.ids)
        call_tool(fork, "file_system__create_file", file_path=path, content="fork", overwrite=True)

    @invariant()
    def the_workspace_is_the_model(self) -> None:
        workspace = self.context.workspace
        files = {path: blob.text for path, blob in workspace.walk()}
        assert files == {path: text for path, text in self.model.items() if text is not None}
        assert all(workspace.is_folder(path) for path, text in self.model.items() if text is None)


TestFileMachine = FileMachine.TestCase
TestFileMachine.settings = settings(max_examples=40, stateful_step_count=20)
