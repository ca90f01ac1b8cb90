from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pi_gym.state import Changes, Workspace, WorkspaceError, World
from pi_gym.state import workspace as workspace_module

NAME = st.sampled_from(["a", "b", "A", "c.md", "é"])
PATH = st.lists(NAME, min_size=1, max_size=3).map("/".join)
DATA = st.binary(max_size=3)
BASE = {"a/b": b"1", "b": b"2", "c.md/a/b": b"3"}


class Base:
    """An origin whose world is built anew each time."""

    def world(self) -> World:
        return World(Workspace(BASE), origin=self)


def parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


class Model:
    """The same tree as a plain dict: bytes for files, None for directories."""

    def __init__(self) -> None:
        self.nodes: dict[str, bytes | None] = {}
        for path, data in BASE.items():
            self.write(path, data)

    def refuses(self, path: str) -> bool:
        """Whether nothing can be put at the path: a file is in the way, or a name differs only in case."""
        for place in [path, *parents(path)]:
            if place != path and self.nodes.get(place) is not None:
                return True
            siblings = (other for other in self.nodes if other.rpartition("/")[0] == place.rpartition("/")[0])
            if place not in self.nodes and any(other.lower() == place.lower() for other in siblings):
                return True
        return False

    def write(self, path: str, data: bytes) -> bool:
        if self.refuses(path) or (path in self.nodes and self.nodes[path] is None):
            return False
        self.nodes |= dict.fromkeys(parents(path))
        self.nodes[path] = data
        return True

    def folder(self, path: str) -> bool:
        if self.nodes.get(path, None) is not None or self.refuses(path):
            return False
        self.nodes |= dict.fromkeys([path, *parents(path)])
        return True

    def below(self, path: str) -> list[str]:
        return [place for place in self.nodes if place == path or place.startswith(path + "/")]

    def delete(self, path: str) -> bool:
        gone = self.below(path)
        for place in gone:
            del self.nodes[place]
        return bool(gone)

    def rename(self, source: str, target: str) -> bool:
        if source not in self.nodes or target in self.nodes or target.startswith(source + "/"):
            return False
        before = dict(self.nodes)
        moved = {target + place[len(source) :]: before[place] for place in self.below(source)}
        self.delete(source)
        if self.refuses(target):
            self.nodes = before
            return False
        self.nodes |= dict.fromkeys(parents(target)) | moved
        return True

    def files(self) -> dict[str, bytes]:
        return {path: data for path, data in self.nodes.items() if data is not None}


def nodes_of(workspace: Workspace, path: str = "") -> dict[str, bytes | None]:
    nodes: dict[str, bytes | None] = {}
    for name, is_folder in workspace.names(path):
        place = f"{path}/{name}" if path else name
        nodes[place] = None if is_folder else workspace.read(place)
        if is_folder:
            nodes |= nodes_of(workspace, place)
    return nodes


class WorkspaceMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.world = Base().world()
        self.model = Model()
        self.mark = self.world.workspace.mark()
        self.marked = self.model.files()
        self.forks: list[tuple[World, dict[str, bytes | None]]] = []

    def agree(self, expected: bool, action: object, *arguments: object) -> None:
        try:
            action(*arguments)  # type: ignore[operator]
        except WorkspaceError:
            assert not expected
        else:
            assert expected

    @rule(path=PATH, data=DATA)
    def write(self, path: str, data: bytes) -> None:
        self.agree(self.model.write(path, data), self.world.workspace.write, path, data)

    @rule(path=PATH)
    def make_folder(self, path: str) -> None:
        self.agree(self.model.folder(path), self.world.workspace.make_folder, path)

    @rule(path=PATH)
    def delete(self, path: str) -> None:
        self.agree(self.model.delete(path), self.world.workspace.delete, path)

    @rule(source=PATH, to=PATH)
    def rename(self, source: str, to: str) -> None:
        expected = self.model.rename(source, to)
        self.agree(expected, self.world.workspace.rename, source, to)

    @rule()
    def set_mark(self) -> None:
        self.mark, self.marked = self.world.workspace.mark(), self.model.files()

    @rule()
    def fork(self) -> None:
        self.forks.append((self.world, dict(self.model.nodes)))
        self.world = self.world.fork()

    @rule()
    def fail_and_restore(self) -> None:
        before = self.world.fork()
        for name, _ in self.world.workspace.names(""):
            self.world.workspace.delete(name)
        self.world.restore(before)

    @invariant()
    def content_is_the_models(self) -> None:
        workspace = self.world.workspace
        assert nodes_of(workspace) == self.model.nodes
        assert {path: blob.data for path, blob in workspace.walk()} == self.model.files()

    @invariant()
    def changes_are_those_since_the_mark(self) -> None:
        now, then = self.model.files(), self.marked
        assert self.world.workspace.changes(self.mark) == Changes(
            tuple(sorted(now.keys() - then.keys())),
            tuple(sorted(path for path in now.keys() & then.keys() if now[path] != then[path])),
            tuple(sorted(then.keys() - now.keys())),
        )
        assert {p: b.data for p, b in self.world.workspace.at(self.mark).walk()} == then

    @invariant()
    def forks_are_independent(self) -> None:
        for world, nodes in self.forks:
            assert nodes_of(world.workspace) == nodes

    @invariant()
    def pickles_keep_everything(self) -> None:
        copy = pickle.loads(pickle.dumps(self.world))
        assert nodes_of(copy.workspace) == self.model.nodes
        assert copy.state_hash() == self.world.state_hash()
        assert nodes_of(pickle.loads(pickle.dumps(self.world.workspace))) == self.model.nodes

    @rule()
    def go_on_with_a_pickle(self) -> None:
        self.world = pickle.loads(pickle.dumps(self.world))
        self.set_mark()


TestWorkspace = WorkspaceMachine.TestCase
TestWorkspace.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def test_spelling_finds_the_existing_name_in_other_case() -> None:
    workspace = Workspace({"Notes/Été.md": b""})
    assert workspace.spelling("notes/été.md") == "Notes/Été.md"
    assert workspace.spelling("Notes/Été.md") is None
    assert workspace.spelling("notes/other.md") is None


def test_names_that_differ_by_more_than_case_live_together() -> None:
    workspace = Workspace({"Maße.md": b"1"})
    workspace.write("Masse.md", b"2")
    assert [name for name, _ in workspace.names("")] == ["Masse.md", "Maße.md"]


def test_moving_into_ever_deeper_places_is_refused() -> None:
    workspace = Workspace({"a/x": b""})
    with pytest.raises(WorkspaceError, match="too deep"):
        workspace.rename("a", "/".join(["d"] * 32))
    with pytest.raises(WorkspaceError, match="too long"):
        workspace.rename("a", "/".join(["d" * 250] * 5))
    assert workspace.read("a/x") == b""


def test_changes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_module, "MAX_CHANGED_FILES", 20)
    workspace = Workspace({f"a/{i}": b"" for i in range(5)})
    workspace.rename("a", "b")
    with pytest.raises(WorkspaceError, match="as many changes"):
        workspace.rename("b", "c")
    monkeypatch.setattr(workspace_module, "MAX_FILE_BYTES", 10)
    with pytest.raises(WorkspaceError, match="at most 10"):
        workspace.write("x", b"y" * 11)


def test_equal_content_is_no_change() -> None:
    workspace = Workspace({"a": b"1"})
    mark = workspace.mark()
    workspace.write("a", b"1")
    workspace.write("a", b"2")
    workspace.write("a", b"1")
    assert not workspace.changes(mark)


def test_binary_content_has_no_text() -> None:
    workspace = Workspace({"nul": b"a\0b", "latin": b"\xe9", "text": "é".encode()})
    assert [workspace.text(name) for name in ("nul", "latin", "text")] == [None, None, "é"]
