"""The environment of the PiBench family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from pi_gym.catalogue import read_needs
from pi_gym.env import SessionEnv, require_one_of, settings_of
from pi_gym.env_answerers import Web, environment_answerers
from pi_gym.errors import UnknownName
from pi_gym.family import Family
from pi_gym.graders.base import Grader
from pi_gym.installed import envs_folder, installed_packs
from pi_gym.models.config import ModelConfig
from pi_gym.packs import Pack, load_pack
from pi_gym.pibench.family import PIBENCH
from pi_gym.pibench.roles import grader_role, user_role
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import Limits, SessionConfig
from pi_gym.rewards import RewardConfig
from pi_gym.sampling import Split
from pi_gym.schema import PackSpec, load_model
from pi_gym.session.answerers import Responder
from pi_gym.session.subagents import Subagent
from pi_gym.shell import Backend
from pi_gym.types import HistoryMode
from pi_gym.users.base import User
from pi_gym.vector import SessionVectorEnv


class PiEnv(SessionEnv):
    """Assistant work for a simulated user with hidden intents, one task session an episode of Gymnasium.

    ## Description
    A session opens with a request that leaves important things open (or with an environment event, or a heartbeat).
    The agent reads and writes a workspace with tools, sends messages, asks questions. Hidden intents are *completed*
    when the agent satisfies them unasked, *inferred* when it asks for them, *provided* when the user has to bring them
    up. The session ends when no intent is open and the agent has given its last reply; then a checklist is graded on
    the final state.

    ## Persona
    The pack that the id names; `PiBench-v0` draws over all packs that count for the benchmark, each person as often as
    any other, whatever the number of her tasks.

    ## Action space
    Text (`Unicode()`). Plain text is the agent's reply to the user and ends its turn. Text with
    `<tool_call>{"name": …, "arguments": {…}}</tool_call>` blocks calls tools, in order. `step` also takes an OpenAI
    assistant message, a `pi_gym.Message`, a `pi_gym.ToolCall` or a list of these. A malformed action is answered by a
    message headed `[environment]`, never by an exception.

    ## Observation space
    `Dict(history=Unicode(), workspace_diff=Unicode())`: the whole transcript as text, and the unified diff of the
    workspace since the previous observation.

    ## Rewards
    With |I| hidden intents, a step pays `0.5 / |I|` for each intent that it completes or asks for, and the last step
    pays `0.5 * Comp`: the return of a scored session is `0.5 * Proc + 0.5 * Comp`. See `pi_gym.RewardConfig`.

    ## Termination and truncation
    `terminated` when the session reaches its end. `truncated` at a limit (the session is graded as things stand) and
    when a model of ours fails (then the reward is NaN, `info["scored"]` is False and `info["error"]` says why).

    ## Tasks
    `pi-gym list` names them. `reset(options={"task": id, "variant": k})` opens one; without options the seed draws
    from the split.

    ## Arguments
    Args:
        pack: name of an installed pack, or the path of a folder, ours or in the official layout of π-Bench (its tasks
            need model roles); None: all packs that count for the benchmark.
        split: "test", "train", "validation" or "holdout"; what the seed draws from.
        history: what happened before: "reference", "own", "none"; None: "reference" where the pack has references.
        user: "rule"; a language model, as `pi_gym.ModelConfig` or "MODEL@URL" (it needs `pi-gym[models]`); or a
            `pi_gym.users.base.User`.
        grader: the same; or a `pi_gym.graders.base.Grader`.
        responder: answers the asks of a user or grader of the caller's: asks in, answers out, in order.
        exec_backend: the sandbox for shell commands: "bubblewrap", "landlock", "auto" (the first that works), or "off":
            then the responder is asked. Where nothing runs commands, a reset onto a task that needs them raises
            `SandboxNeeded`.
        exclude_needs: tasks that have one of these needs are left out, on every machine: ("exec",) those that run shell
            commands.
        web: "offline", the pack's own pages; "live", the web itself (it needs `pi-gym[web]`); or a function that
            answers asks of kind "web", asks in, answers out.
        subagent: does what the tool `spawn` asks for: a function that takes a `pi_gym.session.SubagentTask` and gives
            its report as text; what it changes in the task's copy of the workspace is kept. Without one there is no
            such tool.
        keep_prompts: trajectories keep what models were asked, word for word; otherwise its hash.
        reward: a `RewardConfig`, or its fields as a mapping.
        tools: "task" or "all".
        patience: replies with a question that hit nothing, after which the user answers no more; None: never.
        paper_letter: the user follows the paper's letter, see `SessionConfig`.
        max_steps, max_turns, max_tool_calls: limits per session, per session and per turn.
        on_error: what an unscored session does: "truncate" or "raise" `ScoringFailed`.
        strict: errors of pi_gym's own are raised, for tests; else the session keeps them (`engine_faults`) and goes on.
        render_mode: "ansi" (render returns the transcript), "human" (prints it), or None.
        debug: adds everything hidden to info, under "debug".

    ## Version
    v0.
    """

    family: ClassVar[Family] = PIBENCH
    session: PiSession | None  # the family's own kind of session

    def __init__(
        self,
        pack: str | Path | None = None,
        *,
        split: Split = "test",
        history: HistoryMode | None = None,
        user: str | ModelConfig | User = "rule",
        grader: str | ModelConfig | Grader = "rule",
        responder: Responder | None = None,
        exec_backend: Backend = "auto",
        exclude_needs: Sequence[str] = (),
        web: Web = "offline",
        subagent: Subagent | None = None,
        keep_prompts: bool = False,
        reward: RewardConfig | Mapping[str, Any] | None = None,
        tools: Literal["task", "all"] = "task",
        patience: int | None = 3,
        paper_letter: bool = False,
        max_steps: int = 200,
        max_turns: int = 30,
        max_tool_calls: int = 120,
        on_error: Literal["truncate", "raise"] = "truncate",
        strict: bool = False,
        render_mode: str | None = None,
        debug: bool = False,
    ) -> None:
        require_one_of("history", history, ("reference", "own", "none", None))
        packs = packs_of(pack)
        self.user, self.grader = user_role(user), grader_role(grader)
        roles = {"user": user, "grader": grader}
        answerers = environment_answerers(roles, responder, exec_backend, web, subagent)
        if history is None:
            history = "reference" if all(pack.has_references for pack in packs) else "none"
        models: Any = getattr(answerers.of("model"), "roles", {})
        self.session_config = SessionConfig(
            limits=Limits(max_steps, max_turns, max_tool_calls),
            patience=patience,
            paper_letter=paper_letter,
            tools=tools,
            subagent=subagent is not None,
            web="offline" if web == "offline" else "live",
            keep_prompts=keep_prompts,
            reward=settings_of("reward", reward, RewardConfig),
            history=history,
            exclude_needs=read_needs(exclude_needs),
            models={role: config.recorded() for role, config in models.items()},
            strict=strict,
        )
        super().__init__(
            packs,
            split=split,
            history_mode=history,
            answerers=answerers,
            exclude_needs=exclude_needs,
            on_error=on_error,
            render_mode=render_mode,
            debug=debug,
        )


class PiVectorEnv(SessionVectorEnv):
    """Many sessions of `PiEnv` side by side; `SessionVectorEnv` says how."""

    env_class = PiEnv


def packs_of(pack: str | Path | None) -> tuple[Pack, ...]:
    """The packs that an environment draws from: the one that is named, else all that count for the benchmark.

    Raises:
        UnknownName: there is no such pack, or none that counts.
    """
    if pack is not None:
        return (load_pack(pack),)
    packs = tuple(load_pack(name) for name in installed_packs() if _counts(name))
    if not packs:
        raise UnknownName("no installed pack counts for the benchmark")
    return packs


def _counts(name: str) -> bool:
    """Whether an installed pack counts for the benchmark; of the others nothing more is read."""
    return load_model(PackSpec, envs_folder() / name / "pack.yaml", f"{name}/pack.yaml").benchmark
