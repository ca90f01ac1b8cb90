"""The engines that play the sessions of a run: this process, several of this machine, or a plug-in's."""
