"""One session of the Pare family: events from outside, the person's turn, the agent's, until the goal is decided.

The path of an action: `apply` parses it and runs its calls one after the other, as far as the mode and the turn allow;
what ends the agent's turn (waiting, a proposal, a report, the last call) leads on to `_pass_on`, where the clock moves,
events happen and the person acts, and the next turn begins with a message that tells of all that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from pi_gym.errors import PackError, SessionError, StateMismatch
from pi_gym.pare.agent_tools import ENDING, SPEAK, WAIT_FOR
from pi_gym.pare.happenings import Happened, Outside
from pi_gym.pare.noise import call_fails
from pi_gym.pare.pare_opening import PareOpening, opening_of, spoken
from pi_gym.pare.pare_settings import PARE_COMPONENTS, PareConfig
from pi_gym.pare.pare_standing import NO_PARE_SCORES, PareGrading, PareStanding
from pi_gym.pare.person import ACCEPT, REJECT, PersonMove, PersonView, is_ready, move_by_rules, plan_is_done, steps_of
from pi_gym.pare.scenario import FIRST_ADDED, PlannedEvent, Scenario
from pi_gym.phone.handset import act, offered, spoken_action
from pi_gym.phone.installed_apps import load_phone_app
from pi_gym.phone.navigation import Display, Navigation
from pi_gym.phone.phone_desk import Notice, PhoneContext
from pi_gym.predicates import Evidence
from pi_gym.predicates.row_states import row_state
from pi_gym.session.actions import parse_action
from pi_gym.session.live_session import NO_ENDING, Ending, LiveSession
from pi_gym.session.recording import build_record
from pi_gym.session.trajectory import Identity, Trajectory
from pi_gym.state.log import Log
from pi_gym.state.tables import Database, Row
from pi_gym.state.tree import Blob, Folder
from pi_gym.state.workspace import Mark
from pi_gym.tools import MadeSchemas, Registry, ToolResult
from pi_gym.types import Answer, Message, StepRecord, ToolCall

FAMILY = "pare"
#: Turns after the last event of a world in which no help is wanted, before it ends by itself.
QUIET_TURNS = 2
MAX_WAIT_S = 31_536_000
#: The most events that one turn can bring: noise on a phone that waits for a year.
MAX_EVENTS = 200
MAX_STEPS = 200
#: Tables whose new rows of the agent's have left the phone, so that deleting them puts nothing right.
_SENT_OUT = frozenset([("Emails", "emails")])


def _content(node: Blob | Folder | None) -> bytes | bool | None:
    """The content of a path, to compare: a file's bytes, True of a folder, None of nothing."""
    return node.data if isinstance(node, Blob) else None if node is None else True


class PareSession(LiveSession):
    """One session over one scenario.

    Args:
        scenario: what `ScenarioSet.instantiate` gave.
        config: limits, noise, reward.
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
        self, scenario: Scenario, *, config: PareConfig | None = None, opening: PareOpening | None = None
    ) -> None:
        config = config or PareConfig()
        self.scenario, self.config, self.opening = scenario, config, opening or opening_of(scenario, config)
        super().__init__(
            Identity(
                FAMILY, scenario.pack, scenario.id, scenario.variant, "none", self.config.env_id, self.config.seed
            ),
            scenario.world.fork(),
            scenario.time,
            self.opening.history,
            strict=config.strict,
            keep_prompts=config.keep_prompts,
        )
        self.standing = self._before = PareStanding()
        self.navigation, self.happened, self.done = Navigation(), Happened(), frozenset[int]()
        #: What had happened when the proposal that waits was made.
        self._proposed_after = self.happened
        #: How much of the log the agent has been told.
        self._turn_calls = self._told = 0
        #: By app, table and id, the row before the agent first changed it, and after it last did.
        self._touched: Mapping[tuple[str, str, int], tuple[Row | None, Row | None]] = {}
        #: By path, what was there before the agent first changed it: a file's bytes, True of a folder, None of nothing.
        self._touched_files: Mapping[str, bytes | bool | None] = {}
        self._last_event_turn = 1
        self._happen_until(self.clock)
        self._begin_turn()
        self.messages: tuple[Message, ...] = (self.opening.system, *self.new_messages)
        self.new_messages = ()

    @property
    def registry(self) -> Registry:
        """The tools that it offers."""
        return self.opening.registry

    @property
    def scores(self) -> Mapping[str, float | None]:
        """Success, score and return; None until the end, and where unscored."""
        grading = self.ending.grading
        return NO_PARE_SCORES if grading is None else grading.scores

    def tool_schemas(self, made: MadeSchemas | None = None) -> list[dict[str, Any]]:
        """The function schemas of the tools, as fresh objects; `made` as in `Registry.schemas`."""
        return self.registry.schemas(made)

    # -- actions -----------------------------------------------------------------------------------------------------

    def apply(self, action: object) -> None:
        """Take one action of the agent: text, an OpenAI message, or `Message`/`ToolCall` objects.

        Raises:
            SessionError: asks are pending, or the session is over.
        """
        self.require_free()
        self.begin_step()
        self._before = self.standing
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

    def _go_on(self, answers: tuple[Answer, ...]) -> None:
        raise SessionError("nothing is waited for")

    def truncate(self, reason: str) -> None:
        """Cut the session short, and grade it as things stand.

        Raises:
            SessionError: asks are pending, or the session is over.
        """
        self.require_free()
        self.begin_step()
        self._before = self.standing
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
            self.standing = replace(
                self.standing, reads=self.standing.reads + (not writes), writes=self.standing.writes + writes
            )

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
            result = self.registry.run(call, self._context(FIRST_ADDED))
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
        touched = dict(self._touched)
        for app, database in self.world.apps.items():
            if database is before[app]:
                continue
            for table, rows in database.diff(before[app]).items():
                for key, (old, new) in rows.items():
                    first, last = touched.get((app, table, key), (old, old))
                    # What was put right is as if it had not been touched: others may have changed it since.
                    touched[app, table, key] = (old if first == last else first, new)
        self._touched = touched

    def _keep_touched_files(self, before: Mark) -> None:
        workspace = self.world.workspace
        if workspace.is_at(before):
            return
        earlier = workspace.at(before)
        old = {path: _content(earlier.node(path)) for path in workspace.touched(before)}
        self._touched_files = {**old, **self._touched_files}

    def _context(self, ids: int) -> PhoneContext:
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
                self._proposed_after = self.happened
                self.standing = self.standing.with_proposal(text, self.config.reward)
        self._pass_on()

    def _pass_on(self, wait_s: int = 0) -> None:
        """End the agent's turn: time goes by, and unless the session is over, the person has the next word."""
        self.update(ends_turn=True)
        if self.config.reward.cost_per_turn:
            self.standing = self.standing.paid(turns=-self.config.reward.cost_per_turn)
        if self.standing.mode == "execute":
            self.standing = replace(self.standing, mode="observe", agreed="")
        if self._is_decided():
            self._finish(terminated=True)
            return
        if self.turn >= self.config.max_turns:
            self._finish(terminated=False, reason="max_turns")
            return
        self._wait(wait_s)
        self.turn += 1
        self._begin_turn()
        if self._is_decided():
            self._finish(terminated=True)
        else:
            self._complete()

    def _wait(self, wait_s: int) -> None:
        """Move the clock over the turn, or to the next event, whichever the agent waits for."""
        until = self.clock + timedelta(seconds=self.config.turn_s)
        if wait_s:
            until = max(until, self.clock + timedelta(seconds=wait_s))
            following = self._outside.next_due(self.happened, self.world, None, self._seconds)
            if following is not None:
                # Apps know whole seconds; the event has happened by the next one.
                moment = self._outside.moment(ceil(following[0]))
                until = min(until, max(moment, self.clock + timedelta(seconds=1)))
        self._happen_until(until)
        self.clock = max(self.clock, until)

    @property
    def _outside(self) -> Outside:
        return Outside(self.scenario, self.config.noise)

    @property
    def _seconds(self) -> float:
        return self._outside.seconds(self.clock)

    def _happen_until(self, until: datetime) -> None:
        """Let happen what is due by then, in its order."""
        outside = self._outside
        for _ in range(MAX_EVENTS):
            following = outside.next_due(self.happened, self.world, self._evidence(), self._seconds)
            if following is None or outside.moment(following[0]) > until:
                return
            at, event = following
            self.clock = max(self.clock, outside.moment(at).replace(microsecond=0))
            self._happen(event, at)

    def _happen(self, event: PlannedEvent, at: float) -> None:
        if event.unless is not None and event.unless.test(self._evidence()):
            self.happened = self.happened.with_event(event, at, called_off=True)
            return
        self.happened = self.happened.with_event(event, at)
        app = load_phone_app(event.call.name.partition("__")[0])
        context = self._context(event.row - 1)
        result = Registry(app.offered("event")).run(event.call, context)
        if not result.ok and event.name and not self._touched:
            # What the agent has done may stand against an event; nothing else does.
            raise PackError(f"scenarios/{self.scenario.id}", f"events.{event.name}", result.text)
        self.record(
            "happening", name=event.name, call=event.call.name, arguments=dict(event.call.arguments), ok=result.ok
        )
        for notice in context.notices if result.ok else ():
            self._notify(notice, own=bool(event.name))

    def _notify(self, notice: Notice, *, own: bool) -> None:
        self.record("notification", app=notice.app, short=notice.short, whole=notice.whole, time=self.clock.isoformat())
        if own:
            self._last_event_turn = self.turn + 1

    # -- the person's turn -------------------------------------------------------------------------------------------

    def _begin_turn(self) -> None:
        """The person's turn, then a message to the agent that tells of it and of what happened before."""
        self._turn_calls = 0
        answered = ""
        for _ in range(self.config.user_actions):
            move = move_by_rules(self._view())
            if move.call is None:
                break
            if move.call.name in (ACCEPT, REJECT):
                answered = self._settle(move)
                break
            self._act(move)
        self._tell(answered)

    def _view(self) -> PersonView:
        evidence = self._evidence()
        return PersonView(
            scenario=self.scenario,
            navigation=self.navigation,
            happened=self.happened,
            proposed_after=self._proposed_after,
            done=self.done,
            turn=self.turn,
            proposal=self.standing.proposal,
            helped=self.standing.helped,
            met=bool(self.standing.proposal) and self._is_met(evidence),
            today=self.clock.date(),
            evidence=evidence,
            rejected=self.standing.rejected,
        )

    def _settle(self, move: PersonMove) -> str:
        """Take the person's answer to the proposal; gives the words in which the agent is told of it."""
        assert move.call is not None
        said = str(move.call.arguments["content"])
        accepted = move.call.name == ACCEPT
        self.record("settled", accepted=accepted, content=said, proposal=self.standing.proposal, note=move.note)
        if accepted:
            self.standing = self.standing.with_acceptance(self.config.reward)
            return f'Your proposal was accepted: "{said}" Carry it out now, then report.'
        self.standing = self.standing.with_rejection(self.config.reward)
        return f'Your proposal was rejected: "{said}"'

    def _act(self, move: PersonMove) -> None:
        """Let the person do something with their phone."""
        assert move.call is not None
        context = self._context(FIRST_ADDED)
        result = act(move.call, context, offered(self.navigation))
        self.record(
            "person", call=move.call.name, arguments=dict(move.call.arguments), result=result.text, ok=result.ok
        )
        self.navigation = context.display.navigation
        if self.standing.proposal:
            self.standing = replace(self.standing, looking=True)
        if not result.ok:
            # A step that cannot be done, or to which no way leads, is over too: they would not try for ever.
            self.done = self.done | {move.step}
            return
        steps, view = steps_of(self.scenario), self._view()
        # An action on the way to a step may be one itself.
        alike = [at for at, one in enumerate(steps) if at not in self.done and one.call == move.call]
        reached = [move.step] if move.step in alike else [at for at in alike if is_ready(steps[at], view)]
        self.done = self.done.union(reached[:1])

    def _tell(self, answered: str) -> None:
        """Say to the agent what has happened since it was told last."""
        lines = [
            f"[phone] {spoken(self.clock)} · turn {self.turn} of {self.config.max_turns} · mode: {self.standing.mode}"
        ]
        for event in self.log.since(self._told):
            if event.kind == "notification":
                moment = event.data["time"].replace("T", " ")
                lines.append(f"Notification, {moment}, {event.data['app']}: {event.data['whole']}")
            elif event.kind == "person":
                call = ToolCall(event.data["call"], event.data["arguments"])
                lines.append(f"The person did: {spoken_action(call)}")
        lines += [answered] if answered else []
        text = "\n".join(lines)
        self.record("user", text=text, call="")
        self.say(Message("user", text))
        self._told = len(self.log)

    # -- judging -----------------------------------------------------------------------------------------------------

    def _evidence(self) -> Evidence:
        start = self.scenario.world
        return Evidence(
            now=self.world.workspace,
            start=start.workspace,
            apps=dict(self.world.apps),
            apps_start=dict(start.apps),
            keep_fault=self.keep_fault,
        )

    def _is_met(self, evidence: Evidence) -> bool:
        goal = self.scenario.goal
        return goal is not None and goal.test(evidence).holds

    def _is_decided(self) -> bool:
        """Whether the session is over by itself: the goal met or lost, or nothing left that it could be about."""
        if self.standing.mode != "observe" or self.standing.proposal:
            return False
        if self.scenario.help is None:
            waits = any(event.name not in self.happened.at for event in self.scenario.events)
            quiet = self.turn >= self._last_event_turn + QUIET_TURNS
            return not waits and quiet and plan_is_done(self.scenario, self.done, self.happened)
        evidence, lost = self._evidence(), self.scenario.lost
        return self._is_met(evidence) or (lost is not None and lost.test(evidence).holds)

    def _damage(self) -> list[str]:
        """The agent's changes that it must not have made, a sentence each."""
        bad = []
        for (app, table, key), (before, after) in self._touched.items():
            if after == before:
                if before is None and (app, table) in _SENT_OUT:
                    bad.append(f"{app}.{table} {key} was sent, which deleting it does not take back.")
                continue
            allowed = self.scenario.keep.get((app, table), frozenset())
            kind = row_state(before, after)
            if allowed is not None and key not in allowed and kind not in allowed:
                bad.append(f"{app}.{table} {key} was {kind}.")
        for path, content in self._touched_files.items():
            if _content(self.world.workspace.node(path)) != content and not self._may_change(path):
                bad.append(f"The file {path} was changed.")
        return bad

    def _may_change(self, path: str) -> bool:
        # To put a file somewhere makes the folders above it.
        return any(
            f"{path}/".startswith(f"{kept}/") or kept.startswith(f"{path}/") for kept in self.scenario.keep_files
        )

    def grade(self) -> PareGrading:
        """The result as things stand."""
        standing, reasons = self.standing, self._damage()
        if self.scenario.help is None:
            if standing.proposals:
                reasons.append("A proposal was made where no help was wanted.")
        else:
            goal = self.scenario.goal
            assert goal is not None
            outcome = goal.test(self._evidence())
            if not outcome.holds:
                reasons.insert(0, f"The goal is not met: {outcome.why}")
            if not standing.helped:
                reasons.append("No proposal was accepted.")
        success = not reasons
        reward = self.config.reward
        paid = standing.paid(success=reward.success * success)
        best = reward.success + (reward.accepted if self.scenario.help is not None else 0.0)
        return PareGrading(success, tuple(reasons), paid.earned, best)

    # -- ends --------------------------------------------------------------------------------------------------------

    def _finish(self, *, terminated: bool, reason: str = "") -> None:
        if self.ending != NO_ENDING:
            return
        for call in self.queue:
            self.say(Message("tool", "[environment] Not run: the session is over.", tool_call_id=call.id))
        self.queue = ()
        grading = self.grade()
        self.record("end", terminated=terminated, truncated=not terminated, reason=reason)
        self.record("graded", success=grading.success, reasons=list(grading.reasons))
        self.standing = replace(self.standing, earned=grading.components)
        self.ended, self.ending = True, Ending(terminated, reason, grading=grading)
        self._close_step()

    def _close_step(self) -> None:
        """Write the step's record: what was earned since the last one."""
        before, now = self._before.earned, self.standing.earned
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
            "proposed": self.standing.proposals > 0,
            "wanted": self.scenario.help is not None,
            "reasons": [] if grading is None else list(grading.reasons),
        }
        return build_record(
            self,
            tuple(self.log),
            turns=self.turn if self.ended else self.turn - 1,
            pack_hash=self.scenario.pack_hash,
            config=self.config.to_json(),
            labels=labels,
            reward_components={} if grading is None else grading.components,
            agent=agent,
            sample=sample,
            group_id=group_id,
            policy_outputs=policy_outputs,
        )

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
