def right(world, wishes):
    tags = [wishes.tag] if wishes.tag else []
    return {"note": [{"account": 1, "title": "New opening hours", "tags": tags, "pinned": True}]}
