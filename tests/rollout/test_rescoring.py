"""Re-scoring a run, and comparing the two judgements."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from threading import Barrier
from typing import Any

import pytest
from support.judging import decided, ids_of
from support.official import GARDENER
from support.packs import PROTOCOL, TINY

from pi_gym.errors import RolesNeeded, StateMismatch, UnknownName
from pi_gym.graders.model import ModelGrader
from pi_gym.graders.rule import RuleGrader
from pi_gym.graders.rule_scripts import FOLDER
from pi_gym.models.scripted import ScriptedModel
from pi_gym.pibench.family import PIBENCH
from pi_gym.pibench.judging import PiJudges
from pi_gym.rejudging.agreement import compare, compare_runs
from pi_gym.rejudging.rescoring import rescore
from pi_gym.rollout import RunError, collect
from pi_gym.runs.recorded import unjudged
from pi_gym.session import Trajectory, read_trajectories
from pi_gym.tools.shell_result import ShellResult
from pi_gym.types import Answer, Ask, Verdict
from pi_gym.users.model import ModelUser
from pi_gym.users.rule import RuleUser

RULES = PiJudges(RuleUser(), RuleGrader())
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


def models(function: Any = sceptic) -> PiJudges:
    return PiJudges(ModelUser(), ModelGrader(all_items=True), TOY, ScriptedModel(function))


# -- re-scoring ------------------------------------------------------------------------------------------------------


def test_the_rules_agree_with_themselves(run: Path, tmp_path: Path) -> None:
    summary = rescore(run, tmp_path / "again", RULES)
    found = compare_runs(tmp_path / "again")
    assert summary.scored == found.sessions == 4
    assert (found.a.split()[0], found.cases) == ("silent", ())
    assert {rate.agreement.value for rate in found.rates.values()} == {1.0}


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
    assert (summary.scored, summary.unscored, summary.mean("comp")) == (4, 0, 1.0)
    before = {record.key: record for record in read_trajectories(run)}
    for record in read_trajectories(tmp_path / "out"):
        assert record.config["roles"] == {"user": "model", "grader": "model-all"}
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
    graded = sum(bool(record.labels["checklist"]) for record in read_trajectories(run))
    judges = PiJudges(RuleUser(), ModelGrader(all_items=True), GRADER, Meeting(graded))
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
    assert (line["scored"], line["scores"], line["labels"]) == (False, {}, {})
    with pytest.raises(RunError, match="--resume"):
        rescore(run, out, models())
    model = ScriptedModel(sceptic)
    again = rescore(run, out, PiJudges(ModelUser(), ModelGrader(all_items=True), TOY, model), resume=True)
    assert (again.scored, again.unscored) == (4, 0)
    assert sum(ask.stage == "grade" for ask in model.asks) == summary.unscored
    assert len({record.key for record in read_trajectories(out)}) == 4


def test_an_answer_of_no_use_is_unscored_and_forgotten(run: Path, tmp_path: Path) -> None:
    class Forgetful(ScriptedModel):
        def forget(self, asks: Sequence[Ask]) -> None:
            forgotten.extend(asks)

    forgotten: list[Ask] = []
    judges = PiJudges(RuleUser(), ModelGrader(all_items=True), GRADER, Forgetful(lambda ask: {"c1": "YES"}))
    summary = rescore(run, tmp_path / "out", judges)
    graded = sum(bool(record.labels["checklist"]) for record in read_trajectories(run))
    assert (summary.unscored, len(forgotten)) == (graded, graded)
    assert graded > 1


@pytest.mark.parametrize("pack", [PROTOCOL, TINY], ids=lambda pack: pack.name)
def test_a_re_scoring_averages_as_a_rollout_does_under_either_protocol(pack: Path, tmp_path: Path) -> None:
    kwargs = {"pack": str(pack)}
    played = {
        protocol: collect("PiBench-v0", "reference", env_kwargs=kwargs, out=tmp_path / protocol, protocol=protocol)
        for protocol in PIBENCH.protocols
    }
    for protocol, summary in played.items():
        out = tmp_path / f"{protocol}-again"
        judged = rescore(tmp_path / protocol, out, RULES, protocol=protocol)
        for measure in ("proc", "comp"):
            assert judged.overall[measure] == summary.overall[measure]
            assert {name: one[measure] for name, one in judged.groups.items()} == {
                name: one[measure] for name, one in summary.groups.items()
            }
        assert judged.plan.cards == summary.plan.cards
        assert json.loads((out / "summary.json").read_text())["protocol"] == protocol
    # What the two protocols differ in is there in one of the packs: tasks that build on others.
    assert any(card.depends_on for card in played["paper"].plan.cards.values()) == (pack == TINY)


def test_a_protocol_that_does_not_exist_is_refused_before_anything_is_written(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="paper"):
        rescore(run, tmp_path / "out", RULES, protocol="offical")  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


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


def test_sessions_without_a_score_are_counted_once_and_no_more_when_they_have_one(run: Path, tmp_path: Path) -> None:
    assert unjudged(run) == 0
    first, *rest = (run / "trajectories.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "unscored.jsonl").write_text(first + first + rest[0])
    (tmp_path / "trajectories.jsonl").write_text("".join(rest))
    assert unjudged(tmp_path) == 1


def copied(run: Path, folder: Path, change: Callable[[bytes], bytes] = lambda data: data) -> Path:
    copy = Path(shutil.copytree(run, folder / "copy"))
    file = copy / "trajectories.jsonl"
    file.write_bytes(change(file.read_bytes()))
    return copy


def test_a_torn_last_line_is_left_out_and_stays_as_it_is(run: Path, tmp_path: Path) -> None:
    torn = copied(run, tmp_path, lambda data: data[:-100] + "é".encode()[:1])
    before = {path.name: path.read_bytes() for path in torn.iterdir()}
    assert rescore(torn, tmp_path / "out", RULES).scored == 3
    assert {path.name: path.read_bytes() for path in torn.iterdir()} == before
    broken = copied(run, tmp_path / "more", lambda data: data.replace(b'"events"', b'"events', 1))
    with pytest.raises(RunError, match="line 1: not a trajectory"):
        rescore(broken, tmp_path / "out2", RULES)
    assert not (tmp_path / "out2").exists()


def test_a_session_that_stands_there_twice_is_refused(run: Path, tmp_path: Path) -> None:
    twice = copied(run, tmp_path, lambda data: data + data.splitlines(keepends=True)[0])
    with pytest.raises(RunError, match=r"holds the session silent in .* twice"):
        rescore(twice, tmp_path / "out", RULES)


def test_a_pack_that_is_gone_or_another_is_said_before_anything_is_written(run: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"name the pack's folder .*no such folder"):
        rescore(run, tmp_path / "out", RULES, pack=tmp_path / "gone")
    other = Path(shutil.copytree(PROTOCOL, tmp_path / "protocol"))
    (other / "workspace" / "shape.txt").write_text("changed")
    with pytest.raises(StateMismatch):
        rescore(run, tmp_path / "out", RULES, pack=other)
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_played_again_is_unscored_with_its_reason_and_the_rest_is_judged(
    run: Path, tmp_path: Path
) -> None:
    def spoil(data: bytes) -> bytes:
        records = [json.loads(line) for line in data.splitlines()]
        first, second = [record for record in records if record["labels"]["checklist"]][:2]
        first["events"], second["labels"]["checklist"] = [], []
        return b"".join(json.dumps(one).encode() + b"\n" for one in records)

    summary = rescore(copied(run, tmp_path, spoil), tmp_path / "out", RULES)
    assert (summary.scored, summary.error_kinds) == (2, {"engine": 2})
    lines = [json.loads(line) for line in (tmp_path / "out" / "unscored.jsonl").read_text().splitlines()]
    assert all(line["error"] and not line["scores"] for line in lines)


def test_a_verdict_that_is_none_leaves_a_session_unscored(run: Path, tmp_path: Path) -> None:
    class Shy(RuleGrader):
        def grade(self, view: Any, answers: Any = None) -> Any:
            return tuple(Verdict(item.id, "unscored", "rule", "too shy") for item in view.items)

    summary = rescore(run, tmp_path / "out", PiJudges(RuleUser(), Shy()))
    graded = sum(bool(record.labels["checklist"]) for record in read_trajectories(run))
    assert (summary.unscored, summary.scored) == (graded, 4 - graded)
    assert "is unscored: too shy" in summary.first_error


def test_rounds_and_order_are_those_of_the_run_however_it_was_played(tmp_path: Path) -> None:
    kwargs = {"pack": str(PROTOCOL)}
    collect("PiBench-Researcher-v0", "silent", sessions=10, env_kwargs=kwargs, out=tmp_path / "run")
    mixed = copied(tmp_path / "run", tmp_path, lambda data: b"".join(sorted(data.splitlines(keepends=True))))
    rescore(mixed, tmp_path / "out", RULES)
    assert (tmp_path / "out" / "summary.json").read_text() == (tmp_path / "run" / "summary.json").read_text()


KILLED = """
import os, signal, sys
from pi_gym.graders.model import ModelGrader
from pi_gym.models.scripted import ScriptedModel
from pi_gym.pibench.judging import PiJudges
from pi_gym.rejudging.rescoring import rescore
from pi_gym.users.rule import RuleUser

def answer(ask):
    if len(model.asks) > 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return {name: {"reason": f"so for {name}", "decision": "YES"} for name in ask.request.schema["properties"]}

model = ScriptedModel(answer)
judges = PiJudges(RuleUser(), ModelGrader(all_items=True), {"grader": {"model": "toy"}}, model)
rescore(sys.argv[1], sys.argv[2], judges, width=1)
"""


def test_a_re_scoring_that_is_killed_goes_on_where_it_was(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = subprocess.run([sys.executable, "-c", KILLED, str(run), str(out)], check=False)
    assert done.returncode == -signal.SIGKILL
    there = {record.key for record in read_trajectories(out)}
    with (out / "trajectories.jsonl").open("ab") as file:
        file.write(b'{"agent": "si')
    model = ScriptedModel(lambda ask: decided(dict.fromkeys(ids_of(ask), True)))
    judges = PiJudges(RuleUser(), ModelGrader(all_items=True), GRADER, model)
    assert rescore(run, out, judges, resume=True).scored == 4
    graded = {record.key for record in read_trajectories(run) if record.labels["checklist"]}
    assert len(model.asks) == len(graded - there) < len(graded)
    whole = PiJudges(RuleUser(), ModelGrader(all_items=True), GRADER, model)
    rescore(run, tmp_path / "whole", whole)
    texts = [sorted((folder / "trajectories.jsonl").read_text().splitlines()) for folder in (out, tmp_path / "whole")]
    assert texts[0] == texts[1]


# -- the official layout ---------------------------------------------------------------------------------------------


def officially(folder: Path) -> Path:
    """A run of the fixture's tasks: two with rubric items, one with a script, one with neither."""
    shell = ShellResult(files={f"{FOLDER}/out.json": b'{"items": ["a", "b"], "passed": ["b"]}'}).to_json()
    scripted = ScriptedModel(lambda ask: {"clauses": []} if ask.stage == "asked" else official_judge(ask))
    kwargs = {
        "pack": GARDENER,
        "exec_backend": "off",
        "user": ModelUser(),
        "grader": ModelGrader(),
        "responder": lambda asks: [Answer(shell) if ask.kind == "shell" else scripted([ask])[0] for ask in asks],
    }
    summary = collect("PiBench-Researcher-v0", "silent", sessions=8, env_kwargs=kwargs, out=folder)
    assert summary.scored == 8, summary.first_error
    return folder


def official_judge(ask: Ask) -> Any:
    if ask.stage == "message":
        return "Go on."
    return decided({number: number.endswith("1") for number in ids_of(ask)})


def test_sessions_with_scripts_are_judged_anew_and_keep_what_the_scripts_said(tmp_path: Path) -> None:
    run = officially(tmp_path / "run")
    judges = PiJudges(ModelUser(), ModelGrader(), TOY, ScriptedModel(sceptic))
    summary = rescore(run, tmp_path / "out", judges)
    assert (summary.scored, summary.unscored, summary.first_error) == (8, 0, "")
    found = {record.task_id[-3:]: record for record in read_trajectories(tmp_path / "out")}
    verdicts = {name: [one["verdict"] for one in record.labels["checklist"]] for name, record in found.items()}
    assert verdicts == {"001": [], "002": ["passed"] * 3, "003": ["failed", "passed"], "004": ["passed", "unknown"]}
    comps = {name: record.scores["comp"] for name, record in found.items()}
    assert comps == {"001": None, "002": 1.0, "003": 0.5, "004": None}
    assert compare_runs(tmp_path / "out").rates["checklist items"].judged == 2 * 7


def test_rules_are_refused_for_tasks_without_predicates_before_anything_is_written(tmp_path: Path) -> None:
    run = officially(tmp_path / "run")
    with pytest.raises(RolesNeeded, match="--role user=MODEL@URL"):
        rescore(run, tmp_path / "out", RULES)
    assert not (tmp_path / "out").exists()


def test_a_re_scoring_averages_by_either_protocol(tmp_path: Path) -> None:
    run = officially(tmp_path / "run")
    for protocol in ("paper", "official"):
        judges = PiJudges(ModelUser(), ModelGrader(), TOY, ScriptedModel(official_judge_without_questions))
        summary = rescore(run, tmp_path / protocol, judges, protocol=protocol)  # type: ignore[arg-type]
        proc, comp = averages(list(read_trajectories(tmp_path / protocol)))[protocol]
        assert summary.mean("proc") == pytest.approx(proc)
        assert summary.mean("comp") == pytest.approx(comp)
    with pytest.raises(UnknownName, match="protocol"):
        rescore(run, tmp_path / "more", RULES, protocol="offical")  # type: ignore[arg-type]


def official_judge_without_questions(ask: Ask) -> Any:
    return {"clauses": []} if ask.stage == "asked" else official_judge(ask)


def averages(records: list[Trajectory]) -> dict[str, tuple[float, float]]:
    """Both protocols' Proc and Comp of the fixture, from the records alone: only 002 builds on a task, 001."""
    covered = {(r.task_id[-3:], r.sample): sum(i["status"] != "provided" for i in r.labels["intents"]) for r in records}
    held = {(r.task_id[-3:], r.sample): len(r.labels["intents"]) for r in records}
    comps = {(r.task_id[-3:], r.sample): r.scores["comp"] for r in records}
    proc: list[tuple[float, int]] = []
    comp: list[tuple[float, int]] = []
    for sample in (0, 1):
        for task, pool, weight in (("002", ("001", "002"), 2), ("003", ("003",), 1), ("004", ("004",), 1)):
            shares = sum(covered[one, sample] for one in pool) / sum(held[one, sample] for one in pool)
            proc.append((shares, weight))
            if comps[task, sample] is not None:
                comp.append((float(comps[task, sample] or 0), weight))
    known = [value for value in comps.values() if value is not None]
    return {
        "paper": (fmean(covered[one] / held[one] for one in held), fmean(known)),
        "official": (
            sum(value * weight for value, weight in proc) / sum(weight for _, weight in proc),
            sum(value * weight for value, weight in comp) / sum(weight for _, weight in comp),
        ),
    }


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["reference", "silent", "asking"])
def test_the_rules_judge_every_shipped_task_the_same_again(tmp_path: Path, agent: str) -> None:
    made = collect("PiBench-v0", agent, env_kwargs={"history": "none"}, out=tmp_path / "run")
    rescore(tmp_path / "run", tmp_path / "out", RULES)
    before, after = (
        {record.key: record.to_json() for record in read_trajectories(tmp_path / name)} for name in ("run", "out")
    )
    assert len(before) == made.scored > 0
    for record in (*before.values(), *after.values()):
        del record["config"]
    assert before == after
    assert (tmp_path / "out" / "summary.json").read_text() == (tmp_path / "run" / "summary.json").read_text()


# -- agreement -------------------------------------------------------------------------------------------------------


def test_disagreements_are_counted_and_listed_with_both_reasons(run: Path, tmp_path: Path) -> None:
    def judge(ask: Ask) -> Any:
        if ask.stage == "satisfied" and "i1" in ids_of(ask):
            return decided({number: number == "i1" for number in ids_of(ask)})
        return sceptic(ask)

    rescore(run, tmp_path / "out", models(judge))
    found = compare_runs(run, tmp_path / "out")
    records = list(read_trajectories(run))
    intents = sum(len(record.labels["intents"]) for record in records)
    items = sum(len(record.labels["checklist"]) for record in records)
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
    assert raw["cases"][0]["session"]["task_id"] in {record.task_id for record in read_trajectories(run)}


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


def test_the_rates_are_those_that_one_counts_by_hand(run: Path) -> None:
    first = next(iter(read_trajectories(run)))
    intents = [{**first.labels["intents"][0], "id": f"i{number}"} for number in range(10)]
    items = [{**first.labels["checklist"][0], "id": f"c{number}", "grader": "rubric"} for number in range(4)]

    def with_judgements(statuses: str, verdicts: str) -> Trajectory:
        names = {"c": "completed", "i": "inferred", "p": "provided", "+": "passed", "-": "failed"}
        return replace(
            first,
            events=(),
            labels={
                "intents": [{**one, "status": names[name]} for one, name in zip(intents, statuses, strict=True)],
                "checklist": [{**one, "verdict": names[name]} for one, name in zip(items, verdicts, strict=True)],
            },
        )

    found = compare([with_judgements("cccciiippp", "++--")], [with_judgements("ccciiippcp", "+---")])
    status, credited, verdicts = (found.rates[n] for n in ("intents: status", "intents: credited", "checklist items"))
    # Equal: c c c . i i . p . p; c is 4 and 4 of 10, i 3 and 3, p 3 and 3.
    assert (status.judged, status.agreement.value) == (10, pytest.approx(0.7))
    assert status.kappa.value == pytest.approx((0.7 - 0.34) / (1 - 0.34))
    # Credited 7 and 7 of 10; equal but for the two at which one gave p.
    assert (credited.agreement.value, credited.kappa.value) == (
        pytest.approx(0.8),
        pytest.approx((0.8 - 0.58) / (1 - 0.58)),
    )
    # Passed 2 and 1 of 4.
    assert (verdicts.agreement.value, verdicts.kappa.value) == (0.75, pytest.approx((0.75 - 0.5) / (1 - 0.5)))
    assert [(case.kind, case.id, case.a, case.b) for case in found.cases] == [
        ("intent", "i3", "completed", "inferred"),
        ("intent", "i6", "inferred", "provided"),
        ("intent", "i8", "provided", "completed"),
        ("item", "c1", "passed", "failed"),
    ]


def test_two_runs_without_a_session_in_common_say_what_makes_one(run: Path) -> None:
    text = compare(read_trajectories(run), []).markdown()
    assert "0 sessions judged by both; 4 by A alone" in text
    assert "Two records are of one session where" in text


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
