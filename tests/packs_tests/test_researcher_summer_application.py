"""The application of the summer: the right packet from what an agent can see, and plays right and wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

import pytest
from support.play import opened, play, write
from support.researcher import NORA, NOTHING, Lost, again, drawing, result, shortfall, sign_in, task_of

TASK = "19-summer-application"
QUESTION = "Who is the referee on the form? What do I put for housing?"
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September")
HOUSING = {"their room": "host", "of my own": "own", "with friends": "friends"}
PEOPLE = {
    "amara": ("Prof. Amara Okafor", "amara.okafor@halden-it.example"),
    "tomasz": ("Tomasz Wieczorek", "tomasz.wieczorek@halden-it.example"),
    "ines": ("Ines Duarte", "ines.duarte@veltra-hearing.example"),
    "gunnar": ("Gunnar Holte", "gunnar.holte@halden-it.example"),
    "lotte": ("Lotte Brandt", "lotte.brandt@halden-it.example"),
}
NAMES = ("Orrin Audio Research", "Kestrel Speech Lab", "Tanager Devices", "Halcyon Rooms", "Marram Institute")
NAMES += ("Fennick Labs",)


def respelt(text: str, american: bool) -> str:
    """A text in one spelling, whatever it was in."""
    pairs = (("se", "ze"), ("sed", "zed"), ("ser", "zer"), ("our", "or"), ("elled", "eled"), ("elling", "eling"))
    for stem in ("analy", "recogni", "organi", "summari", "prioriti"):
        for one, two in pairs[:3]:
            text = re.sub(rf"\b{stem}({one}|{two})\b", stem + (two if american else one), text)
    text = re.sub(r"\b(behavi|fav)(?:our|or)", rf"\1{'or' if american else 'our'}", text)
    text = re.sub(r"\blabel+(ed|ing)\b", rf"label{'' if american else 'l'}\1", text)
    return re.sub(r"\bprogram(?:me)?\b", "program" if american else "programme", text)


@dataclass
class Work:
    """What one agent puts into the packet; a test changes what it likes."""

    name: str
    how: str
    start: date
    referee: tuple[str, str]
    housing: str
    letter: str
    cv: str
    copy: str
    hour: str
    form: str = ""
    sent: bool = False
    to: str = ""
    files: tuple[str, ...] = ("form.yaml", "letter.md", "cv.md")

    @property
    def email(self) -> str:
        return self.to or re.findall(r"[a-z-]+\.[a-z]+@[a-z.-]+\.example", self.how)[0]

    @property
    def code(self) -> str:
        return re.findall(r"OAR-VS26|KSL-P-2026-2|TD-BENCH-7|HR/GUEST/26-4|IM-STG-118|FL-SUMMER-3", self.how)[0]

    def filled(self, blank: str) -> str:
        values = ["Nora Lindqvist", NORA, 3, "Prof. Amara Okafor", self.name, self.code, self.email]
        values += [self.start, self.start + timedelta(67), *self.referee, self.housing]
        lines, left = [], iter(values)
        for line in blank.splitlines():
            if line.startswith("#"):
                continue
            group = not line.startswith(" ") and line != "housing:"
            lines.append(line if group else f"{line} {next(left)}")
        return "\n".join(lines) + "\n"


class Packet:
    """A variant opened after its past, read and asked, with the right work for it."""

    def __init__(self, variant: int) -> None:
        self.task = task_of(TASK, variant)
        self.session = opened(self.task, history="reference")
        sign_in(self.session, "gmail")
        log = self.text("memory/HISTORY.md")
        (self.name,) = (name for name in NAMES if re.search(rf"{name}: (it leaves|nobody|what I write)", log))
        day, month = re.findall(r"i start on monday, (\d+) (june|july), wherever", log)[0]
        pitch = re.findall(r"introduce me by the (delay|real rooms|listeners):", log)[0]
        mails = [*self.mails("cv before you ask"), *self.mails("stays abroad")]
        cut = re.findall(r"the other three go: (\w+)\.", " ".join(mails))[0]
        person = re.findall(r"go out with (me|Gunnar|Tomasz) in copy", " ".join(mails))[0].lower()
        hour = re.findall(r"with a time on it: (\d\d:\d\d)", self.text("apply/NOTES.md"))[0]
        model = self.text("apply/old/2024_spring_school.md")
        self.american = "analyze" in model
        self.style = "iso" if "2024-06-10" in model else "month-day" if "June 10" in model else "day-month"
        said = str(play(self.session, QUESTION)[-1].messages[-1].content)
        who = re.findall(r"as referee put (\w+)", said)
        where = [value for words, value in HOUSING.items() if words in said]
        path = next(p for p, _ in self.session.world.workspace.walk() if f"how/{self.name.split()[0].lower()}" in p)
        start = date(2026, {"june": 6, "july": 7}[month], int(day))
        self.work = Work(
            self.name,
            self.text(path),
            start,
            PEOPLE[who[0] if who else "amara"],
            where[0] if where else "host",
            self.letter(pitch, start, self.text(path)),
            self.cv(cut),
            PEOPLE["lotte" if person == "me" else person][1],
            hour,
        )

    def text(self, path: str) -> str:
        return self.session.world.workspace.text(path) or ""

    def mails(self, query: str) -> list[str]:
        threads = result(self.session, "gmail__show_inbox_threads", query=query, min_created_at="2026-03-01")
        bodies = []
        for thread in threads["email_threads"]:
            shown = result(self.session, "gmail__show_thread", email_thread_id=thread["email_thread_id"])
            bodies += [one["body"] for one in shown["emails"]]
        return bodies

    def written(self, day: date) -> str:
        month = MONTHS[day.month - 1]
        forms = {"day-month": f"{day.day} {month} {day.year}", "month-day": f"{month} {day.day}, {day.year}"}
        return forms.get(self.style, day.isoformat())

    def letter(self, pitch: str, start: date, how: str) -> str:
        old = [part for part in self.text("apply/packet/letter.md").split("\n\n") if part]
        about = {"delay": old[4], "real rooms": old[5], "listeners": old[6]}[pitch]
        greeting = re.findall(r"(?:to|by|:|Dr\.) (Dr\. [A-Z]\w+|Annika Roos|Mette Krag)", how)
        name = greeting[0] if greeting else "Dr. Astier" if "Astier" in how else "Piotr Zalewski"
        if name.startswith("Dr."):
            name = "Dr. " + re.findall(r"\.(\w+)@", how)[0].capitalize()
        stay = f"{self.written(start)} until {self.written(start + timedelta(67))}"
        parts = [
            f"# {self.name}",
            f"Dear {name},",
            respelt(about, self.american),
            f"In my third year I should like to come to {self.name} for ten weeks, from {stay}.",
            *(respelt(part, self.american) for part in old[7:10]),
            "Best wishes\nNora Lindqvist",
        ]
        return "\n\n".join(parts) + "\n"

    def cv(self, keep: str) -> str:
        head, *sections = re.split(r"(?m)^(?=## )", self.text("apply/packet/cv.md"))
        kept = ("positions", "education", "projects", "papers", keep)
        return head + "".join(part for part in sections if part.split()[1].lower() in kept)

    def finish(self, work: Work) -> Lost:
        form = work.form or work.filled(self.text("apply/form_blank.yaml"))
        play(self.session, *(write(f"apply/packet/{name}", text) for name, text in zip(
            ("cv.md", "letter.md", "form.yaml"), (work.cv, work.letter, form), strict=True)))  # fmt: skip
        deadline = re.findall(r"(\d+) April 2026", work.how)[0]
        made = result(
            self.session,
            "gmail__create_draft",
            recipient_email_addresses=[work.email, work.copy],
            subject=f"Summer stay {work.code} / N. Lindqvist",
            body="Hello, please find my form, my letter and my CV attached; I look forward to the summer. Nora",
            attachment_file_paths=[f"~/apply/packet/{name}" for name in work.files],
            scheduled_send_at=f"2026-04-{int(deadline) - 1:02d}T{work.hour}",
        )
        if work.sent:
            result(self.session, "gmail__send_email_from_draft", draft_id=made["draft_id"])
        play(self.session, "The packet is ready, the draft waits for you.")
        return shortfall(self.session)


@pytest.mark.parametrize("variant", range(3))
def test_what_an_agent_can_see_gives_the_right_packet(variant: int) -> None:
    one = again(Packet, variant)
    assert one.finish(one.work) == NOTHING
    assert (one.session.proc, one.session.comp) == (1.0, 1.0)


@pytest.mark.parametrize("variant", range(4))
def test_nothing_but_the_past_tells_the_place(variant: int) -> None:
    """Without the past the six places are alike: no file or mail of April names one more often than the others."""
    session = opened(task_of(TASK, variant))
    texts = {path: session.world.workspace.text(path) or "" for path, _ in session.world.workspace.walk()}
    rest = " ".join(text for path, text in texts.items() if "apply/how/" not in path and not path.startswith("skills"))
    assert [name for name in NAMES if name.split()[0] in rest] == []


def quoted_form(c: Packet) -> None:
    lines = c.work.filled(c.text("apply/form_blank.yaml")).splitlines()
    c.work.form = "\n".join(re.sub(r": (.+)$", r": '\1'  # checked", line) for line in lines) + "\n"


def shorter_letter(c: Packet) -> None:
    parts = c.work.letter.split("\n\n")
    del parts[5]
    c.work.letter = "\n\n".join(parts)


def no_blank_lines_in_the_cv(c: Packet) -> None:
    c.work.cv = re.sub(r"\n+", "\n", c.work.cv)


def an_early_draft(c: Packet) -> None:
    """One that was made before the files were right stays beside the right one, since nothing deletes it."""
    early = [f"~/apply/packet/{name}" for name in ("letter.md", "cv.md")]
    words = "Dear all, here is what I had last year, the rest will follow as soon as I have written it anew. Nora"
    result(
        c.session,
        "gmail__create_draft",
        recipient_email_addresses=[c.work.email],
        subject="Summer",
        body=words,
        attachment_file_paths=early,
    )


@pytest.mark.parametrize("change", [quoted_form, shorter_letter, no_blank_lines_in_the_cv, an_early_draft])
def test_a_right_play_is_paid_in_full(change: Callable[[Packet], None]) -> None:
    one = again(Packet, 1)
    change(one)
    assert one.finish(one.work) == NOTHING


def another_place(c: Packet) -> None:
    other = "kestrel.md" if c.name != "Kestrel Speech Lab" else "marram.txt"
    c.work.how = c.text(f"apply/how/{other}")
    c.work.letter = c.work.letter.replace(c.name, other.split(".")[0].capitalize())
    c.work.name = "Kestrel Speech Lab" if other == "kestrel.md" else "Marram Institute"


def a_week_later(c: Packet) -> None:
    c.work.start += timedelta(14)


def all_three_stories(c: Packet) -> None:
    old = c.text("apply/packet/letter.md").split("\n\n")
    head, rest = c.work.letter.split("\n\n", 2)[:2], c.work.letter.split("\n\n", 3)[3]
    c.work.letter = "\n\n".join([*head, *(respelt(part, c.american) for part in old[4:7]), rest])


def only_the_name_changed(c: Packet) -> None:
    c.work.letter = c.text("apply/packet/letter.md").replace("Quillon Acoustics", c.name).replace("Quillon", c.name)


def the_whole_cv(c: Packet) -> None:
    c.work.cv = c.text("apply/packet/cv.md")


def squeezed_cv(c: Packet) -> None:
    c.work.cv = "\n".join(line[:60] for line in c.text("apply/packet/cv.md").splitlines())


def head_of_department(c: Packet) -> None:
    c.work.referee = PEOPLE["gunnar"]


def sent_at_once(c: Packet) -> None:
    c.work.sent = True


def september_rule(c: Packet) -> None:
    old = {"me": "lotte", "Gunnar": "gunnar", "Tomasz": "tomasz"}
    said = result(c.session, "gmail__show_thread", email_thread_id=19001)["emails"][0]["body"]
    c.work.copy = PEOPLE[old[re.findall(r"puts (\w+) in copy", said)[0]]][1]


def without_the_cv(c: Packet) -> None:
    c.work.files = ("form.yaml", "letter.md")


def other_hour(c: Packet) -> None:
    c.work.hour = "12:00"


DRAFT = {"draft-for-them", "attached", "in-copy", "time-set", "nothing-else"}
WRONG: dict[str, tuple[Callable[[Packet], None], set[str], set[str]]] = {
    "another place": (
        another_place,
        {"place", "copy", "timed"},
        {"draft-for-them", "form-filled", "letter-mended", "time-set", "nothing-else"},
    ),
    "a week later": (a_week_later, {"stay"}, {"form-dates"}),
    "all three stories": (all_three_stories, {"pitch"}, {"letter-mended", "letter-opens"}),
    "only the name changed": (
        only_the_name_changed,
        {"place", "pitch", "spelling", "date-style"},
        {"letter-mended", "letter-opens", "one-spelling", "one-date-style"},
    ),
    "the whole CV": (the_whole_cv, {"cv-keep"}, {"cv-fits", "cv-section"}),
    "a squeezed CV": (squeezed_cv, {"cv-keep"}, {"cv-fits", "cv-section"}),
    "the head of department": (head_of_department, set(), {"right-referee"}),
    "sent at once": (sent_at_once, {"place", "copy", "timed"}, DRAFT),
    "the rule of September": (september_rule, {"copy"}, {"in-copy"}),
    "without the CV": (without_the_cv, set(), {"attached"}),
    "another hour": (other_hour, {"timed"}, {"time-set"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_play_loses_what_it_got_wrong_and_no_more(name: str) -> None:
    change, intents, items = WRONG[name]
    last = max(intents or {"referee"}, key=lambda one: one not in ("place", "stay", "pitch"))
    one = again(Packet, drawing(TASK, last))
    change(one)
    drawn = {intent.name for intent in one.task.intents}
    assert one.finish(one.work) == (intents & drawn, items & {item.name for item in one.task.checklist})
