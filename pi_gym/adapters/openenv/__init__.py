"""Sessions for OpenEnv: behind a server that clients play over WebSockets, or in the process of a trainer's rollouts.

`served_sessions` is what a server has open, and imports nothing of OpenEnv; `env_serving` is its application,
`session_client` the client. `resource_sessions` and `conversation_harness` are for trainers in one process.
"""
