"""Files that an export writes: whole or not at all, never over something by mistake; and the lines of chat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.runs import failed, records, unopened, write_run

from pi_gym.export import export
from pi_gym.export.draft_file import draft
from pi_gym.pibench.family import PIBENCH
from pi_gym.runs.lines import RunError
from pi_gym.session.conversation import conversation, offered_tools


def lines(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


# -- chat -----------------------------------------------------------------------------------------------------------


def test_a_line_of_chat_is_a_session_in_openais_format(tmp_path: Path) -> None:
    found = [*records(), failed(), unopened()]
    done = export(write_run(tmp_path, found[:3], found[3:]), format="chat", include_unscored=True)
    assert done.path == tmp_path / "chat.jsonl"
    assert done.rows == len(found)
    for line, one in zip(lines(done.path), found, strict=True):
        assert line["messages"] == [spoken.message.to_openai() for spoken in conversation(one)]
        assert line["tools"] == json.loads(offered_tools(one, PIBENCH))
        assert line["metadata"]["scored"] == one.scored
        assert (line["metadata"]["return"], line["metadata"]["sample"]) == (one.return_, one.sample)
    calls = lines(done.path)[1]["messages"][2]["tool_calls"]
    assert [call["function"]["arguments"] for call in calls] == [
        '{"recursive": true}',
        '{"question": "Anything?", "options": ["yes", "no"]}',
    ]


def test_thoughts_are_in_no_message_unless_asked_for(tmp_path: Path) -> None:
    run = write_run(tmp_path, records())
    assert "Let me see." not in export(run, format="chat").path.read_text()
    thinking = lines(export(run, format="chat", thoughts=True, force=True).path)[1]["messages"][2]
    assert thinking["reasoning_content"] == "Let me see."


def test_the_same_run_gives_the_same_lines(tmp_path: Path) -> None:
    run = write_run(tmp_path, records())
    first, second = (export(run, tmp_path / name, format="chat").path.read_bytes() for name in "ab")
    assert first == second


# -- files ----------------------------------------------------------------------------------------------------------


def test_a_file_that_is_there_stays_unless_it_shall_be_replaced(tmp_path: Path) -> None:
    run, out = write_run(tmp_path / "run", records()), tmp_path / "new" / "folder" / "chat.jsonl"
    export(run, out, format="chat", min_return=1.0)
    with pytest.raises(RunError, match="--force"):
        export(run, out, format="chat")
    assert len(lines(out)) == 1
    export(run, out, format="chat", force=True)
    assert len(lines(out)) == 3
    assert [path.name for path in out.parent.iterdir()] == ["chat.jsonl"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", records())
    with pytest.raises(RunError, match="is a folder"):
        export(run, tmp_path, format="chat", force=True)


@pytest.mark.parametrize("name", ["trajectories.jsonl", "unscored.jsonl", "run.json", "summary.json"])
def test_a_runs_own_files_are_never_replaced(tmp_path: Path, name: str) -> None:
    run = write_run(tmp_path / "run", records())
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    for source in (run, run / "trajectories.jsonl"):
        with pytest.raises(RunError, match="of the run itself"):
            export(source, run / name, format="chat", force=True)
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_a_lone_file_needs_a_place_to_write_to(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", records())
    with pytest.raises(RunError, match="--out"):
        export(run / "trajectories.jsonl", format="chat")
    assert export(run / "trajectories.jsonl", tmp_path / "x", format="chat").rows == 3


def test_what_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    run, out = write_run(tmp_path / "run", records()), tmp_path / "out" / "chat.jsonl"
    export(run, out, format="chat")
    before = out.read_bytes()
    with (run / "trajectories.jsonl").open("a") as file:
        file.write("{}\n")
    with pytest.raises(RunError, match="line 4"):
        export(run, out, format="chat", force=True)
    assert out.read_bytes() == before
    assert [path.name for path in out.parent.iterdir()] == ["chat.jsonl"]


def test_an_interrupted_draft_is_deleted_and_a_quicker_file_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "x"

    def interrupted() -> None:
        with draft(out) as place:
            place.write_text("half")
            raise KeyboardInterrupt

    def overtaken() -> None:
        with draft(out) as place:
            place.write_text("mine")
            out.write_text("somebody's")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RunError, match="there already"):
        overtaken()
    assert out.read_text() == "somebody's"
    assert list(tmp_path.iterdir()) == [out]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", records())
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        export(run, tmp_path / "file" / "x.jsonl", format="chat")
