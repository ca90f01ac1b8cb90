"""The shop on the phone of the tests: two products, a cart with one item, two orders, one code."""

from __future__ import annotations

from typing import Any

ROWS: dict[str, dict[int, dict[str, Any]]] = {
    "products": {1: {"name": "Rain jacket"}, 2: {"name": "Camping stove"}},
    "items": {
        1: {"product": 1, "price": 79.99, "options": {"color": "red", "size": "M"}},
        2: {"product": 1, "price": 75.5, "options": {"color": "blue", "size": "M"}, "available": False},
        3: {"product": 2, "price": 30.0},
    },
    "cart": {1: {"item": 3, "quantity": 2}},
    "discount_codes": {1: {"item": 3, "code": "SPRING", "percent": 10.0}},
    "orders": {
        1: {"order_date": "2026-05-01T12:00:00", "total": 79.99},
        2: {"order_date": "2026-04-01T12:00:00", "total": 30.0, "status": "delivered"},
    },
    "order_items": {
        1: {"order": 1, "item": 1, "product_name": "Rain jacket", "options": {"color": "red"}, "price": 79.99},
        2: {"order": 2, "item": 3, "product_name": "Camping stove", "price": 30.0},
    },
}
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "Shopping__get_product_details": [{"product_id": 1}],
    "Shopping__search_product": [{"product_name": "jacket"}],
    "Shopping__get_discount_code_info": [{"discount_code": "SPRING"}, {}],
    "Shopping__get_order_details": [{"order_id": 1}],
    "Shopping__add_to_cart": [{"item_id": 1, "quantity": 2}, {}],
    "Shopping__remove_from_cart": [{"item_id": 3}],
    "Shopping__remove_item": [{"item_id": 3}],
    "Shopping__checkout": [{"discount_code": "SPRING"}, {}],
    "Shopping__cancel_order": [{"order_id": 1}, {"order_id": 2}],
    "Shopping__view_product": [{"product_id": 1}],
    "Shopping__view_variant": [{"item_id": 1}],
    "Shopping__view_order": [{"order_id": 1}, {}],
    "Shopping__add_product": [{"name": "Head lamp"}],
    "Shopping__add_item_to_product": [{"product_id": 2, "price": 35.0, "options": {"burners": "2"}}],
    "Shopping__update_item": [{"item_id": 1, "new_price": 69.99}, {"item_id": 1}],
    "Shopping__add_discount_code": [{"item_id": 1, "discount_code": {"DRY": 15.0}}],
    "Shopping__update_order_status": [{"order_id": 1}],
}
