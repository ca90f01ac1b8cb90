"""Simple Note against a dict: any sequence of operations leaves what a simple model says."""

from __future__ import annotations

import pickle
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule
from support.apps import call_tool, done, signed_in

from pi_gym.state import World
from pi_gym.tools import ToolContext

texts = st.text(st.sampled_from("ab c\nÅ|\"'"), max_size=12)
titled = st.text(st.sampled_from("abcÅ "), min_size=1, max_size=8).filter(str.strip)
tag_lists = st.lists(st.sampled_from(["x", "y", "z"]), max_size=3, unique=True)


class NoteMachine(RuleBasedStateMachine):
    notes = Bundle("notes")

    def __init__(self) -> None:
        super().__init__()
        self.context = signed_in()
        self.model: dict[int, dict[str, Any]] = {}
        self.others = self.context.world.apps["simple_note"].table("notes").get(3)
        for row in done(self.context, "simple_note__search_notes", page_limit=20)["notes"]:
            note = done(self.context, "simple_note__show_note", note_id=row["note_id"])
            self.model[row["note_id"]] = {name: note[name] for name in ("title", "content", "tags", "pinned")}
        self.ids = set(self.model)

    @rule(target=notes, title=titled, content=texts, tags=tag_lists, pinned=st.booleans())
    def create(self, title: str, content: str, tags: list[str], pinned: bool) -> int:
        made = done(
            self.context, "simple_note__create_note", title=title, content=content, tags=tags, pinned=pinned
        )["note_id"]  # fmt: skip
        assert made not in self.ids, "an id was given twice"
        self.ids.add(made)
        self.model[made] = {"title": title.strip(), "content": content, "tags": tags, "pinned": pinned}
        return int(made)

    @rule(note=notes | st.integers(1, 6), pinned=st.none() | st.booleans(), tags=st.none() | tag_lists, content=texts)
    def update(self, note: int, pinned: bool | None, tags: list[str] | None, content: str) -> None:
        result = call_tool(
            self.context, "simple_note__update_note", note_id=note, pinned=pinned, tags=tags, content=content
        )
        assert result.ok == (note in self.model)
        if result.ok:
            given = {"pinned": pinned, "tags": tags, "content": content}
            self.model[note] |= {name: value for name, value in given.items() if value is not None}

    @rule(note=notes | st.integers(1, 6), added=texts.filter(bool), where=st.sampled_from(["append", "prepend"]))
    def add(self, note: int, added: str, where: str) -> None:
        result = call_tool(
            self.context, "simple_note__add_content_to_note", note_id=note, added_content=added, append_or_prepend=where
        )
        assert result.ok == (note in self.model)
        if result.ok:
            old = self.model[note]["content"]
            both = [old, added] if where == "append" else [added, old]
            self.model[note]["content"] = "\n".join(both) if old else added

    @rule(note=consumes(notes) | st.integers(1, 6))
    def delete(self, note: int) -> None:
        result = call_tool(self.context, "simple_note__delete_note", note_id=note)
        assert result.ok == (note in self.model)
        self.model.pop(note, None)

    @rule()
    def pickle_and_go_on(self) -> None:
        world: World = pickle.loads(pickle.dumps(self.context.world))
        assert world.state_hash() == self.context.world.state_hash()
        self.context = ToolContext(world, ids=self.context.ids)

    @rule(title=titled)
    def write_in_a_fork(self, title: str) -> None:
        fork = ToolContext(self.context.world.fork(), ids=self.context.ids)
        done(fork, "simple_note__create_note", title=title)

    @invariant()
    def the_list_is_the_model(self) -> None:
        seen: list[int] = []
        for page in range(10):
            found = done(self.context, "simple_note__search_notes", page_limit=20, page_index=page, sort_by="+title")
            seen += [note["note_id"] for note in found["notes"]]
            assert found["total"] == len(self.model)
        assert len(seen) == len(set(seen))
        assert set(seen) == set(self.model)
        pinned = [self.model[note]["pinned"] for note in seen]
        assert pinned == sorted(pinned, reverse=True)

    @invariant()
    def every_note_is_as_in_the_model(self) -> None:
        for note, expected in self.model.items():
            shown = done(self.context, "simple_note__show_note", note_id=note)
            assert {name: shown[name] for name in expected} == expected
        assert self.context.world.apps["simple_note"].table("notes").get(3) == self.others


TestNoteMachine = NoteMachine.TestCase
TestNoteMachine.settings = settings(max_examples=25, stateful_step_count=25)
