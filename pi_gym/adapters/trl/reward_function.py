"""The reward function: sessions scored when TRL has played them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from pi_gym.adapters.session_play import SessionResult, finish, last_words
from pi_gym.adapters.trl.factory import SessionEnvironment
from pi_gym.errors import SessionError

#: The field of what `SessionRollout` returns that holds the result of each session.
RESULTS = "pi_result"


def session_reward(
    prompts: Sequence[Any],
    completions: Sequence[Any],
    environments: Sequence[Any] | None = None,
    log_metric: Callable[[str, float], None] | None = None,
    **columns: Any,
) -> list[float | None]:
    """The reward of each rollout: its session's undiscounted return.

    What the agent said last without calling a tool is handed over as its last reply. A session that is open even then,
    because the trainer ended the rollout, is cut short and graded as things stand. Logged, as means over the scored
    sessions: the measures of their family, such as `pi_gym/proc` and `pi_gym/turns`, and `pi_gym/invalid_actions`; and
    of all `pi_gym/unscored`, the share without a score, and `pi_gym/cut_short`, the share that the trainer ended, most
    of them because they outgrew the room that it has for them.

    Args:
        prompts: not looked at.
        completions: of each rollout, its messages.
        environments: of each rollout, its environment; `EnvironmentFactory` made it.
        log_metric: TRL's.
        columns: what else TRL passes; among it, without environments, what `SessionRollout` returned.

    Returns:
        A float for each rollout; None where its session is unscored because something of ours failed: TRL masks it.

    Raises:
        SessionError: an environment was never reset, or there are neither environments nor a `SessionRollout`.
    """
    results = session_results(prompts, completions, environments, **columns)
    if log_metric is not None:
        for name, value in session_metrics(results).items():
            log_metric(f"pi_gym/{name}", value)
    return [result.score for result in results]


def session_results(
    prompts: Sequence[Any], completions: Sequence[Any], environments: Sequence[Any] | None = None, **columns: Any
) -> list[SessionResult]:
    """The result of each rollout's session, for rewards and evaluations of your own; `session_reward` gives the scores.

    Args:
        prompts: not looked at.
        completions: of each rollout, its messages.
        environments: of each rollout, its environment.
        columns: what else TRL passes.

    Raises:
        SessionError: an environment was never reset, or there are neither environments nor a `SessionRollout`.
    """
    if environments is not None:
        return finish([_played(one) for one in environments], [last_words(one) for one in completions])
    if RESULTS in columns:
        return list(columns[RESULTS])
    raise SessionError(
        "session_reward scores sessions: pass the trainer environment_factory=EnvironmentFactory(env_id), or"
        " rollout_func=SessionRollout(env_id). AsyncGRPOTrainer hands environments to no reward function: give it"
        " rollout_worker=SessionWorker.of(…) of pi_gym.adapters.trl.asynchronous instead"
    )


def _played(environment: Any) -> Any:
    if not isinstance(environment, SessionEnvironment):
        raise SessionError(f"expected an environment of EnvironmentFactory, got {type(environment).__name__}")
    return environment._session


def session_metrics(results: Sequence[SessionResult]) -> dict[str, float]:
    """The metrics that are logged of sessions, by name without `pi_gym/`."""
    scored = [one for one in results if one.score is not None]
    metrics = {}
    if results:
        metrics["unscored"] = 1 - len(scored) / len(results)
        metrics["cut_short"] = fmean(one.cut_short for one in results)
    for name in dict.fromkeys(name for one in scored for name in one.values):
        values = [value for value in (one.values.get(name) for one in scored) if value is not None]
        if values:
            metrics[name] = fmean(values)
    return metrics
