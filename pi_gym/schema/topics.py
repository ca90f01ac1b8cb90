"""Pydantic models of questions.yaml: how the things are asked about that a user can be asked."""

from __future__ import annotations

from typing import Any

from pydantic import Field, RootModel, field_validator

from pi_gym.schema.specs import Slug, Spec


class TopicSpec(Spec):
    """One thing that can be asked for, its templates unread.

    Args:
        like: names of shared entries (`pi_gym/questions/concepts.yaml`, or the persona's questions.yaml) whose words
            are taken too.
        groups: lists of words, each of which must be hit; with `without` one way of asking (`pi_gym.questions.ways`).
        any: several such ways instead.
        without: words that show that something else is asked, in whatever way; of shared entries' ways too.
        asked: questions that ask for it; without `like`, `groups` and `any` the words are made of these.
        not_asked: questions close by that do not.
    """

    like: list[Slug] = Field(default_factory=list)
    groups: Any = None
    any: Any = None
    without: Any = None
    asked: list[str] = Field(default_factory=list)
    not_asked: list[str] = Field(default_factory=list)

    @field_validator("like", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value


class TopicFileSpec(RootModel[dict[Slug, TopicSpec]]):
    """A questions.yaml, or the concepts that all personas share: topics by name."""
