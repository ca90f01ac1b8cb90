"""Pydantic models of task.yaml and of a persona's lasting wishes (wishes/*.yaml); docs/authoring.md explains them.

Strings may be templates (`pi_gym.templates`) where the comment of a field says so; they are checked again, with their
values, when a variant is made.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import Field, RootModel, field_validator, model_validator

from pi_gym.errors import unknown
from pi_gym.schema.specs import DrawSpec, Name, ParamSpec, Slug, Spec, TaskId, TriggerSpec

KindName = Literal["table", "text", "mail", "list", "form", "code", "entries", "rows", "reply"]
Tag = Literal["far", "overruled", "pattern", "buried", "conditional", "conflict", "restraint", "beyond", "costly"]
KINDS: tuple[str, ...] = get_args(KindName)
TAGS: tuple[str, ...] = get_args(Tag)
PLACES = ("file", "new_file", "one_new_file", "new_files", "rows", "sent", "reply")


class RowsSpec(Spec):
    """Rows of an app's table.

    Args:
        app, table: which.
        where: conditions by column that select rows (VALUE predicates, templates).
        state: which rows, against the session's start.
    """

    app: Name
    table: Name
    where: dict[Name, Any] = Field(default_factory=dict)
    state: Literal["created", "updated", "deleted", "changed"] = "changed"


class SentSpec(Spec):
    """Texts and mails that the session sent, from whichever app.

    Args:
        to: parts of addresses and numbers, of which each goes to one at least (templates); empty: to anybody.
        but: addresses and numbers to which none of them goes (templates).
        where: demands that each meets (templates); what does not meet them is no part of the result.
        unless: demands that none of them meets, such as the number of another matter.
    """

    to: list[str] = Field(default_factory=list)
    but: list[str] = Field(default_factory=list)
    where: dict[Name, Any] = Field(default_factory=dict)
    unless: dict[Name, Any] = Field(default_factory=dict)

    @field_validator("to", "but", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


class NewFileSpec(Spec):
    """The one new file of a folder, or all new files of it.

    Args:
        folder: the folder (template); `in` in YAML.
        but: names of files that do not count (templates): other results, say.
        named: a glob that its name matches (template).
    """

    folder: str = Field(alias="in")
    but: list[str] = Field(default_factory=list)
    named: str = "*"

    @field_validator("but", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


class ResultSpec(Spec):
    """A result that is handed in: exactly one place, its kind, and the least that makes it this deliverable.

    Args:
        file: a file that is there and is changed (template); `new_file` one that is not there yet.
        one_new_file: the one new file of a folder, whatever it is called; `new_files` all of them.
        rows: rows of an app.
        sent: texts and mails to people.
        reply: what is said to the user (`true`).
        kind: which facets it has; `as` in YAML.
        optional: some wish leaves it out, so that it has no item of its own.
        sound: by facet, what must be right before any wish counts (templates).
        key: columns by which its rows are told apart; the first column of a table, the id of an app's row without it.
        things: what it may speak of, by key: the names of each (template).
        template: a file that gives its content, for text that `right` does not give itself.
    """

    file: str | None = None
    new_file: str | None = None
    one_new_file: NewFileSpec | None = None
    new_files: NewFileSpec | None = None
    rows: RowsSpec | None = None
    sent: SentSpec | None = None
    reply: bool = False
    kind: KindName = Field(alias="as")
    optional: bool = False
    sound: dict[Name, Any] | list[Name] | Name = Field(default_factory=dict)
    key: list[str] = Field(default_factory=list)
    things: Any = None
    template: str | None = None

    @field_validator("key", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_place(self) -> ResultSpec:
        named = [name for name in PLACES if getattr(self, name)]
        if len(named) != 1:
            raise ValueError(f"expected exactly one of {', '.join(PLACES)}; got {', '.join(named) or 'none'}")
        fits = {"rows": ("rows", "mail"), "sent": ("mail",), "reply": ("reply",), "new_files": ("entries",)}
        if self.kind not in fits.get(named[0], ("table", "text", "mail", "list", "form", "code", "entries")):
            raise ValueError(f"{named[0]} cannot be read as {self.kind}")
        return self


class ToldSpec(Spec):
    """The place where a wish can be known without asking: a sentence that stands there (templates).

    Args:
        file: the file that holds it.
        app: the app that holds it, with `table`, `column` and optionally `where`, instead of a file.
        sentence: what stands there.
    """

    file: str | None = None
    app: Name | None = None
    table: Name | None = None
    column: Name | None = None
    where: dict[Name, Any] = Field(default_factory=dict)
    sentence: str

    @model_validator(mode="after")
    def _one_place(self) -> ToldSpec:
        if (self.file is None) == (self.app is None):
            raise ValueError("expected either file or app: the place that tells it")
        if self.app is not None and (self.table is None or self.column is None):
            raise ValueError("app needs table and column: what tells it there")
        if self.app is None and (self.table or self.column or self.where):
            raise ValueError("table, column and where belong to an app")
        return self


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, dict | str) else value


class WishSpec(Spec):
    """A wish: something that the person wants and has not said.

    Args:
        name: unique in the task; that of the lasting wish, where it uses one.
        use: a lasting wish of the persona, by the name of its file; its texts hold where the task has none of its own.
        wish: the wish as a sentence (template).
        always: drawn in every variant.
        values: what it can be, each in her words; drawn per variant, `it` in templates. Without them it holds or not.
        holds: by result, the facets that it governs with what they take (templates); a facet's name alone takes the
            wish's value. `{check: NAME}` is a function of right.py, `{predicate: PREDICATE}` what no facet says.
        told: where it can be known without asking; nowhere: then only she knows.
        told_in: the earlier session in which she said it.
        says: what she says to state it (template).
        undrawn: what she says when asked for it where this world does not hold it (template).
        declines: `undrawn` is a plain no: once she has said it, to do it all the same fails the guard.
        corrects: what she says to a wrong assumption (template); what she `says` without it.
        after: not brought up before this predicate holds.
        before: too late for it once this predicate holds.
        tags: what makes it hard.
    """

    name: Slug | None = None
    use: Slug | None = None
    wish: str = ""
    always: bool = False
    values: dict[str | int | bool, str | list[str]] = Field(default_factory=dict)
    holds: dict[Name, Any]
    told: list[ToldSpec] = Field(default_factory=list)
    told_in: TaskId | None = None
    says: str = ""
    undrawn: str = ""
    declines: bool = False
    corrects: str = ""
    after: Any = None
    before: Any = None
    tags: list[Tag] = Field(default_factory=list)

    @field_validator("told", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return _listed(value)

    @model_validator(mode="after")
    def _whole(self) -> WishSpec:
        if self.name is None and self.use is None:
            raise ValueError("expected name, or use: a lasting wish of the persona")
        if self.use is not None and self.values:
            raise ValueError(f"the values stand in wishes/{self.use}.yaml")
        if self.use is None and not (self.wish and self.says):
            raise ValueError("expected wish (a sentence) and says (what she says to state it)")
        if self.told_in is not None and self.use is None:
            raise ValueError("told_in needs use: what an earlier session told is a lasting wish")
        if not self.holds:
            raise ValueError("holds: expected a result, check or predicate: what the wish governs")
        if self.declines and (self.always or not self.undrawn):
            raise ValueError("declines needs undrawn, the words that decline it, and a wish that is not always drawn")
        return self

    @property
    def label(self) -> str:
        """Its name in the task."""
        return self.name or self.use or ""


class LastingWishSpec(Spec):
    """wishes/NAME.yaml: a wish that lasts over sessions.

    Args:
        choices: what it can be, each in her words; drawn once per variant, `it` in templates is the words.
        wish: the wish as a sentence (template).
        first: what she says in the session in which it is settled (template); later ones find this very sentence.
        again: what she says later (template).
        undrawn: as of a wish.
    """

    choices: dict[str | int | bool, str | list[str]] = Field(min_length=2)
    wish: str
    first: str
    again: str
    undrawn: str = ""


class AnswerSpec(Spec):
    """A fact that a good assistant may ask about, or a permission, with her answer.

    Args:
        topic: its name in questions.yaml.
        says: what she answers (template).
        permission: it is asked whether something may be done.
    """

    topic: Slug
    says: str
    permission: bool = False


class QuestionsSpec(Spec):
    """That questions are costly in this session.

    Args:
        budget: how many asking clauses she answers.
        told: the file that says so; "request" where she says it there.
    """

    budget: int = Field(ge=1)
    told: str


class SolutionStepSpec(Spec):
    """One step of the model solution; exactly one of its forms, `when` beside it (template expression).

    Args:
        read: files and folders that are read.
        log_in: apps that are signed in to, with the persona's accounts.
        write: results that are handed in as they are right for what is known by now.
        ask: `undecided`: all wishes that only she knows are asked for, in one message around these words (template).
        calls: tool calls as they are: `tool`, and the arguments beside it (templates); with `each: {ARGUMENT: [..]}`
            one call for every value of that argument, with `each: [{..}, ..]` one for each of these arguments.
        do: a function of right.py that gives calls.
        reply: what is said (template).
    """

    when: Any = True
    read: list[str] | None = None
    log_in: list[Name] | None = None
    write: list[Name] | None = None
    ask: Any = None
    calls: list[dict[str, Any]] | None = None
    do: Name | None = None
    reply: Any = None

    @model_validator(mode="after")
    def _one(self) -> SolutionStepSpec:
        forms = ("read", "write", "ask", "calls", "do", "log_in", "reply")
        named = [name for name in forms if getattr(self, name) is not None]
        if len(named) != 1:
            raise ValueError(f"expected exactly one of {', '.join(forms)}; got {', '.join(named) or 'none'}")
        for call in self.calls or []:
            if not isinstance(call.get("tool"), str):
                raise ValueError("every call needs a tool (a name), with the arguments beside it")
            each = call.get("each", "")
            lists = each.values() if isinstance(each, dict) else [each]
            if not all(isinstance(one, list | str) for one in lists):
                raise ValueError(
                    "each: expected an argument with its values, `{thread_id: [1, 2]}`, or a list of arguments"
                )
        return self


class ItemSpec(Spec):
    """A checklist item beside those of results and wishes.

    Args:
        name: unique in the task.
        criterion: what must be true (template).
        holds: as of a wish.
        needs: the wishes that must be drawn for it to exist; `for` in YAML.
        requires: makes it a guard: it passes only together with that item.
    """

    name: Slug
    criterion: str
    holds: dict[Name, Any] = Field(min_length=1)
    needs: list[Slug] = Field(default_factory=list, alias="for")
    requires: Slug | None = None


class WaySpec(Spec):
    """Another way through the session, right or wrong, as changes to the model solution.

    Args:
        when: wishes that this world must hold, each with the values that it must have one of (a list of names: any).
        believing: what somebody takes wishes for without asking; null: thinks nothing of them.
        replace: texts in what is written and said, each with what stands there instead (templates). Each stands there.
        add: steps before the last reply: `calls` or `reply`.
        misses: the wishes that are not met then; all other drawn ones are.
        fails: the items that fail then, beside those of the wishes that are not met.
        may_fail: items of which either is right.
    """

    when: dict[Slug, list[Any]] | list[Slug] = Field(default_factory=dict)
    believing: dict[Slug, Any] = Field(default_factory=dict)
    replace: dict[str, str] = Field(default_factory=dict)
    add: list[dict[Literal["calls", "reply"], Any]] = Field(default_factory=list)
    misses: list[Slug] = Field(default_factory=list)
    fails: list[Slug] = Field(default_factory=list)
    may_fail: list[Slug] = Field(default_factory=list)

    @model_validator(mode="after")
    def _changes_something(self) -> WaySpec:
        if not (self.believing or self.replace or self.add):
            raise ValueError("expected believing, replace or add: what is done otherwise than in the model solution")
        return self


class WaysSpec(RootModel[dict[str, WaySpec]]):
    """ways.yaml: other ways through the session by what somebody does, in words."""


class TaskRowsSpec(RootModel[dict[Name, Any]]):
    """apps/APP.yaml: the rows that the task adds or changes, by table (templates)."""


class TaskSpec(Spec):
    """task.yaml: one session, as a template.

    Args:
        title: a line for lists.
        category: the letter of its kind of work.
        group: of sessions that rest on one another.
        time: ISO date and time of the opening (template).
        request: what the person writes (template).
        params: open values that are drawn per variant (`p.<name>`).
        files: files of the pack's folder files/ that it brings, by their paths in the workspace.
        draw: how many wishes a variant holds.
        results: what is handed in, by name.
        may_change: what may differ at the end beside the results: globs of files, `{file, keeps}` where a share of the
            lines of each must stay, and apps with their tables and the kinds of change.
        wishes: the pool.
        answers: what may be asked beside.
        solution: the model solution.
    """

    title: str
    category: Annotated[str, Field(pattern=r"^[A-R]$")]
    group: Slug | None = None
    holdout: bool = False
    time: str
    trigger: TriggerSpec = Field(default_factory=TriggerSpec)
    request: str
    needs: list[Literal["exec"]] = Field(default_factory=list)
    tools: list[str] = Field(default_factory=list)
    skills: list[str] = Field(default_factory=list)
    reminders: list[TaskId] = Field(default_factory=list)
    params: dict[Name, ParamSpec] = Field(default_factory=dict)
    files: list[str] = Field(default_factory=list)
    draw: DrawSpec
    results: dict[Name, ResultSpec] = Field(default_factory=dict)
    may_change: list[Any] = Field(default_factory=list)
    wishes: list[WishSpec] = Field(min_length=1)
    answers: list[AnswerSpec] = Field(default_factory=list)
    questions: QuestionsSpec | None = None
    checklist: list[ItemSpec] = Field(default_factory=list)
    solution: list[SolutionStepSpec] = Field(default_factory=list)

    @model_validator(mode="after")
    def _fits_together(self) -> TaskSpec:
        names = [one.label for one in self.wishes]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"the wish {twice[0]!r} stands twice")
        always = sum(one.always for one in self.wishes)
        if self.draw.max + 2 > len(names):
            raise ValueError(f"draw.max is {self.draw.max}; the pool of {len(names)} must be at least two larger")
        if always > self.draw.min:
            raise ValueError(f"{always} wishes are always drawn, but draw.min is {self.draw.min}")
        self._check_results()
        self._check_items(names)
        return self

    def _check_results(self) -> None:
        held = [(wish.label, wish.holds) for wish in self.wishes] + [(item.name, item.holds) for item in self.checklist]
        for name, holds in held:
            for result in holds:
                if result not in (*self.results, "check", "predicate"):
                    raise ValueError(f"{name}: holds: {unknown('result', result, self.results)}")
        said = [name for name, result in self.results.items() if result.reply]
        for wish in self.wishes:
            if wish.declines and not wish.holds.keys().isdisjoint(said):
                raise ValueError(f"{wish.label}: declines: what was said to the user before cannot be unsaid")
        for index, step in enumerate(self.solution):
            for result in step.write or ():
                if result not in self.results:
                    raise ValueError(f"solution[{index}].write: {unknown('result', result, self.results)}")
        for name in ("check", "predicate"):
            if name in self.results:
                raise ValueError(f"results: {name!r} is what else can stand in holds; call the result otherwise")

    def _check_items(self, wishes: list[str]) -> None:
        derived = [
            *(f"{name}-sound" for name, result in self.results.items() if result.sound and not result.optional),
            *wishes,
            "nothing-else",
        ]
        names = [*derived, *(item.name for item in self.checklist)]
        for item in self.checklist:
            if names.count(item.name) > 1:
                raise ValueError(f"the item {item.name!r} stands twice; a result's, a wish's and the guard count too")
            for needed in item.needs:
                if needed not in wishes:
                    raise ValueError(f"checklist item {item.name!r}: for: {unknown('wish', needed, wishes)}")
            if item.requires is not None and item.requires not in names:
                raise ValueError(f"checklist item {item.name!r}: requires: {unknown('item', item.requires, names)}")
