"""The version of pi_gym."""

#: CITATION.cff and CHANGELOG.md have it too, and a test holds them together.
__version__ = "0.1.0"
