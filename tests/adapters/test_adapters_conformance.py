"""All adapters play alike: the same play through each gives what `gym.make` gives, whatever goes wrong in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.asking import AskingGrader
from support.outsiders import (
    PLAYERS,
    Player,
    by_gym,
    calling,
    saying,
    scripted,
)

from pi_gym.adapters.session_play import single_session_env
from pi_gym.adapters.session_row import SessionRow, plan_rows
from pi_gym.models.scripted import ScriptedModel
from pi_gym.types import Answer

MINI, PARE, RESEARCHER = "PiBench-Mini-v0", "Pare-v0", "PiBench-Researcher-v0"
SIGN = SessionRow("01-sign", 1, 0)
#: A play that earns something, and not all.
MEDIOCRE = [calling("read_file", path="notes.txt"), saying("What should the last line be?")]


@pytest.fixture(params=PLAYERS)
def play(request: pytest.FixtureRequest) -> Player:
    return PLAYERS[request.param]


def reference(env_id: str, row: SessionRow) -> list[Any]:
    env = single_session_env(env_id, {})
    env.reset(seed=row.seed, options=row.options)
    assert env.session is not None
    return list(env.family.reference(env.session))


@pytest.mark.parametrize(
    ("env_id", "tasks"),
    [(MINI, None), (RESEARCHER, ["03-paper-alert"]), (PARE, ["stranded-friend", "late-cab"])],
)
@pytest.mark.parametrize("perfect", [False, True])
def test_the_same_play_has_the_same_return(play: Player, env_id: str, tasks: Any, perfect: bool) -> None:
    rows = plan_rows(single_session_env(env_id, {}), tasks=tasks, variants=[0, 3] if env_id == MINI else [3])
    scripts = [scripted(reference(env_id, row) if perfect else MEDIOCRE) for row in rows]
    expected = [one.score for one in by_gym(env_id, {}, rows, scripts)]
    assert [one.score for one in play(env_id, {}, rows, scripts)] == expected
    if perfect and env_id != PARE:
        assert expected == pytest.approx([1.0] * len(rows))
    assert None not in expected


@pytest.mark.parametrize("then", [None, "Done."])
def test_a_failure_of_ours_is_unscored_and_no_number(play: Player, then: str | None) -> None:
    down = ScriptedModel(lambda _: Answer(error="the server is down"))
    broken = {"grader": AskingGrader(), "responder": down}
    (played,) = play(MINI, broken, [SIGN], [scripted(MEDIOCRE, then=then)])
    assert played.score is None


def test_what_is_raised_on_our_side_is_unscored_and_no_words_of_it_are_heard(play: Player) -> None:
    def down(_: Any) -> Answer:
        raise RuntimeError("a secret path")

    rows, scripts = [SIGN, SessionRow("01-sign", 2, 0)], [scripted(MEDIOCRE), scripted(MEDIOCRE)]
    for played in play(MINI, {"grader": AskingGrader(), "responder": down}, rows, scripts):
        assert played.score is None
        assert "secret" not in json.dumps([played.heard, played.messages])


def test_a_limit_of_the_session_cuts_it_short_and_it_is_graded(play: Player) -> None:
    script = scripted(MEDIOCRE)
    (expected,) = by_gym(MINI, {"max_turns": 1}, [SIGN], [script])
    (played,) = play(MINI, {"max_turns": 1}, [SIGN], [script])
    assert played.score == expected.score
    assert played.score is not None
    assert len(played.heard) == len(expected.heard) == 2


def test_a_session_that_is_left_open_is_graded_as_things_stand(play: Player) -> None:
    script = scripted(MEDIOCRE, then=None)
    (expected,) = by_gym(MINI, {}, [SIGN], [script])
    (played,) = play(MINI, {}, [SIGN], [script])
    assert played.score == expected.score
    assert 0 < played.score < 1


def test_mistakes_are_observations_and_the_session_goes_on(play: Player) -> None:
    wrong = [
        calling("read_file", path="nowhere.txt"),
        calling("no_such_tool", x=1),
        calling("read_file", path="notes.txt", offset="many"),
    ]
    script = scripted([*wrong, *MEDIOCRE])
    (expected,) = by_gym(MINI, {}, [SIGN], [script])
    (played,) = play(MINI, {}, [SIGN], [script])
    assert "no file 'nowhere.txt'" in played.heard[0]
    assert "no_such_tool" in played.heard[1]
    assert "offset" in played.heard[2]
    assert played.score == expected.score


def test_every_letter_comes_through_both_ways(play: Player) -> None:
    text = 'Grüße, 你好 🎉\u2028«\\n» "q" \u200b\n'
    script = scripted([calling("write_file", path="ß.txt", content=text), calling("read_file", path="ß.txt")])
    (played,) = play(MINI, {}, [SIGN], [script])
    assert "Grüße, 你好 🎉" in played.heard[1]
    assert '«\\n» "q" \u200b' in played.heard[1]
    assert played.score == by_gym(MINI, {}, [SIGN], [script])[0].score


def test_sessions_side_by_side_do_not_touch_each_other(play: Player) -> None:
    rows = [SessionRow(task, variant, 0) for task in ("01-sign", "02-order") for variant in (1, 2, 5)]
    scripts = [scripted(reference(MINI, row) if place % 2 else MEDIOCRE) for place, row in enumerate(rows)]
    alone = [play(MINI, {}, [row], [script])[0].score for row, script in zip(rows, scripts, strict=True)]
    assert [one.score for one in play(MINI, {}, rows, scripts)] == alone


def test_the_model_s_messages_and_call_ids_stay_its_own(play: Player) -> None:
    twice = calling("read_file", "abc_1", path="notes.txt")
    twice["tool_calls"] += calling("list_dir_", "abc_2")["tool_calls"]
    broken = calling("read_file", "abc_3")
    broken["tool_calls"][0]["function"]["arguments"] = "{"
    moves = [{**twice, "content": "I look."}, {**broken, "extra": 1}, saying("What should the last line be?")]
    script = scripted(moves)
    if play in [PLAYERS[name] for name in ("trl_methods", "trl_rollout", "mcp", "openenv_harness", "skyrl", "verl")]:
        pytest.skip("it gives the model no messages")
    (played,) = play(MINI, {}, [SIGN], [script])
    own = [one for one in played.messages if one["role"] == "assistant"][:3]
    if play is PLAYERS["inspect"]:  # it has messages of its own, and no JSON that is broken
        assert [one["content"] for one in own] == [one["content"] for one in moves]
    else:
        assert own == moves
    results = [(one["tool_call_id"], one["content"]) for one in played.messages if one["role"] == "tool"]
    assert [name for name, _ in results] == ["abc_1", "abc_2", "abc_3"]
    assert "was not run" in results[2][1]
