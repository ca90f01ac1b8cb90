"""Sessions as an environment of SkyRL's, and the rows of its data set.

    python examples/skyrl_env.py --env PiBench-Mini-v0 --split train --size 1000 --out data/train.jsonl

Needs pi-gym[skyrl]. docs/skyrl.md has the program that trains with it.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar

from shared.session_rows import prompt_of, write_rows
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from pi_gym.adapters.session_play import SessionPlay, SessionResult, finish, single_session_env
from pi_gym.adapters.session_row import SessionRow
from pi_gym.env import SessionEnv
from pi_gym.errors import SessionError
from pi_gym.session.transcript import with_actions

#: The column that names the environment to SkyRL, and the name that it is registered by.
NAME = "pi_gym"


class SessionTextEnv(BaseTextEnv):  # type: ignore[misc]  # SkyRL's has no types
    """One session: actions are texts with `<tool_call>` blocks, observations the messages that they brought.

    `text_env` makes the class that is registered; SkyRL makes an instance for each session.

    Args:
        env_config: SkyRL's for the environment; not looked at.
        extras: the row's columns, and "max_turns", SkyRL's own limit on actions.
    """

    env: ClassVar[SessionEnv]
    unscored_reward: ClassVar[float | None]

    def __init__(self, env_config: Any = None, extras: Any = None) -> None:
        super().__init__()
        self.row = SessionRow.of(extras or {})
        self.max_turns = int(extras.get("max_turns") or 0)
        self.play = SessionPlay(self.env.twin())
        self.result: SessionResult | None = None

    def init(self, prompt: Any) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """Open the session; its own opening takes the place of the row's prompt."""
        opening = _chat(self.play.open(self.row))
        opening[0]["content"] = with_actions(opening[0]["content"], self.play.session.registry)
        return opening, {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Take an action. The session's return is paid with the last one, since SkyRL adds up what steps pay.

        Raises:
            SessionError: the session ended unscored, and no reward was named for that.
        """
        self.turns += 1
        news = _chat(self.play.act(action))
        # SkyRL leaves it to environments to keep its limit.
        if not self.play.over and self.turns != self.max_turns:
            return BaseTextEnvStepOutput(observations=news, reward=0.0, done=False, metadata={})
        (self.result,) = finish([self.play])
        reward = self.unscored_reward if self.result.score is None else self.result.score
        if reward is None:
            raise SessionError(
                f"the session {self.row.task}/{self.row.variant} is unscored, which SkyRL has no place for:"
                f" {self.result.error}. `text_env(…, unscored_reward=0.0)` goes on, with a generator that masks it"
            )
        return BaseTextEnvStepOutput(observations=news, reward=reward, done=True, metadata={})

    def get_metrics(self) -> dict[str, float]:
        """The session's measures; of one that has no score only that, 0.0 of `scored`."""
        if self.result is None or self.result.score is None:
            return {"scored": 0.0}
        measures = {name: float(value) for name, value in self.result.values.items() if value is not None}
        return {"scored": 1.0, "cut_short": float(self.result.cut_short), **measures}


def text_env(env_id: str, *, unscored_reward: float | None = None, **env_kwargs: Any) -> type[SessionTextEnv]:
    """The class of an environment's sessions, for `skyrl_gym.register(id=NAME, entry_point=text_env(env_id))`.

    Args:
        env_id: a registered environment.
        unscored_reward: what SkyRL is told where a session is unscored; None: an error ends the batch.
        env_kwargs: arguments of the environment beside its id's.
    """
    made = {"env": single_session_env(env_id, env_kwargs), "unscored_reward": unscored_reward}
    return type(SessionTextEnv.__name__, (SessionTextEnv,), made)


def _chat(messages: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Messages with what SkyRL knows of: a role and a text."""
    return [{"role": one["role"], "content": one["content"]} for one in messages]


def columns(env_id: str, place: int, row: SessionRow) -> dict[str, Any]:
    """A row of SkyRL's data set."""
    return {"prompt": prompt_of(row), "env_class": NAME, "data_source": env_id, **asdict(row)}


if __name__ == "__main__":
    write_rows(__doc__ or "", columns)
