from pi_gym.authoring import Stream, csv_text

INGREDIENTS = ["butter", "flour", "rye", "salt", "water", "yeast"]


def world(stream: Stream, preferences):
    names = stream.sample(INGREDIENTS, 4)
    grams = [stream.integer(2, 30) * 28 for _ in names]
    recipe = "One loaf:\n" + "".join(f"{name} {amount} g\n" for name, amount in zip(names, grams, strict=True))
    return {"names": names, "grams": grams}, {"recipe.txt": recipe}


def right(world, wishes):
    unit, loaves = wishes.unit or "grams", wishes.loaves or 1
    share = 28 if unit == "ounces" else 1
    rows = [(name, amount * loaves // share) for name, amount in zip(world.names, world.grams, strict=True)]
    if wishes.sorted:
        rows.sort()
    if not wishes.rounded:
        rows = [(name, f"{amount}.0") for name, amount in rows]
    if wishes.oven:
        rows.append(("oven", wishes.oven))
    return {"table": csv_text(["ingredient", unit], rows)}
