"""The connection to a Ray cluster: opened and closed by a run where it is the run's own."""

from __future__ import annotations

import threading
from time import sleep
from typing import Any

import pytest

from pi_gym.cluster.ray_connection import Cluster


class Ray:
    """Connects as Ray does: one connection to a process, and an error for a second one."""

    def __init__(self) -> None:
        self.is_open, self.opened = False, 0

    def is_initialized(self) -> bool:
        return self.is_open

    def init(self, **options: Any) -> None:
        sleep(0.05)
        if self.is_open:
            raise RuntimeError("twice")
        self.is_open, self.opened = True, self.opened + 1

    def shutdown(self) -> None:
        self.is_open = False


@pytest.fixture
def ray(monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return Ray()


def test_a_connection_that_was_there_before_stays(ray):
    ray.init()
    cluster = Cluster(ray, 1, {})
    cluster.connect()
    cluster.close()
    assert ray.is_open


def test_runs_at_one_time_share_a_connection_and_the_last_one_closes_it(ray):
    first, second = Cluster(ray, 1, {}), Cluster(ray, 1, {})
    first.connect()
    second.connect()
    first.close()
    first.close()
    assert ray.is_open
    second.close()
    assert not ray.is_open
    first.connect()
    assert (ray.is_open, ray.opened) == (True, 2)
    first.close()
    assert not ray.is_open


def test_runs_that_begin_at_one_time_open_one_connection(ray):
    clusters, failed = [Cluster(ray, 1, {}) for _ in range(4)], []

    def connect(cluster: Cluster) -> None:
        try:
            cluster.connect()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=connect, args=(cluster,)) for cluster in clusters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for cluster in clusters:
        assert ray.is_open
        cluster.close()
    assert (failed, ray.opened, ray.is_open) == ([], 1, False)
