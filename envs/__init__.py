"""The packs: one folder a persona. Folders that begin with an underscore are shared material."""
