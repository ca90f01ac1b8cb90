"""Amazon against a simple model: whatever is put, moved and ordered, nothing appears and nothing gets lost."""

from __future__ import annotations

import pickle

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from support.amazon import ADDRESS, CARD, SMALL_CARD, cart, rows, shop, wish_list
from support.apps import call_tool, done

from pi_gym.state import World
from pi_gym.tools import ToolContext

PRODUCTS, MAX_QUANTITY = range(1, 8), 1_000
products = st.integers(0, 8)
quantities = st.integers(-1, 6)


class ShopMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.context = shop()
        before = rows(self.context.world, "products")
        self.prices = {key: round(row["price"] * 100) for key, row in before.items()}
        self.stock = {key: row["inventory_quantity"] for key, row in before.items()}
        self.at_first = dict(self.stock)
        self.cart, self.wishes = cart(self.context), wish_list(self.context)
        self.left = {CARD: 200_000, SMALL_CARD: 5_000}
        self.orders: dict[int, dict[int, int]] = {}
        self.others = {
            table: {key: row for key, row in rows(self.context.world, table).items() if row["account"] == 2}
            for table in ("cart_items", "wish_list_items", "orders", "order_items", "payment_cards")
        }

    @rule(product=products, quantity=quantities, clear=st.booleans())
    def add_to_cart(self, product: int, quantity: int, clear: bool) -> None:
        result = call_tool(
            self.context, "amazon__add_product_to_cart", product_id=product, quantity=quantity, clear_cart_first=clear
        )
        wanted = quantity + (0 if clear else self.cart.get(product, 0))
        assert result.ok == (product in PRODUCTS and quantity >= 1 and wanted <= self.stock[product])
        if result.ok:
            self.cart = {**({} if clear else self.cart), product: wanted}

    @rule(product=products, quantity=quantities)
    def set_in_cart(self, product: int, quantity: int) -> None:
        result = call_tool(
            self.context, "amazon__update_product_quantity_in_cart", product_id=product, quantity=quantity
        )
        assert result.ok == (product in self.cart and 0 <= quantity <= self.stock[product])
        if result.ok:
            self.cart[product] = quantity
            self.cart = {key: number for key, number in self.cart.items() if number}

    @rule(product=products, quantity=quantities, clear=st.booleans())
    def wish(self, product: int, quantity: int, clear: bool) -> None:
        result = call_tool(
            self.context,
            "amazon__add_product_to_wish_list",
            product_id=product,
            quantity=quantity,
            clear_wish_list_first=clear,
        )
        assert result.ok == (product in PRODUCTS and quantity >= 1)
        if result.ok:
            kept = {} if clear else self.wishes
            self.wishes = {**kept, product: kept.get(product, 0) + quantity}

    @rule(product=products, quantity=quantities, to_cart=st.booleans())
    def move(self, product: int, quantity: int, to_cart: bool) -> None:
        direction = "wish_list_to_cart" if to_cart else "cart_to_wish_list"
        result = call_tool(
            self.context, f"amazon__move_product_from_{direction}", product_id=product, quantity=quantity
        )
        source, target = (self.wishes, self.cart) if to_cart else (self.cart, self.wishes)
        moved = quantity or source.get(product, 0)
        fits = 1 <= moved <= source.get(product, 0)
        assert result.ok == (
            fits and (not to_cart or target.get(product, 0) + moved <= self.stock[product])
        )  # fmt: skip
        if result.ok:
            target[product] = target.get(product, 0) + moved
            source[product] -= moved
            self.cart = {key: number for key, number in self.cart.items() if number}
            self.wishes = {key: number for key, number in self.wishes.items() if number}

    @rule()
    def clear(self) -> None:
        done(self.context, "amazon__clear_cart")
        self.cart = {}

    @rule(card=st.sampled_from([CARD, SMALL_CARD]))
    def order(self, card: int) -> None:
        result = call_tool(self.context, "amazon__place_order", payment_card_id=card, address_id=ADDRESS)
        total = sum(self.prices[key] * number for key, number in self.cart.items())
        in_stock = all(number <= self.stock[key] for key, number in self.cart.items())
        assert result.ok == (bool(self.cart) and in_stock and total <= self.left[card])
        if result.ok:
            newest = done(self.context, "amazon__show_orders", sort_by="+placed_at", page_limit=20)["orders"][-1]
            assert round(newest["total"] * 100) == total
            self.orders[newest["order_id"]] = self.cart
            self.left[card] -= total
            for key, number in self.cart.items():
                self.stock[key] -= number
            self.cart = {}

    @rule(product=products, stars=st.integers(0, 6))
    def review(self, product: int, stars: int) -> None:
        written = {row["product_id"] for row in rows(self.context.world, "reviews").values() if row["account"] == 1}
        result = call_tool(self.context, "amazon__write_product_review", product_id=product, rating=stars)
        assert result.ok == (product in PRODUCTS and 1 <= stars <= 5 and product not in written)

    @rule()
    def pickle_and_go_on(self) -> None:
        world: World = pickle.loads(pickle.dumps(self.context.world))
        assert world.state_hash() == self.context.world.state_hash()
        self.context = ToolContext(world, ids=self.context.ids, clock=self.context.clock)

    @rule(product=st.sampled_from(PRODUCTS))
    def buy_in_a_fork(self, product: int) -> None:
        fork = ToolContext(self.context.world.fork(), ids=self.context.ids, clock=self.context.clock)
        call_tool(fork, "amazon__add_product_to_cart", product_id=product)
        call_tool(fork, "amazon__place_order", payment_card_id=CARD, address_id=ADDRESS)

    @invariant()
    def cart_and_wish_list_are_the_model(self) -> None:
        assert cart(self.context) == self.cart
        assert wish_list(self.context) == self.wishes

    @invariant()
    def stock_and_what_was_ordered_stay_the_same_together(self) -> None:
        now = rows(self.context.world, "products")
        ordered = dict.fromkeys(PRODUCTS, 0)
        for bought in self.orders.values():
            for key, number in bought.items():
                ordered[key] += number
        for key, row in now.items():
            assert row["inventory_quantity"] >= 0
            assert row["inventory_quantity"] + ordered[key] == self.at_first[key]

    @invariant()
    def orders_add_up_and_cards_are_charged_exactly(self) -> None:
        items = rows(self.context.world, "order_items").values()
        for key, order in rows(self.context.world, "orders").items():
            own = [item for item in items if item["order_id"] == key]
            assert round(order["total"] * 100) == sum(round(item["price"] * 100) * item["quantity"] for item in own)
            assert order["product_names"] == [item["product_name"] for item in own]
            if key in self.orders:
                assert {item["product_id"]: item["quantity"] for item in own} == self.orders[key]
        cards = rows(self.context.world, "payment_cards")
        assert {key: round(cards[key]["balance"] * 100) for key in self.left} == self.left

    @invariant()
    def ratings_are_the_means_of_the_reviews(self) -> None:
        reviews = rows(self.context.world, "reviews").values()
        for key in PRODUCTS:
            stars = [row["rating"] for row in reviews if row["product_id"] == key]
            shown = done(self.context, "amazon__show_product", product_id=key)
            assert shown["number_of_reviews"] == len(stars)
            assert shown["rating"] == (round(sum(stars) / len(stars), 2) if stars else None)

    @invariant()
    def others_have_what_they_had(self) -> None:
        for table, before in self.others.items():
            now = rows(self.context.world, table)
            assert {key: now.get(key) for key in before} == before


TestShopMachine = ShopMachine.TestCase
TestShopMachine.settings = settings(max_examples=20, stateful_step_count=20)
