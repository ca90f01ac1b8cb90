"""The trials of the roles of PiBench: sessions of several kinds that are judged anew, and single questions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from pi_gym.calibration.trials import DecisionPair, Trial, judgement_pairs, put
from pi_gym.errors import PackError, PiGymError, unknown
from pi_gym.graders.model import ModelGrader
from pi_gym.graders.rule import RuleGrader
from pi_gym.packs import Pack
from pi_gym.pibench.family import PIBENCH
from pi_gym.pibench.playback import Playback, play_back
from pi_gym.pibench.rejudging import rejudge
from pi_gym.pibench.session import PiSession
from pi_gym.proof.adversaries import stuffers
from pi_gym.proof.case import Case, make_case, without_questions
from pi_gym.proof.other_ways import fitting_ways
from pi_gym.questions import Asked
from pi_gym.rejudging.courses import Course
from pi_gym.schema import QuestionListSpec, load_model
from pi_gym.seeding import Stream
from pi_gym.users.model import ModelUser
from pi_gym.users.rule import RuleUser

USER, GRADER = "user", "grader"
#: By kind of judgement, the role that takes it.
_TAKES = {"intent": USER, "item": GRADER}
Pairs = tuple[DecisionPair, ...]


def role_trials(
    pack: Pack, task_id: str, variant: int, *, roles: Collection[str], most: int, seed: int
) -> Iterator[Trial]:
    """The trials of one world; see `pi_gym.calibration.trials.TrialMaker`.

    Sessions: the reference, the same without its questions and for wrong values ("blind"), hidden texts pasted
    ("stuffing"), and ways of ways.yaml. Questions, where a model plays the user: those of questions.yaml.
    """
    if not pack.has_rules:
        raise PiGymError(f"the tasks of {pack.name!r} have no predicates: there are no rules to hold a model against")
    case = make_case(pack, task_id, variant)
    place = f"{pack.name}/{task_id}, variant {variant}"
    draw = Stream("calibrate", pack.name, task_id, variant, seed)

    def session(what: str, origin: str, actions: Sequence[str], closing: str = "") -> Trial:
        return Trial(f"{place}: {what}", origin, partial(_judged, case, actions, closing, roles))

    yield session("reference", "reference", case.task.reference)
    yield session("blind", "blind", without_questions(_blind(case)))
    stuffed = draw.child("stuffing").shuffled(stuffers(case.scene))[0]
    yield session(stuffed.name, "stuffing", stuffed.actions, stuffed.closing)
    ways = draw.child("ways").shuffled([one for one in fitting_ways(case) if one[2] is not None])
    for what, _, actions in ways[:most]:
        yield session(f"way {what!r}", "way", actions or ())
    if USER not in roles:
        return
    topics = [case.task.questions.by_name[intent.name] for intent in case.task.intents]
    for origin, field, hits in (("question", "asked", True), ("near question", "not_asked", False)):
        listed = [(topic.name, text) for topic in topics for text in getattr(topic, field)]
        for name, text in draw.child(origin).shuffled(listed)[:most]:
            yield Trial(f"{place}: {origin} of {name}: {text}", origin, partial(_asked, case, name, text, hits))


def listed_trials(
    pack: Pack, task_id: str, file: Path, *, roles: Collection[str], most: int, seed: int
) -> Iterator[Trial]:
    """The trials of a list of questions; see `pi_gym.calibration.trials.ListedTrialMaker`.

    They are for the user's model alone, each in the world whose wish its writer saw; a wish that this world does not
    draw is left out.
    """
    entries = load_model(QuestionListSpec, file, str(file)).root
    made = cache(partial(make_case, pack, task_id))
    pool = [intent.name for intent in pack.source_of(task_id).pool]
    for name in entries:
        if name not in pool:
            raise PackError(str(file), name, unknown("hidden intent", name, pool))
    if USER not in roles:
        return
    drawn = {
        name: entry
        for name, entry in entries.items()
        if any(intent.name == name for intent in made(entry.variant).task.intents)
    }
    draw = Stream("calibrate", pack.name, task_id, "listed", seed)
    for origin, field, hits in (("listed question", "targeted", True), ("listed near question", "near", False)):
        listed = [(name, entry.variant, text) for name, entry in drawn.items() for text in getattr(entry, field)]
        for name, variant, text in draw.child(origin).shuffled(listed)[:most]:
            place = f"{pack.name}/{task_id}, variant {variant}: {origin} of {name}: {text}"
            yield Trial(place, origin, partial(_asked, made(variant), name, text, hits))


def _blind(case: Case) -> Sequence[str]:
    """The work of somebody who takes every wish for another."""
    from pi_gym.baselines.memory import another

    names = dict.fromkeys(name for intent in case.task.intents for name in intent.values)
    return case.work_for({name: another(case.pack, case.task, name) for name in names})


def _judged(case: Case, actions: Sequence[str], closing: str, roles: Collection[str]) -> Course[Pairs]:
    """A session that the rules judged, judged anew by models."""
    record = case.stage.play(actions, closing).session.trajectory()
    user = ModelUser() if USER in roles else RuleUser()
    grader = ModelGrader(all_items=True) if GRADER in roles else RuleGrader()
    judged = yield from rejudge(record, play_back(record, pack=case.pack), user, grader)
    task = case.task
    words = {("intent", one.id): one.text for one in task.intents} | {
        ("item", one.id): one.text for one in task.checklist
    }
    takes = {kind: role for kind, role in _TAKES.items() if role in roles}
    return judgement_pairs(PIBENCH.judgements(record), PIBENCH.judgements(judged), takes, words)


def _asked(case: Case, name: str, text: str, hits: bool) -> Course[Pairs]:
    """A question alone, as the user hears it in the first turn; `hits`: whether its writer meant it for the intent."""
    view = _first_turn(case, text).turns[0].view
    rules = RuleUser().asked(view)
    model = yield from put(USER, "asked", partial(ModelUser().asked, view), Asked)
    own = next(intent.id for intent in view.task.intents if intent.name == name)
    its_intent = "questions: its intent"
    decided: dict[str, Callable[[Asked], str]] = {
        its_intent: lambda one: _said(own in one.hits, "hit"),
        "questions: another intent": lambda one: _said(any(hit != own for hit in one.hits), "hit"),
        "questions: outcome": _outcome,
    }
    return tuple(
        DecisionPair(
            kind,
            USER,
            name,
            of(rules),
            of(model),
            text,
            _heard(rules),
            _heard(model),
            _said(hits, "hit") if kind == its_intent else "",
        )
        for kind, of in decided.items()
    )


def _heard(asked: Asked) -> str:
    """The clauses that were heard, with what each earned."""
    return "; ".join(f"{clause.outcome}: {clause.reason or clause.text}" for clause in asked.clauses)


def _first_turn(case: Case, text: str) -> Playback:
    session: PiSession = case.stage.play([text], None).session.fork()
    if not session.ended:
        session.truncate("max_steps")
    return play_back(session.trajectory(), pack=case.pack)


def _said(holds: bool, word: str) -> str:
    return word if holds else f"no {word}"


def _outcome(asked: Asked) -> str:
    """The outcome of a question as a whole: the best that one of its clauses earned."""
    outcomes = [clause.outcome for clause in asked.clauses]
    return next((one for one in ("hit", "answered", "neutral", "miss", "ignored") if one in outcomes), "no question")
