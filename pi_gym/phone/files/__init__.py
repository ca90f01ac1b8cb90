"""The files of the workspace, for agents."""
