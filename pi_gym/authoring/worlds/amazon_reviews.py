"""Reviews of products: what the seeds say of a product and of its type, put together by stars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pi_gym.authoring.worlds.amazon_products import AmazonCatalogueSeeds, ProductVariant, parts
from pi_gym.authoring.worlds.amazon_times import any_moment
from pi_gym.authoring.worlds.seed_rows import Row
from pi_gym.seeding import Stream


class _Turns:
    """Sentences in drawn order, each once before any comes again."""

    def __init__(self, sentences: list[str], own: Stream) -> None:
        self._all, self._left, self._own = sentences, list[str](), own

    def next(self) -> list[str]:
        if not self._left:
            self._left = self._own.shuffled(self._all)
        return [self._left.pop()] if self._left else []


def reviews(
    seeds: AmazonCatalogueSeeds, products: list[ProductVariant], strangers: list[int], stream: Stream
) -> Iterator[Row]:
    """The reviews of all variants; no two have the same text."""
    number, seen = 0, set[str]()
    # People come back to a department, so that buyers of one thing have bought others in common.
    regulars = {
        kind: stream.child("regulars", kind).sample(strangers, 70)
        for kind in sorted({one.kind.department for one in products})
    }
    for product in products:
        row, seed, kind = product.row, product.seed, product.kind.seed
        own = stream.child("reviews", row["id"])
        count = own.integer(7, 13) if product.at == 0 else own.integer(1, 6)
        writers = own.sample(regulars[product.kind.department], count // 2 + 1)
        writers += [one for one in own.sample(strangers, count) if one not in writers]
        texts = {"why": kind.why, "good": kind.good, "bad": kind.bad, "up": seed.up, "down": seed.down}
        said = {name: _Turns(parts(text), own) for name, text in texts.items()}
        for writer in writers[:count]:
            stars = min(5, max(1, round(own.gauss(seed.stars + 0.1, 1.3))))
            title, text = _words(seeds, product, said, stars, own)
            if text in seen:
                continue
            seen.add(text)
            number += 1
            yield {
                "id": number,
                "account": writer,
                "product_id": row["id"],
                "rating": stars,
                "title": title,
                "text": text,
                "is_verified": own.integer(1, 6) > 1,
                "created_at": any_moment(seeds.begin, seeds.end, own),
            }


def _words(
    seeds: AmazonCatalogueSeeds, product: ProductVariant, said: Mapping[str, _Turns], stars: int, own: Stream
) -> tuple[str, str]:
    """Title and text of one review."""
    words, kind, row = seeds.words, product.kind.seed, product.row

    def maybe(name: str, chance: int) -> list[str]:
        return said[name].next() if own.integer(1, 100) <= chance else []

    praise, blame = [*said["up"].next(), *maybe("good", 40)], said["down"].next()
    sentences = maybe("why", 45)
    # What is read or eaten is not in use for months, and its buyers end in other words.
    if kind.end is None and own.integer(1, 100) <= 20:
        sentences.append(own.choice(parts(words.after)))
    if stars == 5:
        sentences += praise
    elif stars == 4:
        sentences += [*praise, *blame]
    elif stars == 3:
        sentences += [praise[0], *blame, *maybe("bad", 30)]
    else:
        sentences += [*blame, *maybe("bad", 60)]
    if row["relative_size"] and own.integer(1, 100) <= 45:
        fitting = own.choice(parts(words.fit[product.seed.fit or "usual"]))
        sentences.append(fitting.replace("{size}", row["relative_size"]))
    if own.integer(1, 100) <= 45 and (stars > 3 or kind.end is None):
        ends = parts(kind.end or words.end[stars])
        sentences.append(own.choice([end for end in ends if row["color"] or "colour" not in end]))
    title: str = own.choice(parts(words.title[stars]))
    if stars != 3 and own.integer(1, 100) <= 40:
        said_of_type = said["good" if stars > 3 else "bad"].next()[0].rstrip(".")
        if len(said_of_type) <= 44 and f"{said_of_type}." not in sentences:
            title = said_of_type
    return title, " ".join(sentences)
