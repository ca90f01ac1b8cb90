"""The model grader: rubric items are judged YES or NO by a language model, rule items by their rules.

Source: the paper's appendix C.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pi_gym.errors import AnswerError
from pi_gym.graders.base import FinalView
from pi_gym.graders.rule import RuleGrader
from pi_gym.models.role_requests import Answers, Requests, role_request
from pi_gym.packs.task import Item
from pi_gym.predicates import Evidence
from pi_gym.templates import Markup, block, quoted
from pi_gym.tools.globs import matcher
from pi_gym.types import ModelRequest, Verdict
from pi_gym.users.answer_forms import DecisionsForm
from pi_gym.users.evidence_text import (
    BUDGET_LETTERS,
    MAX_FILES,
    Exhibit,
    app_exhibits,
    call_exhibits,
    changed_exhibits,
    changes_text,
    file_exhibit,
    reminder_exhibits,
    render_exhibits,
    reply_exhibits,
)

BATCH = 8
MAX_REQUEST_LETTERS, MAX_CHANGES_LETTERS = 4_000, 4_000
_WILD = frozenset("*?[{")


class ModelGrader:
    """Judges rubric items by a model.

    Args:
        all_items: rule items too, for studies of agreement.
        batch: the most items of one request.
        budget_letters: the most evidence in a prompt, in letters as `pi_gym.templates.blocks` counts them.

    Attributes:
        name: "model", or "model-all".
    """

    def __init__(self, all_items: bool = False, *, batch: int = BATCH, budget_letters: int = BUDGET_LETTERS) -> None:
        self.all_items, self.batch, self.budget_letters = all_items, batch, budget_letters
        self.name = "model-all" if all_items else "model"

    def grade(self, view: FinalView, answers: Answers | None = None) -> tuple[Verdict, ...] | Requests:
        """A verdict for each item, in order; requests where a model has to be asked first.

        Raises:
            AnswerError: an answer has not the form that was asked for.
        """
        batches = self._batches(view)
        if batches and answers is None:
            return tuple(self._request(view, batch) for batch in batches)
        given = answers or ()
        if len(given) != len(batches):
            raise AnswerError(f"expected {len(batches)} answers, got {len(given)}")
        judged: dict[str, Verdict] = {}
        for batch, answer in zip(batches, given, strict=True):
            for number, found in _form(batch).read(answer.value).items():
                judged[number] = Verdict(number, "passed" if found.yes else "failed", "rubric", found.reason)
        by_rule = tuple(item for item in view.items if item.id not in judged)
        rest = FinalView(view.task, by_rule, view.evidence, view.log)
        judged |= {verdict.id: verdict for verdict in RuleGrader().grade(rest)}
        return tuple(judged[item.id] for item in view.items)

    def _batches(self, view: FinalView) -> list[tuple[Item, ...]]:
        asked = [item for item in view.items if self.all_items or item.grader == "rubric"]
        return [tuple(asked[first : first + self.batch]) for first in range(0, len(asked), self.batch)]

    def _request(self, view: FinalView, items: Sequence[Item]) -> ModelRequest:
        exhibits: dict[_Key, Exhibit] = {}
        chosen: list[tuple[Item, list[_Key], list[str]]] = []
        for item in items:
            found, missing = _select(view, item)
            exhibits |= found
            chosen.append((item, list(found), missing))
        # In the order of the evidence, whichever item named a piece first.
        keys = sorted(exhibits)
        number = {key: f"e{place}" for place, key in enumerate(keys, start=1)}
        criteria = "".join(
            block("criterion", _criterion(item, missing), id=item.id, exhibits=" ".join(number[key] for key in named))
            for item, named, missing in chosen
        )
        form = _form(items)
        return role_request(
            "grader_rubric",
            form,
            criteria=block("criteria", Markup(criteria)),
            request=block("request", quoted(view.task.opening, MAX_REQUEST_LETTERS)),
            changes=block("changes", quoted(changes_text(view.evidence), MAX_CHANGES_LETTERS)),
            evidence=block("evidence", render_exhibits([exhibits[key] for key in keys], self.budget_letters)),
            ids=", ".join(form.ids),
        )


@dataclass(frozen=True, slots=True, order=True)
class _Key:
    """The key of an exhibit: its place among the evidence, in the order in which a prompt shows it."""

    section: int
    place: int = 0
    name: str = ""


_REPLIES, _REMINDERS, _CALLS, _FILES, _APPS = range(5)


def _form(items: Sequence[Item]) -> DecisionsForm:
    return DecisionsForm(tuple(item.id for item in items))


def _criterion(item: Item, missing: Sequence[str]) -> Markup:
    nothing = block("no_match", quoted("\n".join(missing))) if missing else Markup("")
    return Markup(quoted(item.text) + nothing)


def _select(view: FinalView, item: Item) -> tuple[dict[_Key, Exhibit], list[str]]:
    """The evidence that an item selects, and what it names that is not there.

    Without a selection that is everything. Replies are always shown, but for `replies: [none]`; with `replies: [last]`
    only the last one.
    """
    evidence, chosen = view.evidence, item.evidence
    selective = any(chosen.get(name) for name in ("files", "tools", "apps"))
    found = {_Key(_REPLIES, place): one for place, one in enumerate(reply_exhibits(evidence))}
    wanted = chosen.get("replies", ())
    if "none" in wanted:
        found.clear()
    elif "last" in wanted and found:
        last = max(found)
        found = {last: found[last]}
    if not selective:
        found |= {_Key(_REMINDERS, place): one for place, one in enumerate(reminder_exhibits(view.log))}
        found |= {_Key(_CALLS, place): one for place, one in enumerate(call_exhibits(evidence.calls))}
        found |= {_Key(_FILES, name=one.key): one for one in changed_exhibits(evidence)}
        found |= {_Key(_APPS, name=one.key): one for one in app_exhibits(evidence)}
        return found, []
    missing: list[str] = []
    called = call_exhibits(evidence.calls)
    for pattern in chosen.get("tools", ()):
        matches = matcher(pattern)
        calls = {_Key(_CALLS, place): one for place, one in enumerate(called) if matches(one.key)}
        found |= calls
        missing += [] if calls else [f"no call of {pattern}"]
    for pattern in chosen.get("files", ()):
        paths = list(_paths(evidence, pattern))
        found |= {_Key(_FILES, name=path): file_exhibit(evidence, path) for path in paths}
        missing += [] if paths else [f"no file {pattern}"]
    for name in chosen.get("apps", ()):
        found |= {_Key(_APPS, name=one.key): one for one in app_exhibits(evidence, [name])}
    return found, missing


def _paths(evidence: Evidence, pattern: str) -> Iterator[str]:
    """The files that a pattern means, now or deleted in the session; changed ones first, of many only the first."""
    if not _WILD.intersection(pattern):
        if evidence.now.blob(pattern) is not None or pattern in evidence.changes.deleted:
            yield pattern
        return
    matches = matcher(pattern)
    changed = [path for path in evidence.changes.paths if matches(path)]
    others = (path for path, _ in evidence.now.walk() if matches(path) and path not in evidence.changed)
    listed = [*changed, *others]
    yield from listed[:MAX_FILES]
