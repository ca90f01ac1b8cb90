"""Task 10-foyer-order: the right order as an agent can find it, other right ways, plausible wrong ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pytest
from support.play import ask, call, opened
from support.researcher import result, shortfall, sign_in, task_of

from pi_gym.packs import Task
from pi_gym.pibench.session import PiSession

TASK = "10-foyer-order"
LOTTE = "lotte.brandt@halden-it.example"
VARIANTS = (0, 3, 5, 11)


def started(variant: int) -> PiSession:
    session = opened(task_of(TASK, variant))
    sign_in(session, "amazon", "gmail", "simple_note")
    return session


# -- the right order, from what an agent can see ----------------------------------------------------------------------


@dataclass(frozen=True)
class Order:
    """What is bought, how, and what is written down."""

    lines: Mapping[int, int]
    card: int
    place: int
    own: Mapping[int, int]
    centre: str
    clothing: str
    cloth: str
    day: str
    ceiling: float
    phones: int
    lead: int
    cells: int
    shirts: Mapping[str, int]
    wishes: Mapping[str, int]

    def but(self, lines: Mapping[int, int] | None = None, without: tuple[int, ...] = (), **other: Any) -> Order:
        """The same order with other lines and without some."""
        kept = {key: count for key, count in self.lines.items() if key not in without}
        return replace(self, lines={**kept, **(lines or {})}, **other)


def mails(session: PiSession) -> dict[str, list[str]]:
    """The bodies of this month's mails by subject, oldest first."""
    threads = result(session, "gmail__show_inbox_threads", min_created_at="2026-03-01", page_limit=20)
    assert threads["total"] <= 20
    found = {}
    for thread in threads["email_threads"]:
        shown = result(session, "gmail__show_thread", email_thread_id=thread["email_thread_id"])
        found[shown["subject"]] = [mail["body"] for mail in shown["emails"]]
    return found


def products(session: PiSession, usable: Callable[[Any], bool], **filters: Any) -> Iterator[dict[str, Any]]:
    """The products that may be bought, whole, with a mapping of their features."""
    page = 0
    while True:
        listed = result(session, "amazon__search_products", page_limit=20, page_index=page, **filters)
        for line in filter(usable, listed["products"]):
            whole = result(session, "amazon__show_product", product_id=line["product_id"])
            yield {**whole, "facts": dict(one.split(": ", 1) for one in whole["features"])}
        page += 1
        if page * 20 >= listed["total"]:
            return


def only(found: Any) -> Any:
    (one,) = found
    return one


def first(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, (pattern, text)
    return match[1]


def grams(product: Mapping[str, Any]) -> int:
    return int(product["facts"].get("Weight", "999 g").replace(",", "").split()[0])


def voices(session: PiSession, product: int) -> str:
    """What buyers say of a product."""
    reviews = result(session, "amazon__show_product_reviews", product_id=product, page_limit=20)["reviews"]
    texts = [f"{one['title']} {one['text']}" for one in reviews]
    for question in result(session, "amazon__show_product_questions", product_id=product)["questions"]:
        told = result(session, "amazon__show_product_question_answers", question_id=question["question_id"])
        texts += [one["answer"] for one in told["answers"]]
    return "\n".join(texts)


def note_901(session: PiSession) -> str:
    """What Nora has noted for herself."""
    content = result(session, "simple_note__show_note", note_id=901)["content"]
    assert isinstance(content, str)
    return content


def find_order(session: PiSession, told: Mapping[str, Any]) -> Order:
    """The order from mails, note, file and shop; `told` is what only the user knows."""
    mail = mails(session)
    note = result(session, "simple_note__show_note", note_id=902)["content"]
    what = mail["Foyer demo: what we buy"]
    places = int(first(r"has (\d) places", what[-1]))
    cap = int(first(r"not more than (\d+) kroner a pair", what[0]))
    counts_now = first(r"What counts now is the (\w+)", only(mail["My nephew as an expert"]))
    banned = first(r"again\. (.+?) has not", mail["How we buy things, please keep"][-1])
    limit = only(mail["Card and limit for the demo"])

    def usable(one: Mapping[str, Any], count: int = 1) -> bool:
        in_time = one["delivery_days"] == 1 and one["inventory_quantity"] >= count
        return in_time and one["seller"]["name"] != banned

    meets: dict[str, Callable[[Mapping[str, Any]], bool]] = {
        "pads": lambda one: one["facts"].get("Ear pads") == "replaceable",
        "weight": lambda one: grams(one) <= 200,
        "cable": lambda one: "detachable" in one["facts"].get("Cable", ""),
    }
    denied = {"pads": "do not come off", "weight": r"2\d\d g ", "cable": "glued in|moulded"}[counts_now]
    phones = only(
        one["product_id"]
        for one in products(session, usable, product_type="headphones")
        if one["facts"].get("Type") == "closed, over-ear"
        and one["facts"].get("Plug") == "3.5 mm"
        and one["price"] <= cap
        and usable(one, places + 1)
        and meets[counts_now](one)
        and not re.search(denied, voices(session, one["product_id"]))
    )
    boxes = [
        one
        for one in products(session, usable, product_type="audio accessories")
        if usable(one) and int(one["facts"]["Outputs"]) >= places and one["facts"]["Power"].startswith("USB")
    ]
    assert len(boxes) == 3
    stand_in = first(r"hx-6 be gone: the (cheapest|one with the best|next bigger)", note_901(session))
    station = {
        "cheapest": min(boxes, key=lambda one: one["price"]),
        "one with the best": max(boxes, key=lambda one: one["rating"]),
        "next bigger": only(one for one in boxes if one["brand"] == "Corvane Audio"),
    }[stand_in]
    reach = int(first(r"tape measure: (\d+) m", mail["The long cable"][-1]))
    leads = {
        int(one["facts"]["Length"].split()[0]): one["product_id"]
        for one in products(session, usable, product_type="chargers and adapters", query="extension lead sockets")
        if one["facts"].get("Sockets") == "4" and "reel" not in one["name"] and usable(one)
    }
    rolls = {"two": 2, "three": 3}[first(r"counted (\w+) rolls", only(mail["Cables on the floor"]))]
    tape = only(
        one["product_id"]
        for one in products(session, usable, query="floor tape", product_type="tools")
        if one["facts"].get("Removable") == "yes" and usable(one)
    )
    cells = only(
        one["product_id"]
        for one in products(session, usable, query="AA cells", product_type="batteries")
        if one["facts"].get("Type") == "AA, NiMH" and one["facts"].get("Pieces") == "4" and usable(one)
    )
    missing = 3 * 4 * 2 - int(first(r"AA rechargeable, good ones: (\d+)", note))
    late = first(r"please order ([\w-]+) for me", only(mail["A small change"]))
    sizes = Counter(["large", "small", "extra-large", "medium", late])
    colour = first(r"shirts: (\w+)\.", note_901(session))
    cotton = [
        one
        for one in products(session, usable, product_type="t-shirts", color=colour)
        if one["brand"] == "Fjordtrøye" and usable(one)
    ]
    shirts = {one["relative_size"]: one["product_id"] for one in cotton}
    price = only({one["price"] for one in cotton if one["relative_size"] in sizes})
    wishes = {"stand": "Microphone stand, low", "lamp": "Desk lamp, dimmable", "sign": "Sign stand for the floor, A3"}
    nice = {
        key: only(products(session, lambda one, name=name: usable(one) and one["name"] == name, query=name))[
            "product_id"
        ]
        for key, name in wishes.items()
    }
    reaching = min((length, key) for length, key in leads.items() if length >= reach)[1]
    lines = {phones: places + 1, station["product_id"]: 1, reaching: 1, tape: rolls, cells: -(-missing // 4)}
    lines |= {shirts[size]: count for size, count in sizes.items()}
    lines |= {product: 1 for key, product in nice.items() if key != told["persona.foyer_wish"]}
    cards = result(session, "amazon__show_payment_cards")["payment_cards"]
    digits = first(r"ends in (\d{4})", limit)
    goes_to = first(r"go to the (porter's lodge|goods-in|library desk)", only(mail["Painters"]))
    addresses = result(session, "amazon__show_addresses")["addresses"]
    mine = first(r"\| ([^|\n]*11[^|\n]*) \|[^\n]*\| Nora \|", result(session, "read_file", path="demo/orders.md"))
    return Order(
        lines=lines,
        card=only(one["payment_card_id"] for one in cards if one["last_digits"] == digits),
        place=only(one["address_id"] for one in addresses if one["name"].lower().startswith(goes_to)),
        own={one["product_id"]: one["quantity"] for one in result(session, "amazon__show_cart")["cart_items"]},
        centre=told["persona.foyer_centre"],
        clothing=told["persona.foyer_shirts"],
        cloth=f"{5 * price:.2f}",
        day=mine.replace("11", "17"),
        ceiling=float(first(r"(\d+) kroner is all", limit)),
        phones=phones,
        lead=reaching,
        cells=cells,
        shirts=shirts,
        wishes=nice,
    )


@lru_cache(maxsize=64)
def order_of(variant: int) -> Order:
    task = task_of(TASK, variant)
    return find_order(started(variant), task.values)


def with_item(name: str) -> int:
    """The first variant that has an item."""
    return next(n for n in range(40) if name in {item.name for item in task_of(TASK, n).checklist})


# -- ways to play it ---------------------------------------------------------------------------------------------------

QUESTIONS = {
    "give-way": "Which of the three nice things shall I leave out?",
    "mail-to-lotte": "Which cost centre takes the demo?",
    "shirts-centre": "And on which cost centre do the shirts go?",
}


def fill(lines: Mapping[int, int]) -> list[str]:
    return [call("amazon__add_product_to_cart", product_id=key, quantity=count) for key, count in lines.items()]


def place(order: Order) -> str:
    return call("amazon__place_order", payment_card_id=order.card, address_id=order.place)


def buy(order: Order) -> str:
    """Empty the cart, fill it, order, put back what was there."""
    return "\n".join([call("amazon__clear_cart"), *fill(order.lines), place(order), *fill(order.own)])


def row(day: str, total: str = "TOTAL", number: str = "NUMBER", by: str = "Nora") -> str:
    return f"| {day} | {number} | things for the demo | {total} | {by} |"


def append(old: str, line: str) -> str:
    return call("write_file", path="demo/orders.md", content=f"{old.rstrip()}\n{line}\n")


def mail(order: Order, centre: str = "", cloth: str = "", *, to: tuple[str, ...] = (LOTTE,)) -> str:
    body = f"Order NUMBER, total TOTAL kroner, cost centre {centre or order.centre}. "
    body += cloth or f"The shirts in it: {order.cloth} on {order.clothing}. Nora"
    return call("gmail__send_email", email_addresses=list(to), subject="Foyer order", body=body)


@dataclass
class Way:
    """How the parts of a session are played; what is left out is played plainly."""

    purchase: str = ""
    note: Callable[[str], str] | None = None
    mail: str = ""
    more: str = ""
    reply: str = "Ordered: number NUMBER, TOTAL kroner."
    questions: Callable[[list[str]], list[str]] = lambda asked: [
        "Before I order:\n" + "\n".join(f"- {q}" for q in asked)
    ]


def play(variant: int, way: Way, order: Order | None = None) -> tuple[PiSession, set[str], set[str]]:
    """A session; the names of the intents that are neither completed nor asked for, and of the items that failed."""
    task, order = task_of(TASK, variant), order or order_of(variant)
    session = started(variant)
    for question in way.questions([QUESTIONS[one.name] for one in task.intents if one.name in QUESTIONS]):
        session.apply(question)
    old = result(session, "read_file", path="demo/orders.md")
    session.apply(way.purchase or buy(order))
    latest = result(session, "amazon__show_orders", page_limit=1)["orders"][0]
    for action in (
        way.note(old) if way.note else append(old, row(order.day)),
        way.mail or mail(order),
        way.more,
        way.reply,
    ):
        if action and not session.ended:
            number, total = str(latest["order_id"]), f"{latest['total']:.2f}"
            comma = f"{latest['total']:,.2f}".replace(",", " ").replace(".", ",")
            session.apply(action.replace("NUMBER", number).replace("TOTAL", total).replace("COMMA", comma))
    return session, *shortfall(session, "That is all that I did.")


def by_wish_list(order: Order) -> str:
    away = [call("amazon__move_product_from_cart_to_wish_list", product_id=key) for key in order.own]
    back = [call("amazon__move_product_from_wish_list_to_cart", product_id=key) for key in order.own]
    return "\n".join([*away, *fill(order.lines), place(order), *back])


def by_quantities(order: Order) -> str:
    out = [call("amazon__update_product_quantity_in_cart", product_id=key, quantity=0) for key in order.own]
    seen = [call("amazon__add_product_to_browsing_history", product_id=order.phones)]
    return "\n".join([*seen, *fill(order.lines), *out, place(order), *fill(order.own)])


def edited(order: Order) -> Callable[[str], str]:
    def note(old: str) -> str:
        last = old.rstrip().splitlines()[-1]
        new = f"{last}\n{row(order.day, by='Nora Lindqvist')}"
        return call("edit_file", path="demo/orders.md", old_text=last, new_text=new)

    return note


def drafted(order: Order) -> str:
    body = f"number: NUMBER\nsum: TOTAL kr\ncost centre: {order.centre}\nshirts: {order.cloth}, {order.clothing}"
    draft = call("gmail__create_draft", recipient_email_addresses=[LOTTE], subject="Foyer", body=body)
    return draft + "\n" + call("gmail__send_email_from_draft", draft_id=100_000 * (task_of(TASK, 0).index + 1) + 1)


def replied(order: Order) -> str:
    text = f"Done. NUMBER, TOTAL kroner, on {order.centre}. Clothing ({order.clothing}): kr {order.cloth}."
    return call("gmail__reply_to_email", email_thread_id=6007, email_id=60051, body=text)


def tidied(old_list: str) -> str:
    ticked = old_list.replace("- [ ] extension lead", "- [x] extension lead")
    read = call("gmail__mark_thread_read", email_thread_id=6013)
    return call("write_file", path="demo/shopping-list.md", content=ticked) + "\n" + read


RIGHT: dict[str, Callable[[Order], Way]] = {
    "plain": lambda order: Way(),
    "by the wish list": lambda order: Way(purchase=by_wish_list(order), note=edited(order)),
    "by quantities": lambda order: Way(purchase=by_quantities(order), mail=replied(order)),
    "one question at a time": lambda order: Way(
        questions=lambda asked: [ask(one) for one in asked],
        mail=drafted(order),
        reply="All is ordered. The number is **NUMBER**, it cost TOTAL kroner, and it comes on Wednesday.",
    ),
    "with ticks and read mails": lambda order: Way(
        more=tidied(result(started(0), "read_file", path="demo/shopping-list.md")),
        note=lambda old: append(old, row(order.day, by="Nora") + "\n"),
    ),
    "figures in another style": lambda order: Way(
        note=lambda old: append(old, row(order.day, total="COMMA", number="no. NUMBER")),
        reply="Ordered (#NUMBER), COMMA kr in all.",
    ),
    "mail first, then the row": lambda order: Way(
        note=lambda old: mail(order) + "\n" + append(old, row(f" {order.day} ")),
        mail=call("gmail__show_outbox_threads", query="foyer order"),
    ),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_order_that_an_agent_can_find_is_the_right_one(variant: int) -> None:
    session, missed, failed = play(variant, Way())
    assert (session.proc, session.comp, missed, failed) == (1.0, 1.0, set(), set())


@pytest.mark.parametrize("name", [name for name in RIGHT if name != "plain"])
@pytest.mark.parametrize("variant", VARIANTS[:2])
def test_other_right_ways_are_paid_in_full(name: str, variant: int) -> None:
    session, missed, failed = play(variant, RIGHT[name](order_of(variant)))
    assert (session.proc, session.comp, missed, failed) == (1.0, 1.0, set(), set())


def test_order_by_somebody_who_asks_nothing_misses_only_what_was_not_said() -> None:
    variant = 0
    order = order_of(variant)
    other = next(one for one in ("21640", "21611", "23075") if one != order.centre)
    _, missed, failed = play(variant, Way(questions=lambda asked: []), replace(order, centre=other))
    assert "mail-to-lotte" in missed
    assert failed == {"lotte-knows"}


# -- ways that look right and are not ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wrong:
    """A plausible mistake: what is played, the item that must fail with it, and those that may fail as well."""

    item: str
    change: Callable[[Order, Task], tuple[Way, Order]]
    also: frozenset[str] = frozenset()
    all_items: bool = False


def bought(change: Callable[[Order, Task], Order]) -> Callable[[Order, Task], tuple[Way, Order]]:
    return lambda order, task: (Way(), change(order, task))


def own_things_along(order: Order, task: Task) -> tuple[Way, Order]:
    return Way(purchase="\n".join([*fill(order.lines), place(order)])), order


def cart_left_empty(order: Order, task: Task) -> tuple[Way, Order]:
    return Way(purchase="\n".join([call("amazon__clear_cart"), *fill(order.lines), place(order)])), order


def in_two_orders(order: Order, task: Task) -> tuple[Way, Order]:
    lines = list(order.lines.items())
    parts = [*fill(dict(lines[:4])), place(order), *fill(dict(lines[4:])), place(order)]
    return Way(purchase="\n".join([call("amazon__clear_cart"), *parts, *fill(order.own)])), order


def last_size_but_one(order: Order, task: Task) -> Order:
    """Wei-Lin gets the medium shirt of the thread."""
    late = order.shirts[task.values["late_size"]]
    return order.but({late: order.lines[late] - 1, order.shirts["medium"]: 2})


def jonas_count(order: Order, task: Task) -> Order:
    text = only(
        row["content"]
        for key, row in started(task.variant).world.apps["simple_note"].table("notes").rows()
        if key == 901
    )
    return order.but({order.cells: -(-(24 - int(first(r"jonas says (\d+)", text))) // 4)})


def other_colour(order: Order, task: Task) -> Order:
    first_of = {"teal": 881, "orange": 885, "grey": 889}
    mine = task.values["shirt_colour"]
    shift = next(first_of[one] - first_of[mine] for one in first_of if one != mine)
    shirts = set(order.shirts.values())
    return replace(order, lines={key + shift if key in shirts else key: n for key, n in order.lines.items()})


WRONG: dict[str, Wrong] = {
    "own things are ordered along": Wrong("one-order", own_things_along, all_items=True),
    "two orders": Wrong("one-order", in_two_orders, all_items=True),
    "own things are thrown out": Wrong("one-order", cart_left_empty, frozenset({"nothing-else"})),
    "best seller from a shop that is out": Wrong(
        "headphones", bought(lambda o, t: o.but({804: o.lines[o.phones]}, (o.phones,)))
    ),
    "headphones that do not keep what their page says": Wrong(
        "headphones", bought(lambda o, t: o.but({810: o.lines[o.phones]}, (o.phones,)))
    ),
    "as many headphones as the list says": Wrong("headphones", bought(lambda o, t: o.but({o.phones: 4}))),
    "covers too": Wrong("goods", bought(lambda o, t: o.but({861: 2})), frozenset({"within-limit"})),
    "lead as on the list": Wrong("goods", bought(lambda o, t: o.but({831: 1}, (o.lead,)))),
    "no tape": Wrong("goods", bought(lambda o, t: o.but(without=(841,)))),
    "all wishes": Wrong("within-limit", bought(lambda o, t: o.but(dict.fromkeys(o.wishes.values(), 1)))),
    "another wish left out": Wrong(
        "within-limit",
        bought(
            lambda o, t: o.but(
                {o.wishes[t.values["persona.foyer_wish"]]: 1},
                (next(key for name, key in o.wishes.items() if name != t.values["persona.foyer_wish"]),),
            )
        ),
    ),
    "medium for Wei-Lin": Wrong("sizes", bought(last_size_but_one)),
    "a shirt for Camille": Wrong(
        "sizes",
        bought(lambda o, t: o.but({o.shirts["small"]: o.lines[o.shirts["small"]] + 1})),
        frozenset({"within-limit", "shirts-apart"}),
    ),
    "cells by the older count": Wrong("cells", bought(jonas_count), frozenset({"within-limit"})),
    "own card": Wrong("card", bought(lambda o, t: replace(o, card=1))),
    "C104": Wrong("address", bought(lambda o, t: replace(o, place=2))),
    "date in another style": Wrong("dated", lambda o, t: (Way(note=lambda old: append(old, row("17.03.26"))), o)),
    "a row that replaces another": Wrong(
        "noted",
        lambda o, t: (Way(note=lambda old: append("\n".join(old.splitlines()[:-1]), row(o.day))), o),
        frozenset({"dated"}),
    ),
    "total of another order": Wrong(
        "noted", lambda o, t: (Way(note=lambda old: append(old, row(o.day, total="5000.00"))), o), frozenset({"dated"})
    ),
    "mail to the group": Wrong(
        "lotte-knows",
        lambda o, t: (Way(mail=mail(o, to=(LOTTE, "priya.raman@halden-it.example"))), o),
        frozenset({"nothing-else", "shirts-apart"}),
    ),
    "Gunnar's cost centre": Wrong(
        "lotte-knows",
        lambda o, t: (Way(mail=mail(o, "21088")), o),
    ),
    "all cost centres": Wrong("lotte-knows", lambda o, t: (Way(mail=mail(o, "21640, 21611 or 23075")), o)),
    "a word to Maren": Wrong(
        "nothing-else",
        lambda o, t: (Way(more=mail(o, to=("maren.solberg@postbox.example",))), o),
        frozenset({"lotte-knows", "shirts-apart"}),
    ),
    "shirts on the demo's centre": Wrong(
        "shirts-apart", lambda o, t: (Way(mail=mail(o, cloth=f"The shirts are {o.cloth} of it.")), o)
    ),
    "shirts without their sum": Wrong(
        "shirts-apart", lambda o, t: (Way(mail=mail(o, cloth=f"The shirts go on {o.clothing}.")), o)
    ),
    "wish list as a shelf": Wrong(
        "nothing-else",
        lambda o, t: (Way(more=call("amazon__add_product_to_wish_list", product_id=821)), o),
    ),
    "a review": Wrong(
        "nothing-else",
        lambda o, t: (Way(more=call("amazon__write_product_review", product_id=810, rating=1, text="Not true.")), o),
    ),
    "a note corrected": Wrong(
        "nothing-else",
        lambda o, t: (Way(more=call("simple_note__update_note", note_id=902, content="AA: 0")), o),
    ),
    "another colour": Wrong("colour", bought(other_colour)),
    "a closing reply without figures": Wrong("told", lambda o, t: (Way(reply="All is ordered."), o)),
}


# The intents that a mistake leaves open; what was asked for beforehand is settled all the same.
INTENT_OF: dict[str, set[str]] = {
    "headphones": {"headphones"},
    "sizes": {"shirt-sizes"},
    "cells": {"cells"},
    "card": {"card"},
    "address": {"address"},
    "dated": {"entry"},
}


@pytest.mark.parametrize("name", WRONG)
def test_plausible_mistakes_cost_their_item_and_no_other(name: str) -> None:
    wrong = WRONG[name]
    variant = with_item(wrong.item)
    way, order = wrong.change(order_of(variant), task_of(TASK, variant))
    _, missed, failed = play(variant, way, order)
    assert wrong.item in failed
    assert INTENT_OF.get(wrong.item, set()) <= missed
    if wrong.all_items:
        assert failed == {item.name for item in task_of(TASK, variant).checklist}
    else:
        assert failed <= {wrong.item, *wrong.also}
