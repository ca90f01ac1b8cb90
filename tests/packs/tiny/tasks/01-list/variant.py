from pi_gym.authoring import Stream

PLANTS = ["basil", "chard", "dill", "fennel", "kale", "leek"]


def world(stream: Stream, preferences):
    plants = stream.sample(PLANTS, 4)
    note = "Lists go alphabetical.\n" + "\n".join(plants) + "\n"
    return {"plants": plants, "count": len(plants)}, {"beds/note.txt": note, "beds/photo.bin": b"\x00\x01"}


def work(world, values, draw):
    plants = sorted(world.plants)
    if "top" in draw:
        plants = plants[: values.p.top]
    names = [name.upper() if values.persona.case == "upper" else name for name in plants]
    lines = ([f"bed: {values.p.size}"] if "size" in draw else []) + names
    return {"list": "\n".join(lines) + "\n", "first": names[0], "bed": f"bed: {values.p.size}"}
