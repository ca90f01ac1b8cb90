"""Simple Note: notes with tags."""
