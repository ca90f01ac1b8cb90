"""The PiBench family: assistant work for a simulated user with hidden intents and a final checklist."""
