"""The error of a refused request: the server's own words, whatever form they have."""

from __future__ import annotations

import json

import pytest

from pi_gym.models.refusal import MAX_SAID_CHARS, refusal, words_of

TOO_LONG = "The prompt is too long."


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": TOO_LONG, "type": "invalid_request_error", "code": None}}, TOO_LONG),
        ({"error": {"message": TOO_LONG, "code": 400}}, TOO_LONG),
        ({"error": {"message": TOO_LONG, "code": "context_length_exceeded"}}, f"{TOO_LONG} (context_length_exceeded)"),
        ({"object": "error", "message": TOO_LONG, "code": 400}, TOO_LONG),
        ({"error": TOO_LONG, "error_type": "validation"}, TOO_LONG),
        ({"detail": TOO_LONG}, TOO_LONG),
        ({"detail": [{"loc": ["body"], "msg": "no"}]}, '{"detail": [{"loc": ["body"], "msg": "no"}]}'),
        ({"error": {"message": None}}, '{"error": {"message": null}}'),
        ({"error": None, "message": TOO_LONG}, '{"error": null, "message": "The prompt is too long."}'),
        (["no"], '["no"]'),
    ],
    ids=str,
)
def test_the_words_of_an_error_are_its_message_or_else_all_of_it(body, said):
    assert words_of(json.dumps(body)) == said


@pytest.mark.parametrize("body", ["", "  \n", "<html>no</html>", "[" * 100_000, "x" * 10_000])
def test_a_body_that_is_no_json_is_the_words_up_to_a_length(body):
    said = words_of(body)
    assert said.removesuffix("…") == body.strip()[:MAX_SAID_CHARS]


@pytest.mark.parametrize("status", [100, 204 + 100, 307, 400, 401, 404, 413, 422])
def test_a_refusal_stands(status):
    assert refusal(status, {}, "").final


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 529])
def test_a_server_that_is_busy_or_broken_may_answer_later(status):
    assert not refusal(status, {}, "").final


@pytest.mark.parametrize(
    "wait", ["", "soon", "nan", "Wed, 21 Oct 99999999999 07:28:00 GMT", "21 Oct 2015 07:28 +9999999999"]
)
def test_a_pause_that_cannot_be_read_is_none(wait):
    assert refusal(503, {"retry-after": wait}, "").pause_s == 0.0
