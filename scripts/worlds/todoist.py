"""The seed world of Todoist: what was planned by hand, what comes back, and who was told of it."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from pi_gym.apps.todoist.notifications import told
from pi_gym.seeding import Stream

Row = dict[str, Any]
NORA, KEPT = 1, 60
# Where tasks of the day stand: things are made in the morning, talked about at noon and done in the evening.
MADE, SAID, DONE = (7, 10), (11, 16), (17, 21)


def tables(
    seeds: Mapping[str, Any], people: Mapping[str, Mapping[str, Any]], life: Mapping[str, Any], stream: Stream
) -> dict[str, list[Row]]:
    """The tables of the app.

    Args:
        seeds: the content of seeds/todoist.yaml.
        people: by key, from seeds/people.yaml.
        life: from seeds/life.yaml, for what the meter says; the tasks have their own dates.
        stream: for everything that is drawn.
    """
    return _World(seeds, people, life["meter"], stream).tables()


class _World:
    """The tables while they are filled.

    Args:
        seeds: the content of seeds/todoist.yaml.
        people: by key.
        meter: what the flat's meter says, by day.
        stream: for everything that is drawn.
    """

    def __init__(
        self,
        seeds: Mapping[str, Any],
        people: Mapping[str, Mapping[str, Any]],
        meter: Mapping[str, int],
        stream: Stream,
    ) -> None:
        self.seeds, self.people, self.meter, self.stream = seeds, people, meter, stream
        self.ids = {key: number for number, key in enumerate(seeds["accounts"], start=1)}
        self.labels: list[Row] = []
        self.projects: list[Row] = []
        self.sections: list[Row] = []
        self.tasks: list[Row] = []
        self.sub_tasks: list[Row] = []
        self.links: list[Row] = []
        self.comments: list[Row] = []
        self.files: list[Row] = []
        self.notifications: list[Row] = []
        self.remarks: dict[tuple[str, str | None, str], list[str]] = {}

    def tables(self) -> dict[str, list[Row]]:
        """All of them, each by id."""
        for key, labels in self.seeds["labels"].items():
            for label in labels:
                at = self._moment(date.fromisoformat(self.seeds["from"]), "label", label["name"], MADE)
                self._add(self.labels, account=self.ids[key], **label, created_at=at)
        for project in self.seeds["projects"]:
            self._project(project)
        return {
            "accounts": self._accounts(),
            "projects": self.projects,
            "sections": self.sections,
            "tasks": self.tasks,
            "sub_tasks": self.sub_tasks,
            "labels": self.labels,
            "task_labels": self.links,
            "task_comments": self.comments,
            "attachments": self.files,
            "notifications": self._told(),
        }

    def _accounts(self) -> list[Row]:
        names = ("first_name", "last_name", "email", "phone_number")
        return [
            {"id": self.ids[key], **{name: self.people[key][name] for name in names}, "password": password}
            for key, password in self.seeds["accounts"].items()
        ]

    def _project(self, project: Mapping[str, Any]) -> None:
        made = self._moment(date.fromisoformat(project["made"]), "project", project["key"], (6, 6))
        key = self._add(
            self.projects,
            name=project["name"],
            color=project["color"],
            description=project["about"],
            owner=self.ids[project.get("owner", "nora")],
            members=[self.ids[one] for one in project["members"]],
            favorite_of=[self.ids[one] for one in project.get("favorite_of", [])],
            is_archived=project.get("archived", False),
            created_at=made,
        )
        groups = [{"name": None, "tasks": project.get("tasks", [])}, *project["sections"]]
        for place, group in enumerate(groups, start=-1):
            section = None
            if group["name"] is not None:
                section = self._add(
                    self.sections, project=key, name=group["name"], order_index=place, created_at=made
                )  # fmt: skip
            listed = [*group["tasks"], *self._routines(project, group["name"])]
            listed.sort(key=lambda task: str(task["dates"][0]))
            for order, task in enumerate(listed):
                self._task(project, key, section, order, task)

    def _routines(self, project: Mapping[str, Any], section: str | None) -> Iterator[Row]:
        last = date.fromisoformat(self.seeds["to"])
        for plan in self.seeds["routines"]:
            if (plan["project"], plan["section"]) != (project["key"], section):
                continue
            until = date.fromisoformat(plan.get("last", "2026-06-30"))
            for number, (day, title) in enumerate(zip(_days(plan, until), plan["titles"], strict=False)):
                own = self.stream.child("routine", project["key"], title)
                made = max(day - timedelta(days=plan["before"]), date.fromisoformat(project["made"]))
                if made > last:
                    return
                done: date | None = day + timedelta(days=own.integer(0, 3) if own.integer(1, 6) == 1 else 0)
                if done > last:
                    done = None
                said = self._remarks(plan, own, done)
                if plan.get("meter") and done:
                    said = [[done.isoformat(), "nora", f"{self.meter[day.isoformat()]}, sent."]]
                due = f"{day.isoformat()}T{plan['at']}" if "at" in plan else day
                task = {"title": title, "dates": [made, due, done], "said": said}
                if "to" in plan:
                    task["to"] = plan["to"] if isinstance(plan["to"], str) else plan["to"][number % len(plan["to"])]
                yield task | {name: plan[name] for name in ("labels", "duration", "priority") if name in plan}

    def _remarks(self, plan: Mapping[str, Any], own: Stream, done: date | None) -> list[list[str]]:
        said = plan.get("said")
        if not said or done is None or own.integer(1, 10) > said["in_ten"]:
            return []
        who = own.choice(said.get("who", ["nora"]))
        # Each remark is made once, as long as there are any left.
        left = self.remarks.setdefault(
            (plan["project"], plan["section"], plan["titles"][0]), own.shuffled(said["texts"])
        )
        return [[done.isoformat(), who, left.pop()]] if left else []

    def _task(
        self, project: Mapping[str, Any], project_id: int, section: int | None, order: int, task: Mapping[str, Any]
    ) -> None:
        made, due, done = (_text(one) for one in task["dates"])
        title, owner = task["title"], project.get("owner", "nora")
        creator = task.get("by", owner)
        created = self._moment(date.fromisoformat(str(made)), "made", title, MADE)
        completed = self._moment(date.fromisoformat(done), "done", title, DONE) if done else None
        long, unit = task.get("duration", (None, None))
        assignee = self.ids[task["to"]] if "to" in task else None
        key = self._add(
            self.tasks,
            project=project_id,
            section=section,
            title=title,
            description=task.get("text", ""),
            due_date=f"{due}:00" if due and "T" in due else due,
            duration=None if long is None else float(long),
            duration_unit=unit,
            priority=task.get("priority", "low"),
            order_index=order,
            is_completed=bool(done),
            completed_at=completed,
            creator=self.ids[creator],
            assignee=assignee,
            assigner=None if assignee is None else self.ids[creator],
            created_at=created,
        )
        self._sub_tasks(key, task, created, completed)
        for name in task.get("labels", []):
            label = next(
                one["id"] for one in self.labels if (one["account"], one["name"]) == (self.ids[owner], name)
            )  # fmt: skip
            self._add(self.links, task=key, label=label)
        if "to" in task:
            self._notify([task["to"]], creator, "assigned", key, title, created)
        self._said(project, key, task)
        if done and creator in project["members"] and task.get("to", creator) != creator:
            self._notify([creator], task["to"], "completed", key, title, str(completed))
        if due and not done and due[:10] <= self.seeds["to"]:
            at = f"{due[:10]}T07:00:00"
            self._add(
                self.notifications, account=assignee or self.ids[creator], kind="due",
                message=f"{title!r} is due today.", task=key, created_at=at,
            )  # fmt: skip

    def _sub_tasks(self, key: int, task: Mapping[str, Any], created: str, completed: str | None) -> None:
        for order, one in enumerate(task.get("sub", [])):
            sub = {"title": one} if isinstance(one, str) else one
            own = self._moment(date.fromisoformat(sub["done"]), "sub", sub["title"], DONE) if "done" in sub else None
            self._add(
                self.sub_tasks,
                task=key,
                title=sub["title"],
                description="",
                due_date=sub.get("due"),
                priority="low",
                order_index=order,
                is_completed=bool(completed or own),
                completed_at=own or completed,
                created_at=created,
            )

    def _said(self, project: Mapping[str, Any], key: int, task: Mapping[str, Any]) -> None:
        moments = sorted(
            self._moment(date.fromisoformat(day), "said", f"{task['title']} {number}", SAID)
            for number, (day, *_) in enumerate(task.get("said", []))
        )
        for at, (_, who, text, *files) in zip(moments, task.get("said", []), strict=True):
            comment = self._add(
                self.comments, task=key, author=self.ids[who], content=text, created_at=at, updated_at=None
            )  # fmt: skip
            for file in files:
                self._add(
                    self.files, record=comment, file_name=file["name"], bytes=len(file["text"].encode()),
                    text=file["text"],
                )  # fmt: skip
            self._notify(project["members"], who, "comment", key, task["title"], at, text)

    def _notify(
        self, accounts: list[str], by: str, kind: Any, task: int, title: str, at: str, quoted: str = ""
    ) -> None:
        name = f"{self.people[by]['first_name']} {self.people[by]['last_name']}"
        for one in accounts:
            if one != by:
                self._add(
                    self.notifications, account=self.ids[one], kind=kind, message=told(name, kind, title, quoted),
                    task=task, created_at=at,
                )  # fmt: skip

    def _told(self) -> list[Row]:
        """Nora's last notifications and the last few of the others; what is older was deleted."""
        self.notifications.sort(key=lambda row: (row["created_at"], row["id"]))
        kept: list[Row] = []
        for account in self.ids.values():
            own = [row for row in self.notifications if row["account"] == account]
            kept += own[-KEPT:] if account == NORA else own[-6:]
        kept.sort(key=lambda row: (row["created_at"], row["id"]))
        unread = f"{(date.fromisoformat(self.seeds['to']) - timedelta(days=4)).isoformat()}T00:00:00"
        return [
            {"id": number, **{name: row[name] for name in ("account", "kind", "message", "task")},
             "is_read": row["created_at"] < unread, "created_at": row["created_at"]}
            for number, row in enumerate(kept, start=1)
        ]  # fmt: skip

    def _moment(self, day: date, purpose: str, name: str, hours: tuple[int, int]) -> str:
        own = self.stream.child(purpose, name, day.isoformat())
        return f"{day.isoformat()}T{own.integer(*hours):02d}:{own.integer(0, 59):02d}:{own.integer(0, 59):02d}"

    @staticmethod
    def _add(table: list[Row], **row: Any) -> int:
        table.append({"id": len(table) + 1, **row})
        return len(table)


def _days(plan: Mapping[str, Any], last: date) -> Iterator[date]:
    """The days on which something comes back: given ones, the last days of some months, or every so many days."""
    if "dates" in plan:
        yield from (date.fromisoformat(day) for day in plan["dates"])
        return
    day = date.fromisoformat(plan["first"])
    while day <= last:
        if day.isoformat() not in plan.get("skip", []):
            yield day
        if "months" in plan:
            month = day.replace(day=1)
            while (month := (month + timedelta(days=32)).replace(day=1)).month not in plan["months"]:
                pass
            day = month.replace(day=monthrange(month.year, month.month)[1])
        else:
            day += timedelta(days=plan["every_days"])


def _text(when: Any) -> str | None:
    return when.isoformat() if isinstance(when, date) else when
