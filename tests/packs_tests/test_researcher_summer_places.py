"""Six places for a summer: the right table and page from what an agent can read, and plays right and wrong."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta

import pytest
from support.play import opened, play, write
from support.researcher import NOTHING, Lost, again, prepared, shortfall, task_of

from pi_gym.pibench.session import PiSession

TASK = "07-summer-places"
QUESTION = (
    "What decides among the places that stay in: money, supervision or publication? On which Monday do you start?"
    " Which side of your work should the introduction show?"
)
PLACES = {
    "orrin": ("orrin_mail.txt", "GBP"),
    "kestrel": ("kestrel_offer.pdf.txt", "CHF"),
    "tanager": ("tanager_page.md", "SEK"),
    "halcyon": ("halcyon_sheet.txt", "DKK"),
    "marram": ("marram_convention.pdf.txt", "EUR"),
    "fennick": ("fennick_chat.txt", "PLN"),
}
# In each offer: pay, tax, rent, travel, minutes of one-to-one, the day until which it is kept; and what a sum is for.
SAID = {
    "orrin": (r"stipend of ([\d,]+) pounds a week", r"(\d+) % flat", r"Gough's, (\d+) pounds a week", r"reckon (\d+)"),
    "kestrel": (r"CHF (\d+) per month, gross", r"source: (\d+) %", r"guest house, CHF (\d+) per month", ""),
    "tanager": (r"(\d+) SEK an hour", r"tax \| (\d+) %", r"own door, ([\d,]+) SEK a month", r"some (\d+) SEK there"),
    "halcyon": (r"pay \.+ ([\d,]+) DKK a month", r"flat (\d+) %", "", r"about ([\d,]+) DKK both ways"),
    "marram": (r"lump of ([\d,]+) EUR", r"flat (\d+) %", r"Masson at (\d+) EUR a month", ""),
    "fennick": (r"you get ([\d,]+) zloty every second", r"(\d+) % flat", r"lab, (\d+) zl a week", r"maybe (\d+) zl"),
}
TIMES = {"orrin": (10, 10), "kestrel": (2.3, 2.3), "tanager": (400, 2.3), "halcyon": (2.3, 1), "marram": (1, 2.3)}
TIMES |= {"fennick": (5, 10)}
MEETINGS = r"(once|twice|three times|\d)[ \w,:]*?(?: a week)?(?: per week,| a week,| of| for|,| x)\s+(\d+) min"
HELD = r"(?:until|Validity .*until|till) (\d{1,2} May 2026|\d\d\.05\.2026)"
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September")
INTROS = {
    "the delay": "Nora cuts the latency of captions. Her system answers before the sentence is over.",
    "the real rooms": "Nora records speech in real rooms with doors and trams. Her models must survive all of them.",
    "the listeners": "Nora works with wearers of hearing aids who listen for hours. She measures what they gain.",
}


@dataclass
class Place:
    """An offer, in euros."""

    name: str
    sums: list[int]
    hours: float
    wait: int
    held: date
    contact: str
    army: bool
    dates: tuple[date, date] | None


def number(text: str) -> float:
    return float(text.replace(",", ""))


def written_day(text: str) -> date:
    if "." in text:
        day, month, year = map(int, text.split("."))
        return date(year, month, day)
    day_text, month_text, year_text = text.split()
    return date(int(year_text), MONTHS.index(month_text) + 1, int(day_text))


class Desk:
    """What lies under summer/, read as a person would."""

    def __init__(self, session: PiSession) -> None:
        self.session = session
        rows = csv.reader((self.text("rates/rates_2026-03-13.csv")).splitlines()[2:])
        self.rates = {"EUR": 1.0} | {code: float(units) for code, units in rows}
        plan = csv.DictReader(self.text("plan/milestones_2026-03-02.csv").splitlines()[1:])
        self.plan = {row["id"]: date.fromisoformat(row["date"]) for row in plan}
        self.places = {key: self.place(key) for key in PLACES}

    def text(self, path: str) -> str:
        return self.session.world.workspace.text(f"summer/{path}") or ""

    def place(self, key: str) -> Place:
        file, currency = PLACES[key]
        text, rate = self.text(f"offers/{file}"), self.rates[currency]
        pay, tax, rent, travel = (number(hit[1]) if p and (hit := re.search(p, text)) else 0.0 for p in SAID[key])
        if key == "halcyon":
            rent = number(re.findall(r"kitchenette, ([\d,]+) DKK", self.text("mails/2026-03-10_halcyon.txt"))[0])
        net = TIMES[key][0] * pay * (1 - tax / 100) / rate
        sums = [net, TIMES[key][1] * rent / rate, travel / rate]
        count, minutes = re.findall(MEETINGS, text.replace("\n                  ", " "))[0]
        sessions = {"once": 1, "twice": 2, "three times": 3}.get(count) or int(count)
        waits = self.text("mails/2026-03-12_tanager.txt").split("1 February")[1] if key == "tanager" else text
        waits = "" if key == "tanager" and "is no wait" in waits else waits
        wait = re.findall(r"(\d+) days", waits)
        fixed = re.findall(r"(\d\d?(?: July |\.07\.)2026).{0,30}?(\d\d?(?: September |\.09\.)2026)", text)
        return Place(
            key,
            [round(amount) for amount in (*sums, sums[0] - sums[1] - sums[2])],
            sessions * int(minutes) / 60,
            int(wait[0]) if wait else 0,
            written_day(re.findall(HELD, text)[0]),
            re.findall(r"([a-z]+)\.([a-z]+)@|Annika (Roos)", text)[0][-1 if key == "tanager" else 1].capitalize(),
            re.search("materiel|navies|armed", text) is not None,
            (written_day(fixed[0][0]), written_day(fixed[0][1])) if fixed else None,
        )

    def style(self) -> str:
        sample = re.findall(r"takes place from (2025|8 |October)", self.text("old/2025_workshop_page.md"))[0]
        return {"2025": "iso", "8 ": "day-month", "October": "month-day"}[sample]


@dataclass
class Work:
    """What one agent does after it has its answers; a test changes what it likes."""

    places: dict[str, Place]
    order: list[str]
    out: dict[str, str]
    stays: dict[str, tuple[date, date]]
    plan: dict[str, date]
    style: str
    top: bool
    deadline: bool
    intro: str
    table: str = ""
    page: str = ""
    final: str = ""
    more: dict[str, str] = field(default_factory=dict)

    def day(self, one: date) -> str:
        month = MONTHS[one.month - 1]
        forms = {"day-month": f"{one.day} {month} {one.year}", "month-day": f"{month} {one.day}, {one.year}"}
        return forms.get(self.style, one.isoformat())

    def comparison(self) -> str:
        lines = [
            "place,start,end,milestones,pay_eur,rent_eur,travel_eur,left_eur,supervision_h,paper_wait_days,ruled_out,rank"
        ]
        for key, one in self.places.items():
            start, end = self.stays[key]
            ids = " ".join(name for name, day in self.plan.items() if start <= day <= end)
            rank = str(self.order.index(key) + 1) if key in self.order else ""
            cells = [key, start, end, ids, *one.sums, f"{one.hours:.2f}", one.wait, self.out.get(key, ""), rank]
            lines.append(",".join(map(str, cells)))
        return "\n".join(lines) + "\n"

    def recommendation(self) -> str:
        first, second = (self.places[key] for key in self.order[:2])
        start, end = self.stays[first.name]
        verdict = f"I take **{first.name.capitalize()}**, where {first.sums[3]} EUR stay in my pocket."
        kept = f"until {self.day(second.held)}" if self.deadline else f"by the hand of {second.contact}"
        parts = [
            f"The stay is from {self.day(start)} to {self.day(end)}.",
            f"Plan B is {second.name.capitalize()}, kept {kept}.",
        ]
        return "\n\n".join(["# The summer", *([verdict, *parts] if self.top else [*parts, verdict])]) + "\n"


class Summer:
    """A variant opened, read and asked, with the right work for it."""

    def __init__(self, variant: int) -> None:
        self.task = task_of(TASK, variant)
        self.session = opened(self.task)
        self.desk = Desk(self.session)
        (record,) = play(self.session, QUESTION)
        said = "\n".join(str(message.content) for message in record.messages)
        decides = re.findall(r"what decides is (the money|the time|how soon)", said)[0]
        month = {"june": 6, "july": 7}
        day, name = re.findall(r"i start on monday, (\d+) (june|july)", said)[0]
        start = date(2026, month[name], int(day))
        pitch = re.findall(r"introduce me by (the delay|the real rooms|the listeners)", said)[0]
        places, page = self.desk.places, self.desk.text("old/2025_workshop_page.md")
        stays = {key: one.dates or (start, start + timedelta(67)) for key, one in places.items()}
        committee = self.desk.plan["T11"]
        out = {key: "paid by the army" for key, one in places.items() if one.army}
        out |= {key: "committee" for key, (one, two) in stays.items() if one <= committee <= two}
        keys = {
            "the money": lambda one: -one.sums[3],
            "the time": lambda one: -one.hours,
            "how soon": lambda one: one.wait,
        }
        order = sorted((key for key in places if key not in out), key=lambda key: keys[decides](places[key]))
        self.work = Work(
            places,
            order,
            out,
            stays,
            self.desk.plan,
            self.desk.style(),
            page.splitlines()[2].startswith("Live Text"),
            "which keeps a place" in page,
            INTROS[pitch],
        )

    def finish(self, work: Work) -> Lost:
        files = {"comparison.csv": work.table or work.comparison(), "intro.txt": work.intro, **work.more}
        files["recommendation.md"] = work.page or work.recommendation()
        play(self.session, *(write(f"summer/{name}", text) for name, text in files.items()))
        first = work.places[work.order[0]]
        final = work.final or f"It is {first.name}, with {first.sums[3]} EUR left."
        play(self.session, final)
        return shortfall(self.session, final)


@pytest.mark.parametrize("variant", range(6))
def test_what_an_agent_can_read_gives_the_right_answer(variant: int) -> None:
    one = again(Summer, variant)
    assert (len(one.work.order), len(one.work.out)) == (4, 2)
    assert one.finish(one.work) == NOTHING
    assert (one.session.proc, one.session.comp) == (1.0, 1.0)


@pytest.mark.parametrize("variant", range(6))
def test_a_hasty_reading_picks_another_place(variant: int) -> None:
    """The best place by what decides is one of those that fall out."""
    work = prepared(Summer, variant).work
    best = max(work.places, key=lambda key: work.places[key].sums[3])
    assert best in work.out


def semicolon_ids(c: Summer) -> None:
    c.work.table = re.sub(r"(T\d+) (?=T)", r"\1; ", c.work.comparison())


def longer_page(c: Summer) -> None:
    parts = c.work.recommendation().split("\n\n")
    others = " ".join(f"{key.capitalize()} leaves {c.work.places[key].sums[3]} EUR." for key in c.work.order[1:])
    parts.insert(2, "## The others\n\n" + others)
    c.work.page = "\n\n".join(parts)


def other_words(c: Summer) -> None:
    c.work.out = {key: "no: " + why + "; see NOTES" for key, why in c.work.out.items()}
    c.work.final = f"{c.work.order[0].capitalize()}! ({c.work.places[c.work.order[0]].sums[3]:,} EUR left over)"


@pytest.mark.parametrize("change", [semicolon_ids, longer_page, other_words])
@pytest.mark.parametrize("variant", [0, 1])
def test_a_right_play_is_paid_in_full(change: Callable[[Summer], None], variant: int) -> None:
    one = again(Summer, variant)
    change(one)
    assert one.finish(one.work) == NOTHING


def scaled(c: Summer, factor: float) -> None:
    for one in c.work.places.values():
        one.sums = [round(amount * factor) for amount in one.sums]


def old_rates(c: Summer) -> None:
    scaled(c, 1.05)


def old_rent(c: Summer) -> None:
    one, text = c.work.places["halcyon"], c.desk.text("offers/halcyon_sheet.txt")
    rent = round(number(re.findall(r"collegium, ([\d,]+) DKK", text)[0]) / c.desk.rates["DKK"])
    one.sums = [one.sums[0], rent, one.sums[2], one.sums[0] - rent - one.sums[2]]


def old_wait(c: Summer) -> None:
    c.work.places["tanager"].wait = 60 - min(c.work.places["tanager"].wait, 60)


def army_stays_in(c: Summer) -> None:
    key = next(key for key, one in c.work.places.items() if one.army)
    del c.work.out[key]
    c.work.order.append(key)


def old_plan(c: Summer) -> None:
    key = next(key for key, one in c.work.places.items() if one.dates)
    del c.work.out[key]
    c.work.order.append(key)
    c.work.plan = c.work.plan | {"T11": date(2026, 9, 24)}


def second_wins(c: Summer) -> None:
    c.work.order[:2] = c.work.order[1::-1]


def all_three_sides(c: Summer) -> None:
    c.work.intro = (
        "Nora cuts the delay of captions, records real rooms and asks listeners with hearing aids what they get."
    )


def a_day_early(c: Summer) -> None:
    c.work.stays = {key: (one, two - timedelta(1)) for key, (one, two) in c.work.stays.items()}


def everything_everywhere(c: Summer) -> None:
    verdict = next(part for part in c.work.recommendation().split("\n\n") if "pocket" in part)
    c.work.page = c.work.recommendation().replace("# The summer", f"# The summer\n\n{verdict}") + f"\n\n{verdict}\n"


def both_in_the_fallback(c: Summer) -> None:
    second = c.work.places[c.work.order[1]]
    text = f"Plan B is {second.name.capitalize()}, kept by {second.contact} until {c.work.day(second.held)}."
    c.work.page = re.sub("Plan B is .*", text, c.work.recommendation())


def american_slashes(c: Summer) -> None:
    start, end = c.work.stays[c.work.order[0]]
    page = c.work.recommendation()
    for one in (start, end):
        page = page.replace(c.work.day(one), f"{one.month}/{one.day}/{one.year}")
    c.work.page = page


def one_more_file(c: Summer) -> None:
    c.work.more = {"NOTES.md": "# done\n"}


SUMS = ({"sums"}, {"sums-right", "nothing-else-touched"})
WRONG: dict[str, tuple[Callable[[Summer], None], set[str], set[str]]] = {
    "old rates": (
        old_rates,
        SUMS[0] | {"rule", "date-style", "bottom-line"},
        SUMS[1] | {"page-says-which", "told", "nothing-else-touched"},
    ),
    "old rent": (old_rent, *SUMS),
    "old wait": (old_wait, {"paper-wait"}, {"time-and-papers"}),
    "the army stays in": (army_stays_in, {"no-arms"}, {"two-are-out"}),
    "the old plan": (old_plan, {"committee", "milestones"}, {"two-are-out", "stays-dated"}),
    "the second wins": (second_wins, {"rule", "fallback"}, {"ranked", "page-says-which", "told", "fallback-pinned"}),
    "all three sides": (all_three_sides, {"pitch"}, {"introduced"}),
    "a day early": (a_day_early, {"start", "date-style"}, {"stays-dated", "one-date-style"}),
    "verdict twice": (everything_everywhere, {"bottom-line"}, {"verdict-placed"}),
    "both in the fallback": (both_in_the_fallback, {"fallback"}, {"fallback-pinned"}),
    "slashes": (american_slashes, {"date-style"}, {"one-date-style"}),
    "a note of her own": (one_more_file, set(), {"nothing-else-touched"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_play_loses_what_it_got_wrong(name: str) -> None:
    change, intents, items = WRONG[name]
    asked = {"rule", "start", "pitch"}  # they were answered, so they count as inferred
    fits = [v for v in range(20) if intents <= asked | {intent.name for intent in task_of(TASK, v).intents}]
    one = again(Summer, next(v for v in fits if prepared(Summer, v).work.order[0] != "halcyon"))
    change(one)
    assert one.finish(one.work) == (intents - asked, items & {item.name for item in one.task.checklist})
