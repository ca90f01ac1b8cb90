"""A page that shows the sessions of recorded runs. It is served to this machine, or written as one file.

`ViewedRuns` keeps where each session's line lies and what a list shows of it; a session is read when somebody opens it.
"""
