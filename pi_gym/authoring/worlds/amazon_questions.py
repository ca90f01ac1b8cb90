"""Questions about products, and their answers."""

from __future__ import annotations

from collections.abc import Iterator

from pi_gym.authoring.worlds.amazon_products import AmazonCatalogueSeeds, ProductVariant, parts
from pi_gym.authoring.worlds.amazon_times import any_moment, later_moment
from pi_gym.authoring.worlds.seed_rows import Row
from pi_gym.seeding import Stream


def questions_and_answers(
    seeds: AmazonCatalogueSeeds, products: list[ProductVariant], strangers: list[int], stream: Stream
) -> tuple[list[Row], list[Row]]:
    """The tables of questions and of answers."""
    questions: list[Row] = []
    answers: list[Row] = []
    for product in products:
        own = stream.child("questions", product.row["id"])
        for text, replies in _questions(seeds, product, own):
            people = own.sample(strangers, len(replies) + 1)
            asked = {"account": people[0], "product_id": product.row["id"], "question": text}
            written = any_moment(seeds.begin, seeds.end, own)
            questions.append({"id": len(questions) + 1, **asked, "created_at": written})
            for person, reply in zip(people[1:], replies, strict=True):
                verified, moment = own.integer(1, 4) > 1, later_moment(written, seeds.end, own)
                answer = {"account": person, "question_id": len(questions), "answer": reply}
                answers.append({"id": len(answers) + 1, **answer, "is_verified": verified, "created_at": moment})
    return questions, answers


def _questions(seeds: AmazonCatalogueSeeds, product: ProductVariant, own: Stream) -> Iterator[tuple[str, list[str]]]:
    """The questions about a product, each with its answers: from the seeds, about facts, about the delivery."""
    for text in parts(product.seed.ask):
        if product.at == 0 or own.integer(1, 100) <= 25:
            question, *replies = text.split(" > ")
            yield question, replies
    known = [name for name in product.facts if name in seeds.facts]
    if known and own.integer(1, 100) <= (85 if product.at == 0 else 30):
        name = own.choice(known)
        plan, value = seeds.facts[name], product.facts[name]
        replies = own.sample(parts(plan.answer), own.integer(1, 2))
        yield own.choice(parts(plan.ask)), [_capitalise(reply.replace("{value}", value)) for reply in replies]
    if own.integer(1, 100) <= 14:
        plan, city = seeds.delivery, seeds.sellers[product.seller].city
        days = str(product.row["delivery_days"])
        reply = own.choice(parts(plan.answer)).replace("{days}", days).replace("{city}", city)
        yield own.choice(parts(plan.ask)), [reply.replace(" 1 days", " 1 day")]


def _capitalise(text: str) -> str:
    return text[0].upper() + text[1:]
