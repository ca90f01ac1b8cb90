from pi_gym.authoring import Stream, csv_text

INGREDIENTS = ["butter", "flour", "rye", "salt", "water", "yeast"]


def world(stream: Stream, preferences):
    names = stream.sample(INGREDIENTS, 4)
    grams = [stream.integer(2, 30) * 28 for _ in names]
    recipe = "One loaf:\n" + "".join(f"{name} {amount} g\n" for name, amount in zip(names, grams, strict=True))
    return {"names": names, "grams": grams}, {"recipe.txt": recipe}


def work(world, values, draw):
    loaves = values.p.loaves if "loaves" in draw else 1
    share = 28 if values.persona.unit == "ounces" else 1
    rows = sorted((name, amount * loaves // share) for name, amount in zip(world.names, world.grams, strict=True))
    if "oven" in draw:
        rows.append(("oven", values.p.oven))
    return {"table": csv_text(["ingredient", values.persona.unit], rows)}
