"""Rules against judges, judges against each other, and what two readers say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.runs import record, write_run

from pi_gym.audit.audit_page import audit_page
from pi_gym.audit.bundles import session_name
from pi_gym.audit.comparison import Audit, compare_verdicts
from pi_gym.errors import PiGymError
from pi_gym.pibench.family import PIBENCH
from pi_gym.runs.intervals import mean, share
from pi_gym.session import Trajectory

Change = Callable[[dict[str, Any]], object]


def agreeing(one: Trajectory) -> dict[str, Any]:
    """The verdict of a judge who sees all as the rules do."""
    judged = PIBENCH.judgements(one)
    return {
        "intents": {
            part.name: [part.value.replace("open", "provided"), ""] for part in judged if part.kind == "intent"
        },
        "checklist": {part.name: [part.value == "passed", "", False] for part in judged if part.kind == "item"},
        "questions": [
            {"question": number, "beside_the_point": False, "why": ""}
            for number in range(1, len(PIBENCH.questions(one)) + 1)
        ],
        "unfair": "",
    }


class Table:
    """Runs and verdicts in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.verdicts = folder, folder / "verdicts"
        self.verdicts.mkdir()
        self.runs: dict[str, list[Trajectory]] = {}

    def played(self, agent: str = "helpful", history: str = "reference", sample: int = 0) -> Trajectory:
        one = record("Hm. Which colour?", "Hm.", "Hm.", "Hm.", agent=agent, history_mode=history, sample=sample)
        self.runs.setdefault(f"{agent}-{history}", []).append(one)
        return one

    def judged(self, one: Trajectory, judge: str, change: Change = lambda raw: None) -> None:
        raw = agreeing(one)
        change(raw)
        (self.verdicts / f"{session_name(one.key)}.{judge}.json").write_text(json.dumps(raw))

    def audit(self) -> Audit:
        return compare_verdicts([write_run(self.folder / name, of) for name, of in self.runs.items()], self.verdicts)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def other_intent(raw: dict[str, Any]) -> None:
    first = next(iter(raw["intents"]))
    raw["intents"][first] = ["completed" if raw["intents"][first][0] == "provided" else "provided", "I saw it"]


def unfair_item(raw: dict[str, Any]) -> None:
    next(iter(raw["checklist"].values()))[2] = True


def beside(raw: dict[str, Any]) -> None:
    raw["questions"][0].update(beside_the_point=True, why="another topic")


def test_an_open_intent_and_one_that_was_provided_are_the_same_to_judges(table: Table) -> None:
    one = record("Hm.", agent="helpful")  # cut short
    table.runs["a"] = [one]
    table.judged(one, "A")
    audit = table.audit()
    assert {part.value for part in PIBENCH.judgements(one) if part.kind == "intent"} == {"open", "provided"}
    assert audit.cases == ()
    assert [found["rules and judges"].value for found in audit.apart.values()] == [0, 0]


def test_where_two_are_apart_is_counted_and_told(table: Table) -> None:
    one, two = table.played(), table.played(sample=1)
    table.judged(one, "A", other_intent)
    table.judged(one, "B")
    table.judged(two, "A")
    audit = table.audit()
    intents = len(agreeing(one)["intents"])
    apart = audit.apart["intent"]
    assert (apart["rules and judges"].value, apart["rules and judges"].of) == (1 / (3 * intents), 3 * intents)
    assert (apart["two judges"].value, apart["two judges"].of) == (1 / intents, intents)
    assert (audit.sessions, audit.judged, audit.judged_twice, audit.judges) == (2, 2, 1, ("A", "B"))
    assert [(case.a, case.b) for case in audit.cases] == [("rules", "A"), ("A", "B")]
    assert audit.cases[0].why_b == "I saw it"


def test_two_readers_of_one_item_count_across_its_sessions_and_one_reader_counts_once(table: Table) -> None:
    one, two = table.played(), table.played(sample=1)
    table.judged(one, "A", unfair_item)
    table.judged(two, "A", unfair_item)
    assert [len(said.judges) for said in table.audit().unfair] == [1]
    table.judged(two, "B", unfair_item)
    assert [said.judges for said in table.audit().unfair] == [("A", "B")]


def test_answers_beside_the_point_are_told_with_the_question(table: Table) -> None:
    one = table.played()
    for judge in "AB":
        table.judged(one, judge, beside)
    audit = table.audit()
    (said,) = audit.beside
    assert (said.name, said.judges, said.whys) == (
        "1. Which colour?",
        ("A", "B"),
        ("A: another topic", "B: another topic"),
    )
    assert audit.questions == 1


def test_scores_stand_by_who_played_and_under_which_history(table: Table) -> None:
    one = table.played()
    table.played("plain")
    table.played(history="none")
    table.judged(one, "A", other_intent)
    audit = table.audit()
    assert list(audit.groups) == ["helpful, history none", "helpful, history reference", "plain, history reference"]
    assert list(audit.groups_judged) == ["helpful, history reference"]
    rules, judges = (found["helpful, history reference"]["proc"].value for found in (audit.groups, audit.groups_judged))
    assert rules is not None
    assert judges is not None
    assert abs(rules - judges) == pytest.approx(1 / len(agreeing(one)["intents"]))
    assert audit.without_history["helpful"]["proc"].value == 0
    assert set(audit.groups["plain, history reference"]) == {"proc", "strict_proc", "comp"}


def test_the_page_and_the_json_say_the_same(table: Table) -> None:
    one = table.played()
    table.judged(one, "A", other_intent)
    table.judged(one, "B", lambda raw: (unfair_item(raw), beside(raw), raw.update(unfair="The | mail\n# says so")))
    audit = table.audit()
    page = audit_page(audit, {"proc": "Proc"})
    raw = json.loads(json.dumps(audit.to_json()))
    assert f"{100 * raw['apart']['intent']['rules and judges']['value']:.1f} %" in page
    assert "| Proc |" in page
    assert f"Items called unfair: 1 of {len(one.labels['checklist'])}, 0 by two or more" in page
    assert "Questions answered beside the point: 1 of 1, 0 by two or more" in page
    assert "The \\| mail \\# says so" in page
    assert raw["cases"][0]["why_b"] == "I saw it"


def test_runs_of_several_families_are_refused(table: Table) -> None:
    table.played()
    table.runs["b"] = [record("Hm.", family="guess")]
    with pytest.raises(PiGymError, match="several families"):
        table.audit()


def test_an_interval_is_drawn_over_sessions_and_always_the_same() -> None:
    found = share([(1, 10), (0, 10), (4, 10), (0, 10)])
    assert found == share([(1, 10), (0, 10), (4, 10), (0, 10)])
    assert found.value == 0.125
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < 0.125 < found.high <= 0.4
    # Ten times the sessions, the same share: a third of the width.
    many = share([(1, 10), (0, 10), (4, 10), (0, 10)] * 10)
    assert many.low is not None
    assert many.high is not None
    assert many.high - many.low < 0.5 * (found.high - found.low)
    assert mean([0.5]) == mean([0.5])
    assert (mean([0.5]).low, mean([]).value, share([(0, 0)]).of) == (None, None, 0)
