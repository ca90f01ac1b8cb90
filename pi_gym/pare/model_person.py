"""The person whom a language model plays: it chooses among the actions that their screen offers.

What it knows is the scenario's: the plan's steps that are due, and, while a proposal waits, what help would be right.
What may be done, what it changes and whether the goal is met stay ours.
"""

from __future__ import annotations

from pi_gym.models.role_requests import Answers, Requests, role_request, single_value
from pi_gym.pare.move_form import MAX_SAID_CHARS, MoveForm
from pi_gym.pare.person import PersonMove, PersonView, why_not
from pi_gym.pare.person_actions import ACCEPT, ANSWERS
from pi_gym.pare.person_material import person_material
from pi_gym.pare.proposals import essential_facts
from pi_gym.types import ToolCall

YES = "Yes, please."


class ModelPerson:
    """Moves and decides by a model.

    Attributes:
        name: "model"; which model answers is not the person's to know.
    """

    name = "model"

    def move(self, view: PersonView, answers: Answers | None = None) -> PersonMove | Requests:
        """One of the actions that are offered.

        Raises:
            AnswerError: the answer names none of them, or arguments that do not fit.
        """
        form = MoveForm(view.navigation, bool(view.proposal))
        if answers is None:
            owner = view.scenario.owner.name
            material = person_material(view, form.registry)
            return (role_request("pare_person", form, owner=owner, answering=form.answering, **material),)
        chosen = form.read(single_value(answers))
        call, note = chosen.call, chosen.reason
        if call is not None and call.name in ANSWERS:
            said = _said(view, call)
            if said != call.arguments["content"]:
                note = f"{note} (The words are ours: the model's own were empty, too long or gave something away.)"
            call = ToolCall(call.name, {"content": said})
        return PersonMove(call, note=note)


def _said(view: PersonView, call: ToolCall) -> str:
    """The words of an answer; those that say too much give way to ours."""
    said = str(call.arguments["content"]).strip()
    if said and len(said) <= MAX_SAID_CHARS and not _tells(view, said):
        return said
    return YES if call.name == ACCEPT else why_not(view)


def _tells(view: PersonView, said: str) -> bool:
    """Whether an answer names an essential fact that the proposal did not."""
    help_ = view.scenario.help
    if help_ is None:
        return False
    return not essential_facts(said, help_, view.today) <= essential_facts(view.proposal, help_, view.today)
