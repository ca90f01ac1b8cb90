"""verl's rollout without a model: a tokenizer, a configuration, and a server that says what a script says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pi_gym.adapters.session_row import SessionRow
from support.byte_tokenizer import byte_tokenizer
from support.outsiders import ROOM, Played, Script, text_of
from support.scripts import EXAMPLES, loaded

END = "<|im_end|>"
#: Writes messages as Qwen's templates do.
TEMPLATE = (
    "{% for one in messages %}<|im_start|>{{ one.role }}\n{{ one.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
#: What the scripted server says of each token's log-probability.
LOGPROB = -0.5


class ScriptedServer:
    """The model servers of a rollout, of which each action is scripted.

    Args:
        tokenizer: of the model.
        script: gives the text of an action, from its number; None: more tokens than there is room for.

    Attributes:
        prompts: of the requests, by the id that they came with, in order.
        sampled: the answers to them, likewise.
    """

    def __init__(self, tokenizer: Any, script: Callable[[int], str | None]) -> None:
        self.tokenizer, self.script = tokenizer, script
        self.prompts: dict[str, list[list[int]]] = {}
        self.sampled: dict[str, list[list[int]]] = {}

    async def generate(self, request_id: str, *, prompt_ids: list[int], sampling_params: Any, **_: Any) -> Any:
        from verl.workers.rollout.replica import TokenOutput

        prompts, sampled = self.prompts.setdefault(request_id, []), self.sampled.setdefault(request_id, [])
        text = self.script(len(prompts))
        prompts.append(list(prompt_ids))
        sampled.append([1] * ROOM if text is None else self.tokenizer.encode(text + END, add_special_tokens=False))
        await asyncio.sleep(0)
        ids, version = sampled[-1], len(prompts)
        return TokenOutput(
            token_ids=ids,
            log_probs=[LOGPROB] * len(ids) if sampling_params.get("logprobs") else None,
            extra_fields={"min_global_steps": version, "max_global_steps": version},
        )


def loop(
    server: ScriptedServer, env_id: str, env_kwargs: Mapping[str, Any], *, prompt: int = ROOM, room: int = ROOM
) -> Any:
    """The agent loop of one session, as verl's worker makes it; within a running event loop.

    Args:
        server: the model.
        env_id: a registered environment.
        env_kwargs: its arguments.
        prompt: tokens that an opening may have; `room`: those of all that follows.
    """
    from omegaconf import OmegaConf
    from verl.experimental.agent_loop.agent_loop import DictConfigWrap

    rollout = {"prompt_length": prompt, "response_length": room}
    return loaded("verl_agent_loop").SessionAgentLoop(
        trainer_config=DictConfigWrap(OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}})),
        server_manager=server,
        tokenizer=server.tokenizer,
        processor=None,
        dataset_cls=None,
        data_config=DictConfigWrap(OmegaConf.create({})),
        hf_model_type="qwen2",
        env_id=env_id,
        env_kwargs=env_kwargs,
    )


def play(
    env_id: str, env_kwargs: Mapping[str, Any], rows: Sequence[SessionRow], scripts: Sequence[Script]
) -> list[Played]:
    """Play sessions on one event loop."""
    tokens = byte_tokenizer(TEMPLATE)

    async def play_one(row: SessionRow, script: Script) -> Played:
        def text(number: int) -> str | None:
            said = script(number)
            return None if said is None else text_of(said)

        server = ScriptedServer(tokens, text)
        output = await loop(server, env_id, env_kwargs).run({"logprobs": True}, extra_info=asdict(row))
        (requests,) = server.prompts.values()
        prompts = [tokens.decode(one) for one in requests]
        if not output:
            return Played(None, [""] * len(prompts))
        whole = [*prompts[1:], tokens.decode([*output.prompt_ids, *output.response_ids])]
        heard = [after.removeprefix(before) for before, after in zip(prompts, whole, strict=True)]
        return Played(output.reward_score, heard)

    async def play_all() -> list[Played]:
        return await asyncio.gather(*map(play_one, rows, scripts))

    return asyncio.run(play_all())


def worker(folder: Path, server: ScriptedServer, *overrides: str, kind: type | None = None) -> Any:
    """verl's worker with its own configuration and the example's YAML, in this process.

    Args:
        folder: for the tokenizer and the model's configuration.
        server: the model.
        overrides: of verl's configuration.
        kind: of worker; None: the one that pads.
    """
    from verl.experimental.agent_loop.agent_loop import AgentLoopWorker

    loaded("verl_agent_loop")
    server.tokenizer.save_pretrained(folder)
    model = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "vocab_size": len(server.tokenizer)}
    (folder / "config.json").write_text(json.dumps(model))
    rollout = "actor_rollout_ref.rollout"
    config = configuration(
        f"actor_rollout_ref.model.path={folder}",
        f"{rollout}.name=vllm",
        f"{rollout}.calculate_log_probs=true",
        f"{rollout}.agent.agent_loop_config_path={EXAMPLES / 'verl_agent_loop.yaml'}",
        "data.max_prompt_length=4000",
        "data.max_response_length=4000",
        *overrides,
    )
    made = object.__new__(kind or AgentLoopWorker)
    AgentLoopWorker.__init__(made, config, server)
    return made


def configuration(*overrides: str) -> Any:
    """verl's configuration of a trainer.

    Args:
        overrides: what the command line says of it.
    """
    import verl
    from hydra import compose, initialize_config_dir

    with initialize_config_dir(str(Path(verl.__file__).parent / "trainer" / "config"), version_base=None):
        return compose("ppo_trainer", overrides=list(overrides))
