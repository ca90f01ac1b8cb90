def world(stream, preferences):
    return {"cake": stream.choice(["lemon cake", "plum tart", "rye bread"])}, {}


def right(world, wishes):
    lines = [world.cake.capitalize(), f"Weight in: {wishes.unit or 'whatever'}"]
    if not wishes.plain:
        lines.append("Shop: Plain Bakery")
    if not wishes.short:
        lines += ["Best before: soon", "Keep: cool and dry"]
    if wishes.sign:
        lines.append(f"-- {wishes.sign}")
    return {"label": "\n".join(lines) + "\n"}
