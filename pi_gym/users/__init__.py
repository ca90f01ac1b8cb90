"""The simulated user: judges intents, answers questions, reveals what was left open. Pure: no model is called here."""
