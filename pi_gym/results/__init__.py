"""Results: what a session hands in, where it lies, and the facets by which it is judged (docs/authoring.md)."""
