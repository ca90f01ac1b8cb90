"""Tables: fixed columns, nothing lost, batch by batch, and what a trainer takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from datasets import Dataset
from support.packs import tiny
from support.play import call, write
from support.runs import OUTPUT, failed, record, records, unopened, write_run

from pi_gym import to_dataset
from pi_gym.errors import BadArgument
from pi_gym.export import export, parquet
from pi_gym.export.forms import FILES, Form
from pi_gym.export.parquet import BATCH_ROWS, write_parquet
from pi_gym.export.sessions import session_columns, session_row
from pi_gym.export.sft import ROWS, sft_columns, sft_rows
from pi_gym.export.table_columns import features
from pi_gym.pibench.family import PIBENCH
from pi_gym.runs.lines import RunError
from pi_gym.session import Trajectory
from pi_gym.session.conversation import conversation

HOSTILE = "\0 \u2028 \ufffd 🙂 </tool_call> " + "x" * 300_000


def hostile() -> list[Trajectory]:
    """Records whose values are as unlike as can be."""
    mixed: list[Any] = [1, "1", None, [1, "x", {"y": None}], {"x": 1.5}, True, 2**70, 1 / 3, "", HOSTILE]
    return [
        record(call("read_file", path=value), call("odd", **{str(index): value}), "Hm.", sample=index)
        for index, value in enumerate(mixed)
    ] + [
        record(*tiny().instantiate("01-list").reference, task=tiny().instantiate("01-list"), scores={"return": 0.0}),
        record("Hm.", policy_outputs=(OUTPUT, {"step": 2, "text": HOSTILE, "token_ids": [], "prompt_token_ids": [0]})),
        replace(failed(), error=HOSTILE),
        unopened(),
    ]


def loaded(path: Path, cache: Path) -> Dataset:
    return Dataset.from_parquet(str(path), cache_dir=str(cache))


# -- one row a session ----------------------------------------------------------------------------------------------


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    found = [*records(), *hostile()]
    run = write_run(tmp_path / "run", [one for one in found if one.scored], [one for one in found if not one.scored])
    done = export(run, include_unscored=True)
    rows = [session_row(one, PIBENCH) for one in sorted(found, key=lambda one: not one.scored)]
    assert (done.rows, done.path) == (len(found), run / "sessions.parquet")
    assert pq.read_table(done.path).to_pylist() == rows
    read = loaded(done.path, tmp_path / "cache")
    assert read.to_list() == rows
    assert read.features == features(session_columns(PIBENCH))
    live = to_dataset(run, include_unscored=True, cache_dir=tmp_path / "cache")
    assert live.to_list() == rows
    assert live.features == features(session_columns(PIBENCH))


def test_messages_are_those_of_the_conversation() -> None:
    one = records()[1]
    messages = [
        {k: v for k, v in message.items() if v is not None} for message in session_row(one, PIBENCH)["messages"]
    ]
    assert messages == [spoken.message.to_openai() for spoken in conversation(one)]


def test_actions_are_as_the_agent_produced_them() -> None:
    one = records()[1]
    message = {"content": " Hm. ", "reasoning_content": "é"}
    first, *others = (event for event in one.events if event.kind == "agent")
    told = replace(first, data={**first.data, "message": message})
    (action, *rest) = session_row(replace(one, events=(told, *others)), PIBENCH)["actions"]
    assert json.loads(action.pop("message")) == message
    assert action == {"turn": 1, "step": 1, "text": one.actions[0], "thought": "Let me see.", "rejected": False}
    assert [each["text"] for each in rest] == one.actions[1:]
    assert [each["rejected"] for each in rest] == [True, False, False, False, False]
    assert {each["message"] for each in rest} == {None}


@pytest.mark.parametrize("rows", ["sessions", *ROWS])
def test_the_schema_is_the_same_whatever_a_run_holds(tmp_path: Path, rows: Any) -> None:
    form = {"format": "parquet"} if rows == "sessions" else {"format": "sft", "rows": rows}
    schemas = []
    for name, found in {"empty": [], "plain": records()[:1], "hostile": hostile()}.items():
        run = write_run(tmp_path / name, found)
        done = export(run, tmp_path / f"{name}.parquet", include_unscored=True, **form)  # type: ignore[arg-type]
        schemas.append(pq.read_schema(done.path))
    assert schemas[0].equals(schemas[1], check_metadata=True)
    assert schemas[0].equals(schemas[2], check_metadata=True)


def test_an_empty_run_is_an_empty_data_set(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [], [failed()])
    done = export(run)
    assert (done.rows, done.counts.unscored) == (0, 1)
    assert pq.read_table(done.path).num_rows == 0
    read = to_dataset(run, cache_dir=tmp_path / "cache")
    assert (len(read), read.features) == (0, features(session_columns(PIBENCH)))


@pytest.mark.parametrize("form", [{"format": "parquet"}, {"format": "sft", "rows": "step"}], ids=str)
def test_the_same_run_gives_the_same_bytes(tmp_path: Path, form: Any) -> None:
    run = write_run(tmp_path / "run", records())
    first, second = (export(run, tmp_path / name, **form).path.read_bytes() for name in ("a", "b"))
    assert first == second


def test_a_batch_is_written_before_the_next_is_read(tmp_path: Path) -> None:
    row, place, sizes = session_row(records()[1], PIBENCH), tmp_path / "x.parquet", []

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(3 * BATCH_ROWS):
            if number % BATCH_ROWS == 0:
                sizes.append(place.stat().st_size)
            yield row

    assert write_parquet(place, rows(), session_columns(PIBENCH)) == 3 * BATCH_ROWS
    assert sizes == sorted(set(sizes))
    assert pq.ParquetFile(place).metadata.num_row_groups == 3


def test_few_long_rows_make_a_batch_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "BATCH_CHARS", 250_000)
    rows = [{"text": "x" * 100_000, "ids": [1] * 10_000}] * 5  # an id counts as eight characters
    write_parquet(tmp_path / "x.parquet", rows, {"text": "string", "ids": ["int64"]})
    assert pq.ParquetFile(tmp_path / "x.parquet").metadata.num_row_groups == 3


def test_a_value_that_no_column_holds_is_named(tmp_path: Path) -> None:
    run = write_run(tmp_path, [record("Hm.", seed=2**70)])
    with pytest.raises(RunError, match="rows 1 to 1 do not fit"):
        export(run)
    with pytest.raises(RunError, match="does not fit the table"):
        to_dataset(run, cache_dir=tmp_path / "cache")
    assert not (run / "sessions.parquet").exists()


# -- rows for fine-tuning -------------------------------------------------------------------------------------------


def parsed(rows: list[dict[str, Any]] | None, *names: str) -> list[list[dict[str, Any]]]:
    return [[json.loads(text) for name in names for text in row[name]] for row in rows or ()]


def test_messages_are_the_conversation_with_arguments_as_objects() -> None:
    one = records()[1]
    (messages,) = parsed(sft_rows(one, PIBENCH), "messages")
    spoken = [each.message.to_openai() for each in conversation(one)]
    assert [message["role"] for message in messages] == [message["role"] for message in spoken]
    assert [message["content"] for message in messages] == [message["content"] for message in spoken]
    assert [call["function"] for call in messages[2]["tool_calls"]] == [
        {"name": "list_dir", "arguments": {"recursive": True}},
        {"name": "ask_user", "arguments": {"question": "Anything?", "options": ["yes", "no"]}},
    ]
    assert [message["name"] for message in messages[3:5]] == ["list_dir", "ask_user"]
    assert [message["tool_call_id"] for message in messages[3:5]] == ["call_1", "call_2"]


def test_steps_and_turns_cut_the_conversation() -> None:
    one = records()[1]
    (whole,) = parsed(sft_rows(one, PIBENCH), "messages")
    own = [place for place, message in enumerate(whole) if message["role"] == "assistant"]
    rejected = [place for place, each in enumerate(conversation(one)) if each.rejected]
    steps = sft_rows(one, PIBENCH, "step")
    assert parsed(steps, "completion") == [[whole[place]] for place in own if place not in rejected]
    assert len(rejected) == 1
    turns = sft_rows(one, PIBENCH, "turn")
    assert turns is not None
    assert [row["turn"] for row in turns] == list(range(1, one.turns + 1))
    for row, messages in zip(turns, parsed(turns, "completion"), strict=True):
        assert messages[0]["role"] == messages[-1]["role"] == "assistant"
        assert messages == whole[len(row["prompt"]) : len(row["prompt"]) + len(messages)]
    inside = [message for messages in parsed(turns, "completion") for message in messages]
    assert [message for message in inside if message["role"] == "assistant"] == [whole[place] for place in own]
    for rows in (steps, turns):
        assert parsed(rows, "prompt", "completion") == [
            whole[: len(row["prompt"]) + len(row["completion"])] for row in rows or ()
        ]


def test_thoughts_stand_in_their_messages_when_asked_for() -> None:
    (plain,) = parsed(sft_rows(records()[1], PIBENCH), "messages")
    (thinking,) = parsed(sft_rows(records()[1], PIBENCH, thoughts=True), "messages")
    assert [message.pop("reasoning_content", "") for message in thinking][2] == "Let me see."
    assert thinking == plain


@pytest.mark.parametrize("number", [1 / 3, 5e-324, 2**63 * 2, -(2**70)])
def test_a_number_that_a_data_set_would_change_leaves_its_session_out(tmp_path: Path, number: float) -> None:
    run = write_run(tmp_path, [*records(), record(call("odd", x=[number]), "Hm.")])
    done = export(run, format="sft")
    assert (done.rows, done.counts.sessions, done.counts.unfit) == (3, 3, 1)
    with pytest.warns(UserWarning, match="1 sessions of .* do not fit"):
        assert len(to_dataset(run, format="sft", cache_dir=tmp_path / "cache")) == 3


def test_a_session_without_an_action_has_no_rows() -> None:
    for rows in ROWS:
        assert sft_rows(record(), PIBENCH, rows) is None  # type: ignore[arg-type]
        assert sft_rows(unopened(), PIBENCH, rows) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("rows", ROWS)
def test_values_of_any_type_come_back_from_a_file_and_from_a_data_set(tmp_path: Path, rows: Any) -> None:
    numbers = [0.1, 1e300, -0.0, 1.0, 2**62, -7, 1e22]
    odd = record(call("odd", a=1, b={"c": [None, "1", 1, {}]}), call("odd", a="1", n=numbers), write("é\u2028", "</x>"))
    run = write_run(tmp_path / "run", [*records(), odd])
    made = [row for one in [*records(), odd] for row in sft_rows(one, PIBENCH, rows) or ()]
    columns = sft_columns(rows, PIBENCH)
    jsons = [name for name, kind in columns.items() if kind == ["json"]]
    expected = [{**row, **{name: [*map(json.loads, row[name])] for name in jsons}} for row in made]
    live = to_dataset(run, format="sft", rows=rows, cache_dir=tmp_path / "cache")
    file = loaded(export(run, format="sft", rows=rows).path, tmp_path / "cache")
    for found in (live, file):
        assert found.features == features(columns)
        assert repr(found.to_list()) == repr([{name: row[name] for name in columns} for row in expected])
    assert json.loads(file[0]["tools"])[0]["type"] == "function"


# -- the data set ---------------------------------------------------------------------------------------------------


def test_a_data_set_lies_on_disk_and_sees_a_run_grow(tmp_path: Path) -> None:
    run, cache = write_run(tmp_path / "run", records()[:2]), tmp_path / "cache"
    first = to_dataset(run, cache_dir=cache)
    (file,) = first.cache_files
    assert Path(file["filename"]).is_relative_to(cache)
    assert to_dataset(run, cache_dir=cache).cache_files == first.cache_files  # written once
    line = records()[2].to_line().encode()
    with (run / "trajectories.jsonl").open("ab") as end:
        end.write(line[:50])
    assert to_dataset(run, cache_dir=cache)["sample"][:] == [0, 1]
    with (run / "trajectories.jsonl").open("ab") as end:
        end.write(line[50:] + b"\n")
    assert to_dataset(run, cache_dir=cache)["sample"][:] == [0, 1, 2]
    assert first["sample"][:] == [0, 1]
    assert to_dataset(run, cache_dir=cache, min_return=0.9)["sample"][:] == [0]


def test_a_broken_line_is_told_as_such(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", records())
    with (run / "trajectories.jsonl").open("a") as file:
        file.write("{}\n")
    with pytest.raises(RunError, match="line 4"):
        to_dataset(run, cache_dir=tmp_path / "cache")
    with pytest.raises(RunError, match="line 4"):
        export(run)
    assert sorted(path.name for path in run.iterdir()) == ["run.json", "trajectories.jsonl", "unscored.jsonl"]


def test_lines_of_chat_are_no_table(tmp_path: Path) -> None:
    run = write_run(tmp_path, records())
    with pytest.raises(BadArgument, match="'chat' is a file of lines"):
        to_dataset(run, format="chat")  # type: ignore[arg-type]


def test_every_format_has_a_file_and_options_of_its_own() -> None:
    assert set(FILES) == {"parquet", "chat", "sft"}
    with pytest.raises(BadArgument, match="'sft' only"):
        Form("parquet", rows="turn")
    with pytest.raises(BadArgument, match="in its column of actions"):
        Form("parquet", thoughts=True)
