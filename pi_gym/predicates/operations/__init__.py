"""The operations of the predicate language: each module declares its own in `OPERATIONS`, and nothing lists them."""
