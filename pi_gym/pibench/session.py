"""One session: actions in, asks out, a step record when nothing is pending.

The path of an action: `apply` parses it and runs its calls one after the other (a call may pend); a reply, or a
question, ends the turn, and `pi_gym.pibench.turns` walks the protocol's stages. Where a call or a stage needs something
from outside, the session pends, and goes on in `answer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from pi_gym.errors import SessionError
from pi_gym.graders.base import Grader
from pi_gym.graders.rule import RuleGrader
from pi_gym.packs import Task, load_pack, pack_world
from pi_gym.pibench.opening import Opening, open_task
from pi_gym.pibench.record import build_trajectory
from pi_gym.pibench.role_check import require_roles
from pi_gym.pibench.session_state import SessionState
from pi_gym.pibench.settings import SessionConfig
from pi_gym.pibench.turns import complete_step, end_turn, end_unscored, finish, run_stage
from pi_gym.pibench.views import PROTECTED
from pi_gym.session.actions import ParsedAction, clean, parse_action, plain_json
from pi_gym.session.trajectory import Trajectory
from pi_gym.session.transcript import BEYOND_LIMIT
from pi_gym.state import World
from pi_gym.tools import MadeSchemas, ToolContext
from pi_gym.types import Answer, Message, ToolCall
from pi_gym.users.base import User
from pi_gym.users.rule import RuleUser

CALL_SECONDS = 5


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
            opening = open_task(task, start, config.tools, subagent=config.subagent)
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
        self._require_idle()
        parsed = parse_action(action)
        self.begin_step()
        self.steps += 1
        calls = tuple(
            ToolCall(call.name, call.arguments, f"call_{self.tool_calls + number}")
            for number, call in enumerate(parsed.calls, start=1)
        )
        fault = parsed.fault or _misplaced_question(calls)
        self._take(parsed, () if fault else calls, fault)
        if fault:
            self._reject(fault)
        elif calls:
            self.queue = calls
            self._run_calls()
        else:
            end_turn(self, parsed.content, "final")

    def answer(self, ask_id: str, answer: Answer) -> None:
        """Answer one pending ask; once all are answered the session goes on.

        Raises:
            SessionError: no such ask is pending, or it is answered already.
        """
        ask = next((ask for ask in self.pending if ask.id == ask_id), None)
        if ask is None or ask_id in self.answers:
            waiting = ", ".join(ask.id for ask in self.pending if ask.id not in self.answers) or "none"
            raise SessionError(f"no ask {ask_id!r} is pending; pending: {waiting}")
        answer = _recordable(answer)
        self.record("answer", id=ask_id, **answer.to_json())
        self.answers = {**self.answers, ask_id: answer}
        if any(ask.id not in self.answers for ask in self.pending):
            return
        asks, answers = self.pending, tuple(self.answers[ask.id] for ask in self.pending)
        self.pending, self.answers = (), {}
        for one, given in zip(asks, answers, strict=True):
            if given.error:
                end_unscored(self, f"{one.role} ({one.stage}): {given.error}", one.kind)
                return
        if self.stage == "call":
            self._resume_call(answers[0])
        else:
            run_stage(self, self.stage, answers)

    def truncate(self, reason: str) -> None:
        """Cut the session short: open intents stay open, the checklist is graded as things stand.

        Raises:
            SessionError: asks are pending, or the session is over.
        """
        self._require_idle()
        self.begin_step()
        finish(self, terminated=False, reason=reason)

    def fail(self, error: str, kind: str = "engine") -> None:
        """End the session unscored. Pending asks are dropped; after the end this does nothing.

        Args:
            error: what happened.
            kind: whose failure it was: "model", "policy", "shell", "engine", …
        """
        if not self.ended:
            self.pending, self.answers, self.queue = (), {}, ()
            end_unscored(self, error, kind)

    def trajectory(
        self,
        *,
        agent: str = "",
        sample: int = 0,
        group_id: str = "",
        policy_outputs: tuple[Mapping[str, Any], ...] = (),
    ) -> Trajectory:
        """The record of the session so far; the arguments are what the session itself does not know."""
        return build_trajectory(self, agent=agent, sample=sample, group_id=group_id, policy_outputs=policy_outputs)

    # -- actions and calls -----------------------------------------------------------------------------------------

    def _require_idle(self) -> None:
        if self.ended:
            raise SessionError("the session is over; open a new one")
        if self.pending:
            waiting = ", ".join(f"{ask.id} ({ask.role}, {ask.stage})" for ask in self.pending)
            raise SessionError(f"asks are pending: {waiting}; answer them with session.answer(ask_id, answer)")

    def _take(self, parsed: ParsedAction, calls: tuple[ToolCall, ...], fault: str) -> None:
        listed = [{"id": call.id, "name": call.name, "arguments": dict(call.arguments)} for call in calls]
        given = {} if parsed.message is None else {"message": parsed.message}
        self.record(
            "agent",
            action=parsed.raw,
            content=parsed.content,
            calls=listed,
            thought=parsed.thought,
            fault=fault,
            **given,
        )
        self.say(Message("assistant", parsed.content, calls))

    def _reject(self, fault: str) -> None:
        text = f"[environment] The action was not run. {fault}"
        self.mark_invalid()
        self.record("environment", text=text)
        self.say(Message("user", text))
        complete_step(self)

    def _context(self) -> ToolContext:
        return ToolContext(
            world=self.world,
            root=self.task.persona.root,
            clock=self.clock.isoformat(),
            protected=PROTECTED,
            ids=self.task.first_id,
            outbox=[],
            zone=self.task.persona.timezone,
            effort=self.effort,
            web="live" if self.config.web == "live" else self.task.home.web,
        )

    def _run_calls(self) -> None:
        while self.queue:
            if self.turn_calls >= self.config.limits.max_tool_calls:
                self.close_calls(BEYOND_LIMIT)
                finish(self, terminated=False, reason="max_tool_calls")
                return
            call = self.queue[0]
            self.tool_calls += 1
            self.turn_calls += 1
            self.clock += timedelta(seconds=CALL_SECONDS)
            context = self._context()
            result = self.opening.registry.run(call, context)
            if result.request is not None:
                self.pend("call", call.name, (result.request,))
                return
            if self._close_call(call, result.text, result.ok, context):
                return
        complete_step(self)

    def _resume_call(self, answer: Answer) -> None:
        call, context = self.queue[0], self._context()
        result = self.opening.registry.resume(call, context, answer.value)
        if result.request is not None:
            self.pend("call", call.name, (result.request,))
            return
        if not self._close_call(call, result.text, result.ok, context):
            self._run_calls()

    def _close_call(self, call: ToolCall, text: str, ok: bool, context: ToolContext) -> bool:
        """Record a call that has run; True where it ended the turn."""
        self.queue = self.queue[1:]
        self.record("call", id=call.id, name=call.name, arguments=dict(call.arguments), result=text, ok=ok)
        if not ok:
            self.mark_invalid()
        for sent in context.outbox:
            attached = [{"path": one.path, "sha256": one.sha256} for one in sent.attached]
            self.record("reply", text=sent.text, how="message", **({"attached": attached} if attached else {}))
        if call.name == "ask_user" and ok:
            # The user's answer is this call's result, so its tool message comes later.
            self.ask_call = call.id
            end_turn(self, _question_text(call.arguments), "ask_user")
            return True
        self.say(Message("tool", text, tool_call_id=call.id))
        return False


def _recordable(answer: Answer) -> Answer:
    """The answer with plain JSON in it: what a server sends may hold NaN or lone surrogates, which no record can."""
    try:
        return Answer(plain_json(answer.value, "the answer"), clean(answer.error), clean(answer.note))
    except ValueError as error:
        return Answer(error=answer.error or str(error))


def _misplaced_question(calls: tuple[ToolCall, ...]) -> str:
    if any(call.name == "ask_user" for call in calls[:-1]):
        return "ask_user ends your turn, so it must be the last call of the action."
    return ""


def _question_text(arguments: Mapping[str, Any]) -> str:
    options = arguments.get("options") or []
    return "\n".join([str(arguments.get("question", "")), *(f"- {option}" for option in options)])
