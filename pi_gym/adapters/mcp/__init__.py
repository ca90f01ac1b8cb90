"""Sessions for hosts of the Model Context Protocol: any agent with a loop of its own plays, by tools alone.

`tool_session` is a session as such an agent has it, and imports nothing of the protocol; `session_server` speaks it,
and `sessions_app` serves one at each URL.
"""
