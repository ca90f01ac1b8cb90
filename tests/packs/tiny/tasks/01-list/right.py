from pi_gym.authoring import Stream

PLANTS = ["basil", "chard", "dill", "fennel", "kale", "leek"]


def world(stream: Stream, preferences):
    plants = stream.sample(PLANTS, 4)
    # However few are wanted, the order has to show, and one has to be there whatever the order is.
    while plants[:2] == sorted(plants)[:2] or not {*plants[:2]} & {*sorted(plants)[:2]}:
        plants = stream.sample(PLANTS, 4)
    note = "Lists go alphabetical.\n" + "\n".join(plants) + "\n"
    facts = {"plants": plants, "count": len(plants), "names": {name: name for name in plants}}
    return facts, {"beds/note.txt": note, "beds/photo.bin": b"\x00\x01"}


def right(world, wishes):
    plants = sorted(world.plants) if wishes.sorted else list(world.plants)
    plants = plants[: wishes.top or len(plants)]
    names = [name.upper() if wishes.case == "upper" else name for name in plants]
    lines = ([f"bed: {wishes.size}"] if wishes.size else []) + names
    return {"seeds": "\n".join(lines) + "\n" + ("\n" if wishes.undrawable else ""), "first": names[0]}


def check_in_case(evidence, case):
    names = [line for line in (evidence.text("seeds.txt") or "").splitlines() if line.isalpha()]
    return bool(names) and all(name == (name.upper() if case == "upper" else name.lower()) for name in names)
