"""An agent that is a served model, and what its chat needs."""
