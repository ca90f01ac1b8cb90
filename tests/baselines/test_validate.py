"""A sound pack passes; each way of breaking it is found, and the finding says what to mend."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_gym import load_pack
from pi_gym.errors import StateMismatch, UnknownName
from pi_gym.proof import Report, validate_pack
from pi_gym.proof.report_form import CHECKS

SOUND = Path(__file__).parent / "sound"
YAML, CODE = "tasks/01-scale/task.yaml", "tasks/01-scale/right.py"
LABEL, ROWS = "tasks/02-label/task.yaml", "tasks/01-scale/apps/simple_note.yaml"
ASKED = "tasks/01-scale/questions.yaml"

ACCOUNT = "{id: 1, first_name: Ida, last_name: Lund, email: ida@notes.example, password: oven}"

STEP = "  - write: [table]\n"
WRITING = '[{tool: write_file, path: scaled.csv, content: "{{ right.table }}"}]'
WHOLE = '{predicate: {file: scaled.csv, text: {equals: "{{ right.table }}"}}}'

Edit = tuple[str, str, str]


@pytest.fixture
def broken(tmp_path: Path) -> Callable[..., Path]:
    """A copy of the sound pack with edits: (file, old, new); old must be there, "" makes a new file."""

    def make(*edits: Edit) -> Path:
        folder = tmp_path / "sound"
        shutil.copytree(SOUND, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for file, old, new in edits:
            path = folder / file
            path.parent.mkdir(exist_ok=True)
            text = path.read_text() if old else ""
            assert old in text
            path.write_text(text.replace(old, new, 1))
        return folder

    return make


@pytest.fixture(scope="module")
def sound() -> Report:
    return validate_pack(load_pack(SOUND), variants=5)


def failures(report: Report, check: str) -> list[str]:
    return [
        f"{finding.subject}: {finding.reason}"
        for task in report.tasks
        for finding in task.failures
        if finding.check == check
    ]


def test_sound_pack_passes_every_check(sound: Report) -> None:
    assert sound.ok, sound.markdown()
    for task in sound.tasks:
        assert [row.check for row in task.rows] == [name for name in CHECKS if name != "episode"]


def test_report_shows_what_was_measured(sound: Report) -> None:
    text = sound.markdown()
    assert "## 01-scale: passes" in text
    assert "| reference | ok | " in text
    assert "Proc 1; Comp 1" in text
    raw = json.loads(json.dumps(sound.to_json(), allow_nan=False))
    reference = raw["tasks"][0]["checks"][0]
    assert reference["numbers"]["Proc"] == dict.fromkeys(("low", "mean", "high", "p50", "p95"), 1.0)
    assert raw["variants"] == [0, 1, 2, 3, 4, 100000, 100001, 100002, 100003, 100004]


def test_processes_change_nothing_in_the_report(sound: Report) -> None:
    heard: list[tuple[int, int, str]] = []
    again = validate_pack(load_pack(SOUND), variants=5, jobs=2, progress=lambda *what: heard.append(what))
    assert again.to_json() == sound.to_json()
    assert heard[-1][:2] == (20, 20)


def test_tasks_can_be_chosen() -> None:
    report = validate_pack(load_pack(SOUND), ["02-label"], variants=1)
    assert [task.task_id for task in report.tasks] == ["02-label"]
    with pytest.raises(UnknownName, match="02-label"):
        validate_pack(load_pack(SOUND), ["02-lable"])


def wants(name: str, spec: str, file: str = YAML) -> Edit:
    """Lets a wish hold something else."""
    text = (SOUND / file).read_text()
    start = text.index(f": {name}\n")
    old = text[start : text.index("\n", text.index("    holds: ", start))]
    return file, old, f"{old[: old.index('    holds: ')]}    holds: {spec}"


def declining(spec: str) -> Edit:
    """Lets the oven be declined where nobody wants it, and hold something else."""
    file, old, new = wants("oven", spec)
    return file, old, f'{new}\n    undrawn: "no oven."\n    declines: true'


def own(spec: str, *, file: str = YAML, requires: str = "", count: int = 1) -> Edit:
    """Gives a task items of its own."""
    guard = f"    requires: {requires}\n" if requires else ""
    items = "".join(
        f"  - name: own-{number}\n    criterion: It is as it should be.\n    holds: {spec}\n{guard}"
        for number in range(1, count + 1)
    )
    return file, "solution:\n", f"checklist:\n{items}solution:\n"


def may_change(what: str) -> Edit:
    """Lets more change than the results."""
    return YAML, "wishes:\n", f"may_change: [{what}]\nwishes:\n"


def note(content: str) -> Edit:
    """The edit by which the task puts a note into an app."""
    row = f'{{id: 7, title: Bread, content: "{content}"}}'
    return ROWS, "", f"accounts: [{ACCOUNT}]\nnotes:\n  - {row}\n"


TOOLS: Edit = (YAML, "draw: {min", 'tools: ["simple_note__*"]\ndraw: {min')


BROKEN: dict[str, tuple[tuple[Edit, ...], str, str, str]] = {
    # name: edits, the check that must fail, the subject, a piece of the reason
    "the request states a wish": (
        ((YAML, "request: Scale the recipe", 'request: Amounts in {{ persona.unit }} and now scale the recipe'),),
        "secrecy",
        "value persona.unit",
        "the opening message would be different with persona.unit=",
    ),
    "the request recites a criterion": (
        ((YAML, "into scaled.csv.", 'into scaled.csv. What is handed in as table is there, and its core is right.'),),
        "secrecy",
        "item table-sound",
        "the opening says it word by word",
    ),
    "a record of an app tells a wish that only the user knows": (
        (note("We bake in the {{ p.oven }}."),),
        "secrecy",
        "value oven",
        "simple_note.notes 7 would be different with oven=",
    ),
    "a record of an app says a wish word by word": (
        (note(" ".join(f"The last row names the {oven} oven." for oven in ("deck", "convection", "stone"))),),
        "secrecy",
        "intent oven",
        "simple_note.notes 7 says it word by word",
    ),
    "a file tells a wish that only the user knows": (
        ((CODE, '"One loaf:\\n"', 'f"One loaf, {preferences.p.oven} oven:\\n"'),),
        "secrecy",
        "value oven",
        "recipe.txt would be different with oven=",
    ),
    "an item holds at reset": (
        (own("{predicate: {file: recipe.txt, text: {contains: loaf}}}"),),
        "untouched",
        "item own-1",
        "holds on the untouched session",
    ),
    "an intent holds at reset": (
        (wants("unit", "{predicate: {file: recipe.txt, state: unchanged}}"),),
        "untouched",
        "intent unit",
        "holds on the untouched session",
    ),
    "a guard does not hold at reset": (
        (own("{table: rows}", requires="table-sound"),),
        "untouched",
        "item own-1",
        "is no guard",
    ),
    "a file does not tell what it should": (
        ((YAML, "sentence: Whole numbers", "sentence: Two decimals"),),
        "recovery",
        "intent rounded",
        "note.txt does not match",
    ),
    "the past does not tell what it should": (
        ((LABEL, "title: A label", "title: Another label"),
         (YAML, "    always: true\n", "    always: true\n    says: \"The weights in {{ it }}\"\n")),
        "recovery",
        "intent unit",
        "memory/HISTORY.md (session 01-scale) does not match",
    ),
    "the work needs what an earlier session made": (
        (own("{predicate: {file: scaled.csv, text: {contains: ingredient}}}", file=LABEL, requires="label-sound"),),
        "recovery",
        "item own-1",
        "fails where no session came before",
    ),
    "words in a file are enough": (
        (wants("loaves", '{predicate: {file: scaled.csv, text: {contains: "{{ value }} loaves"}}}'),),
        "stuffing",
        "intent loaves",
        "stuff-deliverables completes it",
    ),
    "words in the reply are enough": (
        (wants("oven", '{predicate: {reply: {contains: "{{ it }}"}}}'),),
        "stuffing",
        "intent oven",
        "stuff-reply completes it",
    ),
    "a copy of the files is enough": (
        ((YAML, "sound: {rows: {least: 1.0, extra: 0}}", "sound: {names: loaf}"),),
        "dump",
        "dump-in-deliverables",
        "Comp is",
    ),
    "any claim is enough": (
        (wants("oven", "{predicate: {reply: {contains: exactly as you asked}}}"),),
        "repetition",
        "intent oven",
        "claim-done completes it",
    ),
    "one right file among many is enough": (
        (wants("loaves", WHOLE.replace("scaled.csv", '"*.csv", which: some')),),
        "shotgun",
        "intent loaves",
        "shotgun-files completes it",
    ),
    "a list of all choices is enough": (
        (wants("oven", '{predicate: {file: scaled.csv, text: {contains: "oven,{{ it }}"}}}'),),
        "shotgun",
        "intent oven",
        "shotgun-in-one-file completes it",
    ),
    "work for another wish is enough": (
        (wants("loaves", "{predicate: {file: scaled.csv, text: {starts_with: ingredient}}}"),),
        "wrong beliefs",
        "intent loaves",
        "completes it",
    ),
    "a wish is judged by another one's facet": (
        (wants("loaves", "{table: decimals}"),),
        "own facets",
        "taking loaves for None",
        "wish loaves is completed, expected it to be missed",
    ),
    "an undrawn wish matters": (
        (wants("unit", WHOLE),),
        "undrawn values",
        "undrawn intent oven",
        "the verdicts change",
    ),
    "what is done after a no is not seen": (
        (declining("{predicate: {file: scaled.csv, text: {contains: stove}}}"),),
        "declined",
        "declined wish oven",
        "after she declined it, the guard does not say so: nothing-else",
    ),
    "whoever heeds a no fails": (
        (declining("{predicate: {file: scaled.csv, text: {contains: ingredient}}}"),),
        "declined",
        "declined wish oven",
        "asked for, and not done, fails: nothing-else (Done though she said: no oven",
    ),
    "the reference does not ask": (
        ((YAML, "ask: undecided", "ask: Anything else?"),),
        "questions",
        "intent unit",
        "only the user knows it",
    ),
    "no question can hit": (
        ((ASKED, "groups: [[oven]]}", "groups: [[oven]], without: [oven]}"),),
        "questions",
        "intent oven",
        "no question made of its words in questions.yaml",
    ),
    "a call of the reference fails": (
        ((YAML, "read: [recipe.txt,", "read: [recipes.txt,"),),
        "reference",
        "call of read_file",
        "recipes.txt",
    ),
    "the reference does wrong work": (
        ((YAML, STEP, '  - calls: [{tool: write_file, path: scaled.csv, content: "ingredient,grams\\n"}]\n'),),
        "reference",
        "item table-sound",
        "failed",
    ),
    "a step is overwritten by the next": (
        ((YAML, STEP, "  - calls: [{tool: write_file, path: scaled.csv, content: draft}]\n" + STEP),),
        "step removal",
        "step 3.1, write_file scaled.csv",
        "removing it lowers nothing in any of the",
    ),
    "a step is overwritten in some variants": (
        ((YAML, STEP, STEP + "  - when: \"{{ p.oven == 'deck' }}\"\n    calls: " + WRITING + "\n"),),
        "step removal",
        "step 3.1, write_file scaled.csv",
        "removing it lowers nothing here, though elsewhere it serves item",
    ),
    "files beside the work may be overwritten": (
        (may_change('"*.txt"'),),
        "damage",
        "overwriting recipe.txt",
        "every guard passes all the same: nothing-else",
    ),
    "one right file among many is enough for who remembers nothing": (
        (wants("unit", '{predicate: {file: "*.txt", which: some, text: {contains: "in: {{ it }}"}}}', LABEL),),
        "blind shotgun",
        "intent unit",
        "shotgun-files completes it with",
    ),
    "a memory reads another value than the true one": (
        ((LABEL, "    told_in: 01-scale\n",
          "    told_in: 01-scale\n    told: {file: shop.txt, sentence: \"sold in {{ it }}\"}\n"),
         ("workspace/shop.txt", "Plain Bakery", "Plain Bakery, sold in grams, sold in ounces")),
        "memory",
        "memory agent",
        "expected 0.9 or more; lost: unit",
    ),
    "the last session of a group needs no past": (
        ((LABEL, "    told_in: 01-scale\n",
          "    told_in: 01-scale\n    told: {file: old.txt, sentence: \"{{ it }}\"}\n"),
         ("tasks/02-label/right.py", 'bread"])}, {}', 'bread"])}, {"old.txt": preferences.persona.unit}')),
        "memory",
        "memory agent without a past",
        "expected to lose 0.2 or more",
    ),
    "the reference stops early": (
        ((YAML, "  - reply: The table is in scaled.csv.\n", ""),),
        "reference",
        "end",
        "the reference ends before the session does",
    ),
    "something random gets in": (
        ((CODE, "def world", "CALLS = []\n\n\ndef world"), (CODE, "    grams =", "    CALLS.append(1)\n    grams ="),
         (CODE, '"One loaf:\\n"', '"Loaves " + str(len(CALLS)) + "\\n"')),
        "same bytes",
        "task",
        "not deterministic",
    ),
    "code raises": (
        ((CODE, "    grams =", "    _ = 1 // (names[0] != 'yeast')\n    grams ="),),
        "reference",
        "error",
        "ZeroDivisionError",
    ),
}  # fmt: skip


def test_rows_of_an_app_are_guarded_where_a_task_says_nothing_of_them(
    broken: Callable[..., Path], sound: Report
) -> None:
    (noted,) = validate_pack(load_pack(broken(note("We bake."), TOOLS)), ["01-scale"], variants=1).tasks
    rows = [next(row for row in task.rows if row.check == "damage") for task in (sound.tasks[0], noted)]
    tried = [row.numbers["damages"] for row in rows]
    assert noted.ok
    assert tried[1].low > tried[0].high


#: How many variants of either split show what the first does not.
SEEN_IN = {
    "a file does not tell what it should": 2,
    "an undrawn wish matters": 2,
    "what is done after a no is not seen": 2,
    "whoever heeds a no fails": 2,
    "a step is overwritten by the next": 3,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_fault_is_found_and_named(name: str, broken: Callable[..., Path]) -> None:
    edits, check, subject, reason = BROKEN[name]
    task_id = next(file.split("/")[1] for file, _, _ in edits)
    report = validate_pack(load_pack(broken(*edits)), [task_id], variants=SEEN_IN.get(name, 1))
    found = failures(report, check)
    assert not report.ok
    assert any(entry.startswith(f"{subject}: ") and reason in entry for entry in found), report.markdown()
    assert subject in report.markdown()


STANDARDS: dict[str, tuple[tuple[Edit, ...], str, str]] = {
    # name: edits of a copy that is marked a benchmark's, the subject, a piece of the reason
    "few items": ((), "checklist", "items, expected 5 to 15"),
    "few intents": ((), "draw", "2 intents are drawn, expected 3 to 8"),
    "no criterion": ((own("{table: rows}"), (YAML, "It is as it should be.", "\"{{ '' }}\"")),
                     "item own-1", "expected a criterion"),
    "nothing is said of a wish where it is not drawn": ((), "wish rounded", "expected `undrawn`"),
    "few parameters": (((YAML, "    values: {deck: deck, convection: convection, stone: stone}\n", ""),),
                       "params", "2 parameters have choices, expected 3 or more"),
    "words only": ((own("{predicate: {reply: {contains: scaled.csv}}}", count=4),),
                   "checklist", "of the items are checked on state, expected 60%; not: own-1"),
    "nothing is passed on": (((LABEL, "    told_in: 01-scale\n",
                               "    told: {file: shop.txt, sentence: Bakery}\n"),),
                             "group units", "no later session of the group recovers anything from it"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", STANDARDS)
def test_standards_of_form_are_failures_in_a_benchmark_and_notes_elsewhere(
    name: str, broken: Callable[..., Path]
) -> None:
    edits, subject, reason = STANDARDS[name]
    benchmark = ("pack.yaml", "benchmark: false", "benchmark: true")
    found = failures(validate_pack(load_pack(broken(*edits, benchmark)), ["01-scale"], variants=4), "form")
    assert any(entry.startswith(f"{subject}: ") and reason in entry for entry in found), found


def test_standards_of_form_are_notes_where_no_benchmark_is_claimed(sound: Report) -> None:
    noted = {finding.subject for task in sound.tasks for finding in task.findings if finding.check == "form"}
    assert {"checklist", "draw"} <= noted
    assert not any(failures(sound, "form"))


def test_a_whole_pack_is_judged_on_request_and_where_all_is_played() -> None:
    part = validate_pack(load_pack(SOUND), ["02-label"], variants=1, whole=True)
    assert part.whole is None
    report = validate_pack(load_pack(SOUND), variants=1, whole=True)
    assert report.whole is not None
    assert not report.ok
    assert all(task.ok for task in report.tasks)
    found = {finding.subject: finding.reason for finding in report.whole.failures}
    assert found["sessions"] == "2, expected 20"
    assert found["heartbeats"] == "0, expected 1"
    assert "every task passes, and so does" not in report.markdown()
    assert "# Pack sound: every task passes, and the pack as a whole does not" in report.markdown()


def test_failing_variants_are_counted_and_listed(broken: Callable[..., Path]) -> None:
    edits = BROKEN["code raises"][0]
    report = validate_pack(load_pack(broken(*edits)), ["01-scale"], variants=5)
    (task,) = report.tasks
    row = next(row for row in task.rows if row.check == "reference")
    assert 0 < row.failed < row.variants == 10
    failed = sorted({finding.variant for finding in task.failures})
    assert len(failed) == row.failed
    assert f"variants {failed[0]}, {failed[1]}" in report.markdown()


def test_files_that_change_meanwhile_are_an_error(broken: Callable[..., Path]) -> None:
    folder = broken()
    pack = load_pack(folder)
    assert pack.content_hash
    (folder / "workspace" / "shop.txt").write_text("Another bakery\n")
    with pytest.raises(StateMismatch, match="changed since"):
        validate_pack(pack, variants=1)


@pytest.mark.parametrize("options", [{"variants": 0}, {"jobs": 0}])
def test_counts_below_one_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="1 or more"):
        validate_pack(load_pack(SOUND), **options)  # type: ignore[arg-type]
