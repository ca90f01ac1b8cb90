"""The seed world of Todoist: what was planned by hand, what comes back, and who was told of it."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, model_validator

from pi_gym.apps.todoist.notifications import told
from pi_gym.authoring.worlds.circle import Circle, stream_of
from pi_gym.authoring.worlds.seed_rows import Day, Known, Row, Tables, fill, moment, text_file
from pi_gym.schema.specs import Spec
from pi_gym.seeding import Stream

#: The numbers of notifications that the person and each of the others keep, and the days that they stay unread.
KEPT, OTHERS_KEPT, UNREAD_DAYS = 60, 6, 4
#: A routine without a last day ends so many days after the last day of life.yaml.
AHEAD_DAYS = 365
# Where tasks of the day stand: things are made in the morning, talked about at noon and done in the evening.
MADE, SAID, DONE = (7, 10), (11, 16), (17, 21)
Priority = Literal["low", "medium", "high"]
Duration = tuple[int, str]


class LabelSeed(Spec):
    """A label of somebody."""

    name: str
    color: str


class FileSeed(Spec):
    """A text attached to a comment."""

    name: str
    text: str


class RemarkSeed(NamedTuple):
    """A comment on a task: when, by whom, the text, and a file."""

    date: Day
    who: str
    text: str
    file: FileSeed | None = None


class SubTaskSeed(Spec):
    """A sub-task; done with its task unless it has a day of its own."""

    title: str
    done: Day | None = None
    due: Day | None = None


class TodoSeed(Spec):
    """A task.

    Args:
        title: what is to be done.
        dates: when it was made, when it is due (with a time, perhaps), when it was done; null where it is not.
        text: the description.
        by: who made it; the project's owner where left out.
        to: who is to do it.
        labels: names of labels of the project's owner.
        priority: how urgent it is.
        duration: how long it takes, with the unit.
        sub: sub-tasks, by title where that is all.
        said: comments as [day, who, text], some with a file behind.
    """

    title: str
    dates: tuple[Day, str | None, Day | None]
    text: str = ""
    by: str | None = None
    to: str | None = None
    labels: list[str] = Field(default_factory=list)
    priority: Priority = "low"
    duration: Duration | None = None
    sub: list[str | SubTaskSeed] = Field(default_factory=list)
    said: list[RemarkSeed] = Field(default_factory=list)


class SectionSeed(Spec):
    """A section of a project."""

    name: str
    tasks: list[TodoSeed] = Field(default_factory=list)


class ProjectSeed(Spec):
    """A project.

    Args:
        key: its name for routines.
        name: its name in the app.
        color: of the app's colours.
        about: the description.
        made: when.
        owner: whose it is; the person's where left out.
        members: everybody in it.
        favorite_of: whose favourite it is.
        archived: whether it is put away.
        tasks: those of no section.
        sections: the others.
    """

    key: str
    name: str
    color: str
    about: str
    made: Day
    owner: str | None = None
    members: list[str]
    favorite_of: list[str] = Field(default_factory=list)
    archived: bool = False
    tasks: list[TodoSeed] = Field(default_factory=list)
    sections: list[SectionSeed] = Field(default_factory=list)


class RemarksSeed(Spec):
    """Comments on done tasks of a routine: on so many of ten, by one of `who`, the person where left out."""

    in_ten: int = Field(ge=0, le=10)
    texts: list[str]
    who: list[str] | None = None


class TaskRoutineSeed(Spec):
    """Tasks that come back, one for each title, as long as there are days.

    Args:
        project: its project's key.
        section: the section's name, or null.
        first: the first day on which one is due.
        last: the last one.
        every_days: how many lie between two.
        months: instead, the last days of these months.
        dates: instead, these days.
        skip: days without one.
        before: how many days ahead it is written down.
        at: the time of the day at which it is due.
        titles: what is to be done, one after the other.
        to: who is to do it, one of several in turn.
        labels: names of labels of the project's owner.
        duration: how long it takes, with the unit.
        priority: how urgent it is.
        said: comments on it.
        meter: instead, the comment with what life.yaml's meter says that day; {reading} is filled in.
    """

    project: str
    section: str | None
    first: Day | None = None
    last: Day | None = None
    every_days: int | None = Field(default=None, ge=1)
    months: list[Annotated[int, Field(ge=1, le=12)]] | None = Field(default=None, min_length=1)
    dates: list[Day] | None = None
    skip: list[Day] = Field(default_factory=list)
    before: int = Field(ge=0)
    at: str | None = None
    titles: list[str]
    to: str | list[str] | None = None
    labels: list[str] = Field(default_factory=list)
    duration: Duration | None = None
    priority: Priority = "low"
    said: RemarksSeed | None = None
    meter: str | None = None

    @model_validator(mode="after")
    def _one_rhythm(self) -> TaskRoutineSeed:
        rhythms = [name for name in ("every_days", "months", "dates") if getattr(self, name) is not None]
        if len(rhythms) != 1:
            raise ValueError(f"expected exactly one of every_days, months, dates; got {', '.join(rhythms) or 'none'}")
        if self.dates is None and self.first is None:
            raise ValueError("expected first, the first day on which one is due")
        return self


class TodoistSeeds(Spec):
    """todoist.yaml.

    Args:
        accounts: passwords by person; nobody else has an account.
        labels: everybody's labels.
        projects: the projects of all.
        routines: tasks that come back.
    """

    accounts: dict[str, str]
    labels: dict[str, list[LabelSeed]] = Field(default_factory=dict)
    projects: list[ProjectSeed] = Field(default_factory=list)
    routines: list[TaskRoutineSeed] = Field(default_factory=list)


def person_tables(circle: Circle) -> Tables:
    """The tables of a person's world."""
    return _Planner(circle.seeds(TodoistSeeds, "todoist"), circle, stream_of("todoist")).tables()


class _Planner:
    """The tables while they are filled.

    Args:
        seeds: what is to be in them.
        circle: the people.
        stream: for everything that is drawn.
    """

    def __init__(self, seeds: TodoistSeeds, circle: Circle, stream: Stream) -> None:
        self.seeds, self.circle, self.stream = seeds, circle, stream
        self.ids = circle.numbers(seeds.accounts)
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

    def tables(self) -> Tables:
        """All of them, each by id."""
        for key, labels in self.seeds.labels.items():
            for label in labels:
                at = self._moment(self.circle.life.begin, "label", label.name, MADE)
                self._add(self.labels, account=self.ids[key], **label.model_dump(), created_at=at)
        for project in self.seeds.projects:
            self._project(project)
        return {
            "accounts": self.circle.accounts(self.seeds.accounts),
            "projects": self.projects,
            "sections": self.sections,
            "tasks": self.tasks,
            "sub_tasks": self.sub_tasks,
            "labels": self.labels,
            "task_labels": self.links,
            "task_comments": self.comments,
            "attachments": self.files,
            "notifications": self._last_notifications(),
        }

    def _project(self, project: ProjectSeed) -> None:
        made = self._moment(project.made, "project", project.key, (6, 6))
        key = self._add(
            self.projects,
            name=project.name,
            color=project.color,
            description=project.about,
            owner=self.ids[project.owner or self.circle.owner],
            members=[self.ids[one] for one in project.members],
            favorite_of=[self.ids[one] for one in project.favorite_of],
            is_archived=project.archived,
            created_at=made,
        )
        groups = [(None, project.tasks), *((one.name, one.tasks) for one in project.sections)]
        for place, (name, tasks) in enumerate(groups, start=-1):
            section = None
            if name is not None:
                section = self._add(self.sections, project=key, name=name, order_index=place, created_at=made)
            listed = sorted([*tasks, *self._routines(project, name)], key=lambda task: task.dates[0])
            for order, task in enumerate(listed):
                self._task(project, key, section, order, task)

    def _routines(self, project: ProjectSeed, section: str | None) -> Iterator[TodoSeed]:
        last = date.fromisoformat(self.circle.life.end)
        for plan in self.seeds.routines:
            if (plan.project, plan.section) != (project.key, section):
                continue
            until = date.fromisoformat(plan.last) if plan.last else last + timedelta(days=AHEAD_DAYS)
            for number, (day, title) in enumerate(zip(_days(plan, until), plan.titles, strict=False)):
                own = self.stream.child("routine", project.key, title)
                made = max(day - timedelta(days=plan.before), date.fromisoformat(project.made))
                if made > last:
                    break
                done: date | None = day + timedelta(days=own.integer(0, 3) if own.integer(1, 6) == 1 else 0)
                if done and done > last:
                    done = None
                due = f"{day.isoformat()}T{plan.at}" if plan.at else day.isoformat()
                yield TodoSeed(
                    title=title,
                    dates=(made.isoformat(), due, done.isoformat() if done else None),
                    to=plan.to if plan.to is None or isinstance(plan.to, str) else plan.to[number % len(plan.to)],
                    labels=plan.labels,
                    duration=plan.duration,
                    priority=plan.priority,
                    said=self._remarks(plan, own, day, done.isoformat()) if done else [],
                )

    def _remarks(self, plan: TaskRoutineSeed, own: Stream, day: date, done: str) -> list[RemarkSeed]:
        if plan.meter:
            meter = Known("day of life.yaml's meter", self.circle.life.meter)
            return [RemarkSeed(done, self.circle.owner, fill(plan.meter, {"reading": meter[day.isoformat()]}))]
        if not plan.said or own.integer(1, 10) > plan.said.in_ten:
            return []
        who = own.choice(plan.said.who or [self.circle.owner])
        # Each remark is made once, as long as there are any left.
        left = self.remarks.setdefault((plan.project, plan.section, plan.titles[0]), own.shuffled(plan.said.texts))
        return [RemarkSeed(done, who, left.pop())] if left else []

    def _task(self, project: ProjectSeed, project_id: int, section: int | None, order: int, task: TodoSeed) -> None:
        made, due, done = task.dates
        title, owner = task.title, project.owner or self.circle.owner
        creator = task.by or owner
        created = self._moment(made, "made", title, MADE)
        completed = self._moment(done, "done", title, DONE) if done else None
        long, unit = task.duration or (None, None)
        assignee = self.ids[task.to] if task.to else None
        key = self._add(
            self.tasks,
            project=project_id,
            section=section,
            title=title,
            description=task.text,
            due_date=f"{due}:00" if due and "T" in due else due,
            duration=None if long is None else float(long),
            duration_unit=unit,
            priority=task.priority,
            order_index=order,
            is_completed=bool(done),
            completed_at=completed,
            creator=self.ids[creator],
            assignee=assignee,
            assigner=None if assignee is None else self.ids[creator],
            created_at=created,
        )
        self._sub_tasks(key, task, created, completed)
        labels = {one["name"]: one["id"] for one in self.labels if one["account"] == self.ids[owner]}
        for name in task.labels:
            self._add(self.links, task=key, label=Known(f"label of {owner}", labels)[name])
        if task.to:
            self._notify([task.to], creator, "assigned", key, title, created)
        self._comments(project, key, task)
        if completed and creator in project.members and task.to and task.to != creator:
            self._notify([creator], task.to, "completed", key, title, completed)
        if due and not done and due[:10] <= self.circle.life.end:
            at = f"{due[:10]}T07:00:00"
            self._add(
                self.notifications, account=assignee or self.ids[creator], kind="due",
                message=f"{title!r} is due today.", task=key, created_at=at,
            )  # fmt: skip

    def _sub_tasks(self, key: int, task: TodoSeed, created: str, completed: str | None) -> None:
        for order, one in enumerate(task.sub):
            sub = SubTaskSeed(title=one) if isinstance(one, str) else one
            own = self._moment(sub.done, "sub", sub.title, DONE) if sub.done else None
            self._add(
                self.sub_tasks,
                task=key,
                title=sub.title,
                description="",
                due_date=sub.due,
                priority="low",
                order_index=order,
                is_completed=bool(completed or own),
                completed_at=own or completed,
                created_at=created,
            )

    def _comments(self, project: ProjectSeed, key: int, task: TodoSeed) -> None:
        moments = sorted(
            self._moment(one.date, "said", f"{task.title} {number}", SAID) for number, one in enumerate(task.said)
        )
        for at, one in zip(moments, task.said, strict=True):
            comment = self._add(
                self.comments, task=key, author=self.ids[one.who], content=one.text, created_at=at, updated_at=None
            )
            if one.file:
                self._add(self.files, record=comment, **text_file(one.file.name, one.file.text))
            self._notify(project.members, one.who, "comment", key, task.title, at, one.text)

    def _notify(
        self, accounts: list[str], by: str, kind: Any, task: int, title: str, at: str, quoted: str = ""
    ) -> None:
        message = told(self.circle.name(by), kind, title, quoted)
        for one in accounts:
            if one != by:
                self._add(
                    self.notifications, account=self.ids[one], kind=kind, message=message, task=task, created_at=at
                )

    def _last_notifications(self) -> list[Row]:
        """The last notifications of each; what is older was deleted."""
        self.notifications.sort(key=lambda row: (row["created_at"], row["id"]))
        kept: list[Row] = []
        for key, account in self.ids.items():
            own = [row for row in self.notifications if row["account"] == account]
            kept += own[-KEPT:] if key == self.circle.owner else own[-OTHERS_KEPT:]
        kept.sort(key=lambda row: (row["created_at"], row["id"]))
        unread = (date.fromisoformat(self.circle.life.end) - timedelta(days=UNREAD_DAYS)).isoformat()
        return [
            {"id": number, **{name: row[name] for name in ("account", "kind", "message", "task")},
             "is_read": row["created_at"] < f"{unread}T00:00:00", "created_at": row["created_at"]}
            for number, row in enumerate(kept, start=1)
        ]  # fmt: skip

    def _moment(self, day: str, purpose: str, name: str, hours: tuple[int, int]) -> str:
        return moment(day, self.stream.child(purpose, name, day), *hours)

    @staticmethod
    def _add(table: list[Row], **row: Any) -> int:
        table.append({"id": len(table) + 1, **row})
        return len(table)


def _days(plan: TaskRoutineSeed, last: date) -> Iterator[date]:
    """The days on which something comes back."""
    if plan.dates is not None:
        yield from (date.fromisoformat(day) for day in plan.dates)
        return
    day = date.fromisoformat(plan.first or "")
    while day <= last:
        if day.isoformat() not in plan.skip:
            yield day
        if plan.months is not None:
            month = day.replace(day=1)
            while (month := (month + timedelta(days=32)).replace(day=1)).month not in plan.months:
                pass
            day = month.replace(day=monthrange(month.year, month.month)[1])
        else:
            day += timedelta(days=plan.every_days or 1)
