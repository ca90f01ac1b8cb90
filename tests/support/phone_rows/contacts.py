"""Contacts on the phone of the tests."""

from __future__ import annotations

from typing import Any

ROWS: dict[str, dict[int, dict[str, Any]]] = {
    "contacts": {
        1: {"first_name": "Mara", "last_name": "Lind", "is_user": True, "email": "mara.lind@fastpost.example"},
        2: {"first_name": "Jonas", "last_name": "Ek", "phone": "0151 200 11", "email": "jonas.ek@fastpost.example"},
        3: {"first_name": "Ada", "last_name": "Wirth", "job": "landlady", "city_living": "Bremen"},
    }
}
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "Contacts__get_contact": [{"contact_id": 2}],
    "Contacts__search_contacts": [{"query": "jonas"}],
    "Contacts__add_new_contact": [{"first_name": "Ole", "last_name": "Berg"}],
    "Contacts__create_contact": [{"first_name": "Ole", "last_name": "Berg"}],
    "Contacts__edit_contact": [{"contact_id": 2, "updates": {"phone": "0151 200 12"}}],
    "Contacts__delete_contact": [{"contact_id": 2}, {}],
    "Contacts__open_contact": [{"contact_id": 2}],
    "Contacts__update_contact": [{"updates": {"job": "printer"}}],
}
