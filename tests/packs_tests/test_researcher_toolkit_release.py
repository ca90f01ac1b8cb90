"""The toolkit's release of the Researcher: hold or move from what an agent can see, and plays right and wrong."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta

import pytest
from support.play import call, opened, play
from support.researcher import NOTHING, Lost, again, shortfall, sign_in, task_of

TASK = "12-toolkit-release"
TODAY = date(2026, 3, 24)
EASTER = [date(2026, 4, day) for day in range(2, 7)]
EMAILS = {"Tomasz": "tomasz.wieczorek", "Priya": "priya.raman", "Wei-Lin": "wei-lin.zhao"}
WEEKS = {"one week": 1, "two weeks": 2, "five weeks": 5, "seven weeks": 7}
DECIMALS = {"One": 1, "Two": 2, "Three": 3}
BACK = {"on the day itself": 0, "on the working day before": 1, "two working days before": 2}


def working_day(day: date, back: int) -> date:
    while back:
        day -= timedelta(days=1)
        back -= day.weekday() < 5 and day not in EASTER
    return day


@dataclass
class Work:
    """What the files and the past tell one agent, and what it does with it; a test changes what it likes."""

    name: str
    locked: str
    new: str
    claims: dict[str, float]
    ours: dict[str, float]
    blockers: list[str]
    migrate: list[str]
    sha: str
    tolerance: float
    weeks: int
    email: str
    decimals: int
    back: str
    key: str
    ahead: int
    why_more: str = ""

    def gap(self, name: str) -> float:
        return 100 * (self.ours[name] - self.claims[name]) / self.claims[name]

    @property
    def until(self) -> date:
        return date(2026, 3, 6) + timedelta(weeks=self.weeks)

    @property
    def why(self) -> str:
        reasons = ["pin"] * (self.until >= TODAY) + ["claim"] * (self.gap(self.key) > self.tolerance)
        return "+".join(reasons + ["regression"] * bool(self.blockers)) or "ok"

    @property
    def hold(self) -> bool:
        return self.why != "ok"

    @property
    def look(self) -> date:
        return self.until if self.until >= TODAY else TODAY + timedelta(weeks=self.weeks)

    def note(self) -> str:
        lines = ["# Release", "", "Hold." if self.hold else "Move.", ""]
        lines += ["| List | Claimed | Ours | Gap | Verdict | Decides |", "|---|---|---|---|---|---|"]
        for name, claim in self.claims.items():
            verdict = "reproduced" if self.gap(name) <= self.tolerance else "not reproduced"
            figures = f"{claim:.{self.decimals}f} | {self.ours[name]:.{self.decimals}f} | {self.gap(name):+.2f} %"
            lines.append(f"| {name} | {figures} | {verdict} | {'yes' if name == self.key else 'no'} |")
        lines += [
            "",
            f"- blockers: {', '.join(self.blockers) or 'none'}",
            f"- migrate: {', '.join(self.migrate) or 'none'}",
        ]
        return "\n".join([*lines, f"- back: {self.back}", ""])


class Release:
    """A variant opened, read and asked, with the right work for it."""

    def __init__(self, variant: int) -> None:
        self.task = task_of(TASK, variant)
        self.session = opened(self.task, history="reference")
        notes, past = self.read("notes/2026-03-20_standup.md"), self.session.world.workspace.text("memory/HISTORY.md")
        assert past is not None
        (record,) = play(self.session, "Which list decides, and when do you want the reminder, on the day or before?")
        told = str(record.messages[-1].content)
        text, lock = self.read("watch/inbox/2026-03-24.md"), self.read("lock.toml")
        name, locked = re.findall(r'\[decoder\]\nname = "(.*)"\nversion = "(.*)"', lock)[0]
        new = re.findall(rf"# {name} (\S+)", text)[0]
        board = re.findall(r"\((\w+) in file names", notes)[0]
        config = {line.split(":")[0].strip() for line in self.read("decoder.yaml").splitlines() if ":" in line}
        issues = csv.DictReader(self.read("watch/inbox/2026-03-24_issues.csv").splitlines())
        runs: dict[str, list[float]] = {}
        for row in csv.DictReader(self.read("smoke/log.csv").splitlines()):
            if row["version"] == new and row["repeat"] != "0" and float(row["load"]) < 0.8:
                runs.setdefault(row["list"], []).append(float(row["wer"]))
        assert {len(values) for values in runs.values()} == {5}
        owner = "there is the name" in notes
        keeper, cleared = re.findall(r"wheels is (\w+)'s", notes)[0], re.findall(r"cleared after \w+, (.*)\.", notes)[0]
        keys = [key for key in re.findall(r"^- `(\w+)` is", text, re.M) if key in config]
        person = re.findall(r"The mail goes to (\S+) and", past)[0]
        lead = re.findall(r"Remind me (.*?)(?: it)?, at nine", told)
        self.work = Work(
            name,
            locked,
            new,
            {kit: float(claim) for kit, claim in re.findall(r"\| (\S+) \| \S+ \| \*\*(\S+)\*\* \|", text)},
            {kit: round(sum(values) / 5, 4) for kit, values in runs.items()},
            [
                row["issue"]
                for row in issues
                if (row["version"], row["label"], row["state"]) == (new, "regression", "open")
                and row["board"] in (board, "all boards")
            ],
            keys,
            re.findall(rf"(\w+)  {name}-{re.escape(new)}\+sef-{board}", text)[0],
            float(re.findall(r"within (\d+) % of it", past)[0]),
            WEEKS[re.findall(r"A pin holds (\w+ weeks?) from", past)[0]],
            f"{EMAILS[person]}@halden-it.example",
            DECIMALS[re.findall(r"(One|Two|Three) decimals? throughout", past)[0]],
            f"{keeper} puts {locked} back" if owner else f"{locked} until {cleared} 2026",
            re.findall(r"(\S+) decides, that's", told)[0],
            BACK[lead[0]] if lead else 0,
        )

    def read(self, path: str) -> str:
        return self.session.world.workspace.text(f"decoder/{path}") or ""

    def whole(self, w: Work) -> Lost:
        lock = self.read("lock.toml").replace('review = ""', f'review = "{w.look}"')
        if w.hold:
            lock = lock.replace('seen_version = ""', f'seen_version = "{w.new}"')
            lock = lock.replace('seen_sha256 = ""', f'seen_sha256 = "{w.sha}"')
        else:
            block = re.search(r"\[decoder\][^\[]*", lock)
            assert block is not None
            new = re.sub(r'sha256 = ".*"', f'sha256 = "{w.sha}"', block[0]).replace(w.locked, w.new)
            lock = lock.replace(block[0], new.replace("2026-03-06", "2026-03-24"))
        word = "hold" if w.hold else "move"
        row = f"2026-03-24,{w.name},{w.new},{word},{w.why}{w.why_more},{w.look}\n"
        sign_in(self.session, "gmail")
        play(
            self.session,
            call("write_file", path=f"decoder/watch/2026-03-24_{w.name}-{w.new}.md", content=w.note()),
            call("write_file", path="decoder/watch/log.csv", content=self.read("watch/log.csv") + row),
            call("write_file", path="decoder/lock.toml", content=lock),
            call("cron", action="add", at=f"{working_day(w.look, w.ahead)}T09:00", message=f"{w.name}: look again"),
            call("gmail__send_email", email_addresses=[w.email], body=f"{w.name} {w.new}: we {word}."),
            f"We {word}: {w.why}.",
        )
        return shortfall(self.session)


Change = Callable[[Work], Work]


@pytest.mark.parametrize("variant", range(6))
def test_what_an_agent_can_see_gives_the_right_decision(variant: int) -> None:
    one = again(Release, variant)
    assert one.whole(one.work) == NOTHING
    assert (one.session.proc, one.session.comp) == (1.0, 1.0)


def test_some_variants_hold_and_some_move() -> None:
    assert {again(Release, variant).work.hold for variant in range(8)} == {True, False}


def both_names(w: Work) -> Work:
    return replace(w, migrate=[f"`{key}` -> `{key}_v2`" for key in w.migrate])


RIGHT: dict[str, Change] = {
    "keys with their new names": both_names,
    "a way back in a sentence": lambda w: replace(w, back=f"the old wheel is on the shelf ({w.back}), as ever"),
    "numbers with a sign": lambda w: replace(w, blockers=[f"#{one}" for one in w.blockers]),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("variant", [0, 3])
def test_another_right_way_is_paid_in_full(name: str, variant: int) -> None:
    one = again(Release, variant)
    assert one.whole(RIGHT[name](one.work)) == NOTHING


def opposite(w: Work) -> Work:
    """Holds what should move, moves what should be held."""
    return replace(w, weeks=1, tolerance=99, blockers=[]) if w.hold else replace(w, blockers=["1"])


WRONG: dict[str, tuple[Change, str, set[str]]] = {
    "every claim believed": (lambda w: replace(w, tolerance=9), "tolerance", {"claims-judged"}),
    "another term": (lambda w: replace(w, weeks=3), "pin-term", {"next-look", "lock"}),
    "the opposite": (opposite, "", {"decision", "lock"}),
    "another person": (lambda w: replace(w, email="amara.okafor@halden-it.example"), "contact", {"told"}),
    "another list": (lambda w: replace(w, key=next(n for n in w.claims if n != w.key)), "", {"list-decides"}),
    "another day": (lambda w: replace(w, ahead=w.ahead + 1), "reminder-day", {"reminder-day"}),
    "long before": (lambda w: replace(w, ahead=7), "", {"reminder"}),
    "issues of all boards": (lambda w: replace(w, blockers=[*w.blockers, "1"]), "blockers", {"blockers"}),
    "all renamed keys": (lambda w: replace(w, migrate=[*w.migrate, "lm_scale"]), "migration", {"migration"}),
    "no key at all": (lambda w: replace(w, migrate=[]), "migration", {"migration"}),
    "another wheel": (lambda w: replace(w, sha="0123456789ab"), "checksum", {"checksum"}),
    "a bare way back": (lambda w: replace(w, back="install the old one"), "way-back", {"way-back"}),
    "other decimals": (lambda w: replace(w, decimals=w.decimals % 3 + 1), "decimals", {"decimals"}),
    "reasons in other words": (lambda w: replace(w, why_more=" and caution"), "", {"decision"}),
    "means of all runs": (lambda w: replace(w, ours={n: v + 0.4 for n, v in w.ours.items()}), "", {"note", "lock"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_plausible_mistake_loses_what_it_got_wrong(name: str) -> None:
    change, intent, items = WRONG[name]
    fits = (v for v in range(40) if not intent or intent in {one.name for one in task_of(TASK, v).intents})
    variant = next(
        v for v in fits if name != "every claim believed" or task_of(TASK, v).values["persona.claim_tolerance"] < 8
    )
    one = again(Release, variant)
    open_ones, failed = one.whole(change(one.work))
    assert intent in open_ones | {"reminder-day", ""}
    assert items <= failed


def test_a_second_mail_is_one_too_many() -> None:
    one = again(Release, 0)
    sign_in(one.session, "gmail")
    play(one.session, call("gmail__send_email", email_addresses=["jonas.beck@halden-it.example"], body="a release"))
    assert "told" in one.whole(one.work)[1]


def test_the_configuration_is_not_to_be_touched() -> None:
    one = again(Release, 0)
    play(one.session, call("write_file", path="decoder/decoder.yaml", content="toolkit: mizzen\n"))
    assert "nothing-else" in one.whole(one.work)[1]
