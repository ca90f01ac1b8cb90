"""The state of a Pare session: the phone, what has happened, what was proposed, and what the agent has changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.errors import StateMismatch
from pi_gym.pare.happenings import Happened
from pi_gym.pare.pare_opening import PareOpening, opening_of
from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.pare_standing import NO_PARE_SCORES, PareStanding
from pi_gym.pare.person import Person, RulePerson
from pi_gym.pare.scenario import Scenario
from pi_gym.phone.navigation import Display, Navigation
from pi_gym.phone.phone_desk import PhoneContext
from pi_gym.predicates import Evidence
from pi_gym.session.live_session import LiveSession
from pi_gym.session.trajectory import Identity
from pi_gym.state.log import Log
from pi_gym.state.tables import Row
from pi_gym.tools import Registry
from pi_gym.types import Message

FAMILY = "pare"


class PareState(LiveSession):
    """A session as its parts see it; `PareSession` is one.

    Args:
        scenario: what `ScenarioSet.instantiate` gave.
        config: limits, noise, reward.
        person: who plays the person; by rules where None is given.
        opening: an opening made before, to share.

    Attributes:
        scenario: the scenario in its world.
        standing: mode, proposals, counts.
        before: the standing at the last record of a step.
        navigation: where the person's phone is.
        happened: what has happened from outside.
        proposed_after: what had happened when the proposal that waits was made.
        done: the numbers of the steps that the person has done.
        moves: the person's actions in their present turn.
        reads, writes: the agent's calls by what they do, refused ones too; to wait and to speak is neither.
        told: how much of the log the agent has been told.
        touched: by app, table and id, the row before the agent first changed it, and after it last did.
        touched_files: by path, what was there before the agent first changed it: a file's bytes, True of a folder,
            None of nothing.
        last_event_turn: the turn of the scenario's last event.
        messages: the opening messages; the system message alone as long as the person's first turn waits for answers.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        config: PareConfig | None = None,
        person: Person | None = None,
        opening: PareOpening | None = None,
    ) -> None:
        config = config or PareConfig()
        self.scenario, self.config, self.opening = scenario, config, opening or opening_of(scenario, config)
        self.person: Person = person or RulePerson()
        super().__init__(
            Identity(FAMILY, scenario.pack, scenario.id, scenario.variant, "none", config.env_id, config.seed),
            scenario.world.fork(),
            scenario.time,
            self.opening.history,
            strict=config.strict,
            keep_prompts=config.keep_prompts,
        )
        self.standing = self.before = PareStanding()
        self.navigation, self.happened, self.done = Navigation(), Happened(), frozenset[int]()
        self.proposed_after = self.happened
        self.moves = self.told = self.reads = self.writes = 0
        self.touched: Mapping[tuple[str, str, int], tuple[Row | None, Row | None]] = {}
        self.touched_files: Mapping[str, bytes | bool | None] = {}
        self.last_event_turn = 1
        self.messages: tuple[Message, ...] = (self.opening.system,)

    @property
    def registry(self) -> Registry:
        """The tools that it offers."""
        return self.opening.registry

    @property
    def scores(self) -> Mapping[str, float | None]:
        """Success, score and return; None until the end, and where unscored."""
        grading = self.ending.grading
        return NO_PARE_SCORES if grading is None else grading.scores

    def evidence(self) -> Evidence:
        """The phone as predicates see it."""
        start = self.scenario.world
        return Evidence(
            now=self.world.workspace,
            start=start.workspace,
            apps=dict(self.world.apps),
            apps_start=dict(start.apps),
            keep_fault=self.keep_fault,
        )

    def context(self, ids: int) -> PhoneContext:
        """The context of a call on the phone, whose new rows get ids from this one on."""
        now = self.world.workspace.clock = self.clock.isoformat()
        return PhoneContext(
            world=self.world,
            root="/phone",
            clock=now,
            begun=self.scenario.time.isoformat(),
            ids=ids,
            effort=self.effort,
            owner=self.scenario.owner,
            display=Display(self.navigation),
        )

    # -- leaving the process -----------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """References (scenario, variant) and what changed since: never the scenario's own content."""
        history = self.history
        state = dict(self.__dict__)
        for name in ("scenario", "opening", "world", "_parts", "_unwritten", "log"):
            del state[name]
        start = self.scenario.world
        state["named"] = (self.scenario.id, self.scenario.variant, self.scenario.pack_hash)
        state["delta"], state["spent"] = (
            self.world.workspace.delta(start.workspace.mark()),
            self.world.workspace.spent,
        )
        state["apps"] = {name: self.world.apps[name].delta(start.apps[name]) for name in sorted(self.world.apps)}
        state["history"], state["events"] = history[len(self.opening.history) :], list(self.log)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        from pi_gym.pare.scenario_set import installed_scenarios

        task_id, variant, pack_hash = state.pop("named")
        delta, spent, apps = state.pop("delta"), state.pop("spent"), state.pop("apps")
        history, events = state.pop("history"), state.pop("events")
        self.__dict__.update(state)
        found = installed_scenarios()
        if found.content_hash != pack_hash:
            raise StateMismatch("the scenarios are not those of the pickled session; install the ones that it is of")
        self.scenario = found.instantiate(task_id, variant)
        self.opening = opening_of(self.scenario, self.config)
        self._parts, self._unwritten = (self.opening.history + history,), ()
        self.log = Log(events)
        self.world = self.scenario.world.fork()
        self.world.workspace.apply_delta(delta)
        self.world.workspace.spend(spent)
        for name in sorted(apps):
            self.world.put_app(name, self.scenario.world.apps[name].with_delta(apps[name]))
