"""The subject of a question, in the asker's own words."""

from __future__ import annotations

import pytest

from pi_gym.questions.subjects import subject


@pytest.mark.parametrize(
    ("clause", "found"),
    [
        ("Which font?", "font"),
        ("How many decimals?", "decimals"),
        ("And which of the two tables?", "two tables"),
        ("What about the old notes?", "old notes"),
        ("What kind of paper should I take?", "paper"),
        ("Shall I change the title page too?", "title page"),
    ],
)
def test_what_a_question_is_about_is_named_in_its_words(clause: str, found: str) -> None:
    assert subject(clause) == found


@pytest.mark.parametrize(
    "clause",
    [
        *("What else?", "Which one?", "What do you think?", "Which is better?", "Anything?"),
        *("For what nobody has declared?", "Do I go against the rule in the \"tables' README), or not?"),
    ],
)
def test_a_question_that_names_nothing_has_no_subject(clause: str) -> None:
    assert subject(clause) == ""
