"""Driving sessions: from one wait to the next, many at a time, without a thread each."""
