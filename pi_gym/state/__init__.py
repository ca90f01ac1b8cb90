"""Copy-on-write state: workspace, tables, world. A fork costs the same whatever the size of what it shares."""

from pi_gym.state.tables import Database, Table
from pi_gym.state.tree import Blob
from pi_gym.state.workspace import Changes, Mark, Workspace, WorkspaceError
from pi_gym.state.world import World

__all__ = ["Blob", "Changes", "Database", "Mark", "Table", "Workspace", "WorkspaceError", "World"]
