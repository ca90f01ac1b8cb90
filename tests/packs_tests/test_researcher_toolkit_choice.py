"""The decoder toolkit of the Researcher: the right choice from what an agent can see, and plays right and wrong."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

import pytest
from support.play import call, opened, play
from support.researcher import NOTHING, Lost, again, drawing, shortfall, sign_in, task_of

TASK = "04-toolkit-choice"
TODAY = date(2026, 3, 6)
QUESTION = "Who gets the mail? How long does the new pin hold? Within what tolerance does a claim count as reproduced?"
EMAILS = {"Tomasz": "tomasz.wieczorek", "Priya": "priya.raman", "Wei-Lin": "wei-lin.zhao"}
MONTHS = {"six": 6, "nine": 9, "twelve": 12}
WEEKS = {"one week": 1, "two weeks": 2, "five weeks": 5, "seven weeks": 7}
DECIMALS = {"One": 1, "Two": 2, "Three": 3}


@dataclass
class Kit:
    """What the files tell of one toolkit."""

    version: str
    released: date
    licence: str
    claim: float
    runs: list[float] = field(default_factory=list)
    exports: bool = True

    @property
    def mean(self) -> float:
        return round(sum(self.runs) / len(self.runs), 4)

    @property
    def gap(self) -> float:
        return 100 * (self.mean - self.claim) / self.claim


def claimed(readme: str) -> float:
    """The claim for quay-noisy at 320 ms, wherever the README has it: the worst of its figures."""
    return max(float(number) for number in re.findall(r"\b\d{1,2}\.\d\d\b", readme))


def kits(read: Callable[[str], str], names: list[str]) -> dict[str, Kit]:
    licences = dict(re.findall(r"== (\w+) \S+ ==\n(.*)\n", read("candidates/LICENCES.txt")))
    kind = {"General": "copyleft", "Academic": "research-only", "Open": "registration-bound"}
    found = {}
    for name in names:
        version, released = re.findall(r"^## (\d+\.\d+\.\d+) \((.*)\)", read(f"candidates/{name}/CHANGELOG.md"), re.M)[
            0
        ]
        licence = kind.get(licences[name].split()[0], "free")
        found[name] = Kit(version, date.fromisoformat(released), licence, claimed(read(f"candidates/{name}/README.md")))
    (start, stop), *_ = re.findall(
        r"full from (\d{4}-\d\d-\d\d \d\d:\d\d) to (\d{4}-\d\d-\d\d \d\d:\d\d)", read("reruns/README.md")
    )
    for row in csv.DictReader(read("reruns/log.csv").splitlines()):
        void = row["node"] == "h07" and start <= row["when"] <= stop
        meant = (row["list"], row["chunk_ms"], row["status"]) == ("quay-noisy", "320", "ok") and row["repeat"] != "0"
        if meant and not void and row["version"] == found[row["kit"]].version:
            found[row["kit"]].runs.append(float(row["wer"]))
    for row in csv.DictReader(read("candidates/issues.csv").splitlines()):
        if "--streaming now writes a plain graph" in row["last_comment"] and not row["closed"]:
            found[row["kit"]].exports = False
    return found


@dataclass
class Work:
    """What one agent does; a test changes what it likes."""

    kits: dict[str, Kit]
    barred: str
    months: int
    tolerance: float
    weeks: int
    email: str
    decimals: int
    place: str
    spare_with: str
    says: str = "We take {taken} {version}."
    path: str = "decoder/decisions/2026-03-06_decoder-toolkit.md"
    columns: str = "| toolkit | claimed | re-run | gap | verdict |"
    pins: str = "{taken}=={version}"
    config: bool = True
    ended: str = "2026-03-06"

    def verdict(self, kit: Kit) -> str:
        if kit.licence == self.barred:
            return "out: licence"
        if (TODAY - kit.released).days > 30.5 * self.months:
            return "out: unmaintained"
        if not kit.exports:
            return "out: export"
        return "reproduced" if kit.gap <= self.tolerance else "not reproduced"

    def fit(self) -> list[str]:
        good = [name for name, kit in self.kits.items() if self.verdict(kit) == "reproduced"]
        return sorted(good, key=lambda name: self.kits[name].mean)

    def note(self) -> str:
        taken, spare, places = *self.fit()[:2], self.decimals
        rows = [
            f"| {n} | {k.claim:.{places}f} | {k.mean:.{places}f} | {k.gap:+.1f} |"
            f" {'taken' if n == taken else self.verdict(k)} |"
            for n, k in self.kits.items()
        ]
        table = "\n".join([self.columns, "|---|---|---|---|---|", *rows])
        decision = f"## Decision\n\n{taken} {self.kits[taken].version} is taken."
        fallback = f"## Fallback\n\nThe next best is {spare} ({self.spare_with})."
        parts = [decision, table, fallback] if self.place == "top" else [table, fallback, decision]
        return "\n\n".join(["# Decoder", *parts]) + "\n"


class Choice:
    """A variant opened, read and asked, with the right work for it."""

    def __init__(self, variant: int) -> None:
        self.task = task_of(TASK, variant)
        self.session = opened(self.task, history="reference")
        sign_in(self.session, "gmail")
        names = [p.split("/")[2] for p, _ in self.session.world.workspace.walk() if p.endswith("/CHANGELOG.md")]
        found = kits(self.read, names)
        notes = self.read("notes/2026-02-27_standup.md")
        (record,) = play(self.session, QUESTION)
        told = str(record.messages[-1].content)
        owner = "has a name behind it" in notes
        keeper, wiped = (
            re.findall(r"image of the box: (\w+) keeps", notes)[0],
            re.findall(r"after \w+, (.*)\.", notes)[0],
        )
        log = self.session.world.workspace.text("memory/HISTORY.md") or ""
        person = re.findall(r"The mail goes to (\S+) and", told)[0]
        (record,) = play(self.session, call("gmail__show_thread", email_thread_id=4001))
        self.work = Work(
            found,
            re.findall(
                r"(copyleft|research-only|registration-bound) components cannot", self.read("from-veltra/annex-d.md")
            )[0],
            MONTHS[re.findall(r"more than (six|nine|twelve) months", notes)[0]],
            float(re.findall(r"within (\d+) % of it", told)[0]),
            WEEKS[re.findall(r"A pin holds (\w+ weeks?)", told)[0]],
            f"{EMAILS[person]}@halden-it.example",
            DECIMALS[re.findall(r"(One|Two|Three) decimals? throughout", log)[0]],
            "top" if "right at the top" in str(record.messages[-1].content) else "end",
            keeper if owner else f"until {wiped} 2026",
        )

    def read(self, path: str) -> str:
        return self.session.world.workspace.text(f"decoder/{path}") or ""

    def whole(self, work: Work) -> Lost:
        taken = work.fit()[0]
        version = work.kits[taken].version
        at = TODAY + timedelta(weeks=work.weeks)
        pins = self.read("pins.csv").replace("2025-08-31,,", f"2025-08-31,{work.ended},")
        pins += f"{taken},{version},2026-03-06,{at},,see the note\n"
        config = self.read("decoder.yaml").replace("toolkit: mizzen", f"toolkit: {taken}").replace("0.9.4", version)
        lines = self.read("requirements.txt").replace("mizzen==0.9.4", work.pins.format(taken=taken, version=version))
        said = work.says.format(taken=taken, version=version)
        actions = [
            call("write_file", path=work.path, content=work.note()),
            call("write_file", path="decoder/pins.csv", content=pins),
            call("write_file", path="decoder/requirements.txt", content=lines),
            call("gmail__send_email", email_addresses=[work.email], subject="Decoder", body=said),
        ]
        if work.config:
            actions.append(call("write_file", path="decoder/decoder.yaml", content=config))
        play(self.session, *actions, f"Done: we take {taken}, version {version}.")
        return shortfall(self.session)


@pytest.mark.parametrize("variant", range(5))
def test_what_an_agent_can_see_gives_the_right_choice(variant: int) -> None:
    one = again(Choice, variant)
    assert all(len(kit.runs) == 5 for kit in one.work.kits.values())
    assert one.whole(one.work) == NOTHING
    assert (one.session.proc, one.session.comp) == (1.0, 1.0)


@pytest.mark.parametrize("variant", range(12))
def test_what_an_issue_calls_released_precedes_a_release(variant: int) -> None:
    files = {path: data.decode() for path, data in task_of(TASK, variant).files.items()}
    for row in csv.DictReader(files["decoder/candidates/issues.csv"].splitlines()):
        if "fixed and released" in row["last_comment"].lower():
            log = files[f"decoder/candidates/{row['kit']}/CHANGELOG.md"]
            assert row["closed"] < max(re.findall(r"^## \d+\.\d+\.\d+ \((.*)\)", log, re.M))


Change = Callable[[Work], Work]
RIGHT: dict[str, Change] = {
    "another name": lambda w: replace(w, path="decoder/decisions/toolkits.md"),
    "marked verdicts": lambda w: replace(w, columns="| **Toolkit** | Claimed | Re-run | Gap | Verdict |"),
    "a longer mail": lambda w: replace(w, says="Hi,\n\nmizzen is gone.\nWe use {taken} now, pinned to {version}.\n"),
    "a comment behind the pin": lambda w: replace(w, pins="{taken}=={version}  # note of 6 March"),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("variant", [0, 2])
def test_another_right_way_is_paid_in_full(name: str, variant: int) -> None:
    one = again(Choice, variant)
    assert one.whole(RIGHT[name](one.work)) == NOTHING


def averaged(work: Work, add: float) -> Work:
    """Void runs taken along: the means are off."""
    kits_ = {name: replace(kit, runs=[*kit.runs, kit.mean + add]) for name, kit in work.kits.items()}
    return replace(work, kits=kits_)


PLACED = {"decision-placed"}
TAKEN = {"right-toolkit", "pinned"}
WRONG: dict[str, tuple[Change, str, set[str]]] = {
    "believes the claims": (lambda w: replace(w, tolerance=9), "tolerance", {"claims-judged", *TAKEN}),
    "any licence": (lambda w: replace(w, barred="none"), "licence", {"vetoes", *TAKEN}),
    "the rc is a release": (lambda w: replace(w, months=99), "unmaintained", {"vetoes", *TAKEN}),
    "all runs averaged": (lambda w: averaged(w, 2.2), "re-runs", {"figures"}),
    "the README on export": (
        lambda w: replace(w, kits={n: replace(k, exports=True) for n, k in w.kits.items()}),
        "export",
        {"export-out", *TAKEN},
    ),
    "the wrong person": (lambda w: replace(w, email="amara.okafor@halden-it.example"), "contact", {"told"}),
    "a month": (lambda w: replace(w, weeks=4), "pin-term", {"pin-row"}),
    "no exact pin": (lambda w: replace(w, pins="{taken}>={version}"), "", {"pinned"}),
    "the config forgotten": (lambda w: replace(w, config=False), "config", {"config-agrees"}),
    "the old row open": (lambda w: replace(w, ended=""), "old-pin", {"old-row-closed"}),
    "other decimals": (lambda w: replace(w, decimals=w.decimals % 3 + 1), "decimals", {"decimals"}),
    "the wrong end": (lambda w: replace(w, place="end" if w.place == "top" else "top"), "bottom-line", PLACED),
    "a bare fallback": (lambda w: replace(w, spare_with="if needed"), "fallback", {"fallback-named"}),
    "a vague mail": (lambda w: replace(w, says="The decoder is new."), "contact", {"told"}),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_plausible_mistake_loses_what_it_got_wrong(name: str) -> None:
    change, intent, items = WRONG[name]
    variant = drawing(TASK, intent)
    if name == "believes the claims":
        variant = next(v for v in range(30) if task_of(TASK, v).values["persona.claim_tolerance"] != 8)
    one = again(Choice, variant)
    open_ones, failed = one.whole(change(one.work))
    asked = {"tolerance", "contact", "pin-term"}
    assert intent in open_ones | asked | {""}
    assert items <= failed
    assert "nothing-else" not in failed or "note" in failed


def test_touching_more_is_seen() -> None:
    one = again(Choice, 0)
    play(one.session, call("write_file", path="decoder/reruns/log.csv", content="when,kit\n"))
    assert "nothing-else" in one.whole(one.work)[1]


def test_a_mail_to_everybody_is_not_the_mail() -> None:
    one = again(Choice, 0)
    for name in EMAILS.values():
        if not one.work.email.startswith(name):
            body = "we take " + " ".join(one.work.kits)
            play(one.session, call("gmail__send_email", email_addresses=[f"{name}@halden-it.example"], body=body))
    assert "told" in one.whole(one.work)[1]
