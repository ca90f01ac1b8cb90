"""Collecting sessions with a policy, from a script or inside a running event loop."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from contextlib import closing
from typing import TYPE_CHECKING

from pi_gym.loggers.named import make_logger
from pi_gym.rollout.engines.players import Player, make_player
from pi_gym.rollout.run import Run
from pi_gym.runs.progress import Meter, Progress
from pi_gym.runs.request import RunRequest, takes
from pi_gym.runs.run_log import RunLog
from pi_gym.runs.run_results import RunResults
from pi_gym.runs.store import RunFolder
from pi_gym.runs.summary import RunSummary

if TYPE_CHECKING:
    from pi_gym.runs.request import Watcher


@takes(RunRequest)
def collect(request: RunRequest) -> RunSummary:
    """Play sessions with a policy and keep their trajectories.

    The plan is made first, and is the same for the same arguments: round after round over the split's tasks in episode
    order, one variant a round. What comes out is the same too, however many are played at a time and by how many
    processes.

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
    return _Collection(request).run()


@takes(RunRequest)
async def collect_async(request: RunRequest) -> RunSummary:
    """The same as `collect`, awaited in a running loop: an asynchronous program, or a Jupyter cell.

    Coroutines of the policy run on this loop (in this process: not with several workers), and `progress` is called on
    it; nothing else is, so that the loop is free meanwhile. Any number may be awaited at one time.

    Raises:
        asyncio.CancelledError: where it was cancelled; what was under way is dropped, and the folder can be resumed.
    """
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
    """The end of a collection that nobody wants any more."""


class _Collection:
    """One call of `collect`.

    Args:
        request: what it is asked for.
        home: the loop of the caller; None: there is none.
    """

    def __init__(self, request: RunRequest, home: asyncio.AbstractEventLoop | None = None) -> None:
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
        measures = [one.name for one in run.family.headline]
        meter = Meter(len(run.plan.sessions), measures, results.scored, self._watcher(), results.models)
        loggers = [make_logger(one) if isinstance(one, str) else one for one in self._request.log_targets]
        log = RunLog(loggers, run.plan, run.family.shown, results.ended, results.models)
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
                    log.count(outcome)
                    meter.count(outcome.score, outcome.waits, player.load(), outcome.models)
            if self._stopped:
                raise _Stopped
        except BaseException:
            results.abandon()
            raise
        finally:
            log.close()
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
