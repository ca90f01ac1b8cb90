"""What each of six places wants for an application, and the packet for the one that it has become."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from pi_gym.authoring import (
    Change,
    File,
    Stream,
    added_lines,
    csv_records,
    keyed_rows,
    keyed_texts,
    made_records,
    written_day,
)

# The parts that the places play, turned by the summer's cast, as when they were compared; which one wins by what.
PARTS = ("clash", "refused", "rich", "guided", "open", "middling")
WINNERS = {"money": "rich", "supervision": "guided", "publication": "open"}
DEADLINES = (13, 14, 15, 20, 21, 22)  # of April 2026; two are Mondays
STAY = timedelta(days=67)
REFEREES = (
    ("Amara Okafor", "amara.okafor@halden-it.example"),
    ("Ines Duarte", "ines.duarte@veltra-hearing.example"),
)
COPIES = {"lotte": "lotte.brandt@halden-it.example", "gunnar": "gunnar.holte@halden-it.example"}
COPIES |= {"tomasz": "tomasz.wieczorek@halden-it.example"}
FILES = ("cv.md", "form.yaml", "letter.md")
PACKET = "apply/packet/"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Limits and deadlines of the six, and the salad of spellings in last year's letter."""
    days, data = stream.shuffled(DEADLINES), preferences.data
    spellings = {one["british"]: one["american"] for one in csv_records(data["spellings.csv"])}
    sides = {one["side"]: [*one.values()][1:] for one in csv_records(data["sides.csv"])}
    places = {
        key: {
            **one,
            "letter_words": 5 * stream.integer(47, 51),
            "cv_words": 5 * stream.integer(45, 52),
            "deadline": date(2026, 4, day).isoformat(),
        }
        for (key, one), day in zip(keyed_rows(data["places.csv"]).items(), days, strict=True)
    }
    parts = {part: [*places][(at - preferences.persona.summer_cast) % len(PARTS)] for at, part in enumerate(PARTS)}
    people = {key: one["salutation"].removeprefix("Dr. ").split() for key, one in places.items()}
    desk = places[parts["middling"]]
    return {
        "places": places,
        "desk": desk | {"names": [desk["name"].split()[0], people[parts["middling"]][-1]]},
        "said": keyed_texts(data["said.csv"]),
        "referee": stream.choice(REFEREES),
        "housing": stream.choice(["host", "own", "friends"]),
        "cv": data["cv.md"],
        "winners": {rule: parts[part] for rule, part in WINNERS.items()},
        "draft": {key: spellings[key] if at % 2 else key for at, key in enumerate(stream.shuffled(tuple(spellings)))},
        "spellings": spellings,
        "old_copy": stream.choice([name for name in COPIES if name != preferences.p.copy]),
        "in_letter": {key: [key] for key in places} | {f"{key}-who": names for key, names in people.items()} | sides,
        "codes": {one["code"]: [one["code"]] for one in places.values()},
        "limits": {one["code"]: [one["letter_words"], one["cv_words"]] for one in places.values()},
    }, {"apply/packet/cv.md": data["cv.md"]}


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The packet. Who knows nothing of a wish takes what comes first, and leaves the salad as it is."""
    place = world.places[world.winners[wishes.place or "money"]]
    start, style = date.fromisoformat(wishes.stay or "2026-06-22"), wishes.date_style or "day-month"
    days = [written_day(day, style) for day in (start, start + STAY)]
    spelled = {key: other if wishes.spelling == "American" else key for key, other in world.spellings.items()}
    before = date.fromisoformat(place["deadline"]) - timedelta(1)
    sent = before - timedelta(max(0, before.weekday() - 4))
    at = f"{sent.isoformat()}T{wishes.timed}:00" if wishes.timed else None
    stay = f"{days[0]} to {days[1]}"
    later = f"tell {world.desk['name']} about the desk"
    kept, sections = wishes.cv_keep or "teaching", world.cv.split("\n## ")
    return {
        "place": place, "start": start.isoformat(), "end": (start + STAY).isoformat(), "stay": stay,
        "today": written_day("2026-04-07", style), "words": spelled if wishes.spelling else world.draft,
        "side": wishes.pitch or "delay", "kept": kept,
        "cv": "\n## ".join([*sections[:5], *(one for one in sections[5:] if one.startswith(kept.capitalize()))]),
        "long": File("2026_cv_long.md", world.cv) if wishes.long_cv else None,
        "notes": Change(append=f"\nonce they have said yes: {later}.\n") if wishes.desk == "wait" else None,
        "draft": {
            "to": [place["email"], *([COPIES[wishes.copy]] if wishes.copy else [])],
            "subject": f"{place['code']}: Nora Lindqvist, papers for the summer",
            "body": f"Dear {place['salutation']},\n\nhere are my papers for the summer: the form of my institute, the"
            f" letter and the CV. I would come for ten weeks, from {stay}.\n\nKind regards,\nNora Lindqvist\n",
            "attached": FILES,
        },
        "schedule": [{"account": 1, "scheduled_send_at": at}],
    }  # fmt: skip


def put_into_drafts(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Make the draft with the packet's three files."""
    made = right(world, wishes)
    draft, at = made["draft"], made["schedule"][0]["scheduled_send_at"]
    call = {"tool": "gmail__create_draft", "recipient_email_addresses": draft["to"], "subject": draft["subject"]}
    call |= {"body": draft["body"], "attachment_file_paths": [f"~/{PACKET}{name}" for name in FILES]}
    calls = [call | ({"scheduled_send_at": at} if at else {})]
    if wishes.desk == "draft":
        said = f"Dear {world.desk['salutation']},\n\nI sit somewhere else this summer, the desk is free.\n\nNora\n"
        told = {"recipient_email_addresses": [world.desk["email"]], "subject": "The desk", "body": said}
        calls.append({"tool": "gmail__create_draft", **told})
    return calls


# -- the packet against what it was made from --------------------------------------------------------------------------


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


def _letters(evidence: Any) -> tuple[list[str], list[str]]:
    """The letter's paragraphs, as they are and as they were, without heading, day, salutation and signature."""
    texts = [
        (one or "").partition("<!--")[0]
        for one in (evidence.text(f"{PACKET}letter.md"), evidence.start.text(f"{PACKET}letter.md"))
    ]
    parts = [[" ".join(part.split()) for part in text.split("\n\n")] for text in texts]
    now, start = ([part for part in one if len(_tokens(part)) >= 10 and not part.startswith("#")] for one in parts)
    return now, start


def check_still_hers(evidence: Any) -> bool:
    """Of the three paragraphs that last, two are still there."""
    now, start = _letters(evidence)
    return sum(_same(line, now) for line in start[4:7]) >= 2


def check_opens(evidence: Any) -> bool:
    """One of the three paragraphs about her work opens the letter."""
    now, start = _letters(evidence)
    return bool(now) and any(_same(line, now[:1]) for line in start[1:4])


def _code(evidence: Any) -> str:
    """The host's code, as the form has it."""
    lines = (evidence.text(f"{PACKET}form.yaml") or "").splitlines()
    return next((line.partition(":")[2].partition(" #")[0].strip(" \"'") for line in lines if "code:" in line), "")


def check_within_limits(evidence: Any, limits: dict[str, list[int]]) -> bool:
    """Letter and CV have no more words than the place on the form allows."""
    letter, cv = limits.get(_code(evidence), [0, 0])
    now, _ = _letters(evidence)
    return (
        sum(len(_tokens(part)) for part in now) <= letter and len(_tokens(evidence.text(f"{PACKET}cv.md") or "")) <= cv
    )


def check_filled(evidence: Any) -> bool:
    """The form is the blank one, its fields in their order, none of them empty."""
    forms = [evidence.text(f"{PACKET}form.yaml") or "", evidence.start.text("apply/form_blank.yaml") or ""]
    lines = [[line for line in form.splitlines() if ":" in line and not line.startswith("#")] for form in forms]
    found, blank = ([line.partition(":")[0] for line in one] for one in lines)
    heads = [line for line in blank if not line.startswith(" ") and line != "housing"]
    return found == blank and all(
        line.partition(":")[2].partition(" #")[0].strip(" \"'")
        for line in lines[0]
        if line.partition(":")[0] not in heads
    )


def check_word_for_word(evidence: Any) -> bool:
    """What Amara wants kept in the CV stands as it stood, and no line of the rest was squeezed."""
    now, old = ((one.text(f"{PACKET}cv.md") or "").splitlines() for one in (evidence, evidence.start))
    lasting = old[: old.index("## Teaching")] if "## Teaching" in old else old
    return {line for line in lasting if line} <= {*now} and all(line in old for line in now if line.startswith("- "))


def _draft(evidence: Any) -> dict[str, Any]:
    """The newest draft of this session with files; nothing where there are more than two such."""
    made = [{"id": key, **row} for key, row in made_records(evidence, "gmail", "drafts").items()]
    with_files = {row["record"] for row in made_records(evidence, "gmail", "draft_attachments").values()}
    packets = [row for row in made if row["id"] in with_files]
    return max(packets, key=lambda row: row["id"]) if len(packets) in (1, 2) else {}


def check_carries_packet(evidence: Any) -> bool:
    """The newest draft carries the three files of the packet, as they are now, and nothing else."""
    draft = _draft(evidence)
    files = [
        row for _, row in evidence.apps["gmail"].table("draft_attachments").rows() if row["record"] == draft.get("id")
    ]
    same = all(row["text"] == evidence.text(f"{PACKET}{row['file_name']}") for row in files)
    return sorted(row["file_name"] for row in files) == [*FILES] and same


def check_coded(evidence: Any) -> bool:
    """The newest draft has the code of the form's host in its subject."""
    code = _code(evidence).lower()
    return bool(code) and code in _draft(evidence).get("subject", "").lower()


def check_kept(evidence: Any) -> bool:
    """A new file has every line of the long CV."""
    lines = {*(evidence.start.text(f"{PACKET}cv.md") or "").splitlines()}
    texts = [(evidence.text(path) or "").splitlines() for path in evidence.created if path.startswith("apply/")]
    return bool(_draft(evidence)) and any(lines <= {*text} and len(text) < 80 for text in texts)


def check_desk(evidence: Any, how: str, email: str, names: list[str]) -> bool:
    """A draft goes to whoever keeps the desk; or none does, and NOTES.md has a line on it."""
    drafts = [row for row in made_records(evidence, "gmail", "drafts").values() if email in row["recipients"]]
    noted = any(name.lower() in line for line in added_lines(evidence, "apply/NOTES.md") for name in [*names, "desk"])
    return bool(_draft(evidence)) and (noted and not drafts if how == "wait" else len(drafts) == 1 and not noted)
