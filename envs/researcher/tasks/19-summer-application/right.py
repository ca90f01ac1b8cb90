"""What each of six places wants for an application, and the packet for the one that it has become."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import (
    Change,
    File,
    Stream,
    added_lines,
    count_words,
    csv_records,
    kept_share,
    keyed_rows,
    keyed_texts,
    made_records,
    written_day,
    yaml_fields,
)

# Which of the parts that the places play, the same as when they were compared, wins by what.
WINNERS = {"money": "rich", "supervision": "guided", "publication": "open"}
DEADLINES = (13, 14, 15, 20, 21, 22)  # of April 2026; two are Mondays
STAY = timedelta(days=67)
REFEREES = (
    ("Amara Okafor", "amara.okafor@halden-it.example"),
    ("Ines Duarte", "ines.duarte@veltra-hearing.example"),
)
COPIES = {"lotte": "lotte.brandt", "gunnar": "gunnar.holte", "tomasz": "tomasz.wieczorek"}  # at the institute
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
    parts = dict(zip(preferences.shared.summer_parts, places, strict=True))
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
    later = f"\nonce they have said yes: tell {world.desk['name']} about the desk.\n"
    kept, sections = wishes.cv_keep or "teaching", world.cv.split("\n## ")
    return {
        "place": place, "start": start.isoformat(), "end": (start + STAY).isoformat(), "stay": stay,
        "today": written_day("2026-04-07", style), "words": spelled if wishes.spelling else world.draft,
        "side": wishes.pitch or "delay", "kept": kept,
        "cv": "\n## ".join([*sections[:5], *(one for one in sections[5:] if one.startswith(kept.capitalize()))]),
        "long": File("2026_cv_long.md", world.cv) if wishes.long_cv else None,
        "notes": Change(append=later) if wishes.desk == "wait" else None,
        "draft": {
            "to": [place["email"], *([f"{COPIES[wishes.copy]}@halden-it.example"] if wishes.copy else [])],
            "subject": f"{place['code']}: Nora Lindqvist, papers for the summer",
            "body": f"Dear {place['salutation']},\n\nhere are my papers for the summer: the form of my institute, the"
            f" letter and the CV. I would come for ten weeks, from {stay}.\n\nKind regards,\nNora Lindqvist\n",
            "attached": FILES,
        },
        "schedule": [{"account": 1, "scheduled_send_at": at}],
    }  # fmt: skip


def put_into_drafts(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Make the draft with the packet's three files, and that about the desk where one is wanted."""
    made = right(world, wishes)
    draft, at = made["draft"], made["schedule"][0]["scheduled_send_at"]
    packet = {"recipient_email_addresses": draft["to"], "subject": draft["subject"], "body": draft["body"]}
    packet |= {"attachment_file_paths": [f"~/{PACKET}{name}" for name in FILES], "scheduled_send_at": at or ""}
    said = f"Dear {world.desk['salutation']},\n\nI sit somewhere else this summer, the desk is free.\n\nNora\n"
    told = {"recipient_email_addresses": [world.desk["email"]], "subject": "The desk", "body": said}
    drafts = [packet, told] if wishes.desk == "draft" else [packet]
    return [{"tool": "gmail__create_draft", **one} for one in drafts]


# -- the packet against what it was made from --------------------------------------------------------------------------


def _letters(evidence: Any) -> tuple[list[str], list[str]]:
    """The letter's paragraphs, as they are and as they were, without heading, day, salutation and signature."""
    texts = [one.text(f"{PACKET}letter.md") or "" for one in (evidence, evidence.start)]
    parts = [[" ".join(part.split()) for part in text.partition("<!--")[0].split("\n\n")] for text in texts]
    now, start = ([part for part in one if count_words(part) >= 10 and not part.startswith("#")] for one in parts)
    return now, start


def check_still_hers(evidence: Any) -> bool:
    """Of the sentences of the three paragraphs that last, half are still there."""
    now, start = _letters(evidence)
    return kept_share(". ".join(start[4:7]).split(". "), now) >= 0.5


def check_opens(evidence: Any) -> bool:
    """One of the three paragraphs about her work opens the letter, with half of its sentences at least."""
    now, start = _letters(evidence)
    return any(kept_share(part.split(". "), now[:1]) >= 0.5 for part in start[1:4])


def _form(evidence: Any) -> dict[str, str]:
    return yaml_fields(evidence.text(f"{PACKET}form.yaml"))


def check_within_limits(evidence: Any, limits: dict[str, list[int]]) -> bool:
    """Letter and CV have no more words than the place on the form allows."""
    letter, cv = limits.get(_form(evidence).get("host.code", ""), [0, 0])
    words = sum(map(count_words, _letters(evidence)[0]))
    return words <= letter and count_words(evidence.text(f"{PACKET}cv.md") or "") <= cv


def check_filled(evidence: Any) -> bool:
    """The form is the blank one, its fields in their order, none of them empty."""
    form = _form(evidence)
    blank = yaml_fields(evidence.start.text("apply/form_blank.yaml"))
    return [*form] == [*blank] and not {"None", ""} & {*form.values()}


def check_word_for_word(evidence: Any) -> bool:
    """What Amara wants kept in the CV stands as it stood, and no line of the rest was squeezed."""
    now, old = ((one.text(f"{PACKET}cv.md") or "").splitlines() for one in (evidence, evidence.start))
    lasting = old[: old.index("## Teaching")] if "## Teaching" in old else old
    return {line for line in lasting if line} <= {*now} and all(line in old for line in now if line.startswith("- "))


def _packet(evidence: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The newest draft of this session with files, and these; nothing where there are more than two such."""
    drafts = made_records(evidence, "gmail", "drafts")
    files = made_records(evidence, "gmail", "draft_attachments").values()
    with_files = drafts.keys() & {file["record"] for file in files}
    newest = max(with_files) if len(with_files) in (1, 2) else None
    return drafts.get(newest, {}), [file for file in files if file["record"] == newest]


def check_carries_packet(evidence: Any) -> bool:
    """The newest draft carries the three files of the packet, as they are now, and nothing else."""
    files = {file["file_name"]: file["text"] for file in _packet(evidence)[1]}
    return files == {name: evidence.text(PACKET + name) for name in FILES}


def check_coded(evidence: Any) -> bool:
    """The newest draft has the code of the form's host in its subject."""
    code = _form(evidence).get("host.code", "").lower()
    return bool(code) and code in _packet(evidence)[0].get("subject", "").lower()


def check_kept(evidence: Any) -> bool:
    """A new file has every line of the long CV."""
    lines = {*(evidence.start.text(f"{PACKET}cv.md") or "").splitlines()}
    texts = [(evidence.text(path) or "").splitlines() for path in evidence.created if path.startswith("apply/")]
    return bool(_packet(evidence)[0]) and any(lines <= {*text} and len(text) < 80 for text in texts)


def check_desk(evidence: Any, how: str, email: str, names: list[str]) -> bool:
    """A draft goes to whoever keeps the desk; or none does, and NOTES.md has a line on it."""
    drafts = [row for row in made_records(evidence, "gmail", "drafts").values() if email in row["recipients"]]
    noted = any(name.lower() in line for line in added_lines(evidence, "apply/NOTES.md") for name in [*names, "desk"])
    as_wished = noted and not drafts if how == "wait" else len(drafts) == 1 and not noted
    return bool(_packet(evidence)[0]) and as_wished
