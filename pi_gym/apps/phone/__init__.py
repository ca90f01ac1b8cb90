"""Phone: contacts, text messages, alarms and the time."""
