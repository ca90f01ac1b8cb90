"""The reminders."""
