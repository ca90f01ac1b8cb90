"""Reminders on the phone of the tests."""

from __future__ import annotations

from typing import Any

ROWS: dict[str, dict[int, dict[str, Any]]] = {
    "reminders": {
        1: {"title": "Call the landlady", "due_datetime": "2026-05-04T08:30:00", "description": "About the lease."},
        2: {
            "title": "Pay the rent",
            "due_datetime": "2026-01-31T09:00:00",
            "repetition_unit": "month",
            "time_notified": "2026-01-31T09:00:00",
        },
        3: {"title": "Pack for the boat", "due_datetime": "2026-05-08T20:00:00"},
    }
}
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "Reminders__add_reminder": [{"title": "Water", "due_datetime": "2026-05-05 09:00:00", "description": ""}],
    "Reminders__update_reminder": [
        {
            "reminder_id": 3,
            "title": "Pack",
            "description": "",
            "due_datetime": "2026-05-08 21:00:00",
            "repetition_unit": None,
            "repetition_value": None,
        }
    ],
    "Reminders__delete_reminder": [{"reminder_id": 3}],
    "Reminders__open_reminder": [{"reminder_id": 3}],
    "Reminders__set_title": [{"title": "Pack"}],
    "Reminders__set_description": [{"description": "The blue bag."}],
    "Reminders__set_due_datetime": [{"due_datetime": "2026-05-08 21:00:00"}],
    "Reminders__set_repetition": [{"unit": "week", "value": 2}],
    "Reminders__fall_due": [{"reminder_id": 1}],
}
