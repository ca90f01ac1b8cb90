"""A run: its plan, its folder, and its figures, whatever family its sessions are of."""
