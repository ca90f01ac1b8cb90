"""The paper notes of the Researcher: what they must say, from what an agent can see, and plays right and wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from support.play import call, opened, play
from support.researcher import NOTHING, Lost, drawing, shortfall, task_of, text

from pi_gym.pibench.session import PiSession

TASK = "05-reading-notes"
QUESTION = (
    "In what do you write the follow-up steps now: stars, letters or verbs?"
    " And should the gain be in relative per cent, in points or as both error rates?"
)
KEYS = ("holmqvist2026", "tanimoto2025", "okonjo2026", "verhagen2025", "ruiz2025")
ROOMS = "nine real rooms|recorded on site|as they came|who were there anyway|are real: six hours"
CODE = "checked by the artefact editors|has training and scoring|version 1.2, which|runs on a laptop|with one command"
DEVICE = r"photodiode|development board|contact microphone|on a pair of aids|Measured on the aid"
STEPS = {"stars": ("*", "**", "***"), "letters": ("C", "B", "A"), "verbs": ("skip", "cite", "build")}


def table(body: str) -> dict[str, tuple[float, float]]:
    """A table of a text layer: condition to the rates of baseline and system."""
    lines = [line for line in body.splitlines() if line.strip()]
    columns = [re.split(r"\s{2,}", line.strip().replace(",", ".")) for line in lines]
    if columns[0][0] == "condition":
        return {row[0]: (float(row[1]), float(row[2])) for row in columns[1:]}
    return {c: (float(columns[1][at]), float(columns[2][at])) for at, c in enumerate(columns[0][1:], 1)}


@dataclass
class Paper:
    title: str
    venue: str
    rates: dict[str, tuple[float, float]]
    kinds: list[str]
    runs: int
    chunk: int
    ahead: int
    frame: int


def paper(session: PiSession, key: str) -> Paper:
    """One extract, with its figures from the mail where the authors have sent others."""
    body = text(session, f"papers/extracts/{key}.txt")
    lines = body.splitlines()
    title = next(line for at, line in enumerate(lines) if at > 0 and not lines[at - 1].strip() and line.strip())
    rates = table(body.split("Table 3: WER (%), test set")[1].strip().split("\n\n")[0])
    mail = text(session, "papers/mail/2026-03-07_table-3.txt")
    if title in mail:
        head, row = re.findall(r"^.*\d+ dB.*$|^WER.*$", mail, flags=re.MULTILINE)
        right = re.split(r"\s{2,}", row.strip())[1:]
        names = re.split(r"\s{2,}", head.strip())[1:]
        rates = {name: (rates[name][0], float(figure)) for name, figure in zip(names, right, strict=True)}
    found = re.search(r"trained\s+(\d+) times", body)
    frames = re.search(r"(\d+)\s+frames of the future", body) or re.search(r"(\d+)\s+frames of right context", body)
    frames = frames or re.search(r"right context of (\d+)|look-ahead is (\d+)|from (\d+) frames of look-ahead", body)
    chunk = re.search(r"blocks of (\d+)|chunks of (\d+)|Blocks have (\d+)", body)
    long = re.search(r"frame is (\d+) ms|at (\d+) ms per frame|frame every (\d+) ms|frame is (\d+) ms", body)
    assert frames
    assert chunk
    assert long
    kinds = [name for name, words in (("rooms", ROOMS), ("code", CODE), ("device", DEVICE)) if re.search(words, body)]
    first = [int(next(group for group in hit.groups() if group)) for hit in (chunk, frames, long)]
    return Paper(title, lines[0], rates, kinds, int(found[1]) if found else 1, *first)


@dataclass
class Work:
    """What an agent believes when it writes; a test changes what it likes."""

    condition: str
    blank: bool
    whole_delay: bool
    evidence: str
    journals_first: bool
    steps: tuple[str, ...]
    form: str
    top: bool
    papers: dict[str, Paper] = field(default_factory=dict)
    known: str = "venue: Speech Systems Journal 33(2)"
    final: str = ""
    bold: bool = False

    def gain(self, one: Paper) -> str:
        base, ours = one.rates[self.condition]
        if self.form == "pair":
            return f"{base} -> {ours}"
        return f"-{100 * (base - ours) / base:.1f} % rel." if self.form == "relative" else f"{base - ours:.1f} points"

    def level(self, one: Paper) -> int:
        base, ours = one.rates[self.condition]
        return (self.evidence in one.kinds) + (base - ours >= 0.05 * base)

    def figure(self, one: Paper) -> str:
        if one.runs == 1 and self.blank:
            return "none, single run"
        return f"{self.gain(one)}, {self.condition}" + (" (single run)" if one.runs == 1 else "")

    def note(self, key: str) -> str:
        one = self.papers[key]
        delay = one.frame * (one.ahead + (one.chunk if self.whole_delay else 0))
        last = "bottom line: we talk about it"
        fields = {
            "key": key,
            "figure": self.figure(one),
            "delay": f"{delay} ms" + (f" ({one.chunk} and {one.ahead} frames)" if self.bold else ""),
            "evidence": ", ".join(one.kinds) or "none",
            "follow-up": self.steps[self.level(one)] + (", as I see it" if self.bold else ""),
        }
        lines = [f"**{k}:** {v}" if self.bold else f"{k}: {v}" for k, v in fields.items()]
        return "\n".join([f"# {one.title}", "", *([last, *lines] if self.top else [*lines, last])]) + "\n"

    def rows(self) -> str:
        order = sorted(KEYS, key=lambda key: ("JOURNAL" in self.papers[key].venue) != self.journals_first)
        return "".join(
            f"| {k} | {self.papers[k].title} | x | {self.steps[self.level(self.papers[k])]} |\n" for k in order
        )


class Case:
    def __init__(self, variant: int) -> None:
        self.task = task_of(TASK, variant)
        self.session = opened(self.task)
        how, values = text(self.session, "papers/how.md"), dict(self.task.values)
        place = re.search(r"in (?:the )?(babble|traffic|kitchen) at 5 dB and in no other", how)
        assert place
        self.work = Work(
            condition=f"{place[1]} 5 dB",
            blank="One training run only: no figure" in how,
            whole_delay="chunk and lookahead together" in how,
            evidence=values["persona.evidence"],
            journals_first=values["persona.venue_tier"] == "journals",
            steps=STEPS[values["persona.follow_scale"]],
            form=values["persona.gain_form"],
            top=text(self.session, "papers/notes/eide2025.md").splitlines()[2].startswith("bottom line"),
            papers={key: paper(self.session, key) for key in KEYS},
        )
        play(self.session, QUESTION)

    def best(self, work: Work) -> str:
        return max(KEYS, key=lambda key: work.level(work.papers[key]))

    def whole(self, work: Work, **others: str) -> Lost:
        for key in KEYS:
            play(self.session, call("write_file", path=f"papers/notes/{key}.md", content=work.note(key)))
        old = text(self.session, "papers/notes/sandvik2024.md")
        body = text(self.session, "papers/extracts/sandvik2026.txt")
        rates = table(body.split("test set")[1].split("\n\n")[1])
        known = Paper("", "", rates, [], 3, 1, 1, 1)
        old = old.replace("figure: preliminary, half the data", f"figure: {work.gain(known)}, {work.condition}")
        old = old.replace("venue: preprint, osa:2411.0815", work.known)
        play(self.session, call("write_file", path="papers/notes/sandvik2024.md", content=old))
        index = text(self.session, "papers/notes/index.md")
        play(self.session, call("write_file", path="papers/notes/index.md", content=index + work.rows()))
        for path, content in others.items():
            play(self.session, call("write_file", path=f"papers/notes/{path}.md", content=content))
        play(self.session, work.final or f"Start with {self.best(work)}.")
        return shortfall(self.session, work.final or f"Start with {self.best(work)}, as I said.")


@pytest.mark.parametrize("variant", range(8))
def test_what_an_agent_can_see_gives_the_right_notes(variant: int) -> None:
    case = Case(variant)
    assert case.whole(case.work) == NOTHING
    assert (case.session.proc, case.session.comp) == (1.0, 1.0)


@pytest.mark.parametrize("variant", [0, 4])
def test_another_right_way_is_paid_in_full(variant: int) -> None:
    case = Case(variant)
    final = f'I would start with "{case.work.papers[case.best(case.work)].title}"; the rest can wait.'
    known = "venue: Speech Systems Journal, vol. 33 no. 2 (was osa:2411.0815)"
    assert case.whole(replace(case.work, bold=True, final=final, known=known)) == NOTHING


Change = Callable[[Case], Work]


def other_condition(c: Case) -> Work:
    return replace(c.work, condition="traffic 5 dB" if c.work.condition.startswith("babble") else "babble 5 dB")


def printed_table(c: Case) -> Work:
    """The erratum is overlooked."""
    found = dict(c.work.papers)
    for key in KEYS:
        body = text(c.session, f"papers/extracts/{key}.txt").split("Table 3: WER (%), test set")[1]
        found[key] = replace(found[key], rates=table(body.strip().split("\n\n")[0]))
    return replace(c.work, papers=found)


def dev_table(c: Case) -> Work:
    found = dict(c.work.papers)
    for key in KEYS:
        body = text(c.session, f"papers/extracts/{key}.txt").split("development set")[1]
        found[key] = replace(found[key], rates=table(body.strip().split("\n\n")[0]))
    return replace(c.work, papers=found)


def promised_code(c: Case) -> Work:
    found = {k: replace(p, kinds=sorted({*p.kinds, "code"})) for k, p in c.work.papers.items()}
    return replace(c.work, papers=found)


def other_steps(c: Case) -> Work:
    return replace(c.work, steps=STEPS["letters" if c.work.steps[0] != "C" else "stars"])


def other_form(c: Case) -> Work:
    return replace(c.work, form="points" if c.work.form != "points" else "relative")


WRONG: dict[str, tuple[Change, set[str], set[str]]] = {
    "other condition": (other_condition, {"condition"}, {"condition-right"}),
    "printed table": (printed_table, {"erratum"}, {"erratum-used"}),
    "development set": (dev_table, {"condition", "erratum"}, {"condition-right", "erratum-used", "gains-formed"}),
    "promised code": (promised_code, set(), {"facts"}),
    "other steps": (other_steps, set(), {"scale-right"}),
    "other form": (other_form, set(), {"gains-formed"}),
    "no memory": (
        lambda c: replace(c.work, evidence={"rooms": "code", "code": "device", "device": "rooms"}[c.work.evidence]),
        {"evidence"},
        {"levels-right"},
    ),
    "index unordered": (
        lambda c: replace(c.work, journals_first=not c.work.journals_first),
        {"reading-order"},
        {"index-ordered"},
    ),
    "other delay": (lambda c: replace(c.work, whole_delay=not c.work.whole_delay), {"delay"}, {"delays-right"}),
    "single run as any": (lambda c: replace(c.work, blank=not c.work.blank), {"single-run"}, {"single-run-handled"}),
    "bottom line": (lambda c: replace(c.work, top=not c.work.top), {"bottom-line"}, {"bottom-line-placed"}),
    "venue kept": (lambda c: replace(c.work, known="venue: preprint, osa:2411.0815"), set(), {"one-note-a-paper"}),
    "weakest told": (
        lambda c: replace(c.work, final=min(KEYS, key=lambda k: c.work.level(c.work.papers[k])) + " first."),
        set(),
        {"best-told"},
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_play_loses_what_it_got_wrong(name: str) -> None:
    change, intents, items = WRONG[name]
    variant = drawing(TASK, *intents)
    case = Case(variant)
    lost, failed = case.whole(change(case))
    assert intents <= lost
    assert items <= failed
    assert "notes-there" not in failed


def test_a_second_note_on_the_preprint_fails() -> None:
    case = Case(0)
    _, failed = case.whole(
        case.work, sandvik2026="# Slow Statistics for Fast Encoders\n\nkey: sandvik2026\nfigure: 3\n"
    )
    assert failed == {"one-note-a-paper", "nothing-else"}


def test_an_old_note_that_is_written_over_fails_the_guard() -> None:
    case = Case(0)
    _, failed = case.whole(case.work, eide2025="# Late Words Are Wrong Words\n\nkey: eide2025\nfollow-up: A\n")
    assert failed == {"nothing-else"}


def test_a_changed_rule_book_fails_the_guard() -> None:
    case = Case(0)
    play(case.session, call("write_file", path="papers/how.md", content="# How\n"))
    assert case.whole(case.work)[1] == {"nothing-else"}


def test_the_abstract_of_a_weak_paper_promises_more_than_its_table() -> None:
    case = Case(0)
    weak: list[Any] = [
        p for p in case.work.papers.values() if case.work.level(p) - (case.work.evidence in p.kinds) == 0
    ]
    assert weak
    assert all(p.rates["kitchen 0 dB"][1] < 0.94 * p.rates["kitchen 0 dB"][0] for p in weak)
