"""Re-scoring a run, and comparing the two judgements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from support.judging import decided, ids_of
from support.packs import PROTOCOL

from pi_gym.graders.model import ModelGrader
from pi_gym.graders.rule import RuleGrader
from pi_gym.models.scripted import ScriptedModel
from pi_gym.rollout import RunError, collect
from pi_gym.rollout.agreement import Rate, compare, compare_runs
from pi_gym.rollout.rescoring import Judges, rescore, unjudged
from pi_gym.session import read_trajectories
from pi_gym.types import Answer, Ask
from pi_gym.users.model import ModelUser
from pi_gym.users.rule import RuleUser

RULES = Judges(RuleUser(), RuleGrader())
TOY = {"user": {"model": "toy"}, "grader": {"model": "toy"}}
GRADER = {"grader": {"model": "toy"}}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "silent"
    collect("PiBench-Researcher-v0", "silent", env_kwargs={"pack": str(PROTOCOL)}, out=folder)
    return folder


def sceptic(ask: Ask) -> Any:
    """Finds nothing satisfied and nothing asked, and every item passed."""
    if ask.stage == "asked":
        return {"clauses": []}
    return decided(dict.fromkeys(ids_of(ask), ask.stage == "grade"))


def models(function: Any = sceptic) -> Judges:
    return Judges(ModelUser(), ModelGrader(all_items=True), TOY, ScriptedModel(function))


# -- re-scoring ------------------------------------------------------------------------------------------------------


def test_the_rules_agree_with_themselves(run: Path, tmp_path: Path) -> None:
    summary = rescore(run, tmp_path / "again", RULES)
    found = compare_runs(tmp_path / "again")
    assert summary.scored == found.sessions == 4
    assert (found.a.split()[0], found.cases) == ("silent", ())
    assert {rate.agreement for rate in found.rates.values()} == {1.0, None}


def test_episodes_of_the_agents_own_are_judged_in_their_own_past(tmp_path: Path) -> None:
    kwargs = {"pack": str(PROTOCOL), "history": "own"}
    for name, concurrency in (("run", 3), ("alone", 1)):
        out = tmp_path / name
        collect("PiBench-v0", "reference", env_kwargs=kwargs, sessions=12, out=out, concurrency=concurrency)
    summary = rescore(tmp_path / "run", tmp_path / "again", RULES)
    found = compare_runs(tmp_path / "again")
    assert (summary.scored, summary.unscored, found.cases) == (12, 0, ())
    assert summary.to_json()["episodes"] == {"planned": 3, "whole": 3, "stopped": 0}
    assert summary.overall["proc"] == rescore(tmp_path / "alone", tmp_path / "other", RULES).overall["proc"]
    # What is judged already is played again all the same, where a session that is not rests on it.
    judged = tmp_path / "again" / "trajectories.jsonl"
    lines = judged.read_text().splitlines(keepends=True)
    judged.write_text("".join(lines[:4]))
    assert rescore(tmp_path / "run", tmp_path / "again", RULES, resume=True).unscored == 0
    assert sorted(judged.read_text().splitlines(keepends=True)) == sorted(lines)


def test_a_session_whose_past_does_not_come_out_is_not_judged(tmp_path: Path) -> None:
    kwargs = {"pack": str(PROTOCOL), "history": "own"}
    collect("PiBench-v0", "reference", env_kwargs=kwargs, sessions=8, out=tmp_path / "run")
    file = tmp_path / "run" / "trajectories.jsonl"
    first, *others = file.read_text().splitlines(keepends=True)
    file.write_text(first.replace('"result":"', '"result":"Not ', 1) + "".join(others))
    summary = rescore(tmp_path / "run", tmp_path / "again", RULES)
    assert (summary.scored, summary.unscored) == (4, 4)
    failed = [json.loads(line) for line in (tmp_path / "again" / "unscored.jsonl").read_text().splitlines()]
    assert [one["error"].startswith("an earlier session") for one in failed] == [False, True, True, True]


def test_the_new_judgements_are_a_run_of_their_own(run: Path, tmp_path: Path) -> None:
    summary = rescore(run, tmp_path / "out", models())
    assert (summary.scored, summary.unscored, summary.comp) == (4, 0, 1.0)
    before = {record.key: record for record in read_trajectories(run)}
    for record in read_trajectories(tmp_path / "out"):
        assert (record.user, record.grader) == ("model", "model-all")
        assert record.config["models"] == TOY
        assert record.actions == before[record.key].actions
    asked = json.loads((tmp_path / "out" / "run.json").read_text())
    assert asked["judges"] == {
        "user": {"name": "model", "model": "toy"},
        "grader": {"name": "model-all", "model": "toy"},
    }
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["overall"]["comp"]["mean"] == 1.0


def test_the_same_judges_give_the_same_bytes_however_many_at_a_time(run: Path, tmp_path: Path) -> None:
    texts = []
    for width in (1, 3, 64):
        rescore(run, tmp_path / str(width), models(), width=width)
        texts.append(sorted((tmp_path / str(width) / "trajectories.jsonl").read_text().splitlines()))
    assert texts[0] == texts[1] == texts[2]


class Meeting:
    """A model that answers only once so many asks wait at one time."""

    def __init__(self, count: int) -> None:
        self._barrier = Barrier(count, timeout=20)
        self._threads = ThreadPoolExecutor(count)

    def __call__(self, asks: Sequence[Ask]) -> list[Answer]:
        raise AssertionError("submit is there")

    def submit(self, asks: Sequence[Ask]) -> Future[list[Answer]]:
        return self._threads.submit(self._answer, asks)

    def _answer(self, asks: Sequence[Ask]) -> list[Answer]:
        self._barrier.wait()
        return [Answer(sceptic(ask)) for ask in asks]


def test_sessions_wait_for_a_model_together(run: Path, tmp_path: Path) -> None:
    graded = sum(bool(record.checklist) for record in read_trajectories(run))
    judges = Judges(RuleUser(), ModelGrader(all_items=True), GRADER, Meeting(graded))
    assert rescore(run, tmp_path / "out", judges).scored == 4
    assert graded > 1


def test_a_judgement_that_fails_is_kept_apart_and_tried_again(run: Path, tmp_path: Path) -> None:
    def failing(ask: Ask) -> Any:
        return Answer(error="down") if len(ids_of(ask)) == 3 and ask.stage == "grade" else sceptic(ask)

    out = tmp_path / "out"
    summary = rescore(run, out, models(failing))
    assert (summary.scored + summary.unscored, summary.unscored > 0) == (4, True)
    assert dict(summary.error_kinds) == {"model": summary.unscored}
    line = json.loads((out / "unscored.jsonl").read_text().splitlines()[0])
    assert (line["scored"], line["proc"], line["comp"], line["checklist"]) == (False, None, None, [])
    with pytest.raises(RunError, match="--resume"):
        rescore(run, out, models())
    model = ScriptedModel(sceptic)
    again = rescore(run, out, Judges(ModelUser(), ModelGrader(all_items=True), TOY, model), resume=True)
    assert (again.scored, again.unscored) == (4, 0)
    assert sum(ask.stage == "grade" for ask in model.asks) == summary.unscored
    assert len({record.key for record in read_trajectories(out)}) == 4


def test_an_answer_of_no_use_is_unscored_and_forgotten(run: Path, tmp_path: Path) -> None:
    class Forgetful(ScriptedModel):
        def forget(self, asks: Sequence[Ask]) -> None:
            forgotten.extend(asks)

    forgotten: list[Ask] = []
    judges = Judges(RuleUser(), ModelGrader(all_items=True), GRADER, Forgetful(lambda ask: {"c1": "YES"}))
    summary = rescore(run, tmp_path / "out", judges)
    graded = sum(bool(record.checklist) for record in read_trajectories(run))
    assert (summary.unscored, len(forgotten)) == (graded, graded)
    assert graded > 1


def test_what_cannot_be_re_scored_says_so(run: Path, tmp_path: Path) -> None:
    rescore(run, tmp_path / "out", RULES)
    with pytest.raises(RunError, match="holds a re-scoring"):
        rescore(tmp_path / "out", tmp_path / "more", RULES)
    with pytest.raises(RunError, match="no such run"):
        rescore(tmp_path / "nowhere", tmp_path / "more", RULES)
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(RunError, match="no scored session"):
        rescore(tmp_path / "empty.jsonl", tmp_path / "more", RULES)
    assert not (tmp_path / "more").exists()


def test_a_lone_file_of_trajectories_will_do(run: Path, tmp_path: Path) -> None:
    summary = rescore(run / "trajectories.jsonl", tmp_path / "out", RULES, pack=PROTOCOL)
    assert summary.scored == 4


def test_unscored_attempts_are_counted(run: Path, tmp_path: Path) -> None:
    assert unjudged(run) == 0
    (tmp_path / "unscored.jsonl").write_text("{}\n{}\n")
    assert unjudged(tmp_path) == 2


# -- agreement -------------------------------------------------------------------------------------------------------


def test_disagreements_are_counted_and_listed_with_both_reasons(run: Path, tmp_path: Path) -> None:
    def judge(ask: Ask) -> Any:
        if ask.stage == "satisfied" and "i1" in ids_of(ask):
            return decided({number: number == "i1" for number in ids_of(ask)})
        return sceptic(ask)

    rescore(run, tmp_path / "out", models(judge))
    found = compare_runs(run, tmp_path / "out")
    records = list(read_trajectories(run))
    intents = sum(len(record.intents) for record in records)
    items = sum(len(record.checklist) for record in records)
    assert found.rates["intents: status"].judged == intents
    assert found.rates["intents: credited"].pairs == {
        ("not credited", "credited"): 4, ("not credited", "not credited"): intents - 4,
    }  # fmt: skip
    assert found.rates["checklist items"].judged == found.rates["rubric items"].judged == items
    first = next(case for case in found.cases if case.kind == "intent")
    assert (first.id, first.a, first.b) == ("i1", "provided", "completed")
    assert (first.reason_a, first.reason_b) == ("nobody asked", "so for i1")
    assert len([case for case in found.cases if case.kind == "item"]) == items


def test_the_report_reads_as_markdown_and_as_json(run: Path, tmp_path: Path) -> None:
    rescore(run, tmp_path / "out", models())
    found = compare_runs(tmp_path / "out")
    text = found.markdown()
    assert "| checklist items |" in text
    assert f"## Cases ({len(found.cases)})" in text
    raw = json.loads(json.dumps(found.to_json()))
    rate = raw["rates"]["checklist items"]
    assert rate["agreement"] + rate["disagreement"] == pytest.approx(1)
    assert raw["cases"][0]["session"][2] in {record.task_id for record in read_trajectories(run)}


def test_reasons_of_a_model_cannot_break_the_report(run: Path, tmp_path: Path) -> None:
    def hostile(ask: Ask) -> Any:
        answer = sceptic(ask)
        for part in answer.values():
            if isinstance(part, dict):
                part["reason"] = "x\n# Cases\n| a | b |\n<script>"
        return answer

    rescore(run, tmp_path / "out", models(hostile))
    lines = compare_runs(tmp_path / "out").markdown().splitlines()
    assert [line for line in lines if line.startswith("# ")] == lines[:1]
    assert not [line for line in lines if "<script>" in line.replace("\\<", "")]


def test_sessions_of_one_side_alone_are_counted_and_not_compared(run: Path) -> None:
    records = list(read_trajectories(run))
    found = compare(records[:3], records[1:])
    assert (found.sessions, found.only_a, found.only_b) == (2, 1, 1)


def test_without_a_re_scoring_there_is_nothing_to_compare(run: Path, tmp_path: Path) -> None:
    source = tmp_path / "plain"
    collect("PiBench-Researcher-v0", "silent", sessions=1, env_kwargs={"pack": str(PROTOCOL)}, out=source)
    with pytest.raises(RunError, match="pi-gym rescore"):
        compare_runs(source)
    rescore(source, source / "rescored" / "one", RULES)
    assert compare_runs(source).sessions == 1
    rescore(source, source / "rescored" / "two", RULES)
    with pytest.raises(RunError, match="name one"):
        compare_runs(source)


def test_kappa_is_undefined_where_both_always_say_the_same() -> None:
    assert Rate({("passed", "passed"): 9}).kappa is None
    assert Rate({}).agreement is None
    assert Rate({("a", "b"): 5, ("b", "a"): 5}).kappa == -1.0
