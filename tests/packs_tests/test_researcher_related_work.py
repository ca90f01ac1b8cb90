"""The Researcher's related work: the right section, table and bibliography, and plays right and wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from support.play import call, opened, play
from support.researcher import NOTHING, Lost, drawing, shortfall, task_of, text

from pi_gym.pibench.session import PiSession

TASK = "13-related-work"
ROOT = "resubmission/"
QUESTION = (
    "Should I keep all of reviewer 3's papers by Strand, only the survey, or none?"
    " And where in the section should the table be input, before the text or after it?"
)
HEADS = {"rooms": "Recorded in rooms", "code": "Code released", "device": "Measured on device"}
HAS = {
    "rooms": r"Test speech: (?:recorded in|taken down|their own)",
    "code": r"Code: (?:on the landing|public, with|repository is complete)",
    "device": r"Delay: (?:clocked|measured|timed)",
}
STEPS = {"stars": ("*", "**", "***"), "letters": ("C", "B", "A"), "verbs": ("skip", "cite", "build")}


@dataclass
class Work:
    """One work as its note and the library's mail have it."""

    key: str
    venue: str
    has: set[str]
    runs: int
    rates: dict[str, tuple[float, float]]


def works(session: PiSession) -> dict[str, Work]:
    found = {}
    for path, _ in session.world.workspace.walk():
        if path.startswith(ROOT + "notes/"):
            body = session.world.workspace.text(path) or ""
            key = path.rpartition("/")[2].removesuffix(".md")
            venue = re.search(
                r"\. ((?:Speech Systems Journal|Open Speech Archive|[A-Z]\w+ 20\d\d).*?)\. Noted by", body
            )
            runs = re.search(r"^Runs: (\d+)", body, flags=re.MULTILINE)
            assert venue
            assert runs
            rates = re.findall(r"^\| (babble|traffic) 5 dB \| ([\d.]+) \| ([\d.]+) \|", body, flags=re.MULTILINE)
            has = {kind for kind, words in HAS.items() if re.search(words, body)}
            by_place = {place: (float(base), float(ours)) for place, base, ours in rates}
            found[key] = Work(key, venue[1], has, int(runs[1]), by_place)
    hit = re.search(r"- (\w+) has appeared: ([\w ]+), volume", text(session, ROOT + "mail/2026-03-25_library.txt"))
    assert hit
    found[hit[1]].venue = hit[2]
    return found


@dataclass
class Plan:
    """What an agent believes when it writes; a test changes what it likes."""

    works: dict[str, Work]
    condition: str
    runs: int
    evidence: str
    journals_first: bool
    form: str
    steps: tuple[str, ...]
    demanded: str
    first: bool
    mend: set[str] = field(default_factory=lambda: {"figure", "rooms", "code", "preprint", "own", "keys"})
    bib: set[str] = field(default_factory=lambda: {"doubles", "appeared"})
    reply: str = ""
    extra_column: bool = False

    def gain(self, one: Work, condition: str) -> str:
        base, ours = one.rates[condition]
        if self.form == "pair":
            return f"${base} \\rightarrow {ours}$"
        return f"{100 * (base - ours) / base:.1f}\\,\\%" if self.form == "relative" else f"{base - ours:.1f} pp"

    def rank(self, one: Work) -> int:
        if one.venue.startswith("Open"):
            return 2
        return int(one.venue.startswith("Speech") != self.journals_first)

    def table(self) -> str:
        rows = sorted((w for w in self.works.values() if w.runs >= self.runs), key=self.rank)
        lines = [r"\begin{tabular}{@{}llcr@{}}", rf"Work & Venue & {HEADS[self.evidence]} & Gain \\ \hline"]
        for one in rows:
            cells = [rf"\citet{{{one.key}}}", one.venue, "yes" if self.evidence in one.has else "no"]
            cells += [self.gain(one, self.condition), *(["5"] if self.extra_column else [])]
            lines.append(" & ".join(cells) + r" \\")
        return "\n".join([*lines, r"\end{tabular}", ""])

    def figures(self, draft: str) -> str:
        """The keys whose sentence gives another gain than the note."""
        hit = re.search(r"a gain of ([\d.]+).*\\cite\{(\w+)\}", draft)
        assert hit
        base, ours = self.works[hit[2]].rates["babble"]
        assert abs(float(hit[1]) - 100 * (base - ours) / base) > 1
        return hit[2]

    def section(self, draft: str) -> tuple[str, list[str]]:
        wrong, lines = [self.figures(draft)], []
        for line in draft.splitlines():
            key = (re.search(r"\\cite\{(\w+)\}", line) or [""] * 2)[1]
            has = self.works[key].has if key in self.works else set()
            if key == wrong[0] and "figure" in self.mend:
                line = re.sub(
                    r"a gain of .* in babble",
                    f"{self.gain(self.works[key], 'babble')} in babble".replace("\\", r"\\"),
                    line,
                )
            if "simulated" in line and "rooms" in has:
                wrong.append(key)
                line = (
                    line.replace("tests are in simulated rooms only", "they recorded in real rooms")
                    if "rooms" in self.mend
                    else line
                )
            if "code is not available" in line and "code" in has:
                wrong.append(key)
                line = (
                    line.replace("their code is not available", "the code is public") if "code" in self.mend else line
                )
            if "has not been reviewed" in line and "preprint" in self.mend:
                line = re.sub(r"; this is .*reviewed", "", line)
            if "In our earlier work we treated" in line and "own" in self.mend:
                line = line.replace("In our earlier work we treated babble", "Babble was treated by Lindqvist et al.")
            if "strand" in line:
                kept = {"all": line, "survey": re.sub(r"\{.*\}", "{strand2021}", line), "none": ""}
                line = kept[self.demanded]
            if "keys" in self.mend:
                line = line.replace("{Eide25}", "{eide2025delay}").replace("{haugen_wind}", "{haugen2025wind}")
            lines.append(line)
        place = 2 if self.first else len(lines)
        lines.insert(place, r"\input{tables/related.tex}")
        return "\n".join(lines) + "\n", wrong

    def bibliography(self, old: str) -> str:
        head, *parts = re.split(r"\n(?=@)", old)
        kept = []
        for part in parts:
            hit = re.match(r"@\w+\{([^,]+),", part)
            assert hit
            if hit[1] in ("Eide25", "haugen_wind") and "doubles" in self.bib:
                continue
            if hit[1] == "soltani2024" and "appeared" in self.bib:
                part = part.replace("@misc", "@Article").replace(
                    "howpublished = {Open Speech Archive}", "journal = {Speech Systems Journal}"
                )
                part = part.replace("{2024}", "{2026}, volume = {33}, number = {3}")
            if hit[1] in self.works:
                one = self.works[hit[1]]
                base, ours = one.rates[self.condition]
                step = self.steps[(self.evidence in one.has) + (base - ours >= 0.05 * base)]
                part = part.rstrip().removesuffix("}") + f"  annote = {{{step}}}\n}}\n"
            kept.append(part)
        return "\n".join([head, *kept])


class Case:
    def __init__(self, variant: int) -> None:
        self.task = task_of(TASK, variant)
        self.session = opened(self.task)
        mail, values = text(self.session, ROOT + "mail/2026-03-24_amara.txt"), dict(self.task.values)
        least = re.search(r"at least (\w+) training runs", mail)
        place = re.search(r"test set, in (\w+) at", mail)
        assert least
        assert place
        self.plan = Plan(
            works(self.session),
            place[1],
            {"two": 2, "three": 3, "four": 4}[least[1]],
            values["persona.evidence"],
            values["persona.venue_tier"] == "journals",
            values["persona.gain_form"],
            STEPS[values["persona.follow_scale"]],
            values["demanded"],
            values["place"] == "first",
        )
        self.draft, self.bib = text(self.session, ROOT + "related_work.tex"), text(self.session, ROOT + "refs.bib")
        play(self.session, QUESTION)

    def whole(self, plan: Plan, **others: str) -> Lost:
        section, wrong = plan.section(self.draft)
        written = {
            "related_work.tex": section,
            "tables/related.tex": plan.table(),
            "refs.bib": plan.bibliography(self.bib),
        }
        for path, content in {**written, **others}.items():
            play(self.session, call("write_file", path=ROOT + path, content=content))
        names = {"vandijk2025": "Van Dijk et al."}
        final = plan.reply or f"All done for Amara. Wrong were: {', '.join(names.get(key, key) for key in wrong)}."
        play(self.session, final)
        return shortfall(self.session)


@pytest.mark.parametrize("variant", range(8))
def test_what_an_agent_can_see_gives_the_right_work(variant: int) -> None:
    case = Case(variant)
    assert case.whole(case.plan) == NOTHING
    assert (case.session.proc, case.session.comp) == (1.0, 1.0)


def test_an_edit_at_a_time_is_paid_in_full() -> None:
    """First a half-mended section, then the rest of it, and a table that is written twice."""
    case = Case(1)
    half = replace(case.plan, mend={"figure", "own"})
    play(case.session, call("write_file", path=ROOT + "related_work.tex", content=half.section(case.draft)[0]))
    play(case.session, call("write_file", path=ROOT + "tables/related.tex", content="% later\n"))
    assert case.whole(case.plan) == NOTHING


def test_sentences_of_both_figures_are_right_too() -> None:
    case = Case(2)
    section, wrong = case.plan.section(case.draft)
    base, ours = case.plan.works[wrong[0]].rates["babble"]
    both = rf"{100 * (base - ours) / base:.1f}~\% relative ({base} to {ours}) in babble"
    section = re.sub(r"they report \S.* in babble", lambda _: f"they report {both}", section)
    assert case.whole(case.plan, **{"related_work.tex": section}) == NOTHING


Change = Callable[[Plan], Plan]


def less(part: str) -> Change:
    return lambda p: replace(p, mend=p.mend - {part})


WRONG: dict[str, tuple[Change, set[str], set[str]]] = {
    "other evidence": (
        lambda p: replace(p, evidence={"rooms": "code", "code": "device", "device": "rooms"}[p.evidence]),
        {"evidence"},
        {"evidence-column"},
    ),
    "other order": (lambda p: replace(p, journals_first=not p.journals_first), {"venue-order"}, {"rows-ordered"}),
    "other form": (
        lambda p: replace(p, form="points" if p.form != "points" else "relative"),
        {"gain-form"},
        {"gains-formed"},
    ),
    "other scale": (
        lambda p: replace(p, steps=STEPS["letters" if p.steps[0] != "C" else "stars"]),
        {"follow-scale"},
        {"steps-noted"},
    ),
    "january's condition": (
        lambda p: replace(p, condition="traffic" if p.condition == "babble" else "babble"),
        {"condition"},
        {"condition-right"},
    ),
    "all works": (lambda p: replace(p, runs=1), {"least-runs"}, {"runs-enough"}),
    "all of Strand": (
        lambda p: replace(p, demanded="none" if p.demanded == "all" else "all"),
        set(),
        {"reviewer-answered"},
    ),
    "table elsewhere": (lambda p: replace(p, first=not p.first), set(), set()),
    "figure kept": (less("figure"), {"wrong-claims"}, {"claims-mended"}),
    "rooms kept": (less("rooms"), {"wrong-claims"}, {"claims-mended"}),
    "code kept": (less("code"), {"wrong-claims"}, {"claims-mended"}),
    "preprint kept": (less("preprint"), {"appeared"}, {"appeared-updated"}),
    "our earlier work": (less("own"), {"third-person"}, {"own-work-blind"}),
    "dead keys cited": (less("keys"), {"doubles"}, {"bib-clean"}),
    "doubles kept": (lambda p: replace(p, bib={"appeared"}), {"doubles"}, {"bib-clean"}),
    "entry not updated": (lambda p: replace(p, bib={"doubles"}), {"appeared"}, {"appeared-updated"}),
    "five columns": (lambda p: replace(p, extra_column=True), {"evidence", "gain-form"}, {"table-there"}),
    "nothing told": (lambda p: replace(p, reply="All done."), set(), {"told"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_play_loses_what_it_got_wrong(name: str) -> None:
    change, intents, items = WRONG[name]
    variant = drawing(TASK, *intents)
    case = Case(variant)
    lost, failed = case.whole(change(case.plan))
    assert intents <= lost
    assert items <= failed
    assert "section-mended" not in failed


def test_a_table_in_the_wrong_place_fails_its_item() -> None:
    variant = drawing(TASK, "table-place")
    case = Case(variant)
    assert case.whole(replace(case.plan, first=not case.plan.first))[1] == {"table-placed"}


def test_a_section_written_anew_is_not_a_mended_one() -> None:
    case = Case(0)
    anew = (
        "\\section{Related work}\n\n\\input{tables/related}\n\nMuch was written~\\cite{eide2025delay,haugen2025wind}.\n"
    )
    _, failed = case.whole(case.plan, **{"related_work.tex": anew})
    assert {"section-mended", "claims-mended", "bib-clean", "nothing-else"} <= failed


def test_a_bibliography_that_was_cut_to_what_is_cited_fails() -> None:
    case = Case(0)
    entries = re.split(r"\n(?=@)", case.plan.bibliography(case.bib))
    cut = "\n".join(part for part in entries if "tamm2018aids" not in part)
    assert "bib-clean" in case.whole(case.plan, **{"refs.bib": cut})[1]


def test_a_changed_note_fails_the_guard() -> None:
    case = Case(0)
    assert case.whole(case.plan, **{"TODO.md": "# done\n"})[1] == {"nothing-else"}
