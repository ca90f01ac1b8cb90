"""Whole conversations for TRL's `rollout_func`: real turns of the user, and no token made twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, TypeAlias

from pi_gym.adapters.session_play import SessionPlay, SessionResult, finish, single_session_env, step_together
from pi_gym.adapters.session_row import SessionRow
from pi_gym.adapters.trl.chat_tokens import ChatTokens, ToolFormat, require_format
from pi_gym.adapters.trl.reward_function import RESULTS
from pi_gym.adapters.trl.rows import read_prompt
from pi_gym.adapters.trl.samples import GrowingSample, TokenSample
from pi_gym.errors import BadArgument
from pi_gym.models.usage import Usage
from pi_gym.rollout.policy import PolicyOutput
from pi_gym.session import Trajectory

#: Prompts of token ids and the trainer (None outside of one) in; for each prompt the generated ids and their
#: log-probabilities out (None where the backend gives none).
#: None for a single one: the backend could not say (TRL puts it where vLLM gave NaN).
Generate: TypeAlias = Callable[
    [list[list[int]], Any], tuple[Sequence[Sequence[int]], Sequence[Sequence[float | None]] | None]
]


@dataclass(slots=True)
class _Line:
    """One session of a batch, and its tokens; `outputs` is what the policy gave, step by step."""

    play: SessionPlay
    tokens: GrowingSample
    outputs: list[PolicyOutput] = field(default_factory=list)
    open: bool = True


@dataclass(frozen=True, slots=True)
class PlayedSession:
    """A session that `SessionRollout.play` played.

    Args:
        sample: its tokens.
        result: how it was scored.
        trajectory: its record, with the policy's tokens.
    """

    sample: TokenSample
    result: SessionResult
    trajectory: Trajectory


class SessionRollout:
    """Plays sessions for `GRPOTrainer(…, rollout_func=SessionRollout(env_id), reward_funcs=session_reward)`.

    The user's words come in messages of the user's role, and a session goes on after a reply, as in the environment.
    All sessions of a batch are played at a time: what they generate is generated together, and what they ask is asked
    together. The model's tokens are kept as they were generated; the environment's are appended behind them, and masked
    (`env_mask`). Actions are read from the model's text by the environment's own syntax, `<tool_call>{…}</tool_call>`.

    Args:
        env_id: a registered environment.
        tool_format: "schemas": the chat template tells the model of its tools; "text": the system message does, by
            signatures and the action syntax, which is shorter and needs no template that knows tools.
        generate: generates; None: the trainer does.
        env_kwargs: arguments of the environment beside its id's; not `history="own"`.

    Raises:
        BadArgument: (a ValueError) `history="own"`, or an unknown tool format.
        UnknownName: no such environment.
    """

    #: TRL logs it as the function's name.
    __name__ = "session_rollout"

    def __init__(
        self, env_id: str, *, tool_format: ToolFormat = "schemas", generate: Generate | None = None, **env_kwargs: Any
    ) -> None:
        require_format(tool_format)
        self.env_id, self.tool_format, self.env_kwargs = env_id, tool_format, env_kwargs
        self._generate = generate or _by_trainer
        self._env = single_session_env(env_id, env_kwargs)
        self._plays: list[SessionPlay] = []

    def __call__(self, prompts: Sequence[Any], trainer: Any) -> dict[str, Any]:
        """Play a batch.

        Args:
            prompts: of rows that `make_dataset(…, for_rollout=True)` made, N of them.
            trainer: TRL's; its tokenizer, and the length that completions may have.

        Returns:
            Lists of length N: `prompt_ids`, `completion_ids`, `env_mask` (1: a token of the model's), `logprobs` (None
            as a whole where the backend gives none), and what `session_reward` reads.

        Raises:
            BadRow: a prompt names no session.
            BadTemplate: the tokenizer's chat template cannot be used; the message says what to pass.
        """
        lines = self._play(
            [read_prompt(prompt) for prompt in prompts],
            ChatTokens(getattr(trainer.processing_class, "tokenizer", trainer.processing_class), self.tool_format),
            int(trainer.args.max_completion_length),
            trainer,
        )
        results = finish([line.play for line in lines])
        samples = [line.tokens.sample() for line in lines]
        logprobs = [sample.logprobs for sample in samples if sample.logprobs is not None]
        return {
            "prompt_ids": [list(sample.prompt_ids) for sample in samples],
            "completion_ids": [list(sample.completion_ids) for sample in samples],
            "env_mask": [list(sample.env_mask) for sample in samples],
            "logprobs": [list(one) for one in logprobs] if len(logprobs) == len(samples) else None,
            RESULTS: results,
        }

    def play(
        self, rows: Sequence[Mapping[str, Any]], tokenizer: Any, *, max_completion_length: int, agent: str = "policy"
    ) -> list[PlayedSession]:
        """Play a batch without a trainer, by `generate`, which is given None for it: to evaluate, to choose, to pair.

        Args:
            rows: N of `make_dataset`; the same row again is the same session again, another sample of it.
            tokenizer: of the transformers library, with a chat template.
            max_completion_length: tokens of all that follows the opening, at most.
            agent: who acts, for the record.

        Raises:
            BadRow: a row names no session.
            BadTemplate: the tokenizer's chat template cannot be used; the message says what to pass.
            BadArgument: (a ValueError) there is no `generate`.
        """
        if self._generate is _by_trainer:
            raise BadArgument("play: expected SessionRollout(…, generate=…), which says how a model generates")
        starts = [SessionRow.of(row) for row in rows]
        lines = self._play(starts, ChatTokens(tokenizer, self.tool_format), max_completion_length, None)
        results = finish([line.play for line in lines])
        played: dict[SessionRow, int] = {}
        sessions = []
        for start, line, result in zip(starts, lines, results, strict=True):
            sample = played[start] = played.get(start, -1) + 1
            record = line.play.session.trajectory(
                agent=agent,
                sample=sample,
                policy_outputs=tuple(one.recorded(step) for step, one in enumerate(line.outputs, 1)),
            )
            sessions.append(PlayedSession(line.tokens.sample(), result, record))
        return sessions

    def model_usage(self) -> dict[str, Usage]:
        """The requests to models that play user and grader, so far, by role; empty where rules do."""
        return self._env.model_usage()

    def _play(self, rows: Sequence[SessionRow], tokens: ChatTokens, room: int, trainer: Any) -> list[_Line]:
        """Play sessions until each is over or has no room left."""
        lines = [self._open(place, row, tokens) for place, row in enumerate(rows)]
        while going := [line for line in lines if line.open]:
            made, logprobs = self._generate([[*line.tokens.prompt_ids, *line.tokens.ids] for line in going], trainer)
            acting = []
            for place, (line, ids) in enumerate(zip(going, made, strict=True)):
                left = room - len(line.tokens.ids)
                kept = list(ids)[:left]
                drawn = None if logprobs is None else list(logprobs[place])[:left]
                line.tokens.add_action(kept, drawn)
                line.open = len(kept) == len(ids)
                if line.open:
                    line.outputs.append(PolicyOutput(tokens.text(kept), token_ids=kept, logprobs=_known(drawn)))
                    acting.append(line)
            self._step(acting, tokens, room)
        return lines

    def _open(self, place: int, row: SessionRow, tokens: ChatTokens) -> _Line:
        while place >= len(self._plays):
            self._plays.append(SessionPlay(self._env.twin()))
        play = self._plays[place]
        messages = play.open(row)
        return _Line(play, GrowingSample(tokens.opening(messages, play.session.registry)))

    def _step(self, lines: Sequence[_Line], tokens: ChatTokens, room: int) -> None:
        """Take what the sessions do, and append what comes of it."""
        step_together([(line.play, line.outputs[-1].action) for line in lines])
        for line in lines:
            news = [] if line.play.over else line.play.news()
            if line.play.over:  # to read the news may break it too
                line.open = False
                continue
            made = line.outputs[-1].token_ids or ()
            came = tokens.following(news, ended=tokens.end_id in made[-1:])
            # What leaves no room for another action is of no use to a learner.
            line.open = len(line.tokens.ids) + len(came) < room
            if line.open:
                line.tokens.add_news(came)


def _known(logprobs: Sequence[float | None] | None) -> list[float] | None:
    """The log-probabilities of an action for the record; none where one of them is not known."""
    found = [one for one in logprobs or () if one is not None and isfinite(one)]
    return found if logprobs is not None and len(found) == len(logprobs) else None


def _by_trainer(prompts: list[list[int]], trainer: Any) -> tuple[Sequence[Sequence[int]], Any]:
    """Generate as the trainer generates one turn, with transformers or with vLLM."""
    single_turn: Any = getattr(trainer, "_generate_single_turn", None)
    if single_turn is None:
        raise BadArgument(
            "this version of TRL has no _generate_single_turn; pass SessionRollout(…, generate=) your own"
        )
    ids, logprobs, *_ = single_turn(prompts, None, {}, num_generations=1)
    return ids, logprobs
