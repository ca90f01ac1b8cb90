"""One session of the Pare family: events from outside, the person's turn, the agent's, until the goal is decided.

The path of an action: `apply` parses it and runs its calls one after the other, as far as the mode and the turn allow;
what ends the agent's turn (waiting, a proposal, a report, the last call) leads on to `_pass_on`, where the clock moves,
events happen and the person acts, and the next turn begins with a message that tells of all that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from pi_gym.errors import SessionError
from pi_gym.pare.agent_tools import ENDING, SPEAK, WAIT_FOR, watching_tools
from pi_gym.pare.noise import call_fails
from pi_gym.pare.pare_grading import content_of, grade_session, is_decided
from pi_gym.pare.pare_opening import PareOpening
from pi_gym.pare.pare_settings import PARE_COMPONENTS, PareConfig
from pi_gym.pare.pare_standing import PareGrading
from pi_gym.pare.pare_state import PareState
from pi_gym.pare.passing_time import happen_until, let_time_pass
from pi_gym.pare.person import Person
from pi_gym.pare.person_turn import take_turn
from pi_gym.pare.scenario import FIRST_ADDED, Scenario
from pi_gym.session.actions import parse_action
from pi_gym.session.live_session import NO_ENDING, Ending
from pi_gym.session.recording import build_record
from pi_gym.session.trajectory import Trajectory
from pi_gym.state.tables import Database
from pi_gym.state.workspace import Mark
from pi_gym.tools import MadeSchemas, ToolResult
from pi_gym.types import Answer, Message, StepRecord, ToolCall

MAX_WAIT_S = 31_536_000
MAX_STEPS = 200


class PareSession(PareState):
    """One session over one scenario.

    Args:
        scenario: what `ScenarioSet.instantiate` gave.
        config: limits, noise, reward.
        person: who plays the person; by rules where None is given. One whom a model plays has the session wait for
            answers, in the opening too.
        opening: an opening made before, to share.

    Attributes:
        scenario: the scenario in its world.
        standing: mode, proposals, counts.
        navigation: where the person's phone is.
        happened: what has happened from outside.
        done: the numbers of the steps that the person has done.
        registry: what the agent may call.
        messages: the opening messages.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        config: PareConfig | None = None,
        person: Person | None = None,
        opening: PareOpening | None = None,
    ) -> None:
        super().__init__(scenario, config=config, person=person, opening=opening)
        happen_until(self, self.clock)
        self._begin_turn()

    def tool_schemas(self, made: MadeSchemas | None = None) -> list[dict[str, Any]]:
        """The function schemas of the tools, as fresh objects; `made` as in `Registry.schemas`."""
        watching = self.config.tools == "mode" and self.standing.mode != "execute"
        return (watching_tools() if watching else self.registry).schemas(made)

    # -- actions -----------------------------------------------------------------------------------------------------

    def apply(self, action: object) -> None:
        """Take one action of the agent: text, an OpenAI message, or `Message`/`ToolCall` objects.

        Raises:
            SessionError: asks are pending, or the session is over.
        """
        self.require_free()
        self.begin_step()
        self.before = self.standing
        self.steps += 1
        try:
            parsed = parse_action(action)
            self.take(parsed, parsed.fault)
            if parsed.fault:
                self.reject(parsed.fault)
                self._complete()
            elif self.queue:
                self._run_calls()
            else:
                self._speak(parsed.content)
        except SessionError:
            raise
        except Exception as error:
            self._break_off(error)

    def _go_on(self, answers: tuple[Answer, ...] | None) -> None:
        """Go on with the person's turn; once that is over the agent has the word, or the session ends."""
        if not take_turn(self, answers):
            return
        if not self.steps:
            self.messages, self.new_messages = (*self.messages, *self.new_messages), ()
        elif is_decided(self):
            self._finish(terminated=True)
        else:
            self._complete()

    def truncate(self, reason: str) -> None:
        """Cut the session short, and grade it as things stand.

        Raises:
            SessionError: asks are pending, or the session is over.
        """
        self.require_free()
        self.begin_step()
        self.before = self.standing
        try:
            self._finish(terminated=False, reason=reason)
        except Exception as error:
            self._break_off(error)

    def _complete(self) -> None:
        """The action is over, and the agent still has the word."""
        if self.steps >= MAX_STEPS:
            self._finish(terminated=False, reason="max_steps")
        else:
            self._close_step()

    # -- the agent's calls -------------------------------------------------------------------------------------------

    @property
    def _calls_left(self) -> int:
        config = self.config
        most = config.execute_calls if self.standing.mode == "execute" else config.observe_calls
        return most - self._turn_calls

    def _run_calls(self) -> None:
        """Run what is queued, until the turn ends or nothing is left."""
        while self.queue:
            call, self.queue = self.queue[0], self.queue[1:]
            if self._calls_left <= 0 and call.name not in ENDING:
                acting = self.standing.mode == "execute"
                ends = "; report what you did to end it" if acting else ", which ends it"
                self._refuse(call, f"this turn has had its calls{ends}")
                continue
            self._count(call)
            given = self._checked(call) if call.name in ENDING else None
            if given is not None:
                self._leave_rest()
                self._end_by(call, given)
                return
            self._run(call)
        if self.standing.mode != "execute" and self._calls_left <= 0:
            self._pass_on()
        else:
            self._complete()

    def _count(self, call: ToolCall) -> None:
        self.tool_calls += 1
        self._turn_calls += 1
        self.clock += timedelta(seconds=self.config.call_s)
        cost = self.config.reward.cost_per_call
        if cost:
            self.standing = self.standing.paid(calls=-cost)
        if call.name in self.registry and call.name not in ENDING:
            writes = self.registry.get(call.name).effect == "write"
            self.reads, self.writes = self.reads + (not writes), self.writes + writes

    def _checked(self, call: ToolCall) -> Mapping[str, Any] | None:
        """The arguments of a call that ends the turn; None where it cannot be done, and is told why as others are."""
        try:
            given = self.registry.get(call.name).check(call.arguments)
        except ValueError:
            return None
        return given if 0 <= given.get("timeout", 0) <= MAX_WAIT_S else None

    def _run(self, call: ToolCall) -> None:
        known = call.name in self.registry
        if known and self.registry.get(call.name).effect == "write" and self.standing.mode != "execute":
            why = "it changes something, and that needs consent: propose it, and do it once that is accepted"
            self._refuse(call, why)
            return
        if call.name == WAIT_FOR and known:
            self._close_call(call, ToolResult(f"Error: timeout is a number of seconds, 0 to {MAX_WAIT_S}.", ok=False))
            return
        if known and not call.name.startswith(("System__", "AgentUI__")) and self._fails():
            self._close_call(call, ToolResult("Error: the app did not answer. Try again later.", ok=False))
            return
        before, files = dict(self.world.apps), self.world.workspace.mark()
        try:
            result = self.registry.run(call, self.context(FIRST_ADDED))
        except Exception as error:
            result = self.broken(call, error)
        self._keep_touched(before)
        self._keep_touched_files(files)
        self._close_call(call, result)

    def _fails(self) -> bool:
        return call_fails(self.scenario, self.tool_calls, self.config.tool_failure)

    def _refuse(self, call: ToolCall, why: str) -> None:
        self.refuse(call, f"[environment] Not run: {why}.")

    def _close_call(self, call: ToolCall, result: ToolResult) -> None:
        self.record("call", id=call.id, name=call.name, arguments=call.arguments, result=result.text, ok=result.ok)
        if not result.ok:
            self.mark_invalid(call.id)
        self.say(Message("tool", result.text, tool_call_id=call.id))

    def _leave_rest(self) -> None:
        """Calls behind one that ends the turn are not run."""
        for call in self.queue:
            self._refuse(call, "a call before it ended the turn")
        self.queue = ()

    def _keep_touched(self, before: Mapping[str, Database]) -> None:
        touched = dict(self.touched)
        for app, database in self.world.apps.items():
            if database is before[app]:
                continue
            for table, rows in database.diff(before[app]).items():
                for key, (old, new) in rows.items():
                    first, last = touched.get((app, table, key), (old, old))
                    # What was put right is as if it had not been touched: others may have changed it since.
                    touched[app, table, key] = (old if first == last else first, new)
        self.touched = touched

    def _keep_touched_files(self, before: Mark) -> None:
        workspace = self.world.workspace
        if workspace.is_at(before):
            return
        earlier = workspace.at(before)
        old = {path: content_of(earlier.node(path)) for path in workspace.touched(before)}
        self.touched_files = {**old, **self.touched_files}

    # -- the end of the agent's turn ---------------------------------------------------------------------------------

    def _end_by(self, call: ToolCall, given: Mapping[str, Any]) -> None:
        """End the turn by a call that does so, with its checked arguments."""
        if call.name == SPEAK:
            self._close_call(call, ToolResult("Said."))
            self._speak(given.get("content", ""))
            return
        self._close_call(call, ToolResult("Waiting."))
        self._pass_on(wait_s=given.get("timeout", 0))

    def _speak(self, text: str) -> None:
        """Take what the agent says: a proposal while it watches, a report while it acts; nothing said is a wait."""
        if text.strip():
            how = "report" if self.standing.mode == "execute" else "proposal"
            self.record("reply", text=text, how=how)
            if how == "proposal":
                self.proposed_after = self.happened
                self.standing = self.standing.with_proposal(text, self.config.reward)
        self._pass_on()

    def _pass_on(self, wait_s: int = 0) -> None:
        """End the agent's turn: time goes by, and unless the session is over, the person has the next word."""
        self.update(ends_turn=True)
        if self.config.reward.cost_per_turn:
            self.standing = self.standing.paid(turns=-self.config.reward.cost_per_turn)
        if self.standing.mode == "execute":
            self.standing = replace(self.standing, mode="observe", agreed="")
            # An agent that only watches decides nothing.
            if is_decided(self):
                self._finish(terminated=True)
                return
        if self.turn >= self.config.max_turns:
            self._finish(terminated=False, reason="max_turns")
            return
        let_time_pass(self, wait_s)
        self.turn += 1
        self._begin_turn()

    def _begin_turn(self) -> None:
        """The person's turn, then a message to the agent that tells of it and of what happened before."""
        self._turn_calls = self.moves = 0
        self._go_on(None)

    # -- ends --------------------------------------------------------------------------------------------------------

    def _finish(self, *, terminated: bool, reason: str = "") -> None:
        if self.ending != NO_ENDING:
            return
        for call in self.queue:
            self.say(Message("tool", "[environment] Not run: the session is over.", tool_call_id=call.id))
        self.queue = ()
        grading = grade_session(self)
        self.record("end", terminated=terminated, truncated=not terminated, reason=reason)
        self.record("graded", success=grading.success, reasons=list(grading.reasons))
        self.standing = replace(self.standing, earned=grading.components)
        self.ended, self.ending = True, Ending(terminated, reason, grading=grading)
        self._close_step()

    def _close_step(self) -> None:
        """Write the step's record: what was earned since the last one."""
        before, now = self.before.earned, self.standing.earned
        modes = [standing.mode == "execute" for standing in (self.before, self.standing)]
        components = {name: now[name] - before[name] for name in PARE_COMPONENTS}
        action, ending = self.action, self.ending
        truncated = self.ended and not ending.terminated
        self.step = StepRecord(
            self.new_messages,
            sum(components.values()),
            components,
            ending.terminated,
            truncated,
            "",
            action.invalid,
            action.failed,
            self.config.tools == "mode" and modes[0] != modes[1],
        )

    def _cut_short(self, reason: str) -> None:
        self._finish(terminated=False, reason=reason)

    # -- leaving the process -----------------------------------------------------------------------------------------

    def trajectory(
        self,
        *,
        agent: str = "",
        sample: int = 0,
        group_id: str = "",
        policy_outputs: tuple[Mapping[str, Any], ...] = (),
    ) -> Trajectory:
        """The record of the session so far; the arguments are what the session itself does not know."""
        grading: PareGrading | None = self.ending.grading
        labels = {
            **self.standing.counts(),
            "reads": self.reads,
            "writes": self.writes,
            "proposed": self.standing.proposals > 0,
            "wanted": self.scenario.help is not None,
            "reasons": [] if grading is None else list(grading.reasons),
        }
        return build_record(
            self,
            tuple(self.log),
            turns=self.turn if self.ended else self.turn - 1,
            pack_hash=self.scenario.pack_hash,
            config={**self.config.to_json(), "roles": {"user": self.person.name}},
            labels=labels,
            reward_components={} if grading is None else grading.components,
            agent=agent,
            sample=sample,
            group_id=group_id,
            policy_outputs=policy_outputs,
        )
