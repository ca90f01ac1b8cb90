"""Where the sessions of a run are played: this process, several of this machine, or a plug-in's."""
