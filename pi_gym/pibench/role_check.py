"""The check that a session's roles can judge its task."""

from __future__ import annotations

from pi_gym.errors import RolesNeeded
from pi_gym.graders.base import Grader
from pi_gym.graders.rule import RuleGrader
from pi_gym.packs import Task
from pi_gym.rewards import RewardConfig
from pi_gym.users.base import User
from pi_gym.users.rule import RuleUser


def require_roles(task: Task, user: User, grader: Grader, reward: RewardConfig) -> None:
    """See to it that rules are asked only about what has rules.

    Args:
        task: the task.
        user: the simulated user.
        grader: the grader.
        reward: what the session pays.

    Raises:
        RolesNeeded: the task has no predicates, and a rule-based role would have to judge it; or the reward depends on
            predicates.
    """
    lacking = []
    if isinstance(user, RuleUser) and not task.intents_by_rule:
        lacking.append("user")
    if isinstance(grader, RuleGrader) and not task.items_by_rule:
        lacking.append("grader")
    if lacking:
        raise RolesNeeded(
            f"task {task.id!r} of pack {task.pack!r} has no predicates, as every task in the official layout, so the"
            f" rule-based {' and '.join(lacking)} cannot judge it. Pass model roles: user=pi_gym.ModelConfig(…) and"
            " grader=pi_gym.ModelConfig(…), or on the command line --role user=MODEL@URL --role"
            " grader=MODEL@URL"
        )
    if reward.pay_held_only and not task.intents_by_rule:
        raise RolesNeeded(
            f"task {task.id!r} of pack {task.pack!r} has no predicates, so nothing says which intents still hold at the"
            " end; RewardConfig(pay_held_only=True) needs tasks that have them"
        )
