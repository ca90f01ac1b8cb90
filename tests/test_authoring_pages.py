"""Pages that are seen to: what the helper writes is what the facet `seen_to` takes for that way, and for no other."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pi_gym.authoring import see_to
from pi_gym.predicates.node import Node, ParseContext
from pi_gym.results.content import ResultText
from pi_gym.results.facets import Demand, kinds

HOWS = ("mended", "struck", "marked", "line", "gone")
WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=9)
MARK = "(preliminary)"


def _holds(how: str, before: str, now: str, old: str, new: str) -> bool:
    facet = kinds()["text"].facets["seen_to"]
    assert isinstance(facet, Demand)
    argument = {"how": how, "old": old, "new": new, "marks": MARK}
    condition = facet.parse(Node(argument, "seen_to", ParseContext(None)))
    return not condition.fault(ResultText("page.md", now, before))


@given(how=st.sampled_from(HOWS), old=WORDS, new=WORDS, others=st.lists(WORDS, min_size=1, max_size=4))
def test_what_is_written_is_taken_for_its_way_alone(how: str, old: str, new: str, others: list[str]) -> None:
    assume(old not in new and new not in old and not any(one in word for one in (old, new) for word in others))
    line = "- {} stands here\n"
    page = f"# Page\n\n{line.replace('{}', old)}" + "".join(f"- {word}\n" for word in others)
    change = see_to(how, old, new, around=line, mark=MARK, below=f"- {new} it is now\n")
    assert change is not None
    assert [one for one in HOWS if _holds(one, page, change.of(page), old, new)] == [how]


def test_several_places_are_seen_to_at_once() -> None:
    page = "- one, Tue 5 May\n- two, Fri 8 May\n"
    for how, seen in (("mended", "- one, Wed 6 May\n- two, Mon 11 May\n"), ("line", page + "Moved: both.\n")):
        change = see_to(how, ["Tue 5 May", "Fri 8 May"], ["Wed 6 May", "Mon 11 May"], end="Moved: both.\n")
        assert change is not None
        assert change.of(page) == seen


def test_no_way_is_no_change_and_an_unknown_one_an_error() -> None:
    assert see_to(None, "old", "new") is None
    with pytest.raises(ValueError, match="expected mended"):
        see_to("erased", "old", "new")
    with pytest.raises(ValueError, match=r"shorter|longer"):
        see_to("mended", ["a", "b"], ["c"])
