"""Pydantic models of lists by writers who did not see how their words are taken: questions, and proposals of Pare."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, RootModel

from pi_gym.schema.specs import Slug, Spec

_Variant = Annotated[int, Field(ge=0)]


class ListedQuestionsSpec(Spec):
    """The questions of one writer for one hidden intent.

    Args:
        variant: the world whose text of the intent the writer saw.
        targeted: questions for it; `near` for something close by.
    """

    variant: _Variant
    targeted: list[str] = Field(default_factory=list)
    near: list[str] = Field(default_factory=list)


class QuestionListSpec(RootModel[dict[Slug, ListedQuestionsSpec]]):
    """The list of one task of PiBench, by the intent's name."""


class ListedProposalsSpec(Spec):
    """The proposals of writers for one world of a scenario.

    Args:
        variant: the world.
        right: proposals that its person should accept; `near`, by what is wrong with them, those that they should not.
    """

    variant: _Variant
    right: list[str] = Field(default_factory=list)
    near: dict[str, list[str]] = Field(default_factory=dict)


class ProposalListSpec(Spec):
    """The list of one scenario of Pare.

    Args:
        worlds: in which proposals were written.
    """

    worlds: list[ListedProposalsSpec]
