"""Collecting sessions with a policy, from a script or inside a running event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

from pi_gym.rollout.agents import Policy
from pi_gym.rollout.engines.players import Player, make_player
from pi_gym.rollout.request import Engine, Request, Watcher
from pi_gym.rollout.run import Run
from pi_gym.runs.progress import Meter, Progress
from pi_gym.runs.results import RunResults
from pi_gym.runs.store import RunFolder
from pi_gym.runs.summary import RunSummary
from pi_gym.sampling import Split


def collect(
    env_id: str,
    policy: Policy,
    *,
    sessions: int | None = None,
    concurrency: int | None = None,
    group_size: int = 1,
    out: str | Path | None = None,
    resume: bool = False,
    engine: Engine = "local",
    workers: int = 1,
    ray_options: Mapping[str, Any] | None = None,
    session_timeout_s: float | None = None,
    seed: int = 0,
    split: Split = "test",
    tasks: Sequence[str] | None = None,
    variants: Sequence[int] | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    policy_kwargs: Mapping[str, Any] | None = None,
    progress: Watcher | None = None,
    protocol: str | None = None,
) -> RunSummary:
    """Play sessions with a policy and keep their trajectories.

    The plan is made first, and is the same for the same arguments: round after round over the split's tasks in episode
    order, one variant a round. What comes out is the same too, however many are played at a time and by how many
    processes.

    Args:
        env_id: a registered environment.
        policy: a name ("reference", "memory", "silent", "asking", "random"), "module:Class", "module:function",
            "MODEL@URL" (a served model), an agent (`reset` and `act`; see `pi_gym.rollout.Agent`), or a function
            `policy(messages, tools)`. The function gets the whole chat so far and the tools' schemas in OpenAI's format
            and gives an action, or a `PolicyOutput`. Agents' methods and functions may be coroutine functions; these
            run on one background loop of the process, all others in threads.
        sessions: how many, at most a million; None: each task once, for each of `variants` where they are given.
        concurrency: how many sessions each process plays at a time, so that they wait together; each has an environment
            and an agent of its own. None: 16 where models play a role or the policy is asynchronous (unless it is an
            agent's object), else 1.
        group_size: how often each start (task, variant, seed) is played; `sessions` counts all of them.
        out: the run's folder; None: trajectories are kept in memory, in the summary.
        resume: go on with the run in `out`: what is scored stays, the rest is played. Without a run there, begin it.
        engine: "local": this machine; "ray": a Ray cluster, where each worker is an actor. It is the one that the
            process is connected to, else the one that RAY_ADDRESS names or that runs here, else one that is begun for
            the run.
        workers: number of processes; 1 plays in this one, unless Ray plays. With more, policy and arguments must be
            picklable, and a script needs the usual `if __name__ == "__main__":`. On Ray, a function of the script or of
            a notebook may be the policy.
        ray_options: of Ray's actors: for example num_cpus (1 each unless this says otherwise), resources, runtime_env.
        session_timeout_s: how long a session may take, from its opening. One that takes longer is unscored, with error
            kind "policy" where the policy was waited for, "model" where a role's model was. A policy that is no
            coroutine function goes on in its thread, and nobody waits for it.
        seed: draws the variants, and seeds every reset.
        split: "test" (variant 0; repeats are counted as samples), "train", "validation" or "holdout". Where tasks or
            variants are given that are not of it, the run is recorded as of the split "explicit".
        tasks: these instead of the split's; each once.
        variants: these, each once, instead of drawn ones, a round each, from the first again after the last.
        env_kwargs: arguments of the environment beside its id's; not `split`.
        policy_kwargs: arguments of a policy that is named: of the class, or of the served model (see
            `pi_gym.baselines.served.chat.ChatAgent.from_text`).
        progress: called at the start, after every session, and about once a second where sessions are played at a
            time.
        protocol: how the summary averages, one of the family's ways; None: its usual one. Of PiBench environments
            "paper", or "official" as the published code does it. What is played and recorded is the same.

    Returns:
        Means and counts. Sessions that failed for our reasons or the policy's are unscored, and in no mean.

    Raises:
        UnknownName: no such environment, policy, split, task, engine or protocol; the message lists the known ones.
        RolesNeeded: (a ValueError) the tasks have no predicates, and user or grader is rule-based.
        BadArgument: (a ValueError) an argument is out of range, or no task is left.
        NotAnAgent: (a TypeError) what was given as the policy is none, for example a class.
        BrokenAgent: (a ValueError) the policy's own code fails before it plays.
        RayMissing: (an ImportError) engine is "ray", which is not installed.
        RunError: the folder cannot be used as asked; the message says what to do.
        KeyboardInterrupt: after the folder was left in order; it can be resumed.
    """
    request = Request(**locals())
    return _Collection(request).run()


async def collect_async(
    env_id: str,
    policy: Policy,
    *,
    sessions: int | None = None,
    concurrency: int | None = None,
    group_size: int = 1,
    out: str | Path | None = None,
    resume: bool = False,
    engine: Engine = "local",
    workers: int = 1,
    ray_options: Mapping[str, Any] | None = None,
    session_timeout_s: float | None = None,
    seed: int = 0,
    split: Split = "test",
    tasks: Sequence[str] | None = None,
    variants: Sequence[int] | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    policy_kwargs: Mapping[str, Any] | None = None,
    progress: Watcher | None = None,
    protocol: str | None = None,
) -> RunSummary:
    """The same as `collect`, awaited in a running loop: an asynchronous program, or a Jupyter cell.

    Coroutines of the policy run on this loop (in this process: not with several workers), and `progress` is called on
    it; nothing else is, so that the loop is free meanwhile. Any number may be awaited at one time.

    Raises:
        asyncio.CancelledError: where it was cancelled; what was under way is dropped, and the folder can be resumed.
    """
    request = Request(**locals())
    collection = _Collection(request, asyncio.get_running_loop())
    ended = collection.start()
    try:
        return await asyncio.shield(ended)
    except asyncio.CancelledError:
        collection.stop()
        while not ended.done():
            # The folder is left in order, however often somebody loses patience.
            try:
                await asyncio.wait((ended,))
            except asyncio.CancelledError:
                continue
        if not ended.cancelled():
            ended.exception()  # taken note of
        raise


class _Stopped(Exception):
    """Nobody wants a collection any more."""


class _Collection:
    """One call of `collect`.

    Args:
        request: what it is asked for.
        home: the loop of the caller; None: there is none.
    """

    def __init__(self, request: Request, home: asyncio.AbstractEventLoop | None = None) -> None:
        self._request, self._home = request, home
        self._stopped = False
        self._player: Player | None = None

    def start(self) -> asyncio.Future[RunSummary]:
        """Run in a thread of its own; the future is of the caller's loop."""
        future: Future[RunSummary] = Future()

        def run() -> None:
            try:
                future.set_result(self.run())
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=run, name="pi_gym-collect", daemon=True).start()
        return asyncio.wrap_future(future)

    def stop(self) -> None:
        """Have it end early; any thread may say so."""
        self._stopped = True
        if self._player is not None:
            self._player.stop()

    def run(self) -> RunSummary:
        """Collect."""
        request = self._request
        with closing(Run.prepare(request)) as run:
            if request.out is None:
                return self._play(run, None)
            with RunFolder(request.out, run.asked(), resume=request.resume) as folder:
                return self._play(run, folder)

    def _play(self, run: Run, folder: RunFolder | None) -> RunSummary:
        results = RunResults(run.plan, run.family, folder, self._request.protocol)
        measures = [one.name for one in run.family.measures[:2]]
        meter = Meter(len(run.plan.sessions), measures, results.scored, self._watcher())
        try:
            player = self._player = make_player(run, results.todo, results.line_of, self._home)
            if self._stopped:
                raise _Stopped
            with closing(player.outcomes()) as outcomes:
                for outcome in outcomes:
                    if outcome is None:
                        meter.tell(player.load())
                        continue
                    results.add(outcome)
                    meter.count(outcome.score, outcome.waits, player.load())
            if self._stopped:
                raise _Stopped
        except BaseException:
            results.abandon()
            raise
        return results.close()

    def _watcher(self) -> Watcher | None:
        watcher, home = self._request.progress, self._home
        if watcher is None or home is None:
            return watcher

        async def tell(progress: Progress) -> None:
            watcher(progress)

        def watch(progress: Progress) -> None:
            # Waited for, so that what the watcher raises ends the run as it does elsewhere.
            asyncio.run_coroutine_threadsafe(tell(progress), home).result()

        return watch
