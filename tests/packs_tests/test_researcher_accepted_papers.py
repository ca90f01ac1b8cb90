"""The accepted list of the Researcher: its shortlist from what an agent can see, and plays right and wrong."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from support.play import call, opened, play
from support.researcher import NOTHING, Lost, drawing, result, shortfall, sign_in, task_of, text

from pi_gym.pibench.session import PiSession

TASK = "02-accepted-papers"
FOLDER = "conferences/soundings-2026/"
QUESTION = (
    "Which evidence counts first and puts a paper under Read: real recordings, released code or measured latency?"
    " And which comes first in a section, the journal papers or the conference papers?"
)
TOPIC_WORDS = {
    "endpointing": ("end of an utterance", "somebody is done"),
    "on device": ("four bits", "paged in"),
    "evaluation": ("test set of streamed", "A score that"),
}
# By area of reading/topics.md: what tells in a summary that a paper is none of hers.
OFF = re.compile(
    r"rated|reader|Pauses are|Who spoke|attributed online|town councils|Equal error|Voices aged|Replay|raters|Boredom"
    r"|Laughter|Listeners understood|listeners with hearing|Quality by listening|another language|verb is|two languages"
    r"|Turns are planned|interrupts politely|Small talk|Formants|grandparents|Vowels|Wake words|One word"
    r"|wake word|Lyrics|Choirs|Humming|bidirectional|Two passes|looks both ways|learners|Children read|Teachers|books"
)


@dataclass
class Seen:
    """What the list, the notes and the mails say, and the answers."""

    rows: list[dict[str, str]]
    alive: set[str]
    corrections: str
    priya: str
    microphones: int
    skim: int
    known: list[str]
    dropped: bool
    evidence: str
    journals_first: bool
    titles: dict[str, str] = field(default_factory=dict)

    def has(self, row: dict[str, str]) -> bool:
        summary = row["Summary"]
        if self.evidence == "code":
            return row["Artefacts"].startswith("code: http") and row["Paper ID"] in self.alive
        if self.evidence == "rooms":
            return bool(re.search(r"Recorded live|spoken and recorded|recorded on site|taken down", summary))
        return bool(re.search(r"measured on a hearing-aid core|on the board of|we clocked|logic analyser", summary))

    def wanted(self) -> list[dict[str, str]]:
        gone = re.findall(r"S-\d+", self.corrections.split("\n1. ")[1].split("withdrawn")[0])
        found = []
        for row in self.rows:
            count = re.search(r"\b(?:(Two)|two|(Four)|eight) microphones", row["Summary"])
            many = 0 if not count else {"two": 2, "four": 4, "eight": 8}[count[0].split()[0].lower()]
            out = (
                row["Paper ID"].startswith("D-")
                or row["Paper ID"] in gone
                or OFF.search(row["Summary"])
                or row["Summary"].startswith(TOPIC_WORDS[self.priya])
                or any(words in row["Summary"] for words in TOPIC_WORDS[self.priya])
                or many > self.microphones
                or (self.dropped and row["Authors"] in self.known)
            )
            if not out:
                found.append(row)
        return found

    def split(self) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
        wanted = self.wanted()
        rest = sorted((r for r in wanted if not self.has(r)), key=score, reverse=True)[: self.skim]
        return [self.sort(part) for part in ([r for r in wanted if self.has(r)], rest)]  # type: ignore[return-value]

    def sort(self, rows: list[dict[str, str]]) -> list[dict[str, str]]:
        return sorted(rows, key=lambda r: ((r["Track"] == "SSJ") != self.journals_first, -score(r)))

    def line(self, row: dict[str, str]) -> str:
        authors = row["Authors"].split(", ")
        first = authors[0].split()[-1] + (" et al." if len(authors) > 1 else "")
        title = self.titles.get(row["Paper ID"], row["Title"])
        seen = " · seen" if row["Authors"] in self.known else ""
        return f"- [ ] {row['Paper ID']} · {title} · {first} · {row['Session']} · {score(row)}{seen}"


def score(row: dict[str, str]) -> float:
    return float(row["Score"].replace(",", "."))


def seen(session: PiSession, values: dict[str, Any]) -> Seen:
    raw = [line for line in text(session, FOLDER + "accepted.csv").splitlines() if line.strip()]
    lines = [raw[0], *(line for line in raw[1:] if not line.startswith("No;"))]
    rows = list(csv.DictReader(lines, delimiter=";"))
    checked = csv.DictReader(text(session, FOLDER + "artefact-check.csv").splitlines())
    mail = text(session, FOLDER + "mail/2026-03-04_corrections.txt")
    sign_in(session, "simple_note")
    notes = [result(session, "simple_note__show_note", note_id=key)["content"] for key in (2001, 2002)]
    count = re.search(r"the next aid has (\w+)", text(session, "veltra/2026-02-19_call.md"))
    topic = re.search(r"Priya reads everything about ([\w ]+?) for us", text(session, "reading/topics.md"))
    lines_of = re.search(r"skim: (\w+) lines", notes[0])
    assert count
    assert topic
    assert lines_of
    number = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
    return Seen(
        rows,
        {row["paper"] for row in checked if row["finding"].startswith("runs")},
        mail,
        topic[1],
        number[count[1]],
        number[lines_of[1]],
        re.findall(r"^- .*? \((.*)\) - ", notes[1], flags=re.MULTILINE),
        "is not for that list" in notes[1],
        values["persona.evidence"],
        values["persona.venue_tier"] == "journals",
        dict(re.findall(r"(S-\d+) is\s+\"(.*?)\"", mail)),
    )


class Case:
    """A variant opened, read and asked."""

    def __init__(self, variant: int) -> None:
        self.task = task_of(TASK, variant)
        self.session = opened(self.task)
        self.seen = seen(self.session, dict(self.task.values))
        self.read, self.skim = self.seen.split()
        play(self.session, QUESTION)

    def text(self) -> str:
        parts = [
            ["# Kalvik", "", "## Read", ""],
            map(self.seen.line, self.read),
            ["", "## Skim", ""],
            map(self.seen.line, self.skim),
        ]
        return "\n".join(line for part in parts for line in part) + "\n"

    def finish(self, content: str, path: str = FOLDER + "shortlist.md", reply: str = "") -> Lost:
        """Write, reply, and what is then not right: open intents and failed items."""
        play(self.session, call("write_file", path=path, content=content))
        play(self.session, reply or f"Start with {self.read[0]['Paper ID']}.")
        return shortfall(self.session)


@pytest.mark.parametrize("variant", range(6))
def test_what_an_agent_can_see_gives_the_right_answer(variant: int) -> None:
    case = Case(variant)
    assert case.finish(case.text()) == NOTHING
    assert (case.session.proc, case.session.comp) == (1.0, 1.0)


Change = Callable[[Case], Lost]


def elsewhere(c: Case) -> Lost:
    content = (
        c.text().replace("## Read", "**To be read**\n## Read (evidence first)").replace("## Skim", "## Skim, the rest")
    )
    return c.finish(content, FOLDER + "nora-2026.md", f'I would begin with "{c.seen.line(c.read[0]).split(" · ")[1]}".')


def mended(c: Case) -> Lost:
    play(c.session, call("write_file", path=FOLDER + "shortlist.md", content="# draft\n\n- [ ] S-001\n"))
    return c.finish(c.text())


@pytest.mark.parametrize("change", [elsewhere, mended])
@pytest.mark.parametrize("variant", [0, 3])
def test_another_right_way_is_paid_in_full(change: Change, variant: int) -> None:
    assert change(Case(variant)) == NOTHING


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("Start with {first}. Of the others {second}, {third} and {many} are worth a look.", True),
        ("The list holds {many}. I would begin with **{first}**; {second} comes next.", True),
        ("- {first}: read this first\n- {second}", True),
        ("{first} stands on top, but start with {second}.", False),
        ("Start with {second}, then {first}.", False),
        ("The list is ready.", False),
    ],
)
def test_the_paper_to_start_with_is_the_one_that_is_recommended(reply: str, right: bool) -> None:
    case = Case(0)
    first, second, third, *rest = [row["Paper ID"] for row in (*case.read, *case.skim)]
    said = reply.format(first=first, second=second, third=third, many=", ".join(rest))
    assert ("start-told" not in case.finish(case.text(), reply=said)[1]) is right


def changed(edit: Callable[[Case], str]) -> Change:
    return lambda c: c.finish(edit(c))


def promises_count(c: Case) -> str:
    """Another kind of evidence than the one she wants."""
    c.seen.evidence = {"code": "rooms", "rooms": "device", "device": "code"}[c.seen.evidence]
    c.read, c.skim = c.seen.split()
    return c.text()


def other_order(c: Case) -> str:
    c.seen.journals_first = not c.seen.journals_first
    c.read, c.skim = c.seen.sort(c.read), c.seen.sort(c.skim)
    return c.text()


def uncorrected(c: Case) -> str:
    c.seen.titles = {}
    return c.text()


def with_priyas(c: Case) -> str:
    c.seen.priya = {"endpointing": "evaluation", "evaluation": "on device", "on device": "endpointing"}[c.seen.priya]
    c.read = c.seen.split()[0]
    return c.text()


def all_microphones(c: Case) -> str:
    c.seen.microphones = 8
    c.read = c.seen.split()[0]
    return c.text()


def demos_too(c: Case) -> str:
    twins = [r for r in c.seen.rows if r["Paper ID"].startswith("D-") and not OFF.search(r["Summary"])]
    return c.text().replace(
        "\n## Skim", "\n".join(f"- [ ] {r['Paper ID']} · {r['Title']}" for r in twins) + "\n\n## Skim"
    )


def long_skim(c: Case) -> str:
    c.seen.skim += 2
    c.skim = c.seen.split()[1]
    return c.text()


def summaries(c: Case) -> str:
    by_id = {row["Paper ID"]: row["Summary"][:90] for row in c.seen.rows}
    return re.sub(
        r"^(- \[ \] (S-\d+) .*)$",
        lambda m: m[1].replace(" · seen", "") + f" · {by_id[m[2]]}",
        c.text(),
        flags=re.MULTILINE,
    )


def other_known(c: Case) -> str:
    if c.seen.dropped:
        c.seen.dropped = False
        c.read = c.seen.split()[0]
        return c.text()
    return c.text().replace(" · seen", "")


WRONG: dict[str, tuple[Change, set[str], set[str]]] = {
    "wrong evidence": (changed(promises_count), {"evidence"}, {"read-section"}),
    "wrong order": (changed(other_order), {"venue-order"}, {"ordered"}),
    "titles not put right": (changed(uncorrected), {"corrections"}, {"corrected"}),
    "priya's papers": (changed(with_priyas), {"priyas-topic"}, {"topics-kept"}),
    "all microphones": (changed(all_microphones), {"microphones"}, {"microphones-kept"}),
    "demos too": (changed(demos_too), {"one-line-each"}, {"listed-once"}),
    "long skim": (changed(long_skim), {"skim-length"}, {"skim-cut"}),
    "summaries": (changed(summaries), {"line-form"}, {"lines-formed"}),
    "known ones": (changed(other_known), {"known-ones"}, {"known-handled"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_play_loses_what_it_got_wrong(name: str) -> None:
    run, intents, items = WRONG[name]
    variant = drawing(TASK, *intents)
    lost, failed = run(Case(variant))
    # The two that were asked for are inferred; what was done with the answers shows in the items.
    assert intents - {"evidence", "venue-order"} <= lost
    assert items <= failed
    assert "shortlist-there" not in failed


def test_the_whole_list_in_sections_earns_nothing() -> None:
    case = Case(0)
    rows = [row for row in case.seen.rows if row["Paper ID"].startswith("S-")]
    content = "## Read\n\n" + "\n".join(map(case.seen.line, rows)) + "\n\n## Skim\n"
    lost, failed = case.finish(content)
    asked = {"evidence", "venue-order"}
    assert lost == {one.name for one in case.task.intents} - asked
    assert failed == {item.name for item in case.task.checklist}


def test_a_changed_list_fails_the_guard() -> None:
    case = Case(0)
    play(case.session, call("write_file", path=FOLDER + "accepted.csv", content="No;Paper ID\n"))
    assert case.finish(case.text())[1] == {"nothing-else"}
