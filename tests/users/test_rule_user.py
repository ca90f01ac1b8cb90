"""The rule-based user's ears."""

from pathlib import Path

import pytest

from pi_gym import PiSession, load_pack
from pi_gym.pibench.history import world_before

TINY = Path(__file__).parents[1] / "packs" / "tiny"


@pytest.fixture
def session():
    pack = load_pack(TINY)
    return PiSession(pack.instantiate("02-memo", 0), world_before(pack, "02-memo", 0))


def test_questions_copied_from_the_log_of_past_sessions_are_not_asked_again(session):
    log = session.world.workspace.text("memory/HISTORY.md")
    assert "upper or lower case?" in log
    session.apply(f"Here is what I found:\n{log}")
    assert session.questions == 0
    assert [session.statuses[intent.id] for intent in session.task.intents] == ["provided"]


def test_the_same_question_in_the_agents_own_words_is_asked(session):
    session.apply("Do you want the plant's name in upper or lower case this time?")
    assert session.questions == 1
    assert [session.statuses[intent.id] for intent in session.task.intents] == ["inferred"]
    assert len(session.needless) == 1
