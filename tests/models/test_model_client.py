"""Asking a model over real sockets: what counts as an answer, what is tried again, what is kept."""

from __future__ import annotations

import gzip
import json
import logging
import threading

import pytest
from support.faulty_server import LONG_S, Body, Drip, Drop, FaultyServer, Gathering, Hang, Say, Status, completion
from support.model_asks import answers, ask, wait_for
from support.served_roles import AGREES, SCHEMA, config

from pi_gym import ModelConfig
from pi_gym.models import refusal as refusal_module
from pi_gym.models.answerer import ModelAnswerer, ModelsClosed
from pi_gym.models.http_client import MAX_BODY_BYTES
from pi_gym.types import Answer, Ask, ModelRequest, ToolRequest

GOOD = Say(AGREES)
GZIPPED = gzip.compress(completion(GOOD))
TOOL_CALL = json.dumps({"choices": [{"message": {"content": None, "tool_calls": [{"function": {"name": "f"}}]}}]})


TRANSPORT = [
    (Status(429), "HTTP 429: not now"),
    (Status(500), "HTTP 500"),
    (Status(503), "HTTP 503"),
    (Hang(), "no whole response within 0.25 s"),
    (Drip(AGREES), "no whole response within 0.25 s"),
    (Drop(), "no connection"),
    (Drop(after=40), "no connection"),
    (Body(GZIPPED, headers={"content-encoding": "gzip"}), "compressed (gzip), which was not asked for"),
    (Body(b"\xff" + completion(GOOD)), "the response is no UTF-8"),
    (Body(b" " * (MAX_BODY_BYTES + 1)), "the response is longer than 16,777,216 bytes"),
]
CONTENT = [
    (Say(""), "the answer is empty"),
    (Say(None), "the answer is empty"),
    (Say("<think>Hm. "), "the answer is empty"),
    (Say("yes"), "the answer is no JSON"),
    (Say('{"reason": "r", "agree": NaN}'), "the answer is no JSON"),
    (Say('{"reason": "r", "agree": true, "agree": false}'), "a name is given twice"),
    (Say(json.dumps(AGREES) + " So be it."), "the answer is no JSON"),
    (Say({"reason": "r"}), "'agree' is missing"),
    (Say({"reason": "r", "agree": 1}), "answer.agree: expected type 'boolean', got a number"),
    (Say([AGREES]), "answer: expected type 'object'"),
    (Say("[" * 5000), "the answer is no JSON"),
    (Say(AGREES, finish="length"), "cut off at max_tokens"),
    (Say(AGREES, finish="content_filter"), "content filter"),
    (Say(AGREES, finish="tool_calls"), "ended by 'tool_calls'"),
    (Say(AGREES, refusal="I cannot judge this."), "the model refused)"),
    (Body("<html>bad gateway</html>", "text/html"), "no chat completion"),
    (Body("{}"), "no chat completion"),
    (Body('{"choices": []}'), "no chat completion"),
    (Body('{"choices": [{"message": "x"}]}'), "no chat completion"),
    (Body('{"choices": null}'), "no chat completion"),
    (Body('{"choices": {"0": {"message": {"content": "x"}}}}'), "no chat completion"),
    (Body("[" * 100_000), "no chat completion"),
    (Say('{"a":' * 100_000), "the answer is no JSON"),
    (Say({**AGREES, "more": 1}), "answer: it has more than additionalProperties allows"),
    (Say('{"reason": "r", "agree": ' + "9" * 5000 + "}"), "the answer is no JSON"),
    (Body(TOOL_CALL), "the answer is empty"),
    (Body('{"choices": [{"message": {"reasoning_content": "Yes."}}]}'), "the answer is empty"),
]


@pytest.mark.parametrize(("fault", "told"), [*TRANSPORT, *CONTENT])
def test_what_is_no_answer_is_an_error_after_the_retries(fault, told):
    with FaultyServer([fault]) as server:
        # Only what never comes is waited for in vain; all else has time, however busy the machine is.
        waits = isinstance(fault, Hang | Drip)
        (answer,), usage = answers(server.url, [ask()], retries=1, timeout_s=0.25 if waits else LONG_S)
    assert answer.value is None
    assert told in answer.error
    assert answer.error.startswith(f"no answer from small at {server.url} (2 requests, the last: ")
    assert waits or len(server.requests) == 2
    assert (usage.requests, usage.answers, usage.failures, usage.retries) == (2, 0, 1, 1)


@pytest.mark.parametrize("fault", [fault for fault, _ in [*TRANSPORT, *CONTENT] if not isinstance(fault, Hang | Drip)])
def test_a_fault_that_passes_costs_retries_and_nothing_else(fault):
    with FaultyServer([fault, fault, GOOD]) as server:
        (answer,), usage = answers(server.url, [ask()])
    assert answer == Answer(AGREES)
    assert (usage.requests, usage.retries, usage.answers, usage.failures) == (3, 2, 1, 0)


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_a_request_that_is_wrong_is_not_sent_again(code):
    with FaultyServer([Status(code, message="there is no field 'best'")]) as server:
        (answer,), _ = answers(server.url, [ask()])
    assert f"(1 request: HTTP {code}" in answer.error
    assert "there is no field 'best'" in answer.error
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "said", "todo"),
    [
        (400, "This model's maximum context length is 64 tokens.", "serve the model with a longer context"),
        (404, "The model `other` does not exist.", "name the model as its server does"),
        (404, "", "most end in /v1"),
    ],
)
def test_a_refusal_says_what_to_do(status, said, todo):
    with FaultyServer([Status(status, message=said)]) as server:
        (answer,), _ = answers(server.url, [ask()])
    assert todo in answer.error
    assert said in answer.error


def test_an_answer_cut_off_short_of_max_tokens_says_how_much_room_there_was():
    with FaultyServer([Say(AGREES, finish="length")]) as server:
        (answer,), _ = answers(server.url, [ask()], retries=0)
    assert "cut off at max_tokens or the end of the context (3 tokens after 7)" in answer.error


def test_a_server_that_is_not_there_is_an_error():
    with FaultyServer([GOOD]) as server:
        pass
    (answer,), _ = answers(server.url, [ask()], retries=1)
    assert "Connect" in answer.error


def test_an_attempt_after_a_useless_answer_has_the_next_seed_and_one_after_a_lost_request_the_same():
    with FaultyServer([Status(500), Say("no"), Drop(), Say("no"), GOOD]) as server:
        answers(server.url, [ask()], retries=4)
    assert [body["seed"] for body in server.requests] == [0, 0, 1, 1, 2]
    assert [body["temperature"] for body in server.requests] == [0.0, 0.0, 0.3, 0.3, 0.3]


def test_what_is_sent_is_the_request_and_its_schema():
    with FaultyServer([GOOD]) as server:
        answers(server.url, [ask("Is it?", top_p=0.5)], temperature=0.7, max_tokens=99, extra_body={"min_p": 0.1})
    assert server.requests == [
        {
            "model": "small",
            "messages": [{"role": "user", "content": "Is it?"}],
            "temperature": 0.7,
            "max_tokens": 99,
            "top_p": 0.5,
            "min_p": 0.1,
            "seed": 0,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "schema": SCHEMA, "strict": True},
            },
        }
    ]
    assert server.headers[0]["authorization"] == "Bearer sk-very-secret"


def test_free_text_needs_no_schema_and_loses_its_thoughts():
    with FaultyServer([Say("<think>What would she say?</think>\n\nThe blue one. ")]) as server:
        (answer,), _ = answers(server.url, [ask(schema=None)])
    assert answer.value == "The blue one."
    assert "response_format" not in server.requests[0]


def test_the_server_says_how_long_to_wait(monkeypatch):
    with FaultyServer([Status(429, {"retry-after": "0.3"}), GOOD]) as server:
        answers(server.url, [ask()])
    assert 0.3 <= server.times[1] - server.times[0] < 20
    monkeypatch.setattr(refusal_module, "MAX_RETRY_AFTER_S", 0.1)
    for header in ("86400", "Fri, 01 Jan 2999 00:00:00 GMT", "soon", "nan", "-5"):
        with FaultyServer([Status(503, {"retry-after": header}), GOOD]) as server:
            (answer,), _ = answers(server.url, [ask()])
        assert answer.value == AGREES
        assert server.times[1] - server.times[0] < 20


def test_pauses_grow_and_differ():
    with FaultyServer([Status(500)]) as server:
        answers(server.url, [ask()], retries=3, backoff_s=0.08)
    pauses = [later - earlier for earlier, later in zip(server.times, server.times[1:], strict=False)]
    for pause, whole in zip(pauses, (0.08, 0.16, 0.32), strict=True):
        assert pause >= whole / 2


def test_a_secret_that_the_server_repeats_is_not_told():
    with FaultyServer([Status(401, message="the key sk-very-secret is wrong")]) as server:
        (answer,), _ = answers(server.url, [ask()])
    assert "the key (not shown) is wrong" in answer.error


@pytest.mark.parametrize("length", range(180, 220))
def test_a_secret_that_is_cut_where_the_text_is_shortened_is_not_told_in_part(length):
    with FaultyServer([Body("x" * (length - 15) + "sk-very-secret" + "y" * 400)]) as server:
        (answer,), _ = answers(server.url, [ask()], retries=0)
    assert "sk-ve" not in answer.error


def test_no_spelling_of_a_secret_is_told():
    key, login = "sk-'quoted'\\and\"more", "dXNlcm5hbWU6c2UvY3JldA=="
    one = ModelConfig("http://username:se%2Fcret@h/v1", "m", api_key=key)
    for spelt in (key, repr(key), json.dumps(key), login, "se/cret", "se%2Fcret", "username"):
        told = one.hidden(f"bad: {spelt}!")
        assert told in ("bad: (not shown)!", "bad: '(not shown)'!", 'bad: "(not shown)"!'), told


def test_a_key_that_is_sent_is_in_no_log(caplog):
    with FaultyServer([GOOD]) as server, caplog.at_level(logging.DEBUG):
        answers(server.url, [ask()])
    assert server.headers[0]["authorization"] == "Bearer sk-very-secret"
    assert "/chat/completions" in caplog.text  # what the libraries below say of it too
    assert "sk-very-secret" not in caplog.text


def test_a_retry_leaves_its_place_to_others_while_it_pauses():
    with FaultyServer(lambda body: Status(500) if body["messages"][0]["content"] == "a" else GOOD) as server:
        answerer = ModelAnswerer({"user": config(server.url, max_concurrency=1, retries=1, backoff_s=1000.0)})
        paused = answerer.submit([ask("a")])
        others = answerer([ask(str(number)) for number in range(3)])
        assert not paused.done()
        answerer.close()
    assert all(answer.value == AGREES for answer in others)


def test_whoever_waits_while_the_models_are_closed_is_told(tmp_path):
    with FaultyServer([Hang()]) as server:
        answerer, told = ModelAnswerer({"user": config(server.url, timeout_s=1000.0)}), []

        def wait():
            try:
                answerer([ask()])
            except ModelsClosed as error:
                told.append(str(error))

        thread = threading.Thread(target=wait)
        thread.start()
        wait_for(lambda: server.requests)
        answerer.close()
        thread.join(LONG_S)
    assert told == ["closed while the answers of models were awaited"]


def test_a_role_has_no_more_requests_out_than_it_may():
    both = Gathering(7)  # three of one role and four of the other: each has places of its own

    with FaultyServer(lambda body: Say(AGREES, until=both.come())) as server:
        roles = {"user": config(server.url, max_concurrency=3), "grader": config(server.url, max_concurrency=4)}
        answerer = ModelAnswerer(roles)
        found = answerer([ask(str(n), role=role) for n in range(12) for role in roles])
        answerer.close()
    assert all(answer.value == AGREES for answer in found)
    assert both.over.is_set()
    assert server.peak == 7
    assert answerer.usage["user"].queue_s > 0


def test_a_batch_is_asked_at_one_time_and_one_failure_is_its_own():
    all_there = Gathering(64)

    def script(body):
        over = all_there.come()
        return Status(400) if body["messages"][0]["content"] == "7" else Say(AGREES, until=over)

    with FaultyServer(script) as server:
        found, usage = answers(server.url, [ask(str(n), number=1) for n in range(64)], timeout_s=LONG_S / 2)
    assert [n for n, answer in enumerate(found) if answer.error] == [7]
    assert usage.requests == 64
    assert all_there.over.is_set()


def test_asks_of_others_go_to_others():
    tool = Ask("a1", "shell", "exec", "call", ToolRequest("shell", {}))
    with FaultyServer([GOOD]) as server:
        alone = ModelAnswerer({"user": config(server.url)})
        found = alone([ask(role="grader"), ask(), tool])
        assert [bool(answer.error) for answer in found] == [True, False, True]
        assert "'grader'" in found[0].error
        helped = ModelAnswerer({"user": config(server.url)}, lambda asks: [Answer(f"for {one.role}") for one in asks])
        values = [answer.value for answer in helped([ask(role="grader"), ask(), tool])]
        assert values == ["for grader", AGREES, "for exec"]
        alone.close(), helped.close()


def test_a_schema_of_ours_that_is_not_understood_is_an_error_and_never_a_pass():
    with FaultyServer([Say({"x": 1})]) as server:
        (answer,), _ = answers(server.url, [ask(schema={"type": "thing"})])
    assert "a type that there is not: 'thing'" in answer.error


# -- what a schema cannot say ----------------------------------------------------------------------------------------


def even(value):
    return "" if len(value["reason"]) % 2 == 0 else "the reason is odd"


def checked(check=even):
    return Ask("a1", "model", "user", "asked", ModelRequest(({"role": "user", "content": "q"},), SCHEMA, check=check))


def test_an_answer_with_a_fault_is_asked_for_again_as_the_next_attempt():
    with FaultyServer([Say({"reason": "odd", "agree": True}), Say({"reason": "even", "agree": True})]) as server:
        (answer,), usage = answers(server.url, [checked()])
    assert answer == Answer({"reason": "even", "agree": True})
    assert ([body["seed"] for body in server.requests], usage.retries) == ([0, 1], 1)


def test_answers_with_faults_to_the_last_are_an_error_that_repeats_nothing_of_them():
    with FaultyServer([Say({"reason": "she wants blue", "agree": False})]) as server:
        (answer,), usage = answers(server.url, [checked(lambda value: "it does not agree")], retries=2)
    assert "it does not agree" in answer.error
    assert "blue" not in answer.error
    assert "she wants blue" in answer.note
    assert (answer.value, usage.requests, usage.failures) == (None, 3, 1)


def test_a_kept_answer_that_would_not_be_taken_today_is_asked_for_anew(tmp_path):
    odd, fine = {"reason": "odd", "agree": True}, {"reason": "even", "agree": True}
    with FaultyServer([Say(odd), Say(fine)]) as server:
        answers(server.url, [checked(None)], cache=tmp_path)
        (answer,), usage = answers(server.url, [checked()], cache=tmp_path)
        assert (answer.value, usage.requests) == (fine, 1)
        (answer,), usage = answers(server.url, [checked()], cache=tmp_path)
    assert (answer.value, usage.requests) == (fine, 0)


BOUNDED = {
    "type": "object",
    "properties": {"reason": {"type": "string", "maxLength": 3}, "agree": {"type": "boolean"}},
    "required": ["reason", "agree"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("bound", [False, True])
def test_lengths_are_sent_only_where_the_configuration_says_so_and_are_no_condition(bound):
    with FaultyServer([Say({"reason": "longer than three", "agree": True})]) as server:
        (answer,), _ = answers(server.url, [ask(schema=BOUNDED)], bound_schemas=bound)
    assert answer.error == ""
    sent = server.requests[0]["response_format"]["json_schema"]["schema"]
    assert ("maxLength" in sent["properties"]["reason"]) is bound
    assert (sent == BOUNDED) is bound


# -- free text without end -------------------------------------------------------------------------------------------


def message(fallback="Make it blue.", check=None):
    request = ModelRequest(({"role": "user", "content": "q"},), fallback=fallback, check=check)
    return Ask("a1", "model", "user", "message", request)


TALK = Say("And another thing. And then", finish="length")


def test_a_message_that_ends_at_a_further_attempt_is_the_models():
    with FaultyServer([TALK, TALK, Say("Blue, please.")]) as server:
        (answer,), usage = answers(server.url, [message()])
    assert answer == Answer("Blue, please.")
    assert (usage.retries, usage.fallbacks) == (2, 0)


def test_messages_without_end_to_the_last_are_the_fallback_and_say_so():
    with FaultyServer([TALK]) as server:
        (answer,), usage = answers(server.url, [message()])
    assert (answer.value, answer.error) == ("Make it blue.", "")
    assert answer.note.startswith("the task's own words, not the model's: the answer was cut off at max_tokens")
    assert (usage.requests, usage.answers, usage.fallbacks, usage.failures) == (3, 1, 1, 0)


def test_a_message_that_is_too_long_for_the_role_counts_as_without_end():
    with FaultyServer([Say("x" * 50)]) as server:
        (answer,), _ = answers(server.url, [message(check=lambda said: "too long" if len(said) > 9 else "")])
    assert (answer.value, "too long" in answer.note) == ("Make it blue.", True)


def test_the_fallback_is_kept_so_that_a_repeated_run_is_the_same_and_forgotten_with_the_rest(tmp_path):
    with FaultyServer([TALK, TALK, TALK, Say("Blue.")]) as server:
        answerer = ModelAnswerer({"user": config(server.url, tmp_path)})
        first = answerer([message()])
        again = answerer([message()])
        assert (first, len(server.requests), answerer.usage["user"].fallbacks) == (again, 3, 2)
        answerer.forget([message()])
        assert answerer([message()]) == [Answer("Blue.")]
        answerer.close()


@pytest.mark.parametrize(
    "last",
    [Say(""), Say("no", refusal="I will not."), Say("x", finish="content_filter"), Status(500), Drop(),
     Say("<think>Hm, what", finish="length")],
    ids=str,
)  # fmt: skip
def test_only_a_message_without_end_falls_back_any_other_failure_is_an_error(last):
    with FaultyServer([TALK, TALK, last]) as server:
        (answer,), usage = answers(server.url, [message()])
    assert answer.value is None
    assert answer.error
    assert (usage.fallbacks, usage.failures) == (0, 1)


def test_a_verdict_that_is_cut_off_has_no_fallback():
    request = ModelRequest(({"role": "user", "content": "q"},), SCHEMA, fallback="Make it blue.")
    with FaultyServer([Say(AGREES, finish="length")]) as server:
        (answer,), _ = answers(server.url, [Ask("a1", "model", "user", "asked", request)], retries=1)
    assert "cut off at max_tokens" in answer.error


# -- what is hidden stays so -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("quote", [str, repr, json.dumps], ids=["as it is", "repr", "JSON"])
def test_a_server_that_repeats_the_prompt_in_its_error_does_not_bring_it_into_ours(quote):
    prompt = "| The user wants it blue.\n</intent>\n<intent>\n| And large.\n"
    with FaultyServer([Status(400, message=f"invalid input: {quote(prompt)}")]) as server:
        (answer,), _ = answers(server.url, [ask(prompt)])
    assert "blue" not in answer.error
    assert "HTTP 400 (the server repeats what it was asked)" in answer.error
    assert "wants it blue" in answer.note
