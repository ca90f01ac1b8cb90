"""One session: actions in, asks out, a step record when nothing is pending.

The path of an action: `apply` parses it and runs its calls one after the other (a call may pend); a reply, or a
question, ends the turn, and `pi_gym.pibench.turns` walks the protocol's stages. Where a call or a stage needs something
from outside, the session pends, and goes on in `answer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from string import ascii_lowercase
from typing import Any, Literal

from pi_gym.errors import SessionError
from pi_gym.family import load_entry
from pi_gym.graders.base import Grader
from pi_gym.graders.rule import RuleGrader
from pi_gym.packs import Task, load_pack, pack_world
from pi_gym.pibench.change_spans import WorldMark, with_changes
from pi_gym.pibench.opening import Opening, open_task
from pi_gym.pibench.role_check import require_roles
from pi_gym.pibench.session_state import SessionState
from pi_gym.pibench.settings import MAX_LATE_ACTIONS, SessionConfig
from pi_gym.pibench.standing import session_labels, turns_ended
from pi_gym.pibench.turns import complete_step, end_turn, finish, run_stage
from pi_gym.pibench.views import PROTECTED
from pi_gym.session.actions import parse_action
from pi_gym.session.recording import build_record
from pi_gym.session.trajectory import Trajectory
from pi_gym.session.transcript import calls_left_note, refusal, with_note
from pi_gym.state import World
from pi_gym.tools import MadeSchemas, ToolContext, ToolResult
from pi_gym.tools.declare import Effort
from pi_gym.tools.web_corpus import WebPages
from pi_gym.types import Answer, Message, ToolCall
from pi_gym.users.base import User
from pi_gym.users.rule import RuleUser

CALL_TIME = timedelta(seconds=5)
ASK_USER = "ask_user"


class PiSession(SessionState):
    """One conversation over one task.

    Args:
        task: what `pack.instantiate` gave.
        start: the world to begin from; None: the pack's world before any session.
        config: limits, patience, reward and the like.
        user: the simulated user; the rule-based one by default.
        grader: the grader; the rule-based one by default.
        opening: an opening made before, to share; then `start` is not looked at.

    Raises:
        RolesNeeded: the task has no predicates, and the roles are rule-based.

    Attributes:
        pending: the asks that must be answered before the session goes on.
        step: the record of the last action; None before the first and while asks are pending.
        history: the whole transcript that the agent may see, as text.
        world: workspace and apps.
        ended: whether the session is over.
    """

    def __init__(
        self,
        task: Task,
        start: World | None = None,
        *,
        config: SessionConfig | None = None,
        user: User | None = None,
        grader: Grader | None = None,
        opening: Opening | None = None,
    ) -> None:
        config, user, grader = config or SessionConfig(), user or RuleUser(), grader or RuleGrader()
        require_roles(task, user, grader, config.reward)
        if opening is None:
            start = start if start is not None else pack_world(load_pack(task.pack_source))
            opening = open_task(
                task,
                start,
                config.tools,
                subagent=config.subagent,
                limits=config.limits,
                paper_letter=config.paper_letter,
            )
        if task.grader:
            grader = load_entry(task.grader, "grader of the task")(grader)
        super().__init__(task, config, user, grader, opening)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The opening messages; what follows is in each step record."""
        return self.opening.messages

    def tool_schemas(self, made: MadeSchemas | None = None) -> list[dict[str, Any]]:
        """The function schemas of the tools that the session offers, as fresh objects; `made` as in `Registry`."""
        return self.opening.registry.schemas(made)

    def apply(self, action: object) -> None:
        """Take one action of the agent: text, an OpenAI message, or `Message`/`ToolCall` objects.

        Afterwards either `pending` holds asks, or `step` holds the record of the action.

        Raises:
            SessionError: asks are pending, or the session is over.
        """
        self.require_free()
        self.begin_step()
        self.steps += 1
        try:
            parsed = parse_action(action)
            fault = parsed.fault or (_misplaced_question(parsed.calls) if len(parsed.calls) > 1 else "")
            self.take(parsed, fault)
            if fault:
                self.reject(fault)
                complete_step(self)
            elif self.queue:
                left = self.calls_left()
                if left <= 0:
                    self.in_turn = replace(self.in_turn, late=self.in_turn.late + 1)
                self._run_calls(left)
            else:
                end_turn(self, parsed.content, "final")
        except SessionError:
            raise
        except Exception as error:
            self._break_off(error)

    def _go_on(self, answers: tuple[Answer, ...]) -> None:
        if self.action.stage == "call":
            self._resume_call(answers[-1])
        else:
            run_stage(self, self.action.stage, answers)

    def truncate(self, reason: str) -> None:
        """Cut the session short: open intents stay open, the checklist is graded as things stand.

        Raises:
            SessionError: asks are pending, or the session is over.
        """
        self.require_free()
        self.begin_step()
        try:
            finish(self, terminated=False, reason=reason)
        except SessionError:
            raise
        except Exception as error:
            self._break_off(error)

    def _cut_short(self, reason: str) -> None:
        self.forget_evidence()
        finish(self, terminated=False, reason=reason)

    def trajectory(
        self,
        *,
        agent: str = "",
        sample: int = 0,
        group_id: str = "",
        policy_outputs: tuple[Mapping[str, Any], ...] = (),
    ) -> Trajectory:
        """The record of the session so far; the arguments are what the session itself does not know."""
        events, grading = tuple(self.log), self.ending.grading
        words = sum(len(event.data["text"].split()) for event in events if event.kind == "user")
        return build_record(
            self,
            events,
            turns=turns_ended(events),
            pack_hash=self.task.pack_hash,
            config={**self.config.to_json(), "roles": {"user": self.user.name, "grader": self.grader.name}},
            labels=session_labels(self.task.intents, self.standing, self.checklist, grading, words),
            reward_components={} if grading is None else grading.components,
            agent=agent,
            sample=sample,
            group_id=group_id,
            policy_outputs=policy_outputs,
        )

    # -- actions and calls -----------------------------------------------------------------------------------------

    def _context(self) -> ToolContext:
        web: WebPages | Literal["live"] = "live" if self.config.web == "live" else self.task.home.web
        return call_context(self.task, self.world, self.clock, self.effort, web)

    def _run_calls(self, left: int) -> None:
        """Run what is queued; `left` is how many calls the turn still has."""
        while self.queue:
            call = self.queue[0]
            # A question ends the turn, as a reply does.
            if left <= 0 and call.name != ASK_USER:
                self._refuse(call)
                continue
            self.tool_calls += 1
            self.clock += CALL_TIME
            context, mark = self._context(), WorldMark.of(self.world)
            try:
                result = self.opening.registry.run(call, context)
            except Exception as error:
                result = self.broken(call, error)
            self._keep_changes(mark)
            if result.request is not None:
                self.pend("call", call.name, (result.request,))
                return
            left -= 1
            if self._close_call(call, result, context, left):
                return
        if self.in_turn.late >= MAX_LATE_ACTIONS:
            finish(self, terminated=False, reason="max_tool_calls")
        else:
            complete_step(self)

    def _resume_call(self, answer: Answer) -> None:
        call, context, mark = self.queue[0], self._context(), WorldMark.of(self.world)
        try:
            result = self.opening.registry.resume(call, context, answer.value)
        except Exception as error:
            result = self.broken(call, error)
        self._keep_changes(mark)
        if result.request is not None:
            self.pend("call", call.name, (result.request,))
            return
        left = self.calls_left()
        if not self._close_call(call, result, context, left):
            self._run_calls(left)

    def _keep_changes(self, mark: WorldMark) -> None:
        self.change_spans = with_changes(self.change_spans, self.world, mark, len(self.said))

    def _refuse(self, call: ToolCall) -> None:
        """Answer a call for which the turn has no room."""
        text = refusal(self.config.limits.max_tool_calls, MAX_LATE_ACTIONS - self.in_turn.late)
        self.queue = self.queue[1:]
        self.refuse(call, text)

    def _close_call(self, call: ToolCall, result: ToolResult, context: ToolContext, left: int) -> bool:
        """Record a call that has run; True where it ended the turn."""
        self.queue = self.queue[1:]
        text, ok = result.text, result.ok
        ends_turn = ok and call.name == ASK_USER
        # The tool's own result is evidence; the note is for the agent alone.
        text_left = "" if ends_turn else calls_left_note(left)
        note = {"note": text_left} if text_left else {}
        # The user's answer is a question's result, so its tool message comes later.
        later = {"answered_later": True} if ends_turn else {}
        self.record("call", id=call.id, name=call.name, arguments=call.arguments, result=text, ok=ok, **note, **later)
        if not ok:
            self.mark_invalid(call.id)
        for sent in context.outbox:
            attached = [{"path": one.path, "sha256": one.sha256} for one in sent.attached]
            self.record_reply(sent.text, "message", **({"attached": attached} if attached else {}))
        if ends_turn:
            self.update(ask_call=call.id)
            end_turn(self, _question_text(call.arguments), "ask_user")
            return True
        self.say(Message("tool", with_note(text, note.get("note", "")), tool_call_id=call.id))
        return False


def call_context(
    task: Task, world: World, clock: datetime, effort: Effort, web: WebPages | Literal["live"] | None
) -> ToolContext:
    """The context of a call in a session of a task; files that it writes are of this time."""
    now = world.workspace.clock = clock.isoformat()
    return ToolContext(
        world=world,
        root=task.persona.root,
        clock=now,
        begun=task.time,
        protected=PROTECTED,
        ids=task.first_id,
        outbox=[],
        zone=task.persona.timezone,
        effort=effort,
        web=web,
    )


def _misplaced_question(calls: tuple[ToolCall, ...]) -> str:
    if any(call.name == ASK_USER for call in calls[:-1]):
        return "ask_user ends your turn, so it must be the last call of the action."
    return ""


def _question_text(arguments: Mapping[str, Any]) -> str:
    options = arguments.get("options") or []
    lettered = (f"({letter}) {option}" for letter, option in zip(ascii_lowercase, options, strict=False))
    return "\n".join([str(arguments.get("question", "")), *lettered])
