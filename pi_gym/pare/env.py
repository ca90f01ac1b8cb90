"""The environment of the Pare family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pi_gym.env import SessionEnv, settings_of
from pi_gym.family import Family
from pi_gym.models.config import ModelConfig
from pi_gym.models.roles import role_answerer
from pi_gym.pare.family import PARE
from pi_gym.pare.pare_settings import FAILURE_LEVELS, NOISE_LEVELS, PareConfig, PareReward, level
from pi_gym.pare.person import Person
from pi_gym.pare.person_role import person_role
from pi_gym.pare.scenario_set import ScenarioSet, installed_scenarios
from pi_gym.pare.session import PareSession
from pi_gym.sampling import Split
from pi_gym.session.answerers import Answerers, Responder
from pi_gym.vector import SessionVectorEnv


class PareEnv(SessionEnv):
    """A person, their phone, and an agent that watches, proposes, and acts where it may; a session an episode.

    ## Description
    A simulated person uses a phone of stateful apps. Mails, messages, orders and rides come in from outside. The agent
    sees the notifications whole and what the person does, without what their screens show; it may look things up at
    any time. Where it sees that help is wanted it proposes; where that is accepted it carries it out, and only then may
    it change anything. In about one world in six no help is wanted, and to wait is right.

    ## Action space
    Text (`Unicode()`), as in every environment of the package. A reply without tool calls is a proposal while the agent
    watches, and its report once it has acted.

    ## Observation space
    `Dict(history=Unicode(), workspace_diff=Unicode())`: the transcript, and the diff of the phone's files.

    ## Rewards
    +1 at the first acceptance of a help, -1 for a proposal that is rejected or replaced, and at the end 1 for success.
    See `pi_gym.pare.pare_settings.PareReward`.

    ## Termination and truncation
    `terminated` when the goal is met or lost and nothing is pending, or, where no help is wanted, when nothing more
    will happen. `truncated` after the last turn, graded as things stand.

    ## Tasks
    `pi-gym list Pare-v0` names them. `reset(options={"task": id, "variant": k})` opens one.

    ## Arguments
    Args:
        split: "test", "train", "validation" or "holdout"; what the seed draws from.
        user: who plays the person: "rule" or None; a language model, as `pi_gym.ModelConfig` or "MODEL@URL" (it needs
            `pi-gym[models]`); or a `pi_gym.pare.person.Person`.
        responder: answers the asks of a person of the caller's: asks in, answers out, in order.
        keep_prompts: trajectories keep what models were asked, word for word; otherwise its hash.
        max_turns: turns of the agent.
        observe_calls, execute_calls: tool calls of a turn in which it watches, and of an execution.
        user_actions: actions of the person in a turn.
        tools: the function schemas in info: "all" at the reset, or, by "mode", those that read while the agent watches
            and all while it acts, given anew where that changes.
        noise: events a virtual minute that have nothing to do with the scenario, or "none", "low", "medium", "high".
        tool_failure: probability with which a call of the agent's fails, or a level's name likewise.
        reward: a `PareReward`, or its fields as a mapping.
        paper_reward: the paper's letter: every acceptance pays.
        on_error: what an unscored session does: "truncate" or "raise" `ScoringFailed`.
        strict: errors of pi_gym's own are raised, for tests; else the session keeps them (`engine_faults`) and goes on.
        render_mode: "ansi" (render returns the transcript), "human" (prints it), or None.
        debug: adds everything hidden to info, under "debug".
        scenarios: another set than the installed one; its sessions are not kept and not pickled.

    ## Version
    v0.
    """

    family: ClassVar[Family] = PARE
    session: PareSession | None  # the family's own kind of session

    def __init__(
        self,
        *,
        split: Split = "test",
        user: str | ModelConfig | Person | None = "rule",
        responder: Responder | None = None,
        keep_prompts: bool = False,
        max_turns: int = 10,
        observe_calls: int = 5,
        execute_calls: int = 10,
        user_actions: int = 1,
        tools: Literal["all", "mode"] = "all",
        noise: float | str = 0.0,
        tool_failure: float | str = 0.0,
        reward: PareReward | Mapping[str, Any] | None = None,
        paper_reward: bool = False,
        on_error: Literal["truncate", "raise"] = "truncate",
        strict: bool = False,
        render_mode: str | None = None,
        debug: bool = False,
        scenarios: ScenarioSet | None = None,
    ) -> None:
        if reward is not None and paper_reward:
            raise ValueError("paper_reward: give it, or a reward of your own, not both")
        self.user = person_role(user)
        answerers = Answerers(other=role_answerer({"user": user}, responder) or responder)
        models: Any = getattr(answerers.of("model"), "roles", {})
        self.session_config = PareConfig(
            max_turns=max_turns,
            observe_calls=observe_calls,
            execute_calls=execute_calls,
            user_actions=user_actions,
            tools=tools,
            noise=level(noise, NOISE_LEVELS, "noise"),
            tool_failure=level(tool_failure, FAILURE_LEVELS, "tool_failure"),
            reward=PareReward(every_acceptance=True) if paper_reward else settings_of("reward", reward, PareReward),
            keep_prompts=keep_prompts,
            models={role: config.recorded() for role, config in models.items()},
            strict=strict,
        )
        super().__init__(
            (scenarios or installed_scenarios(),),
            split=split,
            answerers=answerers,
            on_error=on_error,
            render_mode=render_mode,
            debug=debug,
        )


class PareVectorEnv(SessionVectorEnv):
    """Many sessions of `PareEnv` side by side; `SessionVectorEnv` says how."""

    env_class = PareEnv
