"""Guards: what breaks nothing earns nothing by itself."""

from dataclasses import dataclass

import pytest

from pi_gym.graders.rule import settle_guards
from pi_gym.types import Verdict


@dataclass(frozen=True)
class Listed:
    """The two fields of an item that guards look at."""

    id: str
    requires: str = ""


@pytest.mark.parametrize(
    ("items", "judged", "settled"),
    [
        ([Listed("c1"), Listed("c2", "c1")], ["passed", "passed"], ["passed", "passed"]),
        ([Listed("c1"), Listed("c2", "c1")], ["failed", "passed"], ["failed", "failed"]),
        ([Listed("c1", "c2"), Listed("c2")], ["passed", "failed"], ["failed", "failed"]),
        ([Listed("c1"), Listed("c2", "c1")], ["passed", "failed"], ["passed", "failed"]),
        ([Listed("c1"), Listed("c2", "c1"), Listed("c3", "c2")], ["failed", "passed", "passed"], ["failed"] * 3),
        ([Listed("c1", "c2"), Listed("c2", "c3"), Listed("c3")], ["passed", "passed", "failed"], ["failed"] * 3),
        ([Listed("c1"), Listed("c2", "c1")], ["unscored", "passed"], ["unscored", "unscored"]),
    ],
)
def test_a_guard_passes_only_together_with_what_it_requires(items, judged, settled):
    verdicts = [Verdict(item.id, verdict, "rule") for item, verdict in zip(items, judged, strict=True)]
    assert [verdict.verdict for verdict in settle_guards(items, verdicts)] == settled
