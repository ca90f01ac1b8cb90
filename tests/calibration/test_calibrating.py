"""Calibrations by scripted models: the figures are those that one reckons from the trials in another way."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import yaml
from support.chat_server import ChatServer
from support.judging import decided, ids_of
from support.packs import TINY
from support.pare_model import NO, YES, agreeable
from typer.testing import CliRunner

from pi_gym import calibrate
from pi_gym.calibration.role_models import ModelAway
from pi_gym.cli.main import app
from pi_gym.errors import BadArgument, PackError, PiGymError, UnknownName
from pi_gym.models.config import ModelConfig
from pi_gym.models.scripted import ScriptedModel
from pi_gym.types import Answer

PI, KWARGS = "PiBench-v0", {"pack": str(TINY)}


def says_yes(ask):
    return {"clauses": []} if ask.stage == "asked" else decided(dict.fromkeys(ids_of(ask), True))


def tiny(function, **options):
    models = {"user": ScriptedModel(function), "grader": ScriptedModel(function)}
    return calibrate(PI, models, env_kwargs=KWARGS, **options)


def test_a_grader_that_always_says_yes_agrees_as_often_as_the_rules_do():
    found = tiny(says_yes, tasks=2)
    assert not found.unscored
    table = found.confusion("checklist items")
    rules = Counter(pair.rules for one in found.trials for pair in one.pairs if pair.kind == "checklist items")
    assert {model for _, model in table.pairs} == {"passed"}
    assert table.agreement.value == pytest.approx(rules["passed"] / rules.total())
    assert rules["failed"] > 0
    assert table.kappa.value == 0


def test_a_person_who_always_says_yes_accepts_what_is_right_and_all_else():
    found = calibrate("Pare-v0", {"user": ScriptedModel(agreeable)}, tasks=4, trials=2)
    pairs = [(one.origin, pair.rules, pair.model) for one in found.trials for pair in one.pairs]
    assert {model for _, _, model in pairs} == {"accepted"}
    assert {rules for origin, rules, _ in pairs if origin == "reference"} == {"accepted"}
    assert {rules for origin, rules, _ in pairs if origin in ("too early", "everything")} == {"rejected"}
    accepted = sum(rules == "accepted" for _, rules, _ in pairs)
    assert found.confusion("proposals").agreement.value == pytest.approx(accepted / len(pairs))


def test_a_person_who_decides_as_the_rules_do_agrees_in_everything():
    first = calibrate("Pare-v0", {"user": ScriptedModel(agreeable)}, tasks=3, trials=2)
    rules = iter([pair.rules for one in first.trials for pair in one.pairs])
    model = ScriptedModel(lambda ask: YES if next(rules) == "accepted" else NO)
    found = calibrate("Pare-v0", {"user": model}, tasks=3, trials=2, concurrency=1)
    table = found.confusion("proposals")
    assert (table.agreement.value, table.kappa.value) == (1.0, 1.0)
    assert table.agreement.low < 1


def test_garbage_is_unscored_and_in_no_figure():
    found = tiny(lambda ask: {"so": "what"}, tasks=1, trials=1)
    assert len(found.unscored) == len(found.trials) > 0
    assert {one.error_kind for one in found.unscored} == {"model"}
    assert (found.kinds, found.to_json()["agreement"]) == ((), {})


def test_a_model_that_dies_half_way_leaves_the_rest_unscored_and_the_figures_as_they_were():
    whole = tiny(says_yes, tasks=2, concurrency=1)
    left = [10]

    def dying(ask):
        left[0] -= 1
        return says_yes(ask) if left[0] >= 0 else Answer(error="no connection")

    found = tiny(dying, tasks=2, concurrency=1)
    assert 0 < len(found.unscored) < len(found.trials)
    assert all("no connection" in one.error and not one.pairs for one in found.unscored)
    expected = {one.id: one.pairs for one in whole.trials}
    assert all(one.pairs == expected[one.id] for one in found.scored)
    judged = sum(pair.kind == "checklist items" for one in found.scored for pair in expected[one.id])
    assert found.confusion("checklist items").judged == judged


def test_what_comes_out_does_not_depend_on_how_many_are_asked_at_a_time():
    one, many = (tiny(says_yes, tasks=1, concurrency=width) for width in (1, 8))
    assert [(found.id, found.pairs) for found in one.trials] == [(found.id, found.pairs) for found in many.trials]


def test_only_the_decisions_of_roles_that_models_play_count():
    grader = calibrate(PI, {"grader": ScriptedModel(says_yes)}, tasks=1, env_kwargs=KWARGS)
    assert {role for _, role in grader.kinds} == {"grader"}
    assert {one.origin for one in grader.trials}.isdisjoint({"question", "near question"})


TESTS = Path(__file__).parents[1]


def test_questions_of_other_writers_are_held_against_what_they_were_meant_for():
    lists = TESTS / "questions" / "blind"
    tasks = ["03-ward-board", "20-money-round"]
    models = {"user": ScriptedModel(says_yes)}
    found = calibrate("PiBench-v0", models, tasks=tasks, trials=6, lists=lists)
    assert found.settings["lists"] == ["pharmacist/03-ward-board", "researcher/20-money-round"]
    entries = [yaml.safe_load((lists / f"{name}.yaml").read_text()) for name in found.settings["lists"]]
    kind, as_meant = "questions: its intent", Counter()
    for origin, field, label in (
        ("listed question", "targeted", "hit"),
        ("listed near question", "near", "no hit"),
    ):
        pairs = [one for trial in found.trials if trial.origin == origin for one in trial.pairs if one.kind == kind]
        assert len(pairs) == 2 * 6
        for pair in pairs:
            assert any(pair.words in entry[pair.name][field] for entry in entries if pair.name in entry)
            assert (pair.meant, pair.model) == (label, "no hit")
            as_meant[label] += pair.rules == label
        rules, model = found.as_meant(kind, origin)
        assert rules.agreement.value == pytest.approx(as_meant[label] / len(pairs))
        assert model.agreement.value == (label == "no hit")
    # Rules hear most of what is asked; a user who hears nothing is right of what is close by alone.
    assert as_meant["hit"] > 6
    assert found.to_json()["as_meant"][kind]["model"]["judged"] == found.as_meant(kind)[0].judged > 24


def test_proposals_of_other_writers_are_held_against_what_they_were_meant_for():
    lists, task = TESTS / "pare" / "blind", "gift-twice"
    found = calibrate("Pare-v0", {"user": ScriptedModel(agreeable)}, tasks=[task], trials=3, lists=lists)
    right = [
        text for world in yaml.safe_load((lists / f"{task}.yaml").read_text())["worlds"] for text in world["right"]
    ]
    listed = [pair for one in found.trials if one.origin.startswith("listed") for pair in one.pairs]
    assert len(listed) == 6
    assert [pair.meant == "accepted" for pair in listed] == [pair.words in right for pair in listed]
    assert found.as_meant("proposals")[1].agreement.value == 0.5  # of whoever accepts all
    assert found.as_meant("proposals", "reference")[0].judged == 0


def test_lists_are_for_the_user_alone_and_what_is_none_is_told(tmp_path):
    models = {"grader": ScriptedModel(says_yes)}
    (tmp_path / "01-list.yaml").write_text("size: {variant: 0, targeted: ['Which bed?']}")
    found = calibrate(PI, models, tasks=["01-list"], lists=tmp_path, env_kwargs=KWARGS)
    assert "listed question" not in {one.origin for one in found.trials}
    with pytest.raises(BadArgument, match="has none of the tasks 02-memo"):
        calibrate(PI, models, tasks=["02-memo"], lists=tmp_path, env_kwargs=KWARGS)
    with pytest.raises(BadArgument, match="expected a folder of lists"):
        calibrate(PI, models, lists=tmp_path / "gone", env_kwargs=KWARGS)
    for text, told in (("sise: {variant: 0}", "Did you mean 'size'"), ("size: {targeted: []}", "size.variant")):
        (tmp_path / "01-list.yaml").write_text(text)
        with pytest.raises(PackError, match=told):
            calibrate(PI, models, tasks=["01-list"], lists=tmp_path, env_kwargs=KWARGS)


@pytest.mark.parametrize(
    ("env_id", "roles", "error", "told"),
    [
        (PI, {}, BadArgument, "nothing to calibrate"),
        (PI, {"user": "rule", "grader": "rule"}, BadArgument, "--role user=MODEL@URL"),
        ("Pare-v0", {"grader": "m@127.0.0.1:1"}, UnknownName, "grader"),
        ("Nothing-v0", {"user": "m@127.0.0.1:1"}, UnknownName, "Nothing-v0"),
        (PI, {"user": "no model"}, PiGymError, "MODEL@URL"),
    ],
)
def test_what_cannot_be_calibrated_is_refused(env_id, roles, error, told):
    with pytest.raises(error, match=told):
        calibrate(env_id, roles)


def test_a_server_that_is_away_is_told_before_anything_is_played():
    with pytest.raises(ModelAway, match="nothing was begun"):
        calibrate("Pare-v0", {"user": ModelConfig("http://127.0.0.1:1/v1", "away", retries=0)})


def accepting(body):
    schema = body["response_format"]["json_schema"]["schema"]["properties"]
    return {"content": json.dumps(YES if "move" in schema else {"decision": "YES"})}


def test_the_command_writes_both_files_and_leaves_a_full_folder_alone(tmp_path):
    with ChatServer(accepting) as server:
        words = ["calibrate", "Pare-v0", "--role", f"user=toy@{server.url}", "--tasks", "2", "--trials", "1"]
        words += ["--cache", "off", "--out", str(tmp_path / "out")]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
        found = json.loads((tmp_path / "out" / "calibration.json").read_text())
        # The first request is the probe, which is no trial's.
        assert found["usage"]["user"]["requests"] == len(server.bodies) - 1 == found["trials"]
        assert "## Where they differ" in (tmp_path / "out" / "calibration.md").read_text()
        asked = len(server.bodies)
        again = CliRunner().invoke(app, words)
        assert again.exit_code == 2
        assert "empty folder" in again.output
        assert len(server.bodies) == asked
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_command_leaves_nothing_behind_where_the_server_is_away(tmp_path):
    words = ["calibrate", "Pare-v0", "--role", "user=toy@127.0.0.1:1", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert "nothing was begun" in done.output
    assert [*tmp_path.iterdir()] == []
