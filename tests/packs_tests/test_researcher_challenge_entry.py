"""The Researcher's challenge: what to enter from what an agent can see, and plays right and wrong."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from support.play import call, opened, play
from support.researcher import NOTHING, Lost, again, drawing, shortfall, sign_in, task_of

TASK = "16-challenge-entry"
NAMES = ("murmur", "kamo", "ridgeline")
MURMUR, KAMO, RIDGELINE = (
    "https://murmur-challenge.example/2026",
    "https://kamo-streets.example/challenge",
    "https://ridgeline-device.example/2026",
)
OSLO = ZoneInfo("Europe/Oslo")
ZONES = {"AoE": timezone(timedelta(hours=-12)), "JST": ZoneInfo("Asia/Tokyo"), "PT": ZoneInfo("America/Los_Angeles")}
SERVES = {"murmur": ("WP2", "WP4"), "kamo": ("WP1",), "ridgeline": ("WP3",)}
SHUT = [*(date(2026, 4, day) for day in range(2, 7)), date(2026, 5, 1), date(2026, 5, 14), date(2026, 5, 25)]
COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4}


def here(day: str, hour: str, zone: str) -> str:
    """A deadline of another place, in Norwegian time."""
    at = datetime.strptime(f"{day} 2026 {hour}", "%d %B %Y %H:%M").replace(tzinfo=ZONES[zone])
    return f"{at.astimezone(OSLO):%Y-%m-%dT%H:%M}"


def working_day(day: date, back: int) -> date:
    while back:
        day -= timedelta(days=1)
        back -= day.weekday() < 5 and day not in SHUT
    return day


@dataclass
class Work:
    """What one agent found out and what it does with it; a test changes what it likes."""

    registration: dict[str, str]
    final: dict[str, str]
    hours: dict[str, float]
    days: dict[str, int]
    barred: list[str]
    left: int
    decide: str
    trainings: int
    buffer: int
    writer: str
    style: str
    name: str
    section: str = ""
    titles: tuple[str, ...] = ("Register", "First results", "Freeze", "Description", "Submit")
    memo_more: str = ""

    def need(self, name: str) -> int:
        return round(self.hours[name] * self.trainings)

    def verdict(self, name: str) -> str:
        if name in self.barred:
            return "licence"
        return "possible" if self.need(name) <= self.left else "compute"

    @property
    def enter(self) -> str:
        possible = [name for name in NAMES if self.verdict(name) == "possible"]
        ranks: dict[str, Callable[[str], object]] = {
            "days": lambda name: -self.days[name],
            "early": lambda name: self.final[name],
            "late": lambda name: -datetime.fromisoformat(self.final[name]).timestamp(),
        }
        return min(possible, key=ranks[self.decide])  # type: ignore[arg-type]

    def due(self) -> list[date]:
        final, registration = (date.fromisoformat(one[self.enter][:10]) for one in (self.final, self.registration))
        backs = (15, 5, 3, self.buffer)
        return [working_day(registration, 1), *(working_day(final, back) for back in backs)]

    def form(self) -> str:
        lines = [f"enter: {self.enter}", f"decided_by: {self.decide}", f"trainings: {self.trainings}"]
        lines += [f"quota_left: {self.left}", "challenges:"]
        for name in NAMES:
            verdict = "enter" if name == self.enter else self.verdict(name)
            times = f"registration: {self.registration[name]}, final: {self.final[name]}"
            numbers = f"card_hours: {self.need(name)}, days: {self.days[name]}"
            lines.append(f"  {name}: {{{times}, {numbers}, verdict: {verdict}}}")
        return "\n".join(lines) + "\n"

    def day(self) -> str:
        at = date.fromisoformat(self.final[self.enter][:10])
        forms = {
            "iso": str(at),
            "day-month": f"{at.day} {at:%B} {at.year}",
            "month-day": f"{at:%B} {at.day}, {at.year}",
        }
        return forms[self.style]

    def memo(self) -> str:
        hour = self.final[self.enter][11:]
        return (
            f"# For Amara\n\n{self.enter.capitalize()} it is, by '{self.decide}'. Outputs are due on {self.day()}"
            f" at {hour} here. It costs {self.need(self.enter)} card hours; {self.left} are left.\n\n"
            f"Against it: it is May. {self.memo_more}\n"
        )


class Entry:
    """A variant opened, read and asked, with the right work for it."""

    def __init__(self, variant: int) -> None:
        self.task = task_of(TASK, variant)
        self.session = opened(self.task)
        sign_in(self.session, "gmail", "todoist")
        pages = {url: self.page(url) for url in (MURMUR, f"{MURMUR}/news", KAMO, f"{KAMO}/rules", RIDGELINE)}
        terms = self.page(f"{RIDGELINE}/data-terms")
        (record,) = play(self.session, "How many full trainings, and what decides among the possible challenges?")
        told = str(record.messages[-1].content)
        monday, quota = self.read("notes/2026-03-30_monday.md"), self.read("cluster/quota.md")
        parked = re.findall(r"(WP\d) is parked", monday)[0]
        planned = {one: int(days) for one, days in re.findall(r"\| (WP\d) \|.*\| (\d+) \|", self.read("plan-q2.md"))}
        used = sum(
            int(row["cards"]) * int(row["hours"])
            for row in csv.DictReader(self.read("cluster/usage.csv").splitlines())
            if (row["project"], row["state"] == "lost", row["queue"] == "short") == ("hm", False, False)
        )
        granted = int(re.findall(r"Granted: \*\*([\d,]+)", quota)[0].replace(",", ""))
        thesis, paper = re.findall(r"Set aside: (\d+) for .*\*\*(\d+)\*\*", quota)[0]
        moved = re.findall(r"it is now (?:\*\*)?(\d+ May) 2026", pages[f"{MURMUR}/news"])[0]
        kamo = re.findall(r"(\d+ \w+) 2026, (\d\d:\d\d)", pages[KAMO].replace("*", ""))
        ridge = re.findall(r"(\d+ \w+) 2026, (\d\d:\d\d) PT", pages[RIDGELINE])
        assert "must not be passed to commercial entities" in terms
        assert "companies included" in pages[f"{KAMO}/rules"]
        (record,) = play(self.session, call("gmail__show_thread", email_thread_id=16001))
        mine = re.findall(
            r'"from": "(\w+) [^"]*"(?:(?!"from").)*the description is mine', str(record.messages[-1].content)
        )
        old = next(p for p, _ in self.session.world.workspace.walk() if re.search(r"/2025/.*challenge-memo", p))
        sample = re.findall(r"Final deadline (.*?), 13:59", self.session.world.workspace.text(old) or "")[0]
        style = "iso" if sample.startswith("2025") else "day-month" if sample[0].isdecimal() else "month-day"
        assert "160 hours on two cards" in pages[MURMUR]
        assert "190 hours on one card" in pages[KAMO]
        assert "four cards of 40 GB for 112.5 hours" in pages[RIDGELINE]
        self.work = Work(
            {
                "murmur": here("17 April", "23:59", "AoE"),
                "kamo": here(*kamo[0], "JST"),
                "ridgeline": here(*ridge[0], "PT"),
            },
            {"murmur": here(moved, "23:59", "AoE"), "kamo": here(*kamo[1], "JST"), "ridgeline": here(*ridge[1], "PT")},
            {"murmur": 2 * 160, "kamo": 190, "ridgeline": 4 * 112.5},
            {name: sum(planned[one] for one in packages if one != parked) for name, packages in SERVES.items()},
            ["ridgeline"] if "may give the weights to Veltra" in monday else [],
            granted - used - int(thesis) - int(paper),
            re.findall(r"\((days|late|early)\)", told)[0],
            COUNTS[re.findall(r"Count with (\w+) full", told)[0]],
            COUNTS[re.findall(r"we submit \*\*(\w+) working", self.read("2025/debrief.md"))[0]],
            mine[0].lower(),
            style,
            old.replace("2025/", "").replace("2025-03-27", "2026-03-31"),
        )

    def page(self, url: str) -> str:
        (record,) = play(self.session, call("web_fetch", url=url))
        return str(record.messages[-1].content)

    def read(self, path: str) -> str:
        return self.session.world.workspace.text(f"challenge/{path}") or ""

    def whole(self, w: Work) -> Lost:
        play(
            self.session,
            call("write_file", path="challenge/entry.yaml", content=w.form()),
            call("write_file", path=w.name, content=w.memo()),
        )
        (record,) = play(
            self.session, call("todoist__create_section", project_id=1, name=w.section or w.enter.capitalize())
        )
        section = int(re.findall(r'"section_id": (\d+)', str(record.messages[-1].content))[0])
        for title, day in zip(w.titles, w.due(), strict=True):
            more = {"section_id": section, "title": title, "due_date": str(day)}
            (record,) = play(self.session, call("todoist__create_task", project_id=1, **more))
            if title.startswith("Description"):
                key = int(re.findall(r'"task_id": (\d+)', str(record.messages[-1].content))[0])
                email = {"tomasz": "tomasz.wieczorek", "priya": "priya.raman"}[w.writer] + "@halden-it.example"
                play(self.session, call("todoist__assign_or_unassign_task", task_id=key, assignee_email=email))
        play(self.session, f"{w.enter.capitalize()} it is.")
        return shortfall(self.session)


@pytest.mark.parametrize("variant", range(6))
def test_what_an_agent_can_see_gives_the_right_entry(variant: int) -> None:
    one = again(Entry, variant)
    assert one.whole(one.work) == NOTHING
    assert (one.session.proc, one.session.comp) == (1.0, 1.0)


def test_every_challenge_is_the_right_one_somewhere() -> None:
    assert {again(Entry, variant).work.enter for variant in range(12)} == set(NAMES)


Change = Callable[[Work], Work]
LONG = ("Register the team", "First results (dev set)", "Freeze: no more training", "Description, 2 pages", "Submit!")
RIGHT: dict[str, Change] = {
    "longer titles": lambda w: replace(w, titles=LONG),
    "a section with the year": lambda w: replace(w, section=f"{w.enter.capitalize()} 2026"),
    "a longer memo": lambda w: replace(w, memo_more="The others: one costs more, the other serves less of our plan."),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("variant", [0, 3])
def test_another_right_way_is_paid_in_full(name: str, variant: int) -> None:
    one = again(Entry, variant)
    assert one.whole(RIGHT[name](one.work)) == NOTHING


TIMES = {"murmur": "2026-05-22T23:59", "kamo": "2026-05-28T06:00", "ridgeline": "2026-06-02T17:00"}
OTHER_DAY = {"days": "late", "late": "early", "early": "days"}
WRONG: dict[str, tuple[Change, str, set[str]]] = {
    "times not converted": (lambda w: replace(w, final=TIMES), "our-time", {"times"}),
    "the news not read": (
        lambda w: replace(w, final=w.final | {"murmur": "2026-05-16T13:59"}),
        "our-time",
        {"times"},
    ),
    "dates of the other place": (lambda w: replace(w, final=TIMES), "milestones", {"plan-dates"}),
    "another number of trainings": (lambda w: replace(w, trainings=1), "", {"card-hours"}),
    "another reason": (lambda w: replace(w, decide=OTHER_DAY[w.decide]), "", {"entered"}),
    "the licence misjudged": (
        lambda w: replace(w, barred=[] if w.barred else ["ridgeline"]),
        "licence-rule",
        {"entered"},
    ),
    "the blog believed": (lambda w: replace(w, barred=[*w.barred, "kamo"]), "licence-rule", {"entered"}),
    "lost jobs counted": (lambda w: replace(w, left=w.left - 60), "quota", {"quota"}),
    "the parked one counted": (
        lambda w: replace(w, days={n: d + 6 for n, d in w.days.items()}),
        "days-served",
        {"days"},
    ),
    "at the last minute": (lambda w: replace(w, buffer=0), "buffer", {"submit-date"}),
    "the wrong writer": (
        lambda w: replace(w, writer="priya" if w.writer == "tomasz" else "tomasz"),
        "writer",
        {"description-assigned"},
    ),
    "another style of dates": (
        lambda w: replace(w, style="iso" if w.style != "iso" else "day-month"),
        "date-style",
        {"memo-dates"},
    ),
    "another file name": (lambda w: replace(w, name="challenge/memo.md"), "memo-name", {"memo-name"}),
    "a long memo": (lambda w: replace(w, memo_more="And so on. " * 80), "", {"memo"}),
    "another section": (lambda w: replace(w, section="Challenge"), "", {"plan"}),
    "titles of one's own": (lambda w: replace(w, titles=("Sign up", *w.titles[1:])), "milestones", {"plan"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_plausible_mistake_loses_what_it_got_wrong(name: str) -> None:
    change, intent, items = WRONG[name]
    one = again(Entry, drawing(TASK, intent))
    open_ones, failed = one.whole(change(one.work))
    assert intent in open_ones | {""}
    assert items <= failed


def test_an_old_task_is_not_to_be_touched() -> None:
    one = again(Entry, 0)
    play(one.session, call("todoist__update_task", task_id=68, due_date="2026-05-01"))
    assert "nothing-else" in one.whole(one.work)[1]


def test_no_mail_goes_out() -> None:
    one = again(Entry, 0)
    play(one.session, call("gmail__send_email", email_addresses=["amara.okafor@halden-it.example"], body="we enter"))
    assert "nothing-else" in one.whole(one.work)[1]
