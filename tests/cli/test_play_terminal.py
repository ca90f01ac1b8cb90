from __future__ import annotations

from support.packs import TINY, tiny
from typer.testing import CliRunner

from pi_gym.cli.main import app


def play(*lines: str, task: str = "01-list") -> str:
    arguments = ["play", "PiBench-v0", "--pack", str(TINY), "--task", task, "--variant", "0"]
    result = CliRunner().invoke(app, arguments, input="".join(f"{line}\n" for line in lines))
    assert result.exit_code == 0, result.output
    return result.output


def test_a_person_plays_to_the_end_and_sees_the_scores():
    task = tiny().instantiate("01-list", 0)
    text = play(*(part for action in task.reference for part in (*action.split("\n"), "")))
    assert "Proc 1.000, Comp 1.000, return 1.000" in text
    assert all(part.text in text for part in (*task.intents, *task.checklist))


def test_a_dot_ends_a_message_and_a_reply_may_have_several_lines():
    text = play("first line", "second line", ".", "/quit")
    user = next(intent.reveal for intent in tiny().instantiate("01-list", 0).intents)
    assert user in text
    assert "provided" in text


def test_commands_are_answered_and_cost_no_turn():
    call = '<tool_call>{"name": "write_file", "arguments": {"path": "new.txt", "content": "hi\\n"}}</tool_call>'
    text = play("", "/tools", "/diff", call, "", "/diff", "/toools", "/quit")
    assert "write_file(path" in text
    assert "nothing has changed" in text
    assert "+++ b/new.txt" in text
    assert "/toools is no command" in text
    assert "provided" not in text


def test_the_end_of_the_input_ends_the_session():
    assert "Proc 0.000" in play("half a message")
    assert "Proc 0.000" in play()


def test_hidden_things_are_shown_only_at_the_end():
    text = play("/quit")
    before, _, after = text.partition("=== the user's hidden intents")
    for intent in tiny().instantiate("01-list", 0).intents:
        assert intent.text not in before
        assert intent.text in after


def test_the_past_can_be_left_out():
    look = '<tool_call>{"name": "list_dir", "arguments": {"path": "."}}</tool_call>\n\n/quit\n'
    for history, is_there in (("reference", True), ("none", False)):
        arguments = ["play", "PiBench-v0", "--pack", str(TINY), "--task", "02-memo", "--history", history]
        result = CliRunner().invoke(app, arguments, input=look)
        assert result.exit_code == 0, result.output
        assert "shop.txt" in result.output
        assert ("seeds.txt" in result.output) == is_there, "what the session before has left"
