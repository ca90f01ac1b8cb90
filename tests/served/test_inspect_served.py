"""Inspect's own provider plays a session with a real model: `make test-vllm`, in the environment that has Inspect.

The model is small and plays badly. What is tested is the path, never its quality.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.outsiders import need
from support.small_vllm import NAME, serving

from pi_gym import read_trajectories

need("inspect_ai", "inspect")
from inspect_ai import eval  # noqa: E402
from inspect_ai.model import GenerateConfig, get_model  # noqa: E402

from pi_gym.adapters.inspect.inspect_tasks import session_task  # noqa: E402

pytestmark = [pytest.mark.model, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
#: So small a model says the same again until it is cut off, unless it is held back.
SAMPLING = GenerateConfig(max_tokens=96, temperature=0.0, frequency_penalty=1.0, max_connections=2)


@pytest.fixture(scope="module")
def log_and_record(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("inspect")
    with serving() as server:
        model = get_model(f"openai-api/local/{NAME}", base_url=server.url, api_key="none", config=SAMPLING)
        task = session_task("PiBench-Mini-v0")(tasks=["01-sign"], variants=[1], out=str(folder / "run"))
        (log,) = eval(task, model=model, message_limit=12, log_dir=str(folder / "logs"), display="none")
    (record,) = read_trajectories(Path(folder, "run"))
    print(f"\nplayed by the model: {record.steps} actions, {log.stats.model_usage}")
    return log, record


def test_the_model_plays_and_its_session_is_scored(log_and_record: Any) -> None:
    log, record = log_and_record
    assert log.status == "success", log.error
    (sample,) = log.samples
    values = sample.scores["session_score"].value
    assert record.scored
    assert values["return"] == pytest.approx(record.return_)
    assert {"proc", "comp"} <= set(values)


def test_the_conversation_of_the_log_is_the_session_s(log_and_record: Any) -> None:
    log, record = log_and_record
    (sample,) = log.samples
    spoken = [one.text for one in sample.messages if one.role == "assistant"]
    assert spoken
    assert sample.output.usage.output_tokens > 0
    assert next(one.text for one in sample.messages if one.role == "user").strip()
    assert len(spoken) == record.steps
