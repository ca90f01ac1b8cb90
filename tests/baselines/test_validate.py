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
from pi_gym.proof.report import CHECKS

SOUND = Path(__file__).parent / "sound"
YAML, CODE = "tasks/01-scale/task.yaml", "tasks/01-scale/variant.py"
ASKED = "tasks/01-scale/questions.yaml"
TABLE = '{file: scaled.csv, text: {equals: "{{ work.table }}"}}'
ITEM = "scaled recipe.\n    check: "  # of the item `table`

ACCOUNT = "{id: 1, first_name: Ida, last_name: Lund, email: ida@notes.example, password: oven}"

STEP = '      - {tool: write_file, path: scaled.csv, content: "{{ work.table }}"}\n'

Edit = tuple[str, str, str]


@pytest.fixture
def broken(tmp_path: Path) -> Callable[..., Path]:
    """A copy of the sound pack with edits: (file, old, new); old must be there."""

    def make(*edits: Edit) -> Path:
        folder = tmp_path / "sound"
        shutil.copytree(SOUND, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for file, old, new in edits:
            path = folder / file
            text = path.read_text()
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


def wants(name: str, spec: str) -> Edit:
    """Gives an intent of 01-scale another `satisfied_when`."""
    text = (SOUND / YAML).read_text()
    start = text.index(f"- name: {name}\n")
    old = text[start : text.index(TABLE, start) + len(TABLE)]
    return YAML, old, old.replace(TABLE, spec)


def note(content: str) -> Edit:
    """The edit by which the task puts a note into an app."""
    row = f'{{id: 7, title: Bread, content: "{content}"}}'
    return YAML, "params:\n", f"apps:\n  simple_note:\n    accounts: [{ACCOUNT}]\n    notes:\n      - {row}\nparams:\n"


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
        ((YAML, "into scaled.csv.", 'into scaled.csv. The file scaled.csv holds the scaled recipe.'),),
        "secrecy",
        "item table",
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
        ((YAML, ITEM + TABLE, ITEM + "{file: recipe.txt, text: {contains: loaf}}"),),
        "untouched",
        "item table",
        "holds on the untouched session",
    ),
    "an intent holds at reset": (
        (wants("unit", "{not: {file: scaled.csv, text: {contains: nothing}}}"),),
        "untouched",
        "intent unit",
        "holds on the untouched session",
    ),
    "a guard does not hold at reset": (
        ((YAML, "check: {changes: {only: [scaled.csv]}}", f"check: {TABLE}"),),
        "untouched",
        "item untouched",
        "is no guard",
    ),
    "a file does not tell what it should": (
        ((YAML, 'shows: "Whole numbers"', 'shows: "Two decimals"'),),
        "recovery",
        "intent rounded",
        "note.txt does not match 'Two decimals'",
    ),
    "the past does not tell what it should": (
        (("tasks/02-label/task.yaml", "Amounts in (grams|ounces), please", "Weights in (grams|ounces)"),),
        "recovery",
        "intent unit",
        "memory/HISTORY.md (session 01-scale) does not match",
    ),
    "the work needs what an earlier session made": (
        (
            (
                "tasks/02-label/task.yaml",
                "check: {changes: {only: [label.txt]}}",
                "check: [{changes: {only: [label.txt]}}, {file: scaled.csv, text: {contains: ingredient}}]",
            ),
        ),
        "recovery",
        "item untouched",
        "fails where no session came before",
    ),
    "words in a file are enough": (
        (wants("loaves", '{file: scaled.csv, text: {contains: "{{ p.loaves }} loaves"}}'),),
        "stuffing",
        "intent loaves",
        "stuff-deliverables completes it",
    ),
    "words in the reply are enough": (
        (wants("oven", '{reply: {contains: "{{ p.oven }}"}}'),),
        "stuffing",
        "intent oven",
        "stuff-reply completes it",
    ),
    "a copy of the files is enough": (
        ((YAML, ITEM + TABLE, ITEM + "{file: scaled.csv, text: {contains: loaf}}"),),
        "dump",
        "dump-in-deliverables",
        "Comp is",
    ),
    "any claim is enough": (
        (wants("oven", "{reply: {contains: exactly as you asked}}"),),
        "repetition",
        "intent oven",
        "claim-done completes it",
    ),
    "one right file among many is enough": (
        (wants("loaves", '{file: "*.csv", which: some, text: {equals: "{{ work.table }}"}}'),),
        "shotgun",
        "intent loaves",
        "shotgun-files completes it",
    ),
    "a list of all choices is enough": (
        (wants("oven", '{file: scaled.csv, text: {contains: "oven,{{ p.oven }}"}}'),),
        "shotgun",
        "intent oven",
        "shotgun-in-one-file completes it",
    ),
    "work for another wish is enough": (
        (wants("loaves", "{file: scaled.csv, text: {starts_with: ingredient}}"),),
        "wrong beliefs",
        "intent loaves",
        "completes it",
    ),
    "an undrawn wish matters": (
        ((CODE, 'if "oven" in draw:', 'if "oven" in draw or values.p.oven == "stone":'),),
        "undrawn values",
        "undrawn intent oven",
        "the verdicts change",
    ),
    "the reference does not ask": (
        ((YAML, "Grams or ounces?", "Anything else?"),),
        "questions",
        "intent unit",
        "only the user knows it",
    ),
    "no question can hit": (
        ((ASKED, "oven: {groups: [[oven]]}", "oven: {groups: [[oven]], without: [oven]}"),),
        "questions",
        "intent oven",
        "no question made of its words in questions.yaml",
    ),
    "a call of the reference fails": (
        ((YAML, "{tool: read_file, path: recipe.txt}", "{tool: read_file, path: recipes.txt}"),),
        "reference",
        "call of read_file",
        "recipes.txt",
    ),
    "the reference does wrong work": (
        ((YAML, 'content: "{{ work.table }}"', 'content: "{{ work.table }} \\n1"'),),
        "reference",
        "item table",
        "failed",
    ),
    "a step is overwritten by the next": (
        ((YAML, STEP, "      - {tool: write_file, path: scaled.csv, content: draft}\n" + STEP),),
        "step removal",
        "step 3.1, write_file scaled.csv",
        "removing it lowers nothing in any of the",
    ),
    "a step is overwritten in some variants": (
        ((YAML, STEP, STEP + "  - when: \"{{ p.oven == 'deck' }}\"\n    calls:\n" + STEP),),
        "step removal",
        "step 3.1, write_file scaled.csv",
        "removing it lowers nothing here, though elsewhere it serves item",
    ),
    "files beside the work may be overwritten": (
        ((YAML, "check: {changes: {only: [scaled.csv]}}", "check: {changes: {at_most: 2}}"),),
        "damage",
        "overwriting recipe.txt",
        "every guard passes all the same: untouched",
    ),
    "rows of an app may be deleted": (
        (note("We bake."), TOOLS),
        "damage",
        "deleting simple_note.notes 7",
        "every guard passes all the same: untouched",
    ),
    "one right file among many is enough for who remembers nothing": (
        (("tasks/02-label/task.yaml", "{file: label.txt, text", '{file: "*.txt", which: some, text'),),
        "blind shotgun",
        "intent unit",
        "shotgun-files completes it with",
    ),
    "a memory reads another value than the true one": (
        (("tasks/02-label/task.yaml", '"Amounts in (grams|ounces), please"', '"(grams|ounces)|Grams"'),),
        "memory",
        "memory agent",
        "expected 0.9 or more; lost: unit",
    ),
    "the last session of a group needs no past": (
        (
            ("tasks/02-label/task.yaml", "    recover:\n      session", "    recover:\n    - {file: old.txt, extract: "
             "{persona.unit: (grams|ounces)}}\n    - session"),
            ("tasks/02-label/variant.py", 'bread"])}, {}', 'bread"])}, {"old.txt": preferences.persona.unit}'),
        ),
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
        ((CODE, '        rows.append(("oven"', '        rows.append(1 // 0)\n        rows.append(("oven"'),),
        "reference",
        "error",
        "ZeroDivisionError",
    ),
}  # fmt: skip


#: How many variants of either split show what the first does not.
SEEN_IN = {
    "a file does not tell what it should": 2,
    "an undrawn wish matters": 2,
    "a step is overwritten by the next": 3,
}


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
    "no evidence": ((), "item table", "expected a criterion and evidence"),
    "few parameters": (((YAML, "oven: {choices: [deck, convection, stone], hidden: true}", "oven: {value: deck}"),),
                       "params", "2 parameters have choices, expected 3 or more"),
    "words only": (((YAML, ITEM + TABLE, ITEM + "{reply: {contains: scaled.csv}, which: final}"),),
                   "checklist", "of the items are checked on state, expected 60%; not: table"),
    "nothing is passed on": ((("tasks/02-label/task.yaml", "      session: 01-scale\n      intent: unit\n",
                               "      file: memory/../shop.txt\n"),),
                             "group units", "no later session of the group recovers anything from it"),
}  # fmt: skip


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
    assert {"checklist", "draw", "item table"} <= noted
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
