"""File System: the workspace, seen as files under ~/."""
