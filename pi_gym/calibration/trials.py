"""Trials: single pieces of work that are put to the models of roles, and what rules and models decide of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pi_gym.errors import AnswerError
from pi_gym.family import Judgement
from pi_gym.models.role_requests import Answers, requests_of
from pi_gym.rejudging.courses import Course
from pi_gym.types import Ask, ModelRequest

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DecisionPair:
    """One decision, as the rules and as the model take it.

    Args:
        kind: of decision.
        role: the role that takes it.
        name: what is decided on.
        rules, model: what each decides; `why_rules` and `why_model` why.
        words: what is decided on, in words.
        meant: what its writer meant it for; "" where no writer said.
    """

    kind: str
    role: str
    name: str
    rules: str
    model: str
    words: str = ""
    why_rules: str = ""
    why_model: str = ""
    meant: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """One session, question or proposal that is put to the models.

    Args:
        id: unique in a calibration.
        origin: where the work comes from: "reference", "way", …
        course: begins it: asks the models, and returns the decisions. It may be begun once.
    """

    id: str
    origin: str
    course: Callable[[], Course[tuple[DecisionPair, ...]]]


class TrialMaker(Protocol):
    """A maker of a family's trials: its string entry point is `Family.trial_maker`."""

    def __call__(
        self, pack: Any, task_id: str, variant: int, *, roles: Collection[str], most: int, seed: int
    ) -> Iterable[Trial]:
        """The trials of one world.

        Args:
            pack: the set of tasks.
            task_id: the task.
            variant: the world's number.
            roles: those that models play.
            most: of one origin, at most so many.
            seed: draws which.

        Raises:
            PiGymError: rules cannot judge the task.
        """
        ...


class ListedTrialMaker(Protocol):
    """A maker of the trials of a list by other writers: its string entry point is `Family.listed_trial_maker`."""

    def __call__(
        self, pack: Any, task_id: str, file: Path, *, roles: Collection[str], most: int, seed: int
    ) -> Iterable[Trial]:
        """The trials of one task's list.

        Args:
            pack: the set of tasks.
            task_id: the task.
            file: the list.
            roles: those that models play.
            most: of one origin, at most so many.
            seed: draws which.

        Raises:
            PackError: the file is not of its form, or speaks of what the task does not have.
        """
        ...


def put(
    role: str, stage: str, function: Callable[[Answers | None], Any], result: type[T]
) -> Generator[tuple[Ask, ...], Answers, T]:
    """A role's result, by way of as many rounds of asks as it wants.

    Raises:
        AnswerError: a model gave no answer, or none that the role can use.
    """
    found = function(None)
    while not isinstance(found, result):
        requests = requests_of(found, f"{role}.{stage}", ModelRequest)
        answers = yield tuple(Ask(f"t{n}", "model", role, stage, one) for n, one in enumerate(requests))
        failed = next((answer.error for answer in answers if answer.error), "")
        if failed:
            raise AnswerError(f"{role} ({stage}): {failed}")
        found = function(answers)
    return found


def judgement_pairs(
    rules: Iterable[Judgement],
    model: Iterable[Judgement],
    roles: Mapping[str, str],
    words: Mapping[tuple[str, str], str],
) -> tuple[DecisionPair, ...]:
    """The decisions in two records of one session, a pair for every kind under which one is counted.

    Args:
        rules: of the session as the rules judged it.
        model: of the same, as models did.
        roles: by kind of judgement, the role that takes it; other kinds are left out.
        words: by kind and id, what is judged.
    """
    return tuple(
        DecisionPair(
            kind,
            roles[one.kind],
            one.name or one.id,
            one.tags.get(kind, one.value),
            other.tags.get(kind, other.value),
            words.get((one.kind, one.id), ""),
            one.reason,
            other.reason,
        )
        for one, other in zip(rules, model, strict=True)
        if one.kind in roles
        for kind in one.tags or (one.kind,)
    )
