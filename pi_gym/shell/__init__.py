"""Running shell commands of agents in a sandbox, over a copy of the workspace."""

from pi_gym.shell.limits import ShellLimits
from pi_gym.shell.runner import Availability, Backend, ShellRunner

__all__ = ["Availability", "Backend", "ShellLimits", "ShellRunner"]
