"""A Ray cluster of several nodes on this machine, for tests marked `ray`. Ray is imported by whoever asks for one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: In the environment of a node's processes: which node it is, and where it has its pack.
NODE, NODE_PACK = "RAY_TEST_NODE", "RAY_TEST_PACK"
#: So that a lost node is noticed within a second or two.
_QUICK = {
    "health_check_initial_delay_ms": 300,
    "health_check_period_ms": 300,
    "health_check_timeout_ms": 3000,
    "health_check_failure_threshold": 3,
}


@dataclass
class Nodes:
    """The cluster: two nodes with a processor each, named "0" and "1", and what a test adds."""

    cluster: Any

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def add(self, name: str, pack: Path | str = "", **resources: float) -> Any:
        variables = {**os.environ, NODE: name, NODE_PACK: str(pack)}
        return self.cluster.add_node(num_cpus=1, resources=resources, env_vars=variables, include_dashboard=False)

    def kill(self, node: Any) -> None:
        """As if the machine lost its power."""
        self.cluster.remove_node(node, allow_graceful=False)


@contextmanager
def two_nodes() -> Iterator[Nodes]:
    import ray
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False, "_system_config": _QUICK, "env_vars": {**os.environ, NODE: "0"}}
    nodes = Nodes(Cluster(initialize_head=True, head_node_args=head))
    try:
        nodes.add("1")
        ray.init(address=nodes.address, log_to_driver=False)
        yield nodes
    finally:
        ray.shutdown()
        nodes.cluster.shutdown()


class OnNode(str):
    """A path that means on each node what that node has there."""

    def __reduce__(self) -> Any:
        return os.path.expandvars, (f"${NODE_PACK}",)
