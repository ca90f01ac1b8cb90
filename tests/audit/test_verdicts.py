"""Verdict files: read where they are as they should be, and told apart in words where they are not."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from support.runs import record

from pi_gym.audit.bundles import session_name
from pi_gym.audit.verdicts import MOST_MISTAKES, Opinion, read_verdicts
from pi_gym.errors import BadArgument
from pi_gym.pibench.family import PIBENCH

RECORD = record("Which colour? And by when?", "Hm.", "Hm.", "Hm.")
NAME = session_name(RECORD.key)


def verdict() -> dict[str, Any]:
    judged = PIBENCH.judgements(RECORD)
    return {
        "intents": {one.name: ["provided", "she said it"] for one in judged if one.kind == "intent"},
        "checklist": {one.name: [False, "not there", False] for one in judged if one.kind == "item"},
        "questions": [
            {"question": number, "beside_the_point": number == 1, "why": "so"}
            for number in range(1, len(PIBENCH.questions(RECORD)) + 1)
        ],
        "unfair": "",
    }


def read(tmp_path: Path, value: object, name: str = f"{NAME}.model-4.5.json") -> Any:
    (tmp_path / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return read_verdicts(tmp_path, {NAME: RECORD})


def test_a_verdict_is_read(tmp_path: Path) -> None:
    raw = verdict()
    first = next(iter(raw["checklist"]))
    raw["checklist"][first] = [True, "there", True]
    (one,) = read(tmp_path, raw)
    assert (one.session, one.judge, one.beside) == (NAME, "model-4.5", {1: "so"})
    assert one.opinions["checklist"][first] == Opinion("passed", "there", unfair=True)
    assert {found.value for found in one.opinions["intents"].values()} == {"provided"}


def without(key: str) -> Any:
    return lambda raw: raw.pop(key)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (without("unfair"), "the file: 'unfair' is missing"),
        (lambda raw: raw.update(remarks=""), "the file: Unknown name 'remarks'. Known: checklist, intents, questions"),
        (lambda raw: raw.update(intents=[]), "intents: expected an object, got []"),
        (lambda raw: raw["intents"].popitem(), "is missing"),
        (lambda raw: raw["intents"].update(color=["provided", ""]), "intents: Unknown name 'color'"),
        (
            lambda raw: raw["intents"].update({next(iter(raw["intents"])): ["open", ""]}),
            'expected [completed | inferred | provided, why], got ["open", ""]',
        ),
        (
            lambda raw: raw["checklist"].update({next(iter(raw["checklist"])): ["passed", "", False]}),
            'expected [holds: true | false, why, unfair: true | false], got ["passed", "", false]',
        ),
        (lambda raw: raw.update(questions={}), "questions: expected a list, got {}"),
        (lambda raw: raw["questions"].pop(), "questions: expected each number of 1 to 2 once, got [1]"),
        (lambda raw: raw["questions"][0].pop("why"), 'questions[0]: expected {"question": n, "beside_the_point": true'),
        (lambda raw: raw.update(unfair=None), 'unfair: expected a text, "" where nothing is, got null'),
    ],
)
def test_what_is_wrong_is_told_with_file_and_field(tmp_path: Path, change: Any, told: str) -> None:
    raw = verdict()
    change(raw)
    with pytest.raises(BadArgument) as error:
        read(tmp_path, raw)
    line = str(error.value).splitlines()[1]
    assert f"{NAME}.model-4.5.json: " in line
    assert told in line


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (f"{NAME}.json", "{}", "expected a name NAME.JUDGE.json"),
        (f"{NAME[:-1]}x.a.json", "{}", f"Did you mean '{NAME}'?"),
        (f"{NAME}.a.json", "{", "expected JSON"),
        (f"{NAME}.a.json", "[]", "the file: expected an object, got []"),
    ],
)
def test_files_that_are_no_verdicts_are_refused(tmp_path: Path, name: str, text: str, told: str) -> None:
    with pytest.raises(BadArgument) as error:
        read(tmp_path, text, name)
    assert told in str(error.value)


def test_an_empty_folder_is_refused_and_a_flood_of_mistakes_is_cut(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="found none"):
        read_verdicts(tmp_path, {NAME: RECORD})
    for number in range(MOST_MISTAKES):
        (tmp_path / f"x.{number}.json").write_text("{}")
    with pytest.raises(BadArgument) as error:
        read(tmp_path, "{}", f"{NAME}.a.json")
    assert str(error.value).endswith("and 3 more") or str(error.value).endswith("and 4 more")


def test_the_judges_brief_names_the_fields_that_are_read() -> None:
    text = files("pi_gym.audit").joinpath("briefs", "judge.md").read_text(encoding="utf-8")
    parts = {part.key: part for part in PIBENCH.judged}
    assert [key for key in (*parts, "questions", "unfair", "beside_the_point") if f'"{key}"' not in text] == []
    assert [value for value in parts["intents"].values if f'"{value}"' not in text or f"`{value}`" not in text] == []
