"""Graders: the checklist's verdicts. Pure: no model is called here."""
