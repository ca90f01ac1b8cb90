"""What can be farmed: the most that macro-actions earn in an order that a search finds, beside honest play.

    python bench/farm.py --out farm.json                       # all tricks, then the search, most of an hour
    python bench/farm.py --only tricks                         # hand-named tricks, over all tasks and scenarios
    python bench/farm.py --only search --tasks 01-baseline-table --seconds 60

The macro-actions are those of examples/shared/macros.py. A course is a row of them, played without looking at what
comes; when it is over the agent says that it is done, or waits, until the session ends. Each course is judged by its
mean return over worlds. The search knows nothing but these returns: it begins with courses by chance and with honest
play, and changes the best ones by chance. Those that it finds are judged again in worlds that it never saw. Commands
do what the model solution declares, so that no sandbox is needed. See docs/farming.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

from shared.macros import DeskAssistant, PhoneAssistant, assistant_of, planned

from pi_gym import PiSession, RewardConfig, SessionConfig, load_pack
from pi_gym.pare.model_solution import Solver
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare.session import PareSession
from pi_gym.pibench.history import opening_for
from pi_gym.proof.stage import step_once
from pi_gym.rewards import return_components, total

#: A move of a course: a role of macro-actions and which of that role, in their order; -1: all of them.
Move: TypeAlias = tuple[str, int]
Course: TypeAlias = Sequence[Move]
#: By setting the return of a session.
Returns: TypeAlias = Mapping[str, float]

ALL = -1
STRICT = RewardConfig(credit_needless=0.0)
TRAIN, FRESH = range(1, 17), range(100_000, 100_032)
SEARCHED_TASKS = ("01-baseline-table", "03-paper-alert", "06-partner-report", "10-foyer-order", "20-money-round")
SEARCHED_SCENARIOS = ("stranded-friend", "price-drop", "shared-costs", "moved-house", "two-at-once")
#: Turns that a session cannot have.
MANY = 40
#: More than this is no noise of a mean over worlds in which both were played.
MARGIN = 0.01
FOUND = "{task} {setting}: honest {honest:.3f}, best {best:.3f}, of {tried} courses: {words}"


def row(*moves: str | Move, times: int = 1) -> list[Move]:
    """Moves in a row, the whole of it so often; a role by itself stands for all of its macro-actions."""
    return [(one, ALL) if isinstance(one, str) else one for one in moves] * times


LOOK, WORK, REVISE = row("look"), row("write", "do"), row("revise", "reply", times=8)
#: Honest play of a desk: read everything, ask what nothing of it tells, hand in, and mend what the user says then.
ASKS_FIRST = [*LOOK, *row("ask open"), *WORK, *row("reply"), *REVISE]
WRITES_FIRST = [*LOOK, *row("write", "ask open", "revise", "write", "do", "reply"), *REVISE]
DESK_TRICKS: Mapping[str, Course] = {
    "asks first, honestly": ASKS_FIRST,
    "writes first, honestly": WRITES_FIRST,
    "asks everything, reads nothing": [*row("ask all"), *WORK, *row("reply"), *REVISE],
    "asks everything one a turn, reads nothing": [*row("ask each"), *WORK, *row("reply"), *REVISE],
    "asks everything, then reads": [*row("ask all"), *LOOK, *WORK, *row("reply"), *REVISE],
    "asks everything one a turn, then reads": [*row("ask each"), *LOOK, *WORK, *row("reply"), *REVISE],
    "reads, asks everything": [*LOOK, *row("ask all"), *WORK, *row("reply"), *REVISE],
    "writes first, asks everything": [*LOOK, *row("write", "ask all", "revise", "do", "reply"), *REVISE],
    "reads, asks what is open one a turn": [*LOOK, *row("ask rest"), *WORK, *row("reply"), *REVISE],
    "asks everything, hands in nothing": row("ask all", *["reply"] * 10),
    "reads, asks what is open, hands in nothing": [*LOOK, *row("ask open", *["reply"] * 10)],
    "never asks": [*LOOK, *WORK, *row("reply"), *REVISE],
    "never asks, never reads": [*WORK, *row("reply"), *REVISE],
    "lets the user provide, then works": [*row("until told"), *LOOK, *WORK, *row("reply")],
    "announces values, then works": [*row("announce each"), *LOOK, *WORK, *row("reply"), *REVISE],
    "reads, announces values, then works": [*LOOK, *row("announce each"), *WORK, *row("reply"), *REVISE],
    "guesses, reads nothing": [("guess", 0), *WORK, *row("reply"), *REVISE],
    "reads, guesses the rest, never asks": [*LOOK, ("guess", 0), *WORK, *row("reply"), *REVISE],
    "reads, does every extra unasked, never asks": [*LOOK, *row("extras"), *WORK, *row("reply"), *REVISE],
    "reads, asks what is open, does what she declined": [
        *LOOK,
        *row("ask open", "defy"),
        *WORK,
        *row("reply"),
        *REVISE,
    ],
    "writes every guess in turn, reads nothing": [
        move for number in range(8) for move in (("guess", number), ("write", ALL), ("reply", 0))
    ],
    "reads, writes every guess in turn": [
        *LOOK,
        *(move for number in range(8) for move in (("guess", number), ("write", ALL), ("reply", 0))),
        *row("do", "reply"),
    ],
    "hands in again and again": [*LOOK, *WORK, *row("reply"), *row("write", "reply", times=8)],
    "everything twice": [*row("look", "look", "ask open", "ask open", "write", "write", "do", "do", "reply"), *REVISE],
    "ends at once": row("reply", times=10),
    "says nothing": row("wait", times=30),
}
WHEN_DUE = row("until due")
HONEST_CALL = [*WHEN_DUE, *row("look", "propose", "answer", "do", "report")]
PHONE_TRICKS: Mapping[str, Course] = {
    "proposes in every world": HONEST_CALL,
    "looks at nothing": [*WHEN_DUE, *row("propose", "answer", "do", "report")],
    "proposes at once, then when due": [*row("propose"), *HONEST_CALL],
    "proposes every turn": [*row("propose", times=9)],
    "proposes, does nothing, proposes again": [*WHEN_DUE, *row("look"), *row("propose", "answer", "report", times=9)],
    "half of it, proposes again": [
        *HONEST_CALL[:-2],
        *row("half", "report", "propose again", "answer", "do", "report"),
    ],
    "one call at a time, proposes again for each": [
        *WHEN_DUE,
        *row("look"),
        *(move for number in range(6) for move in row("propose", "answer", ("do", number), "report")),
    ],
    "proposes again after it is done": [*HONEST_CALL, *row("propose again", "answer", times=3)],
    "replaces its proposal by the same": [*WHEN_DUE, *row("look", "propose", "propose", "answer", "do", "report")],
    "something general first": [*row("offer", "answer"), *HONEST_CALL],
    "something general every turn": row("offer", times=9),
    "refused and mended, again and again": [
        *WHEN_DUE,
        *row("offer", "answer", "propose", "answer", "report", times=4),
        *row("do", "report"),
    ],
    "a list of guesses": [*WHEN_DUE, *row("look", "guess", "answer", "do", "report")],
    "a list of guesses, then the right one": [*WHEN_DUE, *row("look", "guess", "answer"), *HONEST_CALL],
    "acts without leave": [*WHEN_DUE, *row("do")],
    "acts without leave, then proposes": [*WHEN_DUE, *row("do"), *HONEST_CALL],
    "only waits": row("wait", times=10),
}


@dataclass(frozen=True)
class Game:
    """One kind of session, of a task or a scenario, that courses are played in.

    Args:
        task_id: of it.
        desk: a session of PiBench; else one of Pare.
    """

    task_id: str
    desk: bool

    @property
    def settings(self) -> tuple[str, str]:
        """What is paid in one way and in another."""
        return ("default", "strict") if self.desk else ("default", "paper")

    @property
    def moves(self) -> list[Move]:
        """All that a course of a search is made of."""
        one = [(role, number) for role in ("look", "ask", "write", "do") for number in range(6)]
        roles = ("look", "ask open", "ask all", "write", "do", "revise", "announce", "reply", "wait", "repeat")
        if not self.desk:
            one = [("do", number) for number in range(4)]
            roles = (
                "look",
                "propose",
                "offer",
                "propose again",
                "wait",
                "do",
                "report",
                "repeat",
                "until due",
                "answer",
            )
        return [*one, *row(*roles, times=3)]

    @property
    def honest(self) -> Course:
        """Honest play as a course, where it is one."""
        return WRITES_FIRST if self.desk else HONEST_CALL

    def play(self, variant: int, course: Course) -> tuple[Returns, PiSession | PareSession]:
        """One session by a course: its return under each setting, and the session."""
        session = _desk(self.task_id, variant) if self.desk else _phone(self.task_id, variant)
        player = (DeskPlayer if self.desk else PhonePlayer)(session)
        for move in course:
            if session.ended:
                break
            player.move(*move)
        while not session.ended:
            player.move(*player.closing)
        return returns_of(session), session

    def reference(self, variant: int) -> Returns:
        """The returns of the model solution."""
        session = _desk(self.task_id, variant) if self.desk else _phone(self.task_id, variant)
        if isinstance(session, PiSession):
            for action in (*session.task.reference, *["That is all."] * 30):
                if not session.ended:
                    step_once(session, action)
        else:
            solver = Solver(session.scenario)
            while not session.ended:
                session.apply(solver.next_action(session))
        return returns_of(session)

    def mean(self, variants: Sequence[int], course: Course) -> dict[str, float]:
        """The mean returns of a course over worlds."""
        return means(self.play(variant, course)[0] for variant in variants)


def means(found: Iterator[Returns]) -> dict[str, float]:
    """The means of returns by setting."""
    rows = list(found)
    return {name: mean(one[name] for one in rows) for name in rows[0]}


def _desk(task_id: str, variant: int) -> PiSession:
    pack = load_pack("researcher")
    task = pack.instantiate(task_id, variant)
    config = SessionConfig(history="reference")
    return PiSession(task, opening=opening_for(pack, task, "reference", "task"), config=config)


def _phone(task_id: str, variant: int) -> PareSession:
    return PareSession(installed_scenarios().instantiate(task_id, variant))


def returns_of(session: PiSession | PareSession) -> Returns:
    """The return of a session that is over, as it is paid and as other settings would have paid it."""
    if isinstance(session, PiSession):
        grading = session.ending.grading
        assert grading is not None
        strict = total(return_components(STRICT, grading.tally))
        return {"default": total(return_components(RewardConfig(), grading.tally)), "strict": strict}
    earned = session.standing.earned
    paid = sum(earned.values())
    return {"default": paid, "paper": paid - earned["accepted"] + session.standing.accepted}


class Player:
    """Plays the moves of a course in one session.

    Args:
        session: just opened.
    """

    closing: Move = ("wait", 0)

    def __init__(self, session: Any) -> None:
        self.session = session
        self.assistant: Any = assistant_of(session, [one.to_openai() for one in session.messages])

    def move(self, role: str, which: int) -> None:
        """Do one macro-action of a role, or all of them; nothing where there is no such one."""
        places = self.assistant.places(role)
        for place in places if which == ALL else places[which : which + 1]:
            self.do(place)

    def do(self, place: int) -> None:
        """One macro-action, unless the session is over."""
        if not self.session.ended:
            self.say(self.assistant.act(place))

    def say(self, action: str) -> None:
        """One action."""
        step_once(self.session, action)
        self.assistant.hear([one.to_openai() for one in self.session.step.messages])


class DeskPlayer(Player):
    """A course in a session of PiBench.

    Beside macro-actions, `revise` does again what is out of date, `guess` has a value for each wish of which nothing is
    known, `extras` takes those without values for wanted that only the user can tell, and `defy` what she has declined.
    `ask each`, `ask rest` (what is not known yet), `announce each` and `until told` (waiting) go on, one a turn, until
    the user has nothing left to say.
    """

    assistant: DeskAssistant
    closing = ("reply", 0)

    def move(self, role: str, which: int) -> None:
        """See the class."""
        if role == "revise":
            for place in self.assistant.places("write", "do"):
                if self.assistant.is_stale(self.assistant.macros[place]):
                    self.do(place)
        elif role in ("ask each", "ask rest"):
            topics = self.assistant.places("ask")
            known = (role == "ask rest" and self.assistant.knows(self.assistant.macros[one].name) for one in topics)
            self.while_open(place for place, skipped in zip(topics, known, strict=True) if not skipped)
        elif role == "announce each":
            self.while_open(self.assistant.places("announce") * MANY)
        elif role == "until told":
            self.while_open(self.assistant.places("wait") * MANY)
        elif role == "extras":
            wishes = self.assistant.world.wishes
            self.assistant.guesses = {one.name: True for one in wishes if not one.words and not one.told}
        elif role == "defy":
            declined = self.session.declined
            wishes = self.assistant.world.wishes
            self.assistant.guesses = {one.name: [*one.words, True][0] for one in wishes if one.name in declined}
            self.assistant.forget(declined)
        elif role == "guess":
            for wish in self.assistant.world.wishes:
                values = [*wish.words] or [True, None]
                self.assistant.guesses[wish.name] = values[which % len(values)]
        else:
            super().move(role, which)

    def while_open(self, places: Iterable[int]) -> None:
        """Macro-actions in turn, as long as the user has something left to say: who goes on then ends the session."""
        for place in places:
            if not self.session.open_intents():
                return
            self.do(place)


class PhonePlayer(Player):
    """A course in a session of Pare: `until due` and `answer` wait, `half` leaves the last calls out, `guess` lists.

    A list of guesses names the right proposal and those of three other worlds.
    """

    assistant: PhoneAssistant

    def move(self, role: str, which: int) -> None:
        """See the class."""
        wait, calls = self.assistant.places("wait")[0], self.assistant.places("do")
        if role == "until due":
            while not self.session.ended and not self.assistant.due:
                self.do(wait)
        elif role == "answer":
            while not self.session.ended and self.session.standing.mode == "waiting":
                self.do(wait)
        elif role == "half":
            for place in calls[: len(calls) // 2]:
                self.do(place)
        elif role == "guess":
            scenario = self.session.scenario
            others = [planned(scenario.id, scenario.variant + number) for number in range(4)]
            self.say(" Or: ".join(one.solution.propose for one in others if one.solution is not None))
        else:
            super().move(role, which)


def honest_returns(game: Game, variants: Sequence[int]) -> dict[str, float]:
    """The mean returns of honest play, under each setting of its better order.

    At a desk it either asks before it writes, or writes before it asks. At a phone it is the model solution: it looks,
    proposes the right help once, does it, and where no help is wanted it is silent.
    """
    if not game.desk:
        return means(game.reference(variant) for variant in variants)
    found = [game.mean(variants, course) for course in (ASKS_FIRST, WRITES_FIRST)]
    return {name: max(one[name] for one in found) for name in game.settings}


# -- tricks ------------------------------------------------------------------------------------------------------------


def tricks(games: Sequence[Game], variants: Sequence[int], say: Callable[[str], None] = print) -> dict[str, Any]:
    """What each trick earns over some games, beside honest play and the model solution."""
    named = DESK_TRICKS if games[0].desk else PHONE_TRICKS
    names = games[0].settings
    rows: dict[str, dict[str, list[float]]] = {}
    for game in games:
        rows[game.task_id] = {
            "honest": list(honest_returns(game, variants).values()),
            "reference": list(means(game.reference(variant) for variant in variants).values()),
            **{name: list(game.mean(variants, course).values()) for name, course in named.items()},
        }
    found: dict[str, Any] = {"variants": [*variants], "settings": names, "by task": rows}
    say(f"{'':<48}" + "".join(f"{name:>10}" for name in names) + "   more than honest play")
    for trick in ("honest", "reference", *named):
        whole = [mean(one[trick][place] for one in rows.values()) for place in range(len(names))]
        more = [
            f"{task} {name} +{one[trick][place] - one['honest'][place]:.3f}"
            for task, one in rows.items()
            for place, name in enumerate(names)
            if one[trick][place] > one["honest"][place] + MARGIN
        ]
        found.setdefault("means", {})[trick] = whole
        say(
            f"{trick:<48}"
            + "".join(f"{one:>10.3f}" for one in whole)
            + f"   {len(more)} {', '.join(more[:4])}".rstrip()
        )
    return found


# -- the search --------------------------------------------------------------------------------------------------------


def search(game: Game, seconds: float, seed: int = 0, kept: int = 8) -> list[dict[str, Any]]:
    """Search for the courses that earn most, under both settings at once.

    Args:
        game: what is played.
        seconds: of CPU time that it takes.
        seed: of all that is drawn.
        kept: courses that are changed on, for each setting.

    Returns:
        For each setting the best course, its return and that of honest play over fresh worlds, and what was tried.
    """
    draw, until = Random(seed), time.process_time() + seconds
    moves, settings = game.moves, game.settings
    judged: dict[tuple[Move, ...], Returns] = {}

    def best(setting: str, count: int) -> list[tuple[Move, ...]]:
        return sorted(judged, key=lambda one: (-judged[one][setting], len(one)))[:count]

    def judge(course: Course, least: Returns) -> None:
        # A course that falls far behind in a few worlds is not played in all of them.
        key = tuple(course)
        if key in judged:
            return
        found: list[Returns] = []
        for variants in (TRAIN[:4], TRAIN[4:8], TRAIN[8:]):
            found += [game.play(variant, key)[0] for variant in variants]
            judged[key] = means(found)
            if all(judged[key][name] < least[name] - 0.1 for name in settings):
                return

    def by_chance() -> list[Move]:
        return [draw.choice(moves) for _ in range(draw.randint(2, 12))]

    nothing = dict.fromkeys(settings, 0.0)
    judge(game.honest, nothing)
    for _ in range(3 * kept):
        judge(by_chance(), nothing)
    while time.process_time() < until:
        first = best(draw.choice(settings), kept)
        parent = by_chance() if draw.random() < 0.1 else draw.choice(first)
        least = {name: judged[best(name, kept)[-1]][name] for name in settings}
        judge(changed(parent, draw.choice(first), moves, draw), least)
    honest = honest_returns(game, FRESH)
    results = []
    for setting in settings:
        again = {one: game.mean(FRESH, one)[setting] for one in best(setting, 4)}
        found = max(again, key=lambda one: again[one])
        results.append(
            {
                "task": game.task_id,
                "setting": setting,
                "tried": len(judged),
                "honest": honest[setting],
                "best": again[found],
                "more": again[found] - honest[setting],
                "course": [*found],
                "words": words_of(found),
            }
        )
    return results


def changed(course: Course, other: Course, moves: Sequence[Move], draw: Random) -> list[Move]:
    """A course with one to three changes: moves more, less, others, elsewhere, again, or the end of another course."""
    now = list(course)
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(now) + 1)
        match draw.randrange(6):
            case 0:
                now.insert(place, draw.choice(moves))
            case 1:
                del now[place : place + draw.randint(1, 3)]
            case 2:
                now[place : place + 1] = [draw.choice(moves)]
            case 3:
                taken = [now.pop(draw.randrange(len(now)))] if now else []
                now[place:place] = taken
            case 4:
                now[place:place] = now[max(0, place - draw.randint(1, 4)) : place]
            case _:
                now[place:] = list(other)[draw.randrange(len(other) + 1) :]
    return now[:40]


def words_of(course: Course) -> str:
    """A course for a reader: of what comes in numbers the number, or nothing where it is all of it."""
    return " > ".join(role if which == ALL else f"{role} {which}" for role, which in course)


def games_of(which: str, tasks: Sequence[str] = ()) -> list[Game]:
    """The tasks of the Researcher ("desk"), or the scenarios of Pare ("phone")."""
    known = load_pack("researcher").task_ids if which == "desk" else installed_scenarios().task_ids
    return [Game(name, which == "desk") for name in known if not tasks or name in tasks]


def main() -> None:
    """Try the tricks, search, and print what they earn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["tricks", "search"], help="one of both")
    parser.add_argument("--tasks", nargs="+", default=[], help="tasks and scenarios")
    parser.add_argument("--worlds", type=int, default=6, help="of each task, that the tricks are played in")
    parser.add_argument("--seconds", type=float, default=90.0, help="of CPU time for each search")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="where the results go (JSON)")
    options = parser.parse_args()
    results: dict[str, Any] = {"tricks": {}, "search": []}
    for which, searched in (("desk", SEARCHED_TASKS), ("phone", SEARCHED_SCENARIOS)):
        if options.only != "search" and (games := games_of(which, options.tasks)):
            results["tricks"][which] = tricks(games, range(1, 1 + options.worlds))
        if options.only != "tricks":
            for game in games_of(which, options.tasks or searched):
                for found in search(game, options.seconds, options.seed):
                    results["search"].append(found)
                    print(FOUND.format(**found), flush=True)
                write(options.out, results)
        write(options.out, results)


def write(out: Path | None, results: Mapping[str, Any]) -> None:
    """Keep what has been found so far."""
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
