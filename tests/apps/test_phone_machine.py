"""The phone against lists and dicts: any sequence of operations leaves what a simple model says."""

from __future__ import annotations

import pickle
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from support.apps import app_context, call_tool, done

from pi_gym.state import World
from pi_gym.tools import ToolContext

IDA, PER, TOVE, MILL = "5550100001", "5550100002", "5550100003", "5550100300"
PASSWORDS = {IDA: "oven", PER: "flour", TOVE: "salt"}
ACCOUNTS = {IDA: 1, PER: 2, TOVE: 3}
numbers = st.sampled_from([IDA, PER, TOVE, MILL, "5550100400", "5550100500"])
clocks = st.integers(0, 59).map(lambda minute: f"2026-03-02T10:{minute:02d}:00")


class PhoneMachine(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.context = app_context("phone")
        database = self.context.world.apps["phone"]
        self.messages = {key: dict(row) for key, row in database.table("messages").rows()}
        self.contacts = {key: (row["account"], row["phone_number"]) for key, row in database.table("contacts").rows()}
        self.me = IDA
        self.sign_in(IDA)

    @rule(number=st.sampled_from(sorted(PASSWORDS)))
    def sign_in(self, number: str) -> None:
        self.me = number
        done(self.context, "phone__login", username=number, password=PASSWORDS[number])

    @rule(clock=clocks)
    def time_is(self, clock: str) -> None:
        self.context = ToolContext(self.context.world, ids=self.context.ids, clock=clock)

    @rule(to=numbers, text=st.sampled_from(["bread?", "oven", "  ", "rye and oven"]))
    def send(self, to: str, text: str) -> None:
        result = call_tool(self.context, "phone__send_text_message", phone_number=to, message=text)
        known = to in PASSWORDS or (ACCOUNTS[self.me], to) in self.contacts.values()
        assert result.ok == (bool(text.strip()) and to != self.me and known)
        if result.ok:
            key = max(100_000, *self.messages) + 1
            self.messages[key] = {
                "sender": self.me, "receiver": to, "message": text, "sent_at": self.context.clock,
            }  # fmt: skip

    @rule(number=numbers)
    def add_contact(self, number: str) -> None:
        mine = ACCOUNTS[self.me]
        result = call_tool(self.context, "phone__add_contact", first_name="New", phone_number=number)
        assert result.ok == (number != self.me and (mine, number) not in self.contacts.values())
        if result.ok:
            self.contacts[max(100_000, *self.contacts) + 1] = (mine, number)

    @rule(contact=st.integers(1, 6) | st.integers(100_001, 100_004), number=numbers)
    def change_number(self, contact: int, number: str) -> None:
        mine = ACCOUNTS[self.me]
        result = call_tool(self.context, "phone__update_contact", contact_id=contact, phone_number=number)
        taken = any(pair == (mine, number) for key, pair in self.contacts.items() if key != contact)
        owned = self.contacts.get(contact, (0, ""))[0] == mine
        assert result.ok == (owned and number != self.me and not taken)
        if result.ok:
            self.contacts[contact] = (mine, number)

    @rule()
    def pickle_and_go_on(self) -> None:
        world: World = pickle.loads(pickle.dumps(self.context.world))
        assert world.state_hash() == self.context.world.state_hash()
        self.context = ToolContext(world, ids=self.context.ids, clock=self.context.clock)

    @rule()
    def text_in_a_fork(self) -> None:
        fork = ToolContext(self.context.world.fork(), ids=self.context.ids)
        other = PER if self.me != PER else IDA
        done(fork, "phone__send_text_message", phone_number=other, message="only here")

    @invariant()
    def a_window_is_exactly_the_messages_between_two_numbers_in_order(self) -> None:
        for other in sorted({IDA, PER, TOVE, MILL} - {self.me}):
            expected = sorted(
                (row["sent_at"], key) for key, row in self.messages.items()
                if {row["sender"], row["receiver"]} == {self.me, other}
            )  # fmt: skip
            for order, keys in (("ascending", expected), ("descending", expected[::-1])):
                shown = self.all_pages("show_text_message_window", phone_number=other, pagination_order=order)
                assert [(one["sent_at"], one["text_message_id"]) for one in shown] == keys

    @invariant()
    def the_latest_are_one_for_each_number(self) -> None:
        latest: dict[str, tuple[str, int]] = {}
        for key, row in self.messages.items():
            if self.me in (row["sender"], row["receiver"]):
                other = row["receiver"] if row["sender"] == self.me else row["sender"]
                latest[other] = max(latest.get(other, ("", 0)), (row["sent_at"], key))
        shown = self.all_pages("search_text_messages", only_latest_per_contact=True)
        assert [(one["sent_at"], one["text_message_id"]) for one in shown] == sorted(latest.values(), reverse=True)

    @invariant()
    def contacts_are_those_of_the_model(self) -> None:
        shown = self.all_pages("search_contacts")
        mine = {key: number for key, (account, number) in self.contacts.items() if account == ACCOUNTS[self.me]}
        assert {one["contact_id"]: one["phone_number"] for one in shown} == mine
        assert len(set(mine.values())) == len(mine)

    def all_pages(self, operation: str, **arguments: Any) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        while True:
            found = done(
                self.context, f"phone__{operation}", page_limit=20, page_index=len(rows) // 20, **arguments
            )  # fmt: skip
            rows += next(value for value in found.values() if isinstance(value, list))
            if len(rows) >= found["total"]:
                return rows


TestPhoneMachine = PhoneMachine.TestCase
TestPhoneMachine.settings = settings(max_examples=20, stateful_step_count=25)
