"""Splitwise against a list of debts: any sequence of operations leaves balances that add up to nothing."""

from __future__ import annotations

import pickle
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from support.apps import app_context, call_tool, done

from pi_gym.state import World
from pi_gym.tools import ToolContext

PASSWORDS = {"ida": "oven", "per": "flour", "tove": "salt", "olav": "yeast"}
PEOPLE = sorted(f"{name}@notes.example" for name in PASSWORDS)
people = st.sampled_from(PEOPLE)
several = st.lists(people, min_size=1, max_size=4, unique=True)
amounts = st.integers(1, 100_000).map(lambda whole: whole / 100)
groups = st.sampled_from([0, 1, 2, 3, 100_001, 100_002])
COLUMNS = ("group_id", "paid_amount", "payer_email", "debtor_emails", "creator_email", "deleted")
expenses = st.integers(1, 7) | st.integers(100_001, 100_006)


class ExpenseMachine(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.context = app_context("splitwise")
        database = self.context.world.apps["splitwise"]
        self.members = {key: [*row["member_emails"]] for key, row in database.table("groups").rows()}
        self.expenses = {
            key: {name: row[name] for name in COLUMNS} for key, row in database.table("expenses").rows()
        }  # fmt: skip
        self.unequal = {2}
        self.sign_in(PEOPLE[0])

    @rule(email=people)
    def sign_in(self, email: str) -> None:
        self.me = email
        done(self.context, "splitwise__login", username=email, password=PASSWORDS[email.partition("@")[0]])

    @rule(members=several)
    def create_group(self, members: list[str]) -> None:
        made = done(self.context, "splitwise__create_group", name="New", member_emails=members)
        self.members[made["group_id"]] = list(dict.fromkeys([self.me, *members]))

    @rule(group=groups, email=people)
    def add_member(self, group: int, email: str) -> None:
        result = call_tool(self.context, "splitwise__add_member_to_group", group_id=group, user_email=email)
        known = self.members.get(group, [])
        assert result.ok == (group != 2 and self.me in known and email not in known)
        if result.ok:
            known.append(email)

    @rule(group=groups, payer=people, debtors=several, amount=amounts)
    def record(self, group: int, payer: str, debtors: list[str], amount: float) -> None:
        given = {"payer_email": payer, "debtor_emails": debtors, "paid_amount": amount, "group_id": group}
        result = call_tool(self.context, "splitwise__record_expense", description="New", **given)
        concerned = {payer, *debtors}
        allowed = concerned <= set(self.members.get(group, [])) and group != 2 if group else self.me in concerned
        allowed = allowed and (not group or self.me in self.members[group])
        assert result.ok == (allowed and debtors != [payer] and round(amount * 100) >= len(debtors))
        if result.ok:
            key = max(100_000, *self.expenses) + 1
            self.expenses[key] = {**given, "creator_email": self.me, "deleted": False}

    @rule(key=expenses, amount=st.none() | amounts, payer=st.none() | people, debtors=st.none() | several)
    def update(self, key: int, amount: float | None, payer: str | None, debtors: list[str] | None) -> None:
        given = {"paid_amount": amount, "payer_email": payer, "debtor_emails": debtors}
        changes = {name: value for name, value in given.items() if value is not None}
        result = call_tool(self.context, "splitwise__update_expense", expense_id=key, **given)
        assert result.ok == (bool(changes) and self.may_change(key) and self.is_possible(key, changes))
        if result.ok:
            self.expenses[key] |= changes
            self.unequal -= {key} if debtors else set()

    def is_possible(self, key: int, changes: dict[str, Any]) -> bool:
        old, new = self.expenses[key], {**self.expenses[key], **changes}
        concerned, group = {new["payer_email"], *new["debtor_emails"]}, new["group_id"]
        allowed = concerned | {self.me} <= set(self.members[group]) if group else self.me in concerned
        same = new["paid_amount"] == old["paid_amount"] and "debtor_emails" not in changes
        divisible = "debtor_emails" in changes or key not in self.unequal
        whole = round(new["paid_amount"] * 100)
        shared = same or (divisible and whole >= len(new["debtor_emails"]))
        return allowed and new["debtor_emails"] != [new["payer_email"]] and shared

    @rule(key=expenses)
    def delete(self, key: int) -> None:
        allowed = self.may_change(key)
        assert call_tool(self.context, "splitwise__delete_expense", expense_id=key).ok == allowed
        if allowed:
            self.expenses[key]["deleted"] = True

    def may_change(self, key: int) -> bool:
        row = self.expenses.get(key)
        if row is None or row["deleted"]:
            return False
        return self.me in (row["payer_email"], row["creator_email"], *row["debtor_emails"])

    @rule()
    def pickle_and_go_on(self) -> None:
        world: World = pickle.loads(pickle.dumps(self.context.world))
        assert world.state_hash() == self.context.world.state_hash()
        self.context = ToolContext(world, ids=self.context.ids)

    @rule(amount=amounts)
    def record_in_a_fork(self, amount: float) -> None:
        fork = ToolContext(self.context.world.fork(), ids=self.context.ids)
        other = next(email for email in PEOPLE if email != self.me)
        given = {"payer_email": self.me, "debtor_emails": [other], "paid_amount": amount}
        done(fork, "splitwise__record_expense", description="only here", **given)

    @invariant()
    def shares_add_up_to_the_amount(self) -> None:
        rows = dict(self.context.world.apps["splitwise"].table("expenses").rows())
        assert set(rows) == set(self.expenses)
        for key, row in rows.items():
            assert sum(cents(share) for share in row["debt_amounts"]) == cents(row["paid_amount"])
            assert len(row["debt_amounts"]) == len(row["debtor_emails"])
            assert {name: row[name] for name in self.expenses[key]} == self.expenses[key]

    @invariant()
    def balances_are_those_of_the_expenses_that_count_and_add_up_to_nothing(self) -> None:
        owed = {(one, other): 0 for one in PEOPLE for other in PEOPLE}
        for _, row in self.context.world.apps["splitwise"].table("expenses").rows():
            for debtor, share in zip(row["debtor_emails"], row["debt_amounts"], strict=True):
                if debtor != row["payer_email"] and not row["deleted"]:
                    owed[row["payer_email"], debtor] += cents(share)
                    owed[debtor, row["payer_email"]] -= cents(share)
        total = 0
        for me in PEOPLE:
            context = self.as_(me)
            shown = done(context, "splitwise__show_people_balance")
            total += cents(shown["total_balance"])
            for one in shown["people"]:
                assert cents(one["balance"]) == owed[me, one["email"]] == -owed[one["email"], me]
            named = {one["email"] for one in shown["people"]}
            assert named >= {other for other in PEOPLE if owed[me, other]}
            groups = done(context, "splitwise__show_group_balance")["groups"]
            assert sum(cents(group["your_balance"]) for group in groups) == cents(shown["total_balance"])
        assert total == 0

    @invariant()
    def every_groups_balances_add_up_to_nothing(self) -> None:
        for group, members in self.members.items():
            shown = [done(self.as_(one), "splitwise__show_group_balance", group_id=group) for one in members]
            assert sum(cents(one["your_balance"]) for one in shown) == 0

    def as_(self, email: str) -> ToolContext:
        """A fork in which somebody is signed in."""
        fork: Any = ToolContext(self.context.world.fork(), ids=self.context.ids)
        done(fork, "splitwise__login", username=email, password=PASSWORDS[email.partition("@")[0]])
        return fork


def cents(amount: float) -> int:
    return round(amount * 100)


TestExpenseMachine = ExpenseMachine.TestCase
TestExpenseMachine.settings = settings(max_examples=25, stateful_step_count=25)
