"""Notes in folders."""
