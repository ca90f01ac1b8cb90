def right(world, wishes):
    return {"note": [{"account": 1, "title": "Fog", "tags": [wishes.tag] if wishes.tag else []}]}
