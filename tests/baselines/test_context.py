"""Fitting a conversation into a context: only tool results give way, the oldest first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_gym.baselines.served.context import LEFT_OUT, chat_chars, fit

SYSTEM = {"role": "system", "content": "s" * 3000}
USER = {"role": "user", "content": "u" * 1000}


def exchange(number: int, size: int) -> list[dict[str, object]]:
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": str(number) * size, "tool_call_id": f"call_{number}"},
    ]


def conversation(*sizes: int) -> list[dict[str, object]]:
    return [SYSTEM, USER, *(message for number, size in enumerate(sizes) for message in exchange(number, size))]


def test_what_fits_is_not_touched() -> None:
    messages = conversation(5000, 5000)
    fitted = fit(messages, 100_000)
    assert list(fitted.messages) == messages
    assert (fitted.shortened, fitted.left_out) == (0, 0)


def test_the_oldest_result_is_shortened_first_and_says_so() -> None:
    fitted = fit(conversation(5000, 5000, 5000), 15_500)
    assert [len(message["content"]) for message in fitted.messages if message["role"] == "tool"][1:] == [5000, 5000]
    assert fitted.messages[3]["content"].startswith("0" * 400 + "\n[Shortened")
    assert "4600 more characters" in fitted.messages[3]["content"]
    assert (fitted.shortened, fitted.left_out) == (1, 0)


def test_older_results_are_left_out_before_the_last_one_is_shortened() -> None:
    fitted = fit(conversation(5000, 5000, 5000), 10_200)
    contents = [message["content"] for message in fitted.messages if message["role"] == "tool"]
    assert contents[0] == LEFT_OUT
    assert contents[2] == "2" * 5000
    assert fitted.left_out >= 1


def test_the_system_message_stays_however_small_the_budget() -> None:
    fitted = fit(conversation(5000, 5000), 10)
    assert fitted.messages[:2] == (SYSTEM, USER)
    assert [message["content"] for message in fitted.messages if message["role"] == "tool"] == [LEFT_OUT] * 2
    assert fitted.chars == sum(map(chat_chars, fitted.messages)) > 10


@given(st.lists(st.integers(0, 3000), max_size=8), st.integers(0, 30_000))
def test_calls_keep_their_results_and_everything_else_stays(sizes: list[int], budget: int) -> None:
    messages = conversation(*sizes)
    fitted = fit(messages, budget)
    assert len(fitted.messages) == len(messages)
    for before, after in zip(messages, fitted.messages, strict=True):
        assert {k: v for k, v in before.items() if k != "content"} == {k: v for k, v in after.items() if k != "content"}
        assert before["role"] == "tool" or before is after
        assert len(str(after["content"])) <= len(str(before["content"]))
    untouched = fitted.shortened + fitted.left_out == 0
    assert fitted.chars <= budget or not untouched or not any(sizes) or max(sizes) <= len(LEFT_OUT)
    if sum(map(chat_chars, messages)) <= budget:
        assert untouched
