"""Spotify: songs, albums and artists, playlists, a library, a play queue and reviews."""
