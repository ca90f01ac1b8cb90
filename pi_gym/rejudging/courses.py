"""Courses that ask models: many at one time, each going on as soon as its own answers are there."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from time import perf_counter
from typing import Generic, TypeAlias, TypeVar

from pi_gym.errors import AnswerError, PiGymError, SessionError, StateMismatch
from pi_gym.session.answerers import Responder
from pi_gym.session.faults import describe_with_place
from pi_gym.types import Answer, Ask

K = TypeVar("K")
T = TypeVar("T")
#: A course: gives asks, takes their answers in order, returns its result.
Course: TypeAlias = Generator[tuple[Ask, ...], tuple[Answer, ...], T]


@dataclass(frozen=True, slots=True)
class CourseEnd(Generic[K, T]):
    """The end of one course.

    Args:
        key: which one.
        result: what it returned; None where it failed.
        error: why it failed; "" where it did not.
        kind: whose failure it is: "model" or "engine".
        duration_s: from its beginning, by the wall clock.
    """

    key: K
    result: T | None
    error: str = ""
    kind: str = ""
    duration_s: float = 0.0


@dataclass
class _Running(Generic[K, T]):
    key: K
    course: Course[T]
    begin: float
    asks: tuple[Ask, ...]
    answers: Future[list[Answer]]


def run_courses(
    courses: Iterator[tuple[K, Course[T] | Exception]], model: Responder | None, width: int
) -> Iterator[CourseEnd[K, T]]:
    """Every course as it ends.

    Args:
        courses: each with its key; one that cannot begin is the exception that says why.
        model: answers; of one with a method `submit`, which gives a future of the answers, all courses ask at one time.
        width: the most courses at one time.

    Raises:
        StateMismatch: a course raises it: what is played is not what was recorded.
        PiGymError: a course asks, and there is no model.
    """
    running: list[_Running[K, T]] = []
    more = True
    while more or running:
        while more and len(running) < width:
            begin = perf_counter()
            found = next(courses, None)
            if found is None:
                more = False
                break
            key, course = found
            if isinstance(course, Exception):
                yield CourseEnd(key, None, _why(course), "engine", perf_counter() - begin)
                continue
            one = _Running(key, course, begin, (), Future())
            ended = _advance(one, model, None)
            if ended is not None:
                yield ended
            else:
                running.append(one)
        if running:
            wait([one.answers for one in running], return_when=FIRST_COMPLETED)
        for one in [one for one in running if one.answers.done()]:
            ended = _advance(one, model, tuple(one.answers.result()))
            if ended is not None:
                running.remove(one)
                yield ended


def _advance(
    one: _Running[K, T], model: Responder | None, answers: tuple[Answer, ...] | None
) -> CourseEnd[K, T] | None:
    """Take a course as far as it goes without waiting; its end where it is there."""

    def failed(error: str, kind: str) -> CourseEnd[K, T]:
        return CourseEnd(one.key, None, error, kind, perf_counter() - one.begin)

    try:
        one.asks = next(one.course) if answers is None else one.course.send(answers)
    except StopIteration as end:
        return CourseEnd(one.key, end.value, duration_s=perf_counter() - one.begin)
    except AnswerError as error:
        forget = getattr(model, "forget", None)
        if callable(forget):
            forget(one.asks)  # a kept answer without use would fail every further try
        return failed(str(error), "model")
    except (StateMismatch, KeyboardInterrupt):
        raise
    except Exception as error:
        return failed(_why(error), "engine")
    one.answers = _submit(model, one.asks)
    return None


def _why(error: Exception) -> str:
    return str(error) if isinstance(error, SessionError) else describe_with_place(error)


def _submit(model: Responder | None, asks: Sequence[Ask]) -> Future[list[Answer]]:
    if model is None:
        raise PiGymError("the judges ask a model, and none was given")
    submit = getattr(model, "submit", None)
    if callable(submit):
        submitted: Future[list[Answer]] = submit(asks)
        return submitted
    answered: Future[list[Answer]] = Future()
    answered.set_result(list(model(asks)))
    return answered
