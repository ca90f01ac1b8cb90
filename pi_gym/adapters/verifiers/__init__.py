"""Sessions for verifiers, and through it prime-rl: a taskset, and a harness in whose place the model plays them.

Verifiers finds both by the name of the top-level module `pi_gym_verifiers`, since its ids have no dots; everything here
but this and `threaded_play` needs verifiers.
"""
