"""The kinds of results, a module each; its facets with their words and examples stand in docs/facets.md."""
