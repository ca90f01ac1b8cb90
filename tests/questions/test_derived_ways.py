from __future__ import annotations

from pathlib import Path

import pytest

from pi_gym.errors import PackError
from pi_gym.questions import Matcher, asking_clauses, compile_topic
from pi_gym.questions.derived_ways import derived_ways
from pi_gym.questions.properties import properties
from pi_gym.questions.topic_files import LEAST_EXAMPLES, read_topics

EXAMPLES = {
    "sorting": [
        "In which order do the songs go?",
        "Which song comes first?",
        "Should the songs be sorted by length?",
        "Do the loud songs go to the top?",
    ],
    "guests": [
        "Who gets the invitation?",
        "Should the invitation go to the neighbours?",
        "Do I send an invitation to everyone?",
        "Are the neighbours invited?",
    ],
}
UNSEEN = {"sorting": "What order would you like the songs in?", "guests": "Whom should the invitation be sent to?"}


def matcher(entries: dict[str, dict[str, object]]) -> Matcher:
    return Matcher([compile_topic(name, "wish", entry) for name, entry in entries.items()])


@pytest.mark.parametrize("name", UNSEEN)
def test_words_of_examples_hear_a_question_that_is_not_among_them(name: str) -> None:
    one = matcher({topic: {"any": ways} for topic, ways in derived_ways(EXAMPLES).items()})
    (clause,) = asking_clauses(UNSEEN[name])
    assert one.aims(clause) == (name,)


def test_a_word_that_siblings_share_belongs_to_none() -> None:
    shared = {
        name: [f"{text[:-1]} at the party?" if number == 0 else text for number, text in enumerate(texts)]
        for name, texts in EXAMPLES.items()
    }
    words = [
        word for ways in derived_ways(shared).values() for way in ways for group in way["groups"] for word in group
    ]
    assert "song" in words
    assert "part" not in words


def test_what_many_examples_ask_of_a_thing_is_a_property() -> None:
    assert "~order" in derived_ways(EXAMPLES)["sorting"][0]["groups"][1]
    assert "~person" in derived_ways(EXAMPLES)["guests"][0]["groups"][1]


def test_templates_are_no_words() -> None:
    texts = [f"{{{{ world.town }}}} or {{{{ world.other }}}}: which hall {number}?" for number in "abcd"]
    groups = derived_ways({"hall": texts})["hall"][0]["groups"]
    assert {"hall"} == {word for group in groups for word in group if not word.startswith("~")}


def test_an_entry_of_examples_alone_is_read_with_words_made_of_them(tmp_path: Path) -> None:
    file = tmp_path / "questions.yaml"
    lines = [
        "decided: {groups: [[metric]]}",
        "sorting:",
        "  asked:",
        *(f'    - "{one}"' for one in EXAMPLES["sorting"]),
    ]
    file.write_text("\n".join(lines) + "\n")
    entries = read_topics(file, file.name, {})
    (clause,) = asking_clauses(UNSEEN["sorting"])
    assert matcher(entries).aims(clause) == ("sorting",)


def test_too_few_examples_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "questions.yaml"
    file.write_text("sorting: {asked: [Which song comes first?]}\n")
    with pytest.raises(PackError, match=f"{LEAST_EXAMPLES} questions or more in `asked`, got 1") as raised:
        read_topics(file, file.name, {})
    assert raised.value.field == "sorting"


def test_every_property_has_words_of_its_own() -> None:
    every = [phrase for phrases in properties().values() for phrase in phrases]
    for name, phrases in properties().items():
        assert any(every.count(phrase) == 1 for phrase in phrases), name
