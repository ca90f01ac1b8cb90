"""Events in the calendar of the tests' phone."""

from __future__ import annotations

from typing import Any

ROWS: dict[str, dict[int, dict[str, Any]]] = {
    "events": {
        1: {
            "title": "Flat viewing",
            "start_datetime": "2026-05-04T17:00:00",
            "end_datetime": "2026-05-04T17:30:00",
            "tag": "flat",
            "location": "Deichstr. 4",
            "attendees": ["Ada Wirth", "Mara Lind"],
        },
        2: {
            "title": "Night train",
            "start_datetime": "2026-05-03T22:00:00",
            "end_datetime": "2026-05-04T07:00:00",
            "tag": "travel",
            "description": "Coach 7, the ticket lies in the drawer.",
        },
        3: {
            "title": "Boat trip",
            "start_datetime": "2026-05-09T10:00:00",
            "end_datetime": "2026-05-09T16:00:00",
            "tag": "travel",
            "attendees": ["Jonas Ek"],
        },
    }
}
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "Calendar__get_calendar_event": [{"event_id": 1}],
    "Calendar__get_calendar_events_from_to": [
        {"start_datetime": "2026-05-04 00:00:00", "end_datetime": "2026-05-10 00:00:00"}
    ],
    "Calendar__get_calendar_events_by_tag": [{"tag": "travel"}],
    "Calendar__search_events": [{"query": "ticket"}],
    "Calendar__edit_calendar_event": [{"event_id": 1, "location": "Hafenstr. 9"}],
    "Calendar__delete_calendar_event": [{"event_id": 1}],
    "Calendar__add_calendar_event_by_attendee": [{"who_add": "Jonas Ek", "title": "Paddling"}],
    "Calendar__delete_calendar_event_by_attendee": [{"event_id": 3, "who_delete": "Jonas Ek"}],
    "Calendar__delete_by_attendee": [{"who_delete": "Ada Wirth"}],
    "Calendar__set_day": [{"date": "2026-05-09"}],
    "Calendar__filter_by_tag": [{"tag": "travel"}],
    "Calendar__filter_by_attendee": [{"attendee": "Ada Wirth"}],
    "Calendar__open_event_by_id": [{"event_id": 1}],
    "Calendar__open_event_by_index": [{"index": 1}],
    "Calendar__set_title": [{"title": "Viewing"}],
    "Calendar__set_time_range": [{"start_datetime": "2026-05-05 10:00:00", "end_datetime": "2026-05-05 11:00:00"}],
    "Calendar__set_tag": [{"tag": "home"}],
    "Calendar__set_description": [{"description": "Ring twice."}],
    "Calendar__set_location": [{"location": "Hafenstr. 9"}],
    "Calendar__set_attendees": [{"attendees": ["Ada Wirth"]}],
    "Calendar__add_attendee": [{"attendee": "Jonas Ek"}],
    "Calendar__remove_attendee": [{"attendee": "Ada Wirth"}],
}
