"""Judging the sessions of a run anew, and comparing judgements."""
