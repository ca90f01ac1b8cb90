"""Playing the sessions of a run on a Ray cluster; nothing else imports this."""
