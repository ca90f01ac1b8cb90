"""The official layout of π-Bench: reading a copy that the user has, as a pack whose tasks need model roles."""
