def world(stream, preferences):
    return {"plant": stream.choice(["rose", "fern", "ivy"])}, {}


def right(world, wishes):
    return {"name": world.plant.upper() if wishes.case == "upper" else world.plant}
