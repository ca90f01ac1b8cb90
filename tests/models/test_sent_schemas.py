"""The schemas that are sent are of the part of JSON Schema that every server of structured output takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from support.judging import judge_of
from support.packs import protocol, tiny
from support.play import opened, play

from pi_gym.graders.model import ModelGrader
from pi_gym.models.config import ModelConfig
from pi_gym.models.request_body import request_body
from pi_gym.types import Answer, Ask, ModelRequest
from pi_gym.users.model import ModelUser

#: What strict servers take without exception.
KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "enum"}
TYPES = {"object", "array", "string"}
MAX_PROPERTIES, MAX_CHOICES, MAX_DEPTH = 100, 500, 5


def nodes(schema: dict[str, Any], depth: int = 1) -> Iterator[tuple[dict[str, Any], int]]:
    yield schema, depth
    for part in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        yield from nodes(part, depth + 1)


def sent_of_a_session(task: Any) -> dict[str, list[dict[str, Any]]]:
    """The schemas of all requests of a session, by stage."""
    session = opened(task, user=ModelUser(), grader=ModelGrader(all_items=True))
    judge, found = judge_of(session), {}
    model = ModelConfig("http://127.0.0.1:1/v1", "small")

    def listening(asks: Sequence[Ask]) -> Sequence[Answer]:
        for one in asks:
            assert isinstance(one.request, ModelRequest)
            body = request_body(model, one.request, 0)
            if "response_format" in body:
                assert body["response_format"]["json_schema"]["strict"] is True
                found.setdefault(one.stage, []).append(body["response_format"]["json_schema"]["schema"])
        return judge(asks)

    play(session, "Which one? " * 300, "Hm. Shall I?", "So.", model=listening)
    if not session.ended:
        session.truncate("enough")
        while session.pending:
            for one, answer in zip(session.pending, listening(session.pending), strict=True):
                session.answer(one.id, answer)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("pack", [tiny(), protocol()], ids=lambda pack: pack.name)
def test_every_schema_that_is_sent_is_of_the_common_part(pack: Any) -> None:
    stages = set()
    for task_id in pack.task_ids:
        for stage, schemas in sent_of_a_session(pack.instantiate(task_id)).items():
            stages.add(stage)
            for schema in schemas:
                whole = list(nodes(schema))
                for node, depth in whole:
                    assert node.keys() <= KEYWORDS, f"{stage}: {sorted(node.keys() - KEYWORDS)}"
                    assert node["type"] in TYPES
                    assert depth <= MAX_DEPTH
                    if node["type"] == "object":
                        assert node["additionalProperties"] is False
                        assert node["required"] == list(node["properties"])
                assert sum(len(node.get("properties", ())) for node, _ in whole) <= MAX_PROPERTIES
                assert sum(len(node.get("enum", ())) for node, _ in whole) <= MAX_CHOICES
    assert stages == {"satisfied", "asked", "grade"}
