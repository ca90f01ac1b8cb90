"""Environments as tasks of Inspect's: how they are found, what is scored, and what is not."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.outsiders import calling, inspect_output, need, saying, scripted

import pi_gym
from pi_gym.registration import registered_ids

need("inspect_ai", "inspect")
from inspect_ai import eval  # noqa: E402
from inspect_ai.log import read_eval_log  # noqa: E402
from inspect_ai.model import get_model  # noqa: E402

from pi_gym.adapters.inspect.inspect_tasks import TASKS, session_task, task_name  # noqa: E402
from pi_gym.adapters.inspect.session_solver import RESULT, score_of  # noqa: E402

#: Of what Inspect stands on, as it is called there.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

MINI = "PiBench-Mini-v0"
PLAY = scripted([calling("read_file", path="notes.txt"), saying("What should the last line be?")])


def evaluated(folder: Path, env_id: str = MINI, script: Any = PLAY, limits: Any = None, **given: Any) -> Any:
    def play(messages: Any, *_: Any) -> Any:
        return inspect_output(script(sum(one.role == "assistant" for one in messages)))

    model = get_model("mockllm/model", custom_outputs=play)
    (log,) = eval(session_task(env_id)(**given), model=model, log_dir=str(folder), display="none", **(limits or {}))
    return log


def test_a_task_has_the_last_part_of_the_id_for_a_name() -> None:
    names = [task_name(one) for one in ("PiBench-NightBaker-v0", "PiBench-v0", "pi_gym:Pare-v0")]
    assert names == ["night_baker", "pi_bench", "pare"]


def test_every_environment_is_a_task() -> None:
    assert set(TASKS) == {task_name(env_id) for env_id in registered_ids()}
    assert {"mini", "researcher", "pare", "pi_bench"} <= set(TASKS)


def test_the_command_line_finds_the_tasks(tmp_path: Path) -> None:
    """By the entry point: nothing of ours is named but the package."""
    inspect = Path(sys.executable).with_name("inspect")
    command = [str(inspect), "eval", "pi_gym/mini", "--model", "mockllm/model", "--limit", "1", "--display", "none"]
    # The scripted model would load a tokenizer: so a limit ends the session before its first action.
    done = subprocess.run(
        [*command, "-T", "variants=1", "--message-limit", "1", "--log-dir", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = tmp_path.glob("*.eval")
    log = read_eval_log(str(path))
    assert (log.eval.task, log.status) == ("pi_gym/mini", "success")


def test_scores_are_the_session_s_by_name(tmp_path: Path) -> None:
    log = evaluated(tmp_path, tasks=["01-sign", "02-order"], variants=[1, 2])
    assert sorted(one.id for one in log.samples) == ["01-sign/1", "01-sign/2", "02-order/1", "02-order/2"]
    found = {part.name: part.metrics for part in log.results.scores}
    values = [one.scores["session_score"].value for one in log.samples]
    for name in ("return", "proc", "comp"):
        assert found[name]["mean"].value == pytest.approx(sum(one[name] for one in values) / 4)
        assert "stderr" in found[name]


def test_the_log_holds_the_conversation_with_the_model_s_own_ids(tmp_path: Path) -> None:
    log = evaluated(tmp_path, tasks="01-sign", variants=1)
    (sample,) = log.samples
    roles = [one.role for one in sample.messages]
    assert roles[:6] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert (sample.messages[3].tool_call_id, sample.messages[3].function) == ("own-read_file", "read_file")
    assert sample.store[RESULT]["terminated"] or sample.store[RESULT]["end_reason"]


def test_unscored_is_a_value_of_its_own_and_left_out_of_means(tmp_path: Path) -> None:
    from support.asking import AskingGrader

    from pi_gym.models.scripted import ScriptedModel
    from pi_gym.types import Answer

    broken = [True]
    down = ScriptedModel(lambda _: Answer(error="the server is down") if broken and broken.pop() else None)
    log = evaluated(
        tmp_path, tasks="01-sign", variants=[1, 2], grader=AskingGrader(), responder=down, limits={"max_samples": 1}
    )
    first, second = (one.scores["session_score"] for one in log.samples)
    assert math.isnan(first.value)
    assert (first.reason, "server is down" in first.explanation) == ("model", True)
    means = {part.name: part.metrics["mean"].value for part in log.results.scores}
    assert means["return"] == pytest.approx(second.value["return"])
    assert score_of(None).reason == "engine"


def test_a_limit_of_inspect_s_cuts_the_session_short_and_it_is_graded(tmp_path: Path) -> None:
    log = evaluated(tmp_path, tasks="01-sign", variants=1, limits={"message_limit": 6})
    (sample,) = log.samples
    assert sample.limit.type == "message"
    assert sample.store[RESULT]["end_reason"] == "left open"
    assert 0 < sample.scores["session_score"].value["return"] < 1


def test_a_full_context_cuts_the_session_short_and_its_error_is_no_reply(tmp_path: Path) -> None:
    def play(messages: Any, *_: Any) -> Any:
        acted = sum(one.role == "assistant" for one in messages)
        output = inspect_output(PLAY(acted) if acted < 2 else saying("maximum context length exceeded"))
        output.choices[0].stop_reason = "stop" if acted < 2 else "model_length"
        return output

    model = get_model("mockllm/model", custom_outputs=play)
    task = session_task(MINI)(tasks="01-sign", variants=1)
    (log,) = eval(task, model=model, log_dir=str(tmp_path), display="none")
    (sample,) = log.samples
    assert sample.store[RESULT]["end_reason"] == "left open"
    assert 0 < sample.scores["session_score"].value["return"] < 1
    assert "maximum context" not in "".join(one.text for one in sample.messages)


def test_what_the_provider_raises_is_no_score(tmp_path: Path) -> None:
    def script(number: int) -> Any:
        raise RuntimeError("no such model")

    log = evaluated(tmp_path, script=script, tasks="01-sign", variants=1, limits={"fail_on_error": False})
    (sample,) = log.samples
    assert "no such model" in sample.error.message
    assert not sample.scores


def test_records_go_to_a_run_s_folder_as_well(tmp_path: Path) -> None:
    log = evaluated(tmp_path / "logs", tasks="01-sign", variants=1, out=str(tmp_path / "run"), limits={"epochs": 2})
    records = list(pi_gym.read_trajectories(tmp_path / "run"))
    assert [record.sample for record in sorted(records, key=lambda one: one.sample)] == [0, 1]
    assert {record.agent for record in records} == {"mockllm/model"}
    assert records[0].return_ == log.samples[0].scores["session_score"].value["return"]


def test_sessions_that_are_played_again_have_records_of_their_own(tmp_path: Path) -> None:
    """As samples of one epoch, and over epochs."""
    given = {"tasks": "01-sign", "variants": 1, "sessions": 2, "out": str(tmp_path / "run")}
    log = evaluated(tmp_path / "logs", limits={"epochs": 2}, **given)
    assert log.status == "success"
    assert [one.id for one in log.samples] == ["01-sign/1", "01-sign/1/2"] * 2
    assert sorted(record.sample for record in pi_gym.read_trajectories(tmp_path / "run")) == [0, 1, 2, 3]


def test_a_session_that_the_folder_holds_is_not_played_again(tmp_path: Path) -> None:
    given = {"tasks": "01-sign", "variants": 1, "out": str(tmp_path / "run")}
    evaluated(tmp_path / "logs", **given)
    again = evaluated(tmp_path / "logs", limits={"fail_on_error": False}, **given)
    (sample,) = again.samples
    assert "already" in sample.error.message
    assert not any(one.role == "assistant" for one in sample.messages)
    assert len(list(pi_gym.read_trajectories(tmp_path / "run"))) == 1


def test_a_limit_of_time_is_an_end_too(tmp_path: Path) -> None:
    def script(number: int) -> Any:
        time.sleep(0.3)
        return PLAY(number)

    log = evaluated(tmp_path, script=script, tasks="01-sign", variants=1, limits={"time_limit": 1})
    (sample,) = log.samples
    assert sample.limit.type == "time"
    assert sample.store[RESULT]["end_reason"] == "left open"
    assert sample.scores["session_score"].value["return"] >= 0


def test_what_is_hidden_from_the_agent_is_nowhere_in_the_log(tmp_path: Path) -> None:
    evaluated(tmp_path, "PiBench-Researcher-v0", tasks="03-paper-alert", variants=2)
    (path,) = tmp_path.glob("*.eval")
    (sample,) = read_eval_log(str(path)).samples
    task = pi_gym.load_pack("researcher").instantiate("03-paper-alert", 2)
    hidden = [text for text in (task.canary, *(one.text for one in (*task.intents, *task.checklist))) if text]
    assert len(hidden) > 3
    whole = sample.model_dump_json()
    assert not [text for text in hidden if json.dumps(text, ensure_ascii=False)[1:-1] in whole]
    # The score stands with the score, and nothing of it in what was said or sent.
    said = [sample.messages, [one.input for one in sample.events if one.event == "model"]]
    for name in ("comp", "proc", "return"):
        assert f'"{name}"' in whole
        assert f'"{name}"' not in json.dumps(said, default=lambda one: one.model_dump(mode="json"))


def test_a_phone_is_a_task_too(tmp_path: Path) -> None:
    silent = scripted([], then="")
    log = evaluated(tmp_path, "Pare-v0", silent, tasks="stranded-friend", variants=1)
    assert log.status == "success"
    assert {"return", "success"} <= set(log.samples[0].scores["session_score"].value)


def test_the_viewer_s_pages_can_be_bundled(tmp_path: Path) -> None:
    from inspect_ai.log import bundle_log_dir

    evaluated(tmp_path / "logs", tasks="01-sign", variants=1)
    bundle_log_dir(log_dir=str(tmp_path / "logs"), output_dir=str(tmp_path / "site"))
    assert (tmp_path / "site" / "index.html").is_file()
