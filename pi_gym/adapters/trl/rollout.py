"""Whole conversations for TRL's `rollout_func`: real turns of the user, and no token made twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pi_gym.adapters.trl.play import Play, finish, step_together
from pi_gym.adapters.trl.rewards import OUTCOMES
from pi_gym.adapters.trl.rows import Start, require_known
from pi_gym.adapters.trl.tokens import ChatTokens, ToolFormat
from pi_gym.env import PiEnv
from pi_gym.rollout.environments import base_env, make_env
from pi_gym.rollout.plan import BadArgument
from pi_gym.session.opening import with_actions

#: Prompts of token ids and the trainer in; for each prompt the generated ids and their log-probabilities out (None
#: where the backend gives none).
Generate: TypeAlias = Callable[[list[list[int]], Any], tuple[Sequence[Sequence[int]], Sequence[Sequence[float]] | None]]


@dataclass(slots=True)
class _Line:
    """One session of a batch, and its tokens.

    Args:
        play: the session; `prompt` the opening's token ids.
        ids: of all that followed, the model's and the environment's.
        mask: for each of these, 1 where the model made it.
        logprobs: for each of these, 0.0 where it did not.
    """

    play: Play
    prompt: list[int]
    ids: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    open: bool = True

    def add(self, ids: Sequence[int], made: int, logprobs: Sequence[float] | None = None) -> None:
        self.ids.extend(ids)
        self.mask.extend([made] * len(ids))
        self.logprobs.extend(logprobs if logprobs is not None else [0.0] * len(ids))


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
        if env_kwargs.get("history") == "own":
            raise BadArgument("history='own': its sessions come in episodes, and a trainer plays single ones")
        if tool_format not in ("schemas", "text"):
            raise BadArgument(f"tool_format: expected 'schemas' or 'text', got {tool_format!r}")
        self.env_id, self.tool_format, self.env_kwargs = env_id, tool_format, env_kwargs
        self._generate = generate or _by_trainer
        self._env: PiEnv = base_env(make_env(env_id, env_kwargs))
        self._tasks = tuple(name for pack in self._env.packs for name in pack.task_ids)
        self._plays: list[Play] = []

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
        tokens = ChatTokens(getattr(trainer.processing_class, "tokenizer", trainer.processing_class))
        room = int(trainer.args.max_completion_length)
        lines = [self._open(place, Start.of_prompt(prompt), tokens) for place, prompt in enumerate(prompts)]
        has_logprobs = True
        while going := [line for line in lines if line.open]:
            made, logprobs = self._generate([[*line.prompt, *line.ids] for line in going], trainer)
            has_logprobs = has_logprobs and logprobs is not None
            actions: list[tuple[_Line, str, bool]] = []
            for place, (line, ids) in enumerate(zip(going, made, strict=True)):
                kept = list(ids)[: room - len(line.ids)]
                line.add(kept, 1, None if logprobs is None else list(logprobs[place])[: len(kept)])
                line.open = len(kept) == len(ids)
                if line.open:
                    actions.append((line, tokens.text(kept), bool(kept) and kept[-1] == tokens.end_id))
            self._step(actions, tokens, room)
        outcomes = finish([line.play for line in lines], [None] * len(lines))
        return {
            "prompt_ids": [line.prompt for line in lines],
            "completion_ids": [line.ids for line in lines],
            "env_mask": [line.mask for line in lines],
            "logprobs": [line.logprobs for line in lines] if has_logprobs else None,
            OUTCOMES: outcomes,
        }

    def _open(self, place: int, start: Start, tokens: ChatTokens) -> _Line:
        require_known(start.task, self._tasks)
        while place >= len(self._plays):
            self._plays.append(Play(self._env.twin()))
        play = self._plays[place]
        messages = play.open(start)
        if self.tool_format == "text":
            first = messages[0] | {"content": with_actions(messages[0]["content"], play.session.opening.registry)}
            return _Line(play, tokens.opening([first, *messages[1:]], ()))
        return _Line(play, tokens.opening(messages, play.session.tool_schemas()))

    def _step(self, actions: Sequence[tuple[_Line, str, bool]], tokens: ChatTokens, room: int) -> None:
        """Take what the sessions do, and append what comes of it."""
        step_together([(line.play, text) for line, text, _ in actions])
        for line, _, ended in actions:
            if line.play.session.ended:
                line.open = False
                continue
            came = tokens.following(line.play.news(), ended=ended)
            # What leaves no room for another action is of no use to a learner.
            line.open = len(line.ids) + len(came) < room
            if line.open:
                line.add(came, 0)


def _by_trainer(prompts: list[list[int]], trainer: Any) -> tuple[Sequence[Sequence[int]], Any]:
    """As the trainer generates one turn, with transformers or with vLLM."""
    single_turn: Any = getattr(trainer, "_generate_single_turn", None)
    if single_turn is None:
        raise BadArgument(
            "this version of TRL has no _generate_single_turn; pass SessionRollout(…, generate=) your own"
        )
    ids, logprobs, *_ = single_turn(prompts, None, {}, num_generations=1)
    return ids, logprobs
