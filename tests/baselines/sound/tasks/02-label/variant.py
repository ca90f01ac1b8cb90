def world(stream, preferences):
    return {"cake": stream.choice(["lemon cake", "plum tart", "rye bread"])}, {}


def work(world, values, draw):
    lines = [world.cake.capitalize(), f"Weight in {values.persona.unit}:"]
    if "sign" in draw:
        lines.append(f"-- {values.p.sign}")
    return {"label": "\n".join(lines) + "\n"}
