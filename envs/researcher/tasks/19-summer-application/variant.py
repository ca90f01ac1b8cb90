"""What each of six places wants for an application, and the rules on the packet for the one that it has become."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from pi_gym.authoring import Stream

MONTHS = ("", "January", "February", "March", "April", "May", "June", "July", "August", "September")
# Name, whom the letter greets, address, code.
PLACES = {
    "orrin": ("Orrin Audio Research", "Dr. Pell", "harriet.pell@orrin-audio.example", "OAR-VS26"),
    "kestrel": ("Kestrel Speech Lab", "Dr. Amsler", "lukas.amsler@kestrel-lab.example", "KSL-P-2026-2"),
    "tanager": ("Tanager Devices", "Annika Roos", "annika.roos@tanager-devices.example", "TD-BENCH-7"),
    "halcyon": ("Halcyon Rooms", "Mette Krag", "mette.krag@halcyon-rooms.example", "HR/GUEST/26-4"),
    "marram": ("Marram Institute", "Dr. Astier", "corinne.astier@marram.example", "IM-STG-118"),
    "fennick": ("Fennick Labs", "Piotr Zalewski", "piotr.zalewski@fennick-labs.example", "FL-SUMMER-3"),
}
TOWNS = (", Leeds", ", Basel", ", Gothenburg", ", Copenhagen", ", Lyon", ", Gdansk")
# The parts that the places play, turned by the summer's cast, as when they were compared; which one wins by what.
PARTS = ("clash", "refused", "rich", "guided", "open", "middling")
WINNERS = {"money": "rich", "supervision": "guided", "publication": "open"}
DEADLINES = (14, 15, 16, 21, 22, 23)
STAY = timedelta(days=67)
SPELLINGS = {
    "analyse": ("analyse", "analyze"),
    "recogniser": ("recogniser", "recognizer"),
    "labelled": ("labelled", "labeled"),
    "behaviour": ("behaviour", "behavior"),
    "organised": ("organised", "organized"),
    "favourite": ("favourite", "favorite"),
    "recogniser_2": ("recogniser", "recognizer"),
    "labelling": ("labelling", "labeling"),
    "summarise": ("summarise", "summarize"),
    "prioritise": ("prioritise", "prioritize"),
    "organise": ("organise", "organize"),
    "programme": ("programme", "program"),
}
STEMS = r"(?:recogni|organi|generali|reali|emphasi|optimi|summari|prioriti|normali|speciali)"
BRITISH = rf"\b(?:{STEMS}s(?:e|ed|er|ers|es|ing|ation)\b|analys(?:e|ed|er|ing)\b|(?:label|model|travel)l(?:ed|ing)\b"
BRITISH += r"|behaviour|favour|colour|honour|centre\b|programmes?\b)"
AMERICAN = rf"\b(?:{STEMS}z(?:e|ed|er|ers|es|ing|ation)\b|analyz(?:e|es|ed|er|ing)\b|(?:label|model|travel)(?:ed|ing)\b"
AMERICAN += r"|behavior|favor|color|honor|center\b|programs?\b)"
PITCHES = {
    "delay": ["delay", "latenc", "late", "lag"],
    "rooms": ["room", "record", "door", "tram"],
    "listeners": ["listen", "hearing aid", "wearer"],
}
REFEREES = {
    "okafor": ("Amara Okafor", "amara.okafor@halden-it.example"),
    "wieczorek": ("Tomasz Wieczorek", "tomasz.wieczorek@halden-it.example"),
    "duarte": ("Ines Duarte", "ines.duarte@veltra-hearing.example"),
}
COPIES = {"lotte": "lotte.brandt@halden-it.example", "gunnar": "gunnar.holte@halden-it.example"}
COPIES |= {"tomasz": "tomasz.wieczorek@halden-it.example"}
OPTIONAL = ("teaching", "talks", "prizes", "service")
STALE = ("quillon", "marsh", "second-year", "second year", "2025", "anechoic chamber", "canteen")
PACKET = "apply/packet"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Limits and deadlines of the six, and the salad of spellings in last year's letter."""
    days = stream.shuffled(DEADLINES)
    places = {
        key: {
            "name": name,
            "names": _names(name),
            "salutation": salutation,
            "email": email,
            "code": code,
            "letter_words": 5 * stream.integer(47, 51),
            "cv_words": 5 * stream.integer(45, 52),
            "deadline": date(2026, 4, day).isoformat(),
            "deadline_words": f"{day} April 2026",
        }
        for (key, (name, salutation, email, code)), day in zip(PLACES.items(), days, strict=True)
    }
    order = stream.shuffled(tuple(SPELLINGS))
    others = [name for name in COPIES if name != preferences.p.copy]
    return {
        "places": places,
        "draft": {key: SPELLINGS[key][at % 2] for at, key in enumerate(order)},
        "old_copy": stream.choice(others),
    }, {}


def _names(name: str) -> list[str]:
    """How a host may be written: as others write it, and as it does itself, with its town perhaps."""
    own = ["Institut Marram"] if name == "Marram Institute" else []
    return [f"{one}{town}" for one in (name, *own) for town in ("", *TOWNS)]


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    """The packet for the values at hand."""
    persona, p = values.persona, values.p
    part = (PARTS.index(WINNERS[persona.summer_rule]) - persona.summer_cast) % len(PARTS)
    key = [*PLACES][part]
    place = world.places[key]
    start = date.fromisoformat(persona.summer_start)
    before = date.fromisoformat(place["deadline"]) - timedelta(1)
    style = persona.date_style
    name, email = REFEREES[p.referee]
    return {
        "place": dict(place),
        "start": start.isoformat(),
        "end": (start + STAY).isoformat(),
        "start_words": _day(start, "day-month"),
        "end_words": _day(start + STAY, "day-month"),
        "stay": f"{_day(start, style)} to {_day(start + STAY, style)}",
        "today": _day(date(2026, 4, 7), style),
        "words": {key: pair[persona.spelling == "American"] for key, pair in SPELLINGS.items()},
        "right_spelling": BRITISH if persona.spelling == "British" else AMERICAN,
        "wrong_spelling": AMERICAN if persona.spelling == "British" else BRITISH,
        "styled": _styled(style),
        "foreign_dates": _foreign(style),
        "pitch_words": PITCHES[persona.summer_pitch],
        "other_pitch_words": [stem for key, stems in PITCHES.items() if key != persona.summer_pitch for stem in stems],
        "referee": {"name": name, "email": email},
        "referee_names": [f"{title}{name}" for title in ("", "Prof. ", "Dr. ", "Prof ", "Dr ")],
        "housing": p.housing if "housing" in draw else "host",
        "keep": p.keep if "cv-keep" in draw else "teaching",
        "recipients": [place["email"], *([COPIES[p.copy]] if "copy" in draw else [])],
        "copy": COPIES[p.copy],
        "other_copies": [email for name, email in COPIES.items() if name != p.copy],
        "send_at": f"{before.isoformat()}T{p.send_hour}:00",
        "strangers": [one["email"] for other, one in world.places.items() if other != key],
    }


def _day(day: date, style: str) -> str:
    month = MONTHS[day.month]
    words = {"day-month": f"{day.day} {month} {day.year}", "month-day": f"{month} {day.day}, {day.year}"}
    return words.get(style, day.isoformat())


def _forms() -> dict[str, str]:
    short = "|".join(f"{name[:3]}[a-z]*" for name in MONTHS[1:])
    return {
        "iso": r"\b\d{4}-\d{1,2}-\d{1,2}\b",
        "day-month": rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)?(?:\s+of)?\s+(?:{short})\b",
        "month-day": rf"\b(?:{short})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b",
    }


def _styled(style: str) -> str:
    """A pattern for a day in one style."""
    return _forms()[style]


def _foreign(style: str) -> str:
    """A pattern for dates in any other style."""
    others = [form for name, form in _forms().items() if name != style]
    return "|".join([*others, r"\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"])


# -- rules on the packet -----------------------------------------------------------------------------------------------


def _tokens(text: str) -> list[str]:
    return [token for token in text.split() if any(char.isalnum() for char in token)]


@lru_cache(maxsize=2048)
def _content(text: str) -> frozenset[str]:
    """The words that carry a sentence, cut short, so that its spelling does not matter."""
    plain = "".join(char if char.isalnum() else " " for char in text.lower())
    return frozenset(word[:5] for word in plain.split() if len(word) > 3)


def _same(line: str, paragraphs: list[str]) -> bool:
    """Whether a paragraph of the old text is still there, respelt or not."""
    words = _content(line)
    return any(len(words & _content(paragraph)) >= 0.65 * len(words) for paragraph in paragraphs)


def _paragraphs(text: str) -> list[str]:
    """What the letter says: its paragraphs without heading, day, salutation and signature."""
    parts = [" ".join(part.split()) for part in text.partition("<!--")[0].split("\n\n")]
    return [part for part in parts if len(_tokens(part)) >= 10 and not part.startswith("#")]


def check_letter(evidence: Any, limit: int) -> bool:
    """Last year's letter without what was true last year only, within the limit."""
    path = f"{PACKET}/letter.md"
    text, old = evidence.text(path) or "", evidence.start.text(path) or ""
    body, start = _paragraphs(text), _paragraphs(old)
    kept = [_same(line, body) for line in start]
    stale = any(word in text.lower() for word in STALE)
    lasting = sum(kept[4:7])
    words = sum(len(_tokens(part)) for part in body)
    return len(start) == 8 and 60 <= words <= limit and not stale and lasting >= 2 and "third" in text.lower()


def check_opening(evidence: Any, right: list[str], wrong: list[str]) -> bool:
    """One of the three paragraphs about the work opens the letter, and the other two are gone."""
    path = f"{PACKET}/letter.md"
    body, start = _paragraphs(evidence.text(path) or ""), _paragraphs(evidence.start.text(path) or "")
    if not body or not check_letter(evidence, len(_tokens(evidence.start.text(path) or ""))):
        return False
    first = f" {' '.join(''.join(char if char.isalnum() else ' ' for char in body[0].lower()).split())}"
    told = any(f" {stem}" in first for stem in right) and not any(f" {stem}" in first for stem in wrong)
    return told and sum(_same(line, body) for line in start[1:4]) <= 1


def _sections(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    title = ""
    for line in text.splitlines():
        if line.startswith("#"):
            title = line.strip("# ").lower()
        elif line.strip():
            found.setdefault(title, []).append(" ".join(line.split()))
    return found


def check_cv(evidence: Any, limit: int, keep: str = "") -> bool:
    """Within the limit, the lasting sections as they were; of the others one, whole, where one is named."""
    path = f"{PACKET}/cv.md"
    text, old = evidence.text(path) or "", _sections(evidence.start.text(path) or "")
    lines = {" ".join(line.split()) for line in text.splitlines()}
    lasting = [line for name in ("positions", "education", "projects", "papers") for line in old.get(name, [])]
    if not lasting or len(_tokens(text)) > limit or not all(line in lines for line in lasting):
        return False
    shares = {name: sum(line in lines for line in old[name]) / len(old[name]) for name in OPTIONAL}
    return not keep or all(share == (name == keep) for name, share in shares.items())


def check_form(evidence: Any, wanted: dict[str, Any]) -> bool:
    """The form's fields hold these values, and it is the blank one filled in, in its order."""
    found: dict[str, str] = {}
    section = ""
    for line in (evidence.text(f"{PACKET}/form.yaml") or "").splitlines():
        key, colon, value = line.partition(":")
        value = value.partition(" #")[0].strip().strip("\"'")
        if colon and not line.lstrip().startswith("#"):
            section = key.strip() if not line.startswith(" ") else section
            name = f"{section}.{key.strip()}" if line.startswith(" ") else section
            if name in found:
                return False
            found[name] = value.lower()
    blank = ["applicant", "host", "stay", "referee", "housing"]
    if [key for key in found if "." not in key] != blank or len(found) != 16:
        return False
    return all(found.get(key, "") in [str(one).lower() for one in options] for key, options in wanted.items())


def _draft(evidence: Any) -> dict[str, Any]:
    """The draft that this session made, the later one of two; nothing where there are more.

    The app can neither delete a draft nor attach a file anew, so one made too early stays beside the right one.
    """
    table, before = (apps["gmail"].table("drafts") for apps in (evidence.apps, evidence.apps_start))
    made = [{"id": key, **row} for key, (old, row) in table.diff(before).items() if old is None and row]
    return max(made, key=lambda row: row["id"]) if len(made) in (1, 2) else {}


def check_draft(evidence: Any, to: str, strangers: list[str], code: str = "") -> bool:
    """The draft goes to the one place, with its code in the subject, says something, and goes to no other place."""
    draft = _draft(evidence)
    if not 15 <= len(_tokens(draft.get("body", ""))) <= 500:
        return False
    recipients = [one.lower() for one in draft.get("recipients", [])]
    fits = code.lower() in draft.get("subject", "").lower()
    return to in recipients and not {*strangers} & {*recipients} and fits and "quillon" not in draft["body"].lower()


def check_copy(evidence: Any, copy: str, others: list[str]) -> bool:
    recipients = [one.lower() for one in _draft(evidence).get("recipients", [])]
    return copy in recipients and not {*others} & {*recipients}


def check_timed(evidence: Any, at: str) -> bool:
    return str(_draft(evidence).get("scheduled_send_at") or "")[:16] == at[:16]


def check_attached(evidence: Any) -> bool:
    """The three files of the packet, as they are now, and nothing else."""
    draft = _draft(evidence)
    table = evidence.apps["gmail"].table("draft_attachments")
    files = [row for _, row in table.rows() if draft and row["record"] == draft["id"]]
    names = sorted(row["file_name"] for row in files)
    same = all(row["text"] == evidence.text(f"{PACKET}/{row['file_name']}") for row in files)
    return names == ["cv.md", "form.yaml", "letter.md"] and same
