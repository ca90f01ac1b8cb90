"""The Ray cluster of a run: how it is reached, and how many workers it has room for."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Mapping
from typing import Any

from pi_gym.cluster.ray_worker import RayWorker
from pi_gym.errors import BadArgument, PiGymError

CONNECT_S = 10.0


class _OwnConnection:
    """The connection that runs of this process opened themselves: the first opens it, and the last one closes it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.runs = 0


#: Of the process, as Ray's own connection is.
_OWN = _OwnConnection()


class Cluster:
    """A cluster that is to hold workers.

    Args:
        ray: the module.
        count: how many workers.
        options: of each, over ours.
    """

    def __init__(self, ray: Any, count: int, options: Mapping[str, Any]) -> None:
        self._ray, self._count = ray, count
        # What dies is begun anew by the run, which knows what it played.
        fixed = {"max_restarts": 0, "max_task_retries": 0, "max_concurrency": 1}
        self._options = {"num_cpus": 1, "scheduling_strategy": "SPREAD", **options, **fixed}
        amounts = {name: self._options.get(key) for name, key in _AMOUNTS.items()} | (options.get("resources") or {})
        self._needs = {name: float(amount) for name, amount in amounts.items() if amount}
        self._is_ours = False

    def connect(self) -> None:
        """See to it that this process is connected to a cluster.

        Raises:
            PiGymError: none answers, or it cannot be used from here.
        """
        with _OWN.lock:
            if not self._ray.is_initialized():
                _OWN.runs = 0  # where there was a connection, somebody else closed it
                self._open()
            elif not _OWN.runs:
                return
            _OWN.runs += 1
            self._is_ours = True

    def close(self) -> None:
        """End the connection, and a cluster that was begun with it; what was there before, or others use, stays."""
        with _OWN.lock:
            if self._is_ours:
                self._is_ours = False
                _OWN.runs = max(_OWN.runs - 1, 0)
                if not _OWN.runs:
                    self._ray.shutdown()

    def actor_class(self) -> Any:
        """The Ray actor class of the workers.

        Raises:
            BadArgument: Ray does not take the options.
        """
        try:
            return self._ray.remote(RayWorker).options(**self._options)
        except (ValueError, TypeError) as error:
            raise BadArgument(f"ray_options: {error}") from error

    def has(self, node_id: str) -> bool:
        """Whether a node is still there."""
        return any(node["NodeID"] == node_id for node in self._nodes())

    def room(self) -> int:
        """The number of workers that the present nodes can hold, were there nothing else on them."""
        nodes = [node["Resources"] for node in self._nodes()]
        if not self._needs:
            return self._count if nodes else 0
        # Ray counts in ten-thousandths: three tenths hold three workers of one.
        held = ((int(node.get(name, 0.0) / need + 1e-4) for name, need in self._needs.items()) for node in nodes)
        return sum(map(min, held))

    def require_room(self) -> None:
        """Raise PiGymError where the workers do not fit; the message says how many do."""
        room = self.room()
        if room >= self._count:
            return
        nodes, has = len(self._nodes()), self._ray.cluster_resources()
        raise PiGymError(
            f"engine='ray': {self._count} {'worker needs' if self._count == 1 else 'workers need'}"
            f" {_told({name: need * self._count for name, need in self._needs.items()})}, and the cluster has"
            f" {self._told_of(has)} on {nodes} {'node' if nodes == 1 else 'nodes'}, where {room}"
            f" {'fits' if room == 1 else 'fit'}; ask for no more, or for less each (ray_options)"
        )

    def told_free(self) -> str:
        """A sentence on what a worker needs, and what of it is free."""
        free = self._told_of(self._ray.available_resources())
        return f"a worker needs {_told(self._needs)}, and the cluster has {free} free"

    def _open(self) -> None:
        _require_answer(os.environ.get("RAY_ADDRESS", ""))
        try:
            # A cluster that RAY_ADDRESS names or that runs on this machine, else one of this machine's processors.
            self._ray.init(log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False)
        except (ConnectionError, RuntimeError) as error:  # for example another version of Ray, or of Python
            why = " ".join(str(error).split())
            raise PiGymError(f"engine='ray': the cluster cannot be used: {why}") from error

    def _nodes(self) -> list[Mapping[str, Any]]:
        return [node for node in self._ray.nodes() if node["Alive"]]

    def _told_of(self, resources: Mapping[str, float]) -> str:
        return _told({name: resources.get(name, 0.0) for name in self._needs})


#: Ray's names of what it counts, with those of the options.
_AMOUNTS = {"CPU": "num_cpus", "GPU": "num_gpus", "memory": "memory"}


def _require_answer(address: str) -> None:
    """Raise PiGymError where nobody listens at HOST:PORT: Ray itself would go on trying for a quarter of an hour."""
    host, _, port = address.rpartition(":")
    if not host or "/" in address or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_S).close()
    except OSError as error:
        raise PiGymError(f"engine='ray': no cluster answers at RAY_ADDRESS={address} ({error})") from error


def _told(amounts: Mapping[str, float]) -> str:
    return ", ".join(f"{amount:g} {name}" for name, amount in amounts.items()) or "nothing"
