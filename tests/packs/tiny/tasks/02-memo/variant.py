def world(stream, preferences):
    return {"plant": stream.choice(["rose", "fern", "ivy"])}, {}


def work(world, values, draw):
    return {"name": world.plant.upper() if values.persona.case == "upper" else world.plant}
