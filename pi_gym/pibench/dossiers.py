"""The dossiers of recorded PiBench sessions: wishes and items in words, diffs turn by turn, the apps at the end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pi_gym.catalogue import TaskSet
from pi_gym.dossier import Dossier, PutQuestion
from pi_gym.graders.rule import RuleGrader
from pi_gym.pibench.judging import PiJudges
from pi_gym.pibench.playback import Playback
from pi_gym.pibench.views import app_changes
from pi_gym.session.trajectory import Trajectory
from pi_gym.state import Workspace
from pi_gym.state.diff import unified_diff
from pi_gym.users.rule import RuleUser

#: A mail is shown whole to whoever judges what it says.
MOST_CHARS_OF_A_VALUE = 4_000
_FENCE = "```"


def dossiers(
    records: Iterable[Trajectory], packs: Mapping[str, TaskSet]
) -> Iterator[tuple[Trajectory, Dossier | Exception]]:
    """The dossier of each record, played back, or why there is none; see `pi_gym.family.Family.dossiers`."""
    for record, played in PiJudges(RuleUser(), RuleGrader()).play_back(records, packs, ()):
        yield record, _dossier(played) if isinstance(played, Playback) else played


def _dossier(played: Playback) -> Dossier:
    texts = {("intent", intent.id): intent.text for intent in played.session.task.intents}
    names = {item.id: item.name for item in played.session.checklist}
    for item in played.session.checklist:
        guard = f" (Fails where {names.get(item.requires, item.requires)} fails.)" if item.requires else ""
        texts["item", item.id] = f"{item.text}{guard}"
    seen = [(turn.number, turn.view.evidence.now) for turn in played.turns]
    last = seen[-1][0] + 1 if seen else 1
    final = played.final.evidence
    changes: dict[int, str] = {}
    before: Workspace = final.start
    for number, now in (*seen, (last, final.now)):
        if diff := unified_diff(before, now, now.changes(before.mark())):
            changes[number] = diff
        before = now
    return Dossier(
        texts,
        changes,
        {"Rows of apps that the session changed": app_changes(final, max_value_chars=MOST_CHARS_OF_A_VALUE) or "None."},
        played.rewards,
    )


def put_questions(record: Trajectory) -> list[PutQuestion]:
    """Every question in the replies of a record, in reading order: each clause that was taken as one, and each
    sentence that ends with a question mark.
    """
    replies: dict[int, list[str]] = defaultdict(list)
    clauses: dict[int, list[tuple[str, bool]]] = defaultdict(list)
    answers: dict[int, str] = {}
    for event in record.events:
        if event.kind == "reply":
            replies[event.turn].append(event.data["text"])
        elif event.kind == "asked":
            clauses[event.turn] += [(one["text"], one["outcome"] != "ignored") for one in event.data["clauses"]]
        elif event.kind == "user":
            answers[event.turn] = event.data["text"]
    return [
        PutQuestion(turn, text, answers.get(turn, ""), heard)
        for turn, said in replies.items()
        for text, heard in _heard(_questions("\n".join(said), [text for text, _ in clauses[turn]]), clauses[turn])
    ]


def _heard(questions: Iterable[str], clauses: Sequence[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """Each question with whether it holds no clause past those that the user answers, or others too.

    A clause that stands in several questions belongs to the first of them.
    """
    left = [(_plain(text), heard) for text, heard in clauses]
    for question in questions:
        plain, within = _plain(question), dict[str, bool]()
        for one in [*left]:
            if one[0] not in within and (one[0] in plain or plain in one[0]):
                within[one[0]] = one[1]
                left.remove(one)
        yield question, not within or any(within.values())


def _questions(reply: str, clauses: Iterable[str]) -> list[str]:
    whole = _plain(reply)
    found = [(whole.find(_plain(text)), text) for text in _sentences(reply)]
    for clause in clauses:
        plain = _plain(clause)
        if not any(plain in _plain(text) or _plain(text) in plain for _, text in found):
            place = whole.find(plain)
            found.append((place if place >= 0 else len(whole), clause))
    return [text for _, text in sorted(found, key=lambda one: one[0])]


def _sentences(reply: str) -> Iterator[str]:
    """The sentences that end with a question mark, those in blocks of code left out."""
    for number, block in enumerate(reply.split(_FENCE)):
        if number % 2:
            continue
        for line in block.splitlines():
            sentence: list[str] = []
            for word in line.split():
                if sentence or word.strip("-*•>#"):  # a mark that opens a line is no word
                    sentence.append(word)
                end = word.rstrip("\"'”’»)]*_`")
                if end.endswith("?"):
                    yield " ".join(sentence)
                if end.endswith(("?", ".", "!")):
                    sentence = []


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
