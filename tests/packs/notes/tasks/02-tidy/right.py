def world(stream, preferences):
    price = f"{stream.integer(10, 20)} a sack"
    rows = [{"id": 2, "content": "Open at noon."}, {"id": 41, "title": "Flour prices", "content": price}]
    return {"rows": rows, "price": price}, {}


def right(world, wishes):
    return {"gone": [{"id": 2}]}
