"""The adapter to TRL. It imports neither trl nor torch: TRL calls it.

A session reaches TRL in one of two ways. `EnvironmentFactory` gives the trainer an object whose methods are the
session's tools, with `reply_to_user` for what has no place in TRL's tool loop, a turn of the user's. `SessionRollout`
is a `rollout_func`: it plays whole conversations, with messages of the user's role, all sessions of a batch at a time.
"""

from pi_gym.adapters.session_play import SessionResult
from pi_gym.adapters.session_row import BadRow
from pi_gym.adapters.trl.factory import EnvironmentFactory, environment_factories
from pi_gym.adapters.trl.reward_function import session_results, session_reward
from pi_gym.adapters.trl.rows import make_dataset
from pi_gym.adapters.trl.samples import TokenSample, token_sample
from pi_gym.adapters.trl.session_rollout import PlayedSession, SessionRollout

__all__ = [
    "BadRow",
    "EnvironmentFactory",
    "PlayedSession",
    "SessionResult",
    "SessionRollout",
    "TokenSample",
    "environment_factories",
    "make_dataset",
    "session_results",
    "session_reward",
    "token_sample",
]
