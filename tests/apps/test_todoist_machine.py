"""Todoist against a nested model: any sequence of operations leaves what it says, and nothing dangling."""

from __future__ import annotations

import pickle
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule
from support.apps import call_tool, done
from support.todoist import IDA, PER, check, rows, todoist, write_as

from pi_gym.state import World
from pi_gym.tools import ToolContext

titles = st.text(st.sampled_from("abcÅ "), min_size=1, max_size=8).filter(str.strip)
places = st.integers(-2, 6)
# Those of project 1; one of an archived project, which is refused; and one that nobody has.
SECTIONS, TASKS = st.sampled_from([1, 2, 5, 4, 77]), st.sampled_from([1, 2, 3, 4, 5, 7, 77])
SUB_TASKS, COMMENTS = st.sampled_from([1, 2, 3, 4, 6, 77]), st.sampled_from([1, 2, 4, 77])
PEOPLE = {"ida@notes.example": 1, "per@notes.example": 2}


def put(order: list[int], key: int, at: int) -> None:
    order.insert(len(order) if at == -1 else at, key)


class TodoistMachine(RuleBasedStateMachine):
    """The model is of project 1, which Ida and Per share: sections and tasks in order, sub-tasks by completion."""

    sections = Bundle("sections")
    tasks = Bundle("tasks")
    sub_tasks = Bundle("sub_tasks")
    comments = Bundle("comments")
    labels = Bundle("labels")

    def __init__(self) -> None:
        super().__init__()
        self.context = todoist()
        self.me = 1
        self.sections_in_order = [1, 2, 5]
        self.tasks_in_order: dict[int | None, list[int]] = {1: [1, 2, 3], 2: [4], None: [5], 5: []}
        self.subs: dict[int, dict[int, bool]] = {1: {1: True, 2: False, 3: False}, 2: {}, 3: {4: True}, 4: {}, 5: {}}
        self.completed = {1: False, 2: False, 3: True, 4: False, 5: False}
        self.author = {1: 1, 2: 2}
        self.comment_task = {1: 2, 2: 2}
        self.owner_of_label = {1: 1, 2: 1, 3: 2}
        self.links = {(1, 1), (2, 1), (2, 3), (4, 2)}
        self.secret = {name: self.others(name) for name in ("projects", "tasks", "sub_tasks")}

    def others(self, table: str) -> dict[int, Any]:
        kept = {"projects": {2, 3, 4, 5}, "tasks": {6, 7, 8}, "sub_tasks": {5, 6}}[table]
        return {key: row for key, row in rows(self.context, table).items() if key in kept}

    def call(self, operation: str, /, **arguments: Any) -> Any:
        return call_tool(self.context, f"todoist__{operation}", **arguments)

    def section_of(self, task: int) -> int | None:
        return next(section for section, tasks in self.tasks_in_order.items() if task in tasks)

    def forget_task(self, task: int) -> None:
        self.tasks_in_order[self.section_of(task)].remove(task)
        del self.subs[task], self.completed[task]
        self.links = {link for link in self.links if link[0] != task}
        for comment in [key for key, owner in self.comment_task.items() if owner == task]:
            del self.comment_task[comment], self.author[comment]

    @rule(target=sections, name=titles, at=places)
    def create_section(self, name: str, at: int) -> Any:
        result = self.call("create_section", project_id=1, name=name, order_index=at)
        assert result.ok == (at >= -1)
        if not result.ok:
            return multiple()
        key = max(rows(self.context, "sections"))
        put(self.sections_in_order, key, at)
        self.tasks_in_order[key] = []
        return key

    @rule(section=sections | SECTIONS, at=places.filter(lambda at: at > -2))
    def move_section(self, section: int, at: int) -> None:
        ok = section in self.sections_in_order
        assert self.call("update_section", section_id=section, order_index=at).ok == ok
        if ok:
            self.sections_in_order.remove(section)
            put(self.sections_in_order, section, at)

    @rule(section=sections | SECTIONS)
    def delete_section(self, section: int) -> None:
        ok = section in self.sections_in_order
        assert self.call("delete_section", section_id=section).ok == ok
        if ok:
            for task in list(self.tasks_in_order[section]):
                self.forget_task(task)
            self.sections_in_order.remove(section)
            del self.tasks_in_order[section]

    @rule(target=tasks, section=st.none() | sections | SECTIONS, title=titles, at=places)
    def create_task(self, section: int | None, title: str, at: int) -> Any:
        result = self.call("create_task", project_id=1, section_id=section, title=title, order_index=at)
        assert result.ok == (at >= -1 and section in self.tasks_in_order)
        if not result.ok:
            return multiple()
        key = max(rows(self.context, "tasks"))
        put(self.tasks_in_order[section], key, at)
        self.subs[key], self.completed[key] = {}, False
        return key

    @rule(task=tasks | TASKS, done_now=st.none() | st.booleans(), at=st.none() | st.integers(-1, 6))
    def update_task(self, task: int, done_now: bool | None, at: int | None) -> None:
        ok = task in self.completed and (done_now, at) != (None, None)
        assert self.call("update_task", task_id=task, is_completed=done_now, order_index=at).ok == ok
        if not ok:
            return
        if at is not None:
            order = self.tasks_in_order[self.section_of(task)]
            order.remove(task)
            put(order, task, at)
        if done_now is not None and done_now != self.completed[task]:
            self.completed[task] = done_now
            if done_now:
                self.subs[task] = dict.fromkeys(self.subs[task], True)

    @rule(task=tasks | TASKS)
    def delete_task(self, task: int) -> None:
        assert self.call("delete_task", task_id=task).ok == (task in self.completed)
        if task in self.completed:
            self.forget_task(task)

    @rule(task=tasks | TASKS, email=st.none() | st.sampled_from([*PEOPLE, "bo@notes.example"]))
    def assign(self, task: int, email: str | None) -> None:
        ok = task in self.completed and (email is None or email in PEOPLE)
        assert self.call("assign_or_unassign_task", task_id=task, assignee_email=email).ok == ok
        if ok:
            assert rows(self.context, "tasks")[task]["assignee"] == (PEOPLE[email] if email else None)

    @rule(target=sub_tasks, task=tasks | TASKS, title=titles)
    def create_sub_task(self, task: int, title: str) -> Any:
        result = self.call("create_sub_task", task_id=task, title=title)
        assert result.ok == (self.completed.get(task) is False)
        if not result.ok:
            return multiple()
        key = max(rows(self.context, "sub_tasks"))
        self.subs[task][key] = False
        return key

    @rule(sub=sub_tasks | SUB_TASKS, done_now=st.booleans())
    def update_sub_task(self, sub: int, done_now: bool) -> None:
        task = next((task for task, subs in self.subs.items() if sub in subs), None)
        assert self.call("update_sub_task", sub_task_id=sub, is_completed=done_now).ok == (task is not None)
        if task is not None and self.subs[task][sub] != done_now:
            self.subs[task][sub] = done_now
            self.completed[task] = self.completed[task] and done_now

    @rule(sub=sub_tasks | SUB_TASKS)
    def delete_sub_task(self, sub: int) -> None:
        task = next((task for task, subs in self.subs.items() if sub in subs), None)
        assert self.call("delete_sub_task", sub_task_id=sub).ok == (task is not None)
        if task is not None:
            del self.subs[task][sub]

    @rule(target=comments, task=tasks | TASKS, text=titles)
    def comment(self, task: int, text: str) -> Any:
        counts = self.notified()
        result = self.call("post_task_comment", task_id=task, content=text)
        assert result.ok == (task in self.completed)
        if not result.ok:
            return multiple()
        other = 3 - self.me
        assert self.notified() == {**counts, other: counts[other] + 1}
        key = max(rows(self.context, "task_comments"))
        self.author[key], self.comment_task[key] = self.me, task
        return key

    @rule(comment=comments | COMMENTS)
    def delete_comment(self, comment: int) -> None:
        ok = self.author.get(comment) == self.me
        assert self.call("delete_task_comment", task_comment_id=comment).ok == ok
        if ok:
            del self.author[comment], self.comment_task[comment]

    @rule(target=labels, name=st.sampled_from(["early", "Early", "new", "quiet", "NEW"]))
    def create_label(self, name: str) -> Any:
        table = rows(self.context, "labels")
        mine = {table[key]["name"].casefold() for key, owner in self.owner_of_label.items() if owner == self.me}
        result = self.call("create_label", name=name)
        assert result.ok == (name.casefold() not in mine)
        if not result.ok:
            return multiple()
        key = max(rows(self.context, "labels"))
        self.owner_of_label[key] = self.me
        return key

    @rule(task=tasks | TASKS, label=labels | st.integers(1, 3), on=st.booleans())
    def label_task(self, task: int, label: int, on: bool) -> None:
        mine = self.owner_of_label.get(label) == self.me and task in self.completed
        result = self.call("add_label_to_task" if on else "remove_label_from_task", task_id=task, label_id=label)
        assert result.ok == (mine and ((task, label) in self.links) != on)
        if result.ok:
            (self.links.add if on else self.links.remove)((task, label))

    @rule(label=labels | st.integers(1, 3))
    def delete_label(self, label: int) -> None:
        ok = self.owner_of_label.get(label) == self.me
        assert self.call("delete_label", label_id=label).ok == ok
        if ok:
            del self.owner_of_label[label]
            self.links = {link for link in self.links if link[1] != label}

    @rule()
    def the_other_goes_on(self) -> None:
        self.me = 3 - self.me
        write_as(self.context, IDA if self.me == 1 else PER)

    @rule()
    def delete_notifications(self) -> None:
        counts = self.notified()
        done(self.context, "todoist__delete_notifications")
        assert self.notified() == {**counts, self.me: 0}

    @rule()
    def pickle_and_go_on(self) -> None:
        world: World = pickle.loads(pickle.dumps(self.context.world))
        assert world.state_hash() == self.context.world.state_hash()
        self.context = ToolContext(world, ids=self.context.ids)

    @rule()
    def delete_the_project_in_a_fork(self) -> None:
        fork = ToolContext(self.context.world.fork(), ids=self.context.ids)
        assert call_tool(fork, "todoist__delete_project", project_id=1).ok == (self.me == 1)
        check(fork.world.apps["todoist"])

    def notified(self) -> dict[int, int]:
        found = [row["account"] for row in rows(self.context, "notifications").values()]
        return {account: found.count(account) for account in (1, 2, 3)}

    @invariant()
    def nothing_dangles(self) -> None:
        check(self.context.world.apps["todoist"])

    @invariant()
    def order_and_completion_are_the_models(self) -> None:
        shown = done(self.context, "todoist__show_sections", project_id=1)["sections"]
        assert [one["section_id"] for one in shown] == self.sections_in_order
        tasks = rows(self.context, "tasks")
        for section, order in self.tasks_in_order.items():
            assert [tasks[key]["order_index"] for key in order] == list(range(len(order)))
            assert all((tasks[key]["project"], tasks[key]["section"]) == (1, section) for key in order)
        assert {key: row["is_completed"] for key, row in tasks.items() if row["project"] == 1} == self.completed
        subs = rows(self.context, "sub_tasks")
        for task, expected in self.subs.items():
            found = {key: row["is_completed"] for key, row in subs.items() if row["task"] == task}
            assert found == expected

    @invariant()
    def links_comments_and_counts_are_the_models(self) -> None:
        links = {(row["task"], row["label"]) for row in rows(self.context, "task_labels").values()}
        assert links - {(7, 2)} == self.links
        comments = {key: row["author"] for key, row in rows(self.context, "task_comments").items()}
        assert {key: author for key, author in comments.items() if key not in (3, 4)} == self.author
        counted = done(self.context, "todoist__show_notifications_count")["count"]
        assert counted == self.notified()[self.me]

    @invariant()
    def other_projects_are_as_they_were(self) -> None:
        assert {name: self.others(name) for name in self.secret} == self.secret


TestTodoistMachine = TodoistMachine.TestCase
TestTodoistMachine.settings = settings(max_examples=40, stateful_step_count=30)
