"""Task 17-rebuttal: the table worked out from the logs, other right responses, plausible wrong ones."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from support.play import call, opened
from support.researcher import NOTHING, Lost, shortfall, task_of

from pi_gym.pibench.session import PiSession

TASK = "17-rebuttal"
SYSTEMS, SETS = ("full", "no-carry", "short-look", "long-look"), ("babble", "street", "clean")
VARIANTS = (0, 3)
THINGS = {"code": "training code", "lists": "mixing lists", "weights": "trained weights"}
QUESTIONS = {
    "lead": "Which ablation should the response open with?",
    "analysis": "Does Section 5.3 stay in the main text or go to the appendix?",
}


def read(session: PiSession, path: str) -> str:
    text = session.world.workspace.text(path)
    assert text is not None
    return text


def first(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, (pattern, text)
    return match[1]


def scores(session: PiSession, counts: Callable[[dict[str, Any]], bool]) -> dict[tuple[str, str], list[float]]:
    """The word error rates by system and set, in per cent, of the entries that count; of two alike one."""
    found: dict[tuple[str, str], list[float]] = {}
    seen = set()
    for system in SYSTEMS:
        for line in read(session, f"rebuttal/runs/{system}.jsonl").splitlines():
            one = json.loads(line)
            if one["event"] == "score" and counts(one):
                wer = one["wer"] * (100 if one["unit"] == "fraction" else 1)
                key = (system, one["set"], one["seed"], round(wer, 2))
                if key not in seen:
                    found.setdefault((system, one["set"]), []).append(wer)
                seen.add(key)
    return found


@dataclass(frozen=True)
class Answer:
    """What a play writes: the table's figures and style, and the parts of the response."""

    wer: dict[tuple[str, str], list[float]]
    style: dict[str, Any]
    opening: str
    section: str
    row: str
    latency: str
    study: str
    cited: str
    released: str
    z: str
    chair: str
    paper: tuple[tuple[str, str], ...]
    rows: tuple[str, ...] = ("1.1 | 5 | spread in Table 1", "1.3 | 5 | no-carry added", "2.3 | 5 | lookahead added")
    more: str = ""
    replaced: tuple[tuple[str, str], ...] = ()
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def thing(self) -> str:
        return first(r"The ([\w ]+) will be available", self.released)

    @property
    def others(self) -> str:
        return " and ".join(one for one in THINGS.values() if one != self.thing)

    def cell(self, values: list[float]) -> str:
        decimals = self.style["persona.decimals"]

        def shown(value: float) -> str:
            return f"{round(value + 1e-9, decimals):.{decimals}f}"

        mean, deviation = shown(statistics.fmean(values)), statistics.stdev(values)
        pm = r"$\pm$" if self.style["persona.table_format"] == "latex" else "±"
        return {
            "std": f"{mean} {pm} {shown(deviation)}",
            "sem": f"{mean} {pm} {shown(deviation / len(values) ** 0.5)}",
            "range": f"{mean} [{shown(min(values))}, {shown(max(values))}]",
        }[self.style["persona.spread"]]

    def table(self) -> tuple[str, str]:
        rows = [["System", *(name.capitalize() for name in SETS)]]
        rows += [[s, *(self.cell(self.wer[s, c]) for c in SETS)] for s in SYSTEMS[::-1]]
        kind = self.style["persona.table_format"]
        name = self.style["persona.naming"].format(topic="rebuttal", date="2026-04-01")
        if kind == "markdown":
            rows.insert(1, ["---"] * 4)
            return f"{name}.md", "".join("| " + " | ".join(row) + " |\n" for row in rows)
        if kind == "csv":
            return f"{name}.csv", "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)
        body = "".join(" & ".join(row) + " \\\\\n" for row in rows)
        return f"{name}.tex", "\\begin{tabular}{lccc}\n" + body + "\\end{tabular}\n"

    def response(self) -> str:
        text = f"""# Response

## To all reviewers

Thank you. {self.opening} All figures are in {self.table()[0]}.

## Reviewer 1

**1.1 Seeds and spread.** Five seeds; the table has the spread.
**1.2 Move the error analysis to the appendix.** {self.section}
**1.3 Without the state.** Yes, run; it generali{self.z}es to street noise.

## Reviewer 2

**2.1 Latency.** {self.latency}
**2.2 A listening study with twenty wearers.** {self.study}
**2.3 Lookahead.** In the table, for half of it and for twice.

## Reviewer 3

**3.1** {self.cited}
**3.2** Yes, it was t-1. Corrected.

## Reviewer 4

**4.1 The error analysis must stay in the main text.** {self.section}
**4.2 What will be released, and when?** {self.released}
**4.3** Five. The caption was wrong.
"""
        for old, new in self.replaced:
            assert old in text
            text = text.replace(old, new)
        return text


def answer_of(variant: int) -> Answer:
    """From what an agent can see; what only the user or earlier sessions tell comes from the task's values."""
    task = task_of(TASK, variant)
    session, told = opened(task), dict(task.values)
    notes, meeting = read(session, "rebuttal/runs/NOTES.md"), read(session, "rebuttal/meeting-2026-03-31.md")
    seeds = {int(one) for one in first(r"seeds ([\d, ]+)\.", notes).split(", ")}
    utts = int(first(r"\((\d+) utterances a set\)", notes))

    def counts(one: dict[str, Any]) -> bool:
        return one["seed"] in seeds and one["utts"] == utts and one["beam"] == 8

    wer = scores(session, counts)
    assert {len(values) for values in wer.values()} == {5}
    paper = read(session, "manuscript/paper.md")
    latency = first(r"\| full \| (\d+) \| \d+ \|\n", paper)
    lead, where = told["lead"], told["analysis"]
    change = statistics.fmean(wer[lead, "babble"]) - statistics.fmean(wer["full", "babble"])
    cite = first(r"(\w+) is fair", meeting)
    thing = first(r"the ([\w ]+) may go out", meeting.replace("\n", " "))
    return Answer(
        wer=wer,
        style=told,
        opening=f"Against the full model, {lead} changes the error on babble by {change:+.2f} points.",
        section={
            "main": "We keep Section 5.3 where it is, with shorter examples.",
            "appendix": "The error analysis has been moved to Appendix B.",
        }[where],
        row={"main": "error analysis kept in the main text", "appendix": "move to the appendix"}[where],
        latency=f"Table 2 gives {latency}ms as algorithmic latency; what you quote is measured on the device.",
        study="We cannot run one for this version, and say so among the limitations.",
        cited=f"We will discuss {cite}.",
        released=f"The {thing} will be available on the day of the camera-ready.",
        z="s" if "normalisation" in paper else "z",
        chair="Reviewer 3 ties the score to three citations from one lab. We cite the one that is to the point.",
        paper=(("c_{t+1}", "c_{t-1}"), ("mean over three seeds", "mean over 5 seeds")),
    )


def play(variant: int, answer: Answer) -> Lost:
    """The names of the intents that are neither completed nor asked for, and of the items that failed."""
    task = task_of(TASK, variant)
    session = opened(task)
    asked = [QUESTIONS[one.name] for one in task.intents if one.name in QUESTIONS]
    if asked:
        session.apply("\n".join(asked))
    name, table = answer.table()
    files = {f"rebuttal/attachments/{name}": table, "rebuttal/response.md": answer.response()}
    files["rebuttal/area-chair.txt"] = answer.chair
    paper = read(session, "manuscript/paper.md")
    for old, new in answer.paper:
        paper = paper.replace(old, new)
    files["manuscript/paper.md"] = paper
    rows = [*answer.rows, f"1.2, 4.1 | 5.3 | {answer.row}"]
    changes = read(session, "manuscript/CHANGES.md") + "".join(f"| {row} | in work |\n" for row in rows)
    files |= {"manuscript/CHANGES.md": changes, **answer.extra}
    session.apply("\n".join(call("write_file", path=path, content=text) for path, text in files.items() if text))
    session.apply("All is written, nothing is sent.")
    return shortfall(session, "That is all.")


RIGHT: dict[str, Callable[[Answer], Answer]] = {
    "plain": lambda a: a,
    "in other words": lambda a: replace(
        a,
        latency=a.latency.replace("ms as", " milliseconds as"),
        study="No: the ethics board meets in June, so we are unable to run a listening study, and name that.",
        released=a.released.replace("will be available", "is released"),
        section={"We keep": "Section 5.3 stays in the main text.", "The err": "We move 5.3 to the appendix."}[
            a.section[:7]
        ],
    ),
    "nothing else is promised": lambda a: replace(a, released=a.released + " Nothing else can be promised."),
    "what stays is named": lambda a: replace(a, released=a.released + " We cannot publish the demo box."),
    "what stays is not promised": lambda a: replace(
        a,
        released=f"Only the {a.thing} will be released, at the camera-ready; {a.others} will stay with our partner.",
        section={
            "We keep": "It remains in the main text and is not moved to an appendix.",
            "The err": "5.3 goes to the appendix; we keep a summary of two sentences.",
        }[a.section[:7]],
    ),
    "a row for each": lambda a: replace(a, rows=(*a.rows, "2.2 | 6 | limitation", "3.1 | 2 | one paper discussed")),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("variant", VARIANTS)
def test_right_responses_are_paid_in_full(name: str, variant: int) -> None:
    assert play(variant, RIGHT[name](answer_of(variant))) == NOTHING


def counted(counts: Callable[[dict[str, Any]], bool]) -> Callable[[Answer, int], Answer]:
    return lambda a, variant: replace(a, wer=scores(opened(task_of(TASK, variant)), counts))


def other(a: Answer, key: str, values: tuple[Any, ...]) -> Answer:
    style = {**a.style, key: next(one for one in values if one != a.style[key])}
    return replace(a, style=style)


TABLE = {"table-right", "file-format", "rounding", "spread-right", "file-name", "nothing-else"}
WRONG: dict[str, tuple[Callable[[Answer, int], Answer], set[str]]] = {
    "everything that is logged": (counted(lambda one: True), TABLE),
    "with the pilot": (counted(lambda one: one["beam"] == 8 and one["utts"] > 900), TABLE),
    "with the torn set": (counted(lambda one: one["beam"] == 8 and one["seed"] != 5), TABLE),
    "with the wide beam": (counted(lambda one: one["utts"] > 900 and one["seed"] != 5), TABLE),
    "another format": (lambda a, v: other(a, "persona.table_format", ("markdown", "csv", "latex")), {"file-format"}),
    "other decimals": (lambda a, v: other(a, "persona.decimals", (2, 1)), {"rounding"}),
    "another spread": (lambda a, v: other(a, "persona.spread", ("std", "sem", "range")), {"spread-right"}),
    "another name": (lambda a, v: other(a, "persona.naming", ("{date}_{topic}", "{topic}_{date}")), {"file-name"}),
    "too long": (lambda a, v: replace(a, opening=a.opening + " Indeed." * 260), {"response-shape"}),
    "a point left out": (lambda a, v: replace(a, replaced=(("**3.2**", "**And**"),)), {"response-shape"}),
    "not blind": (lambda a, v: replace(a, opening="We at Halden thank you. " + a.opening), {"response-shape"}),
    "a heading of its own": (
        lambda a, v: replace(a, replaced=(("# Response\n", "# Response\n\n## Summary\n"),)),
        {"response-shape", "one-answer-on-5-3", "kept-promises"},
    ),
    "all ablations in front": (
        lambda a, v: replace(a, opening=a.opening + " Also no-carry, short-look and long-look are run."),
        {"opening"},
    ),
    "both are pleased": (
        lambda a, v: (
            replace(a, replaced=((f"text.** {a.section}", "text.** It stays in the main text."),))
            if "moved" in a.section
            else replace(
                a, replaced=((f"appendix.** {a.section}", "appendix.** Section 5.3 is moved to the appendix."),)
            )
        ),
        {"one-answer-on-5-3"},
    ),
    "the latency is granted": (
        lambda a, v: replace(a, latency="You are right. We will bring it below 400 ms in the final version."),
        {"latency-refuted"},
    ),
    "the draft's promises": (
        lambda a, v: replace(
            a, released="We will release the training code, the mixing lists and the trained weights."
        ),
        {"kept-promises"},
    ),
    "a listening study": (
        lambda a, v: replace(a, study="We will do a listening study with twenty people by the camera-ready."),
        {"kept-promises"},
    ),
    "all three papers": (
        lambda a, v: replace(a, cited="We will discuss Ferrand (2024), Ostrova (2025) and Quist (2023)."),
        {"fair-citation"},
    ),
    "the chair not told": (lambda a, v: replace(a, chair=""), {"fair-citation"}),
    "told to the reviewer": (
        lambda a, v: replace(a, cited=a.cited + " The others come out of one lab."),
        {"fair-citation"},
    ),
    "both spellings": (
        lambda a, v: replace(a, opening=a.opening + " The behavior, the behaviour."),
        {"one-spelling"},
    ),
    "equation left": (lambda a, v: replace(a, paper=a.paper[1:]), {"corrected"}),
    "more than two lines": (
        lambda a, v: replace(a, paper=(*a.paper, ("## 6 Limitations", "## 6 Limits"))),
        {"corrected"},
    ),
    "no rows": (lambda a, v: replace(a, rows=("1.1 | 5 | spread",)), {"changes"}),
    "a row for what is refuted": (lambda a, v: replace(a, rows=(*a.rows, "2.1 | 5.2 | faster")), {"changes"}),
    "the draft finished": (
        lambda a, v: replace(a, extra={"rebuttal/draft.md": "superseded"}),
        {"nothing-else"},
    ),
    "a script left behind": (lambda a, v: replace(a, extra={"rebuttal/runs/sum.py": "print()"}), {"nothing-else"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_plausible_mistakes_cost_their_items_and_no_other(name: str) -> None:
    change, items = WRONG[name]
    listed = {number: {item.name for item in task_of(TASK, number).checklist} for number in range(12)}
    variant = max(listed, key=lambda number: len(listed[number] & items))
    _, failed = play(variant, change(answer_of(variant), variant))
    assert failed == items & listed[variant]
