"""The proof that scenarios are good: what is checked of each, and of the set (docs/authoring_pare.md)."""
