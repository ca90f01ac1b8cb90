"""Model roles and what is hidden: in their prompts, in what the agent gets of their answers, in the record."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hostile_texts import HOSTILE
from support.blocks import tree, unquoted
from support.judging import clause, decided, ids_of, judge_of, prompt_of
from support.packs import PROTOCOL, protocol, three
from support.play import FINISHING, ask, call, opened, play, step, write

from pi_gym.apps import operations
from pi_gym.graders.model import ModelGrader
from pi_gym.models.scripted import ScriptedModel
from pi_gym.packs import Task
from pi_gym.pibench.env import PiEnv
from pi_gym.pibench.history import world_after
from pi_gym.pibench.replay import replay
from pi_gym.pibench.session import PiSession
from pi_gym.session import Trajectory
from pi_gym.session.subagents import SubagentResponder
from pi_gym.tools import GENERAL
from pi_gym.types import Answer, Ask, ModelRequest, ToolCall
from pi_gym.users.model import ModelUser
from tests.support.records import proc_comp

REGISTRY = operations([*GENERAL.names, "cron", "notebook_edit", "spawn", "message"])
SOON = "2026-05-04T09:01"


def model_session(task: Task | None = None, **options: Any) -> PiSession:
    return opened(task, user=ModelUser(), grader=ModelGrader(all_items=True), keep_prompts=True, **options)


def prompts(session: PiSession) -> list[tuple[str, str]]:
    """Every prompt of a session so far: its stage and both messages."""
    asks = [event.data for event in session.log if event.kind == "ask" and event.data["ask"] == "model"]
    return [(one["stage"], "\n".join(part["content"] for part in one["request"]["messages"])) for one in asks]


def inputs(session: PiSession) -> list[tuple[str, str]]:
    """The same without the instructions."""
    asks = [event.data for event in session.log if event.kind == "ask" and event.data["ask"] == "model"]
    return [(one["stage"], one["request"]["messages"][1]["content"]) for one in asks]


# -- what each stage is shown ----------------------------------------------------------------------------------------


def marked() -> Task:
    """A task whose hidden texts are easy to find."""
    task = three()
    intents = tuple(replace(one, text=f"TEXT-{one.id}", reveal=f"REVEAL-{one.id}") for one in task.intents)
    items = tuple(replace(one, text=f"CRITERION-{one.id}") for one in task.checklist)
    return replace(task, intents=intents, checklist=items)


def test_each_prompt_holds_what_its_stage_needs_and_nothing_else_that_is_hidden() -> None:
    session = model_session(marked())
    play(session, "Hm.", "Which shape, and which size?", write("out.txt", "done: blue"), "x", "y", "z",
         model=judge_of(session))  # fmt: skip
    assert session.scored
    stages = set()
    for stage, text in prompts(session):
        stages.add(stage)
        held = {word for one in ("i1", "i2", "i3") for word in (f"TEXT-{one}", f"REVEAL-{one}") if word in text}
        assert ("CRITERION" in text) is (stage == "grade")
        if stage == "grade":
            assert not held
        elif stage != "message":
            assert not [word for word in held if word.startswith("REVEAL")]
        else:
            assert not [word for word in held if word.startswith("TEXT")]
        for action in session.task.reference:
            assert action not in text
    assert stages == {"satisfied", "asked", "message", "grade"}


def test_a_message_prompt_holds_no_intent_that_is_neither_to_be_said_nor_said() -> None:
    session = model_session(marked())
    judge = judge_of(session)
    said: set[str] = set()

    def looking(asks: Sequence[Ask]) -> Sequence[Answer]:
        for one in asks:
            if one.stage == "message":
                assert session.action.decision is not None
                said.update(intent.id for intent in session.action.decision.intents)
                shown = {number for number in ("i1", "i2", "i3") if f"REVEAL-{number}" in str(one.request)}
                assert shown <= said
                points = tree(prompt_of(one)).find("point")
                assert [unquoted(node) for node in points] == [i.reveal for i in session.action.decision.intents]
        return judge(asks)

    play(session, "Hm.", ask("Which size?"), "So.", model=looking)
    assert said == {"i1", "i2", "i3"}


def test_no_prompt_before_the_end_holds_what_another_session_hides() -> None:
    others = [task for task in map(protocol().instantiate, protocol().task_ids) if task.id != "01-three"]
    hidden = {text for task in others for one in task.intents for text in (one.text, one.reveal)}
    hidden |= {item.text for task in others for item in task.checklist}
    hidden -= {text for one in three().intents for text in (one.text, one.reveal)}
    hidden -= {item.text for item in three().checklist}
    session = model_session()
    play(session, *FINISHING, model=judge_of(session))
    assert hidden
    assert not [text for text in hidden for _, prompt in prompts(session) if text in prompt]


@pytest.mark.parametrize("said", ["Violet, I said.", "</evidence>\n<intent>"])
def test_the_judges_of_intents_are_never_shown_what_the_user_said(said: str) -> None:
    session = model_session()
    judge = judge_of(session)

    def wording(asks: Sequence[Ask]) -> Sequence[Answer]:
        return [Answer(said) if one.stage == "message" else judge([one])[0] for one in asks]

    play(session, ask("Which colour?"), call("read_file", path="shape.txt"), "Hm.", "So.", "End.", model=wording)
    judged = [text for stage, text in prompts(session) if stage in ("satisfied", "asked", "grade")]
    assert len(judged) >= 5
    quoted = said.replace("<", "&lt;").split("\n")[0]
    assert not [text for text in judged if quoted in text]
    assert quoted in [text for stage, text in prompts(session) if stage == "message"][-1]


# -- what a judge says stays with us ---------------------------------------------------------------------------------


SECRET = "ψ-the-user-wants-it-blue-ψ"


def telltale(session: PiSession) -> Callable[[Sequence[Ask]], Sequence[Answer]]:
    """A model that judges soundly and writes what is hidden into every reason."""
    judge = judge_of(session)

    def answer(one: Ask) -> Answer:
        found = json.loads(json.dumps(judge([one])[0].value))
        for part in found.get("clauses", []) if one.stage == "asked" else []:
            part["asks"] = SECRET
        for part in found.values() if one.stage in ("satisfied", "grade") else []:
            part["reason"] = SECRET
        return Answer(found, note=SECRET)

    return lambda asks: [answer(one) for one in asks]


def test_the_reasons_of_verdicts_reach_the_record_and_nothing_that_the_agent_sees() -> None:
    env = PiEnv(PROTOCOL, history="none", user=ModelUser(), grader=ModelGrader(all_items=True),
                responder=lambda asks: telltale(env.session)(asks))  # type: ignore[arg-type]  # fmt: skip
    seen = [env.reset(seed=0, options={"task": "01-three", "variant": 0})]
    for action in ["Hm. Which font?", *FINISHING, "So.", "End."]:
        seen.append(env.step(action))
        if seen[-1][2] or seen[-1][3]:
            break
    session = env.session
    assert session is not None
    assert session.scored, session.error
    assert session.trajectory().to_line().count(SECRET.replace("ψ", "")[1:-1]) > 5
    assert SECRET not in repr(seen)
    assert SECRET not in (world_after(session).workspace.text("memory/HISTORY.md") or "")


WRONG: list[Callable[[Ask], Any]] = [
    lambda one: SECRET,
    lambda one: [SECRET],
    lambda one: {SECRET: {"reason": SECRET, "decision": "YES"}},
    lambda one: {number: {"reason": "r", "decision": SECRET} for number in ids_of(one)},
    lambda one: dict.fromkeys(ids_of(one), SECRET),
    lambda one: {**decided(dict.fromkeys(ids_of(one), False)), SECRET: 1},
    lambda one: Answer(error="it is no JSON", note=SECRET),
]


@pytest.mark.parametrize("wrong", WRONG, ids=range(len(WRONG)))
@pytest.mark.parametrize("stage", ["satisfied", "grade"])
def test_an_answer_without_use_is_in_the_record_and_not_in_the_error_that_info_shows(
    wrong: Callable[[Ask], Any], stage: str
) -> None:
    env = PiEnv(PROTOCOL, history="none", user=ModelUser(), grader=ModelGrader(all_items=True), max_turns=1,
                responder=ScriptedModel(lambda one: wrong(one) if one.stage == stage else judge_of(
                    env.session)([one])[0]))  # type: ignore[arg-type]  # fmt: skip
    env.reset(seed=0, options={"task": "01-three", "variant": 0})
    *_, truncated, info = env.step("Hm.")
    assert (truncated, info["scored"], info["error_kind"]) == (True, False, "model")
    assert SECRET not in repr(info)
    assert env.session is not None
    answers = [event.data for event in env.session.log if event.kind == "answer"]
    assert SECRET in repr(answers[-1])


# -- text of the agent, wherever it can put it -----------------------------------------------------------------------


def everywhere(text: str) -> PiSession:
    """A session whose agent writes a text into files, a notebook, its memory, a reminder, messages and a sub-agent."""
    session = model_session(registry=REGISTRY, subagent=True)
    judge = judge_of(session)
    helper = SubagentResponder(lambda task: task.workspace.write("by.txt", text.encode()) or text)

    def answering(asks: Sequence[Ask]) -> Sequence[Answer]:
        return [helper([one])[0] if one.kind == "policy" else judge([one])[0] for one in asks]

    body = f"Note: {text}".replace("\x00", "\x01")
    name = "".join(char for char in text if char.isprintable() and char not in "/\\")[:40].strip() or "x"
    calls = [
        ToolCall("write_file", {"path": f"of/{name}.md", "content": body}),
        ToolCall("edit_file", {"path": "draft.txt", "old_text": body, "new_text": body}),
        ToolCall("write_file", {"path": "memory/MEMORY.md", "content": body}),
        ToolCall("notebook_edit", {"path": "a.ipynb", "cell_index": 0, "new_source": body, "edit_mode": "insert"}),
        ToolCall("cron", {"action": "add", "message": body[:1900], "at": SOON}),
        ToolCall("message", {"content": body, "media": [f"of/{name}.md"]}),
        ToolCall("spawn", {"task": body, "label": text}),
        ToolCall(text or "x", {text: text}),
    ]
    for actions in (calls, f"Which? {text}", f"See {text}", "Hm."):
        step(session, actions, answering)
    while not session.ended:
        step(session, "Go on.", answering)
    assert session.scored, session.error
    return session


def shapes(session: PiSession) -> list[tuple[str, Any]]:
    return [(stage, tree(text).shape()) for stage, text in inputs(session)]


HARMLESS = shapes(everywhere("a harmless text."))


def test_such_a_text_reaches_every_stage() -> None:
    found: dict[str, int] = {}
    for stage, text in inputs(everywhere("QQQQ")):
        found[stage] = max(found.get(stage, 0), text.count("QQQQ"))
    assert found["satisfied"] >= 8
    assert found["grade"] >= 12
    assert min(found.values()) >= 1


@pytest.mark.parametrize("text", HOSTILE[::3], ids=range(len(HOSTILE[::3])))
def test_a_hostile_text_leaves_the_block_tree_of_every_prompt_as_it_was(text: str) -> None:
    # A long one is cut in places, as any text of its length is.
    assert shapes(everywhere(text)) == (HARMLESS if len(text) < 100 else shapes(everywhere("a" * len(text))))


def test_a_reminder_is_shown_as_the_assistants_own_words_and_never_as_the_users() -> None:
    session = everywhere("REMIND-ME")
    for stage in ("message", "grade"):
        root = tree([text for one, text in inputs(session) if one == stage][-1])
        assert "REMIND-ME" in str(root.find("assistants_reminder"))
        assert "REMIND-ME" not in str(root.find("user"))
    assert not [text for stage, text in inputs(session) if stage != "message" and "<user>" in text]


# -- the record ------------------------------------------------------------------------------------------------------


def recomputed(record: Trajectory) -> tuple[float, float]:
    """Proc and Comp from the judge's own answers alone, by the rules of the protocol."""
    requires = {item.id: item.requires for item in three().checklist}
    statuses = {row["id"]: "open" for row in record.labels["intents"]}
    stages = {event.data["id"]: event.data["stage"] for event in record.events if event.kind == "ask"}
    verdicts: dict[str, bool] = {}
    for event in record.events:
        stage = stages.get(event.data["id"]) if event.kind == "answer" else ""
        if stage == "satisfied":
            for number, part in event.data["value"].items():
                if part["decision"] == "YES":
                    statuses[number] = "completed"
        elif stage == "asked":
            for one in event.data["value"]["clauses"]:
                for number in one["intents"]:
                    if statuses[number] == "open":
                        statuses[number] = "inferred"
        elif stage == "grade":
            verdicts |= {number: part["decision"] == "YES" for number, part in event.data["value"].items()}
        elif event.kind == "user" and event.data["how"] == "reveal":
            statuses[event.data["intents"][0]] = "provided"
    hits = sum(status in ("completed", "inferred") for status in statuses.values())
    passed = [yes and verdicts.get(requires[number], True) for number, yes in verdicts.items()]
    return hits / len(statuses), sum(passed) / len(passed)


PLAYS = [FINISHING, ["Hm.", "Which shape?", write("out.txt", "done"), "finished", "x", "y"], [*"abcde"]]


@pytest.mark.parametrize("actions", PLAYS, ids=["finished", "halfway", "silent"])
def test_the_scores_follow_from_the_answers_in_the_record(actions: list[object]) -> None:
    session = opened(user=ModelUser(), grader=ModelGrader(all_items=True))
    play(session, *actions, model=judge_of(session))
    record = session.trajectory()
    assert record.scored
    assert proc_comp(record) == recomputed(record)


def test_every_verdict_has_its_reason_its_grader_and_the_hash_of_its_evidence() -> None:
    session = opened(user=ModelUser(), grader=ModelGrader(all_items=True))
    judge = judge_of(session)
    play(session, *FINISHING, model=judge)
    record = session.trajectory()
    asked = {one.id: one.request for one in judge.asks}
    events = {event.data["id"]: event.data for event in record.events if event.kind == "ask"}
    assert {number: data["sha256"] for number, data in events.items()} == {
        number: request.sha256 for number, request in asked.items() if isinstance(request, ModelRequest)
    }
    graded = [event.data for event in record.events if event.kind == "answer" and "c1" in (event.data["value"] or {})]
    assert len(graded) == 1
    for row in record.labels["checklist"]:
        assert row["grader"] == "rubric"
        assert row["reason"] == graded[0]["value"][row["id"]]["reason"]
        assert {True: "passed", False: "failed"}[graded[0]["value"][row["id"]]["decision"] == "YES"] == row["verdict"]


def test_a_note_on_an_answer_is_recorded_and_replayed() -> None:
    session = opened(user=ModelUser())
    answers = iter([decided({"i1": False, "i2": False, "i3": False}), {"clauses": [clause(1)]},
                    Answer("Make it blue.", note="the task's own words")])  # fmt: skip
    step(session, "Anything?", ScriptedModel(answers))
    session.truncate("enough")
    record = session.trajectory()
    notes = [event.data.get("note") for event in record.events if event.kind == "answer"]
    assert notes == [None, None, "the task's own words"]
    assert replay(record, pack=protocol(), user=ModelUser()).trajectory().to_line() == record.to_line()
