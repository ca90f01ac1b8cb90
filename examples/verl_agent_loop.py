"""Sessions as an agent loop of verl's, and the rows of its data set.

    python examples/verl_agent_loop.py --env PiBench-Mini-v0 --split train --size 1000 --out data/train.jsonl

Needs pi-gym[verl]. verl finds the loop by verl_agent_loop.yaml; docs/verl.md has the command that trains with it.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict
from typing import Any
from uuid import uuid4

from omegaconf import OmegaConf
from shared.session_rows import prompt_of, write_rows
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput
from verl.utils.profiler import simple_timer

from pi_gym.adapters.session_play import SessionPlay, finish, single_session_env
from pi_gym.adapters.session_row import SessionRow
from pi_gym.adapters.threaded_steps import ThreadedSteps
from pi_gym.env import SessionEnv
from pi_gym.errors import BadArgument, SessionError
from pi_gym.session.transcript import with_actions

#: The column that names the loop to verl, as in verl_agent_loop.yaml.
NAME = "pi_gym"
#: The environments of this process; verl makes a loop for each session.
ENVIRONMENTS: dict[str, SessionEnv] = {}

logger = logging.getLogger(__name__)


class SessionAgentLoop(AgentLoopBase):  # type: ignore[misc]  # verl has no types
    """Plays one session: the model's tokens stay as they were sampled, what the session says is appended and masked.

    Args:
        given: verl's.
        env_id: a registered environment.
        env_kwargs: its arguments beside its id's.
    """

    def __init__(self, *given: Any, env_id: str, env_kwargs: Any = None, **named: Any) -> None:
        super().__init__(*given, **named)
        kwargs = OmegaConf.to_object(env_kwargs) if OmegaConf.is_config(env_kwargs) else dict(env_kwargs or {})
        key = json.dumps([env_id, kwargs], sort_keys=True, default=repr)
        if key not in ENVIRONMENTS:
            ENVIRONMENTS[key] = single_session_env(env_id, kwargs)
        self.play, self.steps = SessionPlay(ENVIRONMENTS[key].twin()), ThreadedSteps()

    async def run(self, sampling_params: dict[str, Any], **columns: Any) -> AgentLoopOutput | list[AgentLoopOutput]:
        """Play the session of a row.

        Args:
            sampling_params: verl's.
            columns: the row's; "extra_info" names the session.

        Returns:
            The session's tokens and its return; nothing, an empty list, where it is unscored.

        Raises:
            BadRow: the row names no session.
            BadArgument: (a ValueError) the opening has more tokens than prompts may have.
            SessionError: the model's server gave no token.
        """
        row = SessionRow.of(columns["extra_info"])
        messages = await self.steps.run(self.play.open, row)
        messages[0] = {**messages[0], "content": with_actions(messages[0]["content"], self.play.session.registry)}
        ids = await self.ct_build_initial_tokens(messages)
        if len(ids) >= self.rollout_config.prompt_length:  # verl has cut off its beginning
            raise BadArgument(
                f"data.max_prompt_length={self.rollout_config.prompt_length} has no room for the opening of the session"
                f" {row.task}/{row.variant}; raise it"
            )
        room, request_id, timing, fields = self.rollout_config.response_length, uuid4().hex, dict[str, float](), {}
        mask: list[int] = []
        logprobs: list[float] | None = [] if sampling_params.get("logprobs") else None
        while not self.play.over:
            with simple_timer("generate_sequences", timing):
                said = await self.server_manager.generate(
                    request_id=request_id, prompt_ids=ids, sampling_params=sampling_params
                )
            if not said.token_ids:
                raise SessionError(f"the model's server gave no token in the session {row.task}/{row.variant}")
            # Of the versions of the weights that of the first action, and that of the last.
            oldest = (fields or said.extra_fields).get("min_global_steps")
            fields = {**said.extra_fields, "min_global_steps": oldest}
            merged, mask, logprobs = await self.ct_merge_assistant_token(
                ids, said.token_ids, mask, logprobs, assistant_logprobs=None if logprobs is None else said.log_probs
            )
            ids = merged.token_ids
            if len(mask) >= room:
                break
            text = self.tokenizer.decode(said.token_ids, skip_special_tokens=True)
            before = [*messages, {"role": "assistant", "content": text}]
            with simple_timer("tool_calls", timing):
                messages = [*before, *await self.steps.run(self.play.act, text)]
            if self.play.over:
                break
            merged, with_news, news_logprobs = await self.ct_merge_context_msg(before, messages, ids, mask, logprobs)
            # What leaves no room for another action is of no use to a learner.
            if len(with_news) >= room:
                break
            ids, mask, logprobs = merged.token_ids, with_news, news_logprobs
        (result,) = await self.steps.run(finish, [self.play])
        if result.score is None:
            logger.warning("the session %s/%s is unscored, and left out: %s", row.task, row.variant, result.error)
            return []
        opening = len(ids) - len(mask)
        return AgentLoopOutput(
            prompt_ids=ids[:opening],
            response_ids=ids[opening:][:room],
            response_mask=mask[:room],
            response_logprobs=None if logprobs is None else logprobs[:room],
            reward_score=result.score,
            num_turns=len(messages),
            metrics=AgentLoopMetrics(**timing),
            extra_fields={**fields, "reward_extra_info": {"cut_short": result.cut_short, **result.values}},
        )


def columns(env_id: str, place: int, row: SessionRow) -> dict[str, Any]:
    """A row of verl's data set."""
    return {
        "prompt": prompt_of(row),
        "agent_name": NAME,
        "data_source": env_id,
        "reward_model": {"style": "rule", "ground_truth": ""},
        "extra_info": {"index": place, **asdict(row)},
    }


if __name__ == "__main__":
    write_rows(__doc__ or "", columns)
