"""Proposals of an author's own, and why each is taken or refused: for trying a scenario's words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pi_gym.errors import PiGymError
from pi_gym.pare.proposals import recognise
from pi_gym.pare.scenario import Scenario
from pi_gym.pare.scenario_set import ScenarioSet

#: The one topic of a list's lines; "!help" stands before a proposal that is to be refused.
TOPIC = "help"


@dataclass(frozen=True, slots=True)
class ReadProposal:
    """A proposal that was read.

    Args:
        task: the scenario.
        text: the proposal.
        right: whether it is to be taken.
        taken: whether it is.
        why: what speaks against it; "" where it is taken.
    """

    task: str
    text: str
    right: bool
    taken: bool
    why: str


@dataclass(frozen=True, slots=True)
class ProposalReport:
    """The proposals that were read, in their order."""

    proposals: tuple[ReadProposal, ...]

    @property
    def ok(self) -> bool:
        """Whether each is taken or refused as it is to be."""
        return all(one.right == one.taken for one in self.proposals)

    def text(self) -> str:
        """A line for each, those that are misread marked."""
        return "\n".join(
            f"{'ok      ' if one.right == one.taken else 'MISREAD '}{'taken' if one.taken else f'refused ({one.why})'}:"
            f" {one.text}"
            for one in self.proposals
        )

    def to_json(self) -> dict[str, Any]:
        """The report as a JSON object."""
        return {"ok": self.ok, "proposals": [asdict(one) for one in self.proposals]}


def read_proposals(
    scenarios: ScenarioSet, tasks: Sequence[str] | None = None, *, listed: Path | None = None, variant: int = 0
) -> ProposalReport:
    """Read proposals in one world of scenarios.

    Args:
        scenarios: the set.
        tasks: the scenarios; None: all. With a list it is one.
        listed: lines `help<TAB>proposal`, `!help` for one that is to be refused; None: the model solutions' are read.
        variant: the world's number; where no help is wanted there, the next one in which it is.

    Raises:
        PiGymError: the list cannot be read, or is of no one scenario.
    """
    names = scenarios.task_ids if tasks is None else tasks
    if listed is not None and len(names) != 1:
        raise PiGymError("a list of proposals is of one scenario: name it")
    found = []
    for name in names:
        world = _wanted(scenarios, name, variant)
        assert world.solution is not None
        texts = [(world.solution.propose, True)] if listed is None else _lines(listed)
        found += [_read(world, text, right) for text, right in texts]
    return ProposalReport(tuple(found))


def _wanted(scenarios: ScenarioSet, name: str, variant: int) -> Scenario:
    worlds = (scenarios.instantiate(name, number) for number in range(variant, variant + 60))
    world = next((one for one in worlds if one.help is not None), None)
    if world is None:
        raise PiGymError(f"{name}: in none of the worlds {variant} to {variant + 59} help is wanted")
    return world


def _read(world: Scenario, text: str, right: bool) -> ReadProposal:
    assert world.help is not None
    outcome = recognise(text, world.help, world.time.date())
    return ReadProposal(world.id, text, right, outcome.right, f"{outcome.fault}: {outcome.detail}".strip(": "))


def _lines(path: Path) -> Iterator[tuple[str, bool]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PiGymError(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(filter(str.strip, lines), start=1):
        topic, tab, text = line.partition("\t")
        if not tab or topic.lstrip("!") != TOPIC:
            raise PiGymError(
                f"{path}, line {number}: expected `{TOPIC}<TAB>proposal` or `!{TOPIC}<TAB>…`, got {line!r}"
            )
        yield text.replace("\\n", "\n"), not topic.startswith("!")
