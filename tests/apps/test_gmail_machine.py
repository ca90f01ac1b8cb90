"""Gmail against a simple model: who sees which mails of which thread, and what each made of it."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from support.apps import app_context, call_tool, done
from test_gmail import IDA, LIV, NOW, PER, opened

from pi_gym.state import World
from pi_gym.tools import ToolContext

WHO = {one["username"]: one for one in (IDA, PER, LIV)}
STATE = ("read", "starred", "archived", "spam", "label")
people = st.sampled_from(list(WHO))
several = st.lists(people, min_size=1, max_size=3)


@dataclass
class Model:
    """Mails as (thread, sender, recipients), by id; states by account and thread; drafts by account."""

    mails: dict[int, tuple[int, str, list[str]]] = field(default_factory=dict)
    states: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    drafts: dict[int, tuple[str, int | None, list[str]]] = field(default_factory=dict)

    def seen(self, who: str, thread: int) -> list[int]:
        return [key for key, (of, sender, to) in self.mails.items() if of == thread and (who == sender or who in to)]

    def threads(self, who: str, side: str) -> set[int]:
        if side == "inbox":
            return {thread for thread, _, to in self.mails.values() if who in to}
        return {thread for thread, sender, _ in self.mails.values() if who == sender}

    def state(self, who: str, thread: int) -> dict[str, Any]:
        fresh = {"starred": False, "archived": False, "spam": False, "label": None}
        return self.states.get((who, thread)) or {"read": thread not in self.threads(who, "inbox"), **fresh}

    def send(self, email: int, thread: int, sender: str, to: list[str]) -> None:
        to = list(dict.fromkeys(to))
        self.mails[email] = (thread, sender, to)
        for one in to:
            if (one, thread) in self.states:
                self.states[one, thread] |= {"read": False, "archived": False}


class MailMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.context = app_context("gmail", clock=NOW)
        self.model = Model()
        tables = self.context.world.apps["gmail"]
        for key, row in tables.table("emails").rows():
            self.model.mails[key] = (row["thread"], row["sender"], row["recipients"])
        addresses = {key: row["email"] for key, row in tables.table("accounts").rows()}
        for _, row in tables.table("thread_states").rows():
            kept = {name: row[name] for name in STATE}
            self.model.states[addresses[row["account"]], row["thread"]] = {**kept, "label": row["label"] or None}
        for key, row in tables.table("drafts").rows():
            self.model.drafts[key] = (addresses[row["account"]], row["thread"], row["recipients"])
        self.who = IDA["username"]
        opened(IDA, self.context)

    @rule(who=people)
    def sign_in(self, who: str) -> None:
        opened(WHO[who], self.context)
        self.who = who

    @rule(to=several, draft=st.booleans())
    def send(self, to: list[str], draft: bool) -> None:
        if draft:
            made = done(self.context, "gmail__create_draft", recipient_email_addresses=to, body="b")["draft_id"]
            self.model.drafts[made] = (self.who, None, list(dict.fromkeys(to)))
        else:
            sent = done(self.context, "gmail__send_email", email_addresses=to, body="b")
            assert sent["email_thread_id"] not in {thread for thread, _, _ in self.model.mails.values()}
            self.model.send(sent["email_id"], sent["email_thread_id"], self.who, to)

    @rule(pick=st.integers(0, 99), to=st.none() | several, draft=st.booleans())
    def reply(self, pick: int, to: list[str] | None, draft: bool) -> None:
        email = sorted(self.model.mails)[pick % len(self.model.mails)]
        thread, sender, recipients = self.model.mails[email]
        visible = self.who == sender or self.who in recipients
        goes = to or [one for one in dict.fromkeys([sender, *recipients]) if one != self.who] or [self.who]
        if draft:
            given = {"response_to_email_id": email, "recipient_email_addresses": to or [], "body": "b"}
            result = call_tool(self.context, "gmail__create_draft", **given)
            if result.ok:
                draft = max(key for key, _ in self.context.world.apps["gmail"].table("drafts").rows())
                self.model.drafts[draft] = (self.who, thread, list(dict.fromkeys(goes)))
        else:
            given = {"email_thread_id": thread, "email_id": email, "email_addresses": to, "body": "b"}
            result = call_tool(self.context, "gmail__reply_to_email", **given)
            if result.ok:
                self.model.send(max(self._emails()), thread, self.who, goes)
        assert result.ok == visible

    @rule(pick=st.integers(0, 99), to=several)
    def forward(self, pick: int, to: list[str]) -> None:
        thread = self._thread(pick)
        result = call_tool(self.context, "gmail__forward_email_thread", email_thread_id=thread, email_addresses=to)
        assert result.ok == bool(self.model.seen(self.who, thread))
        if result.ok:
            email = max(self._emails())
            self.model.send(email, self._emails()[email]["thread"], self.who, to)
            body = self._emails()[email]["body"]
            assert body.count("Forwarded message") >= len(self.model.seen(self.who, thread))

    @rule(pick=st.integers(0, 99))
    def send_draft(self, pick: int) -> None:
        if not self.model.drafts:
            return
        draft = sorted(self.model.drafts)[pick % len(self.model.drafts)]
        owner, thread, to = self.model.drafts[draft]
        result = call_tool(self.context, "gmail__send_email_from_draft", draft_id=draft)
        assert result.ok == (owner == self.who)
        if result.ok:
            del self.model.drafts[draft]
            email = max(self._emails())
            self.model.send(email, thread or self._emails()[email]["thread"], self.who, to)

    @rule(
        pick=st.integers(0, 99),
        mark=st.sampled_from([("read", True), ("unread", False), ("starred", True), ("archived", True)]),
    )
    def mark(self, pick: int, mark: tuple[str, bool]) -> None:
        thread, (word, value) = self._thread(pick), mark
        result = call_tool(self.context, f"gmail__mark_thread_{word}", email_thread_id=thread)
        self._changed(result.ok, thread, {word.removeprefix("un"): value})

    @rule(pick=st.integers(0, 99), label=st.sampled_from(["x", "y", None]))
    def label(self, pick: int, label: str | None) -> None:
        thread = self._thread(pick)
        if label:
            result = call_tool(self.context, "gmail__label_thread", email_thread_id=thread, label=label)
            self._changed(result.ok, thread, {"label": label})
        else:
            had = self.model.seen(self.who, thread) and self.model.state(self.who, thread)["label"]
            assert call_tool(self.context, "gmail__unlabel_thread", email_thread_id=thread).ok == bool(had)
            if had:
                self.model.states[self.who, thread]["label"] = None

    @rule()
    def pickle_and_go_on(self) -> None:
        world: World = pickle.loads(pickle.dumps(self.context.world))
        assert world.state_hash() == self.context.world.state_hash()
        self.context = self._over(world)

    @rule(to=several)
    def write_in_a_fork(self, to: list[str]) -> None:
        fork = self._over(self.context.world.fork())
        done(fork, "gmail__send_email", email_addresses=to, body="b")
        done(fork, "gmail__create_draft", body="b")

    @invariant()
    def everybody_sees_their_own_lists(self) -> None:
        for who in WHO:
            fork = opened(WHO[who], self._over(self.context.world.fork()))
            for side in ("inbox", "outbox"):
                found = self._listed(fork, side)
                expected = self.model.threads(who, side)
                assert {thread["email_thread_id"] for thread in found} == expected
                assert len(found) == len(expected)
                for thread in found:
                    shown = {name: thread[name] for name in STATE}
                    assert shown == self.model.state(who, thread["email_thread_id"])
                    assert thread["emails"] == len(self.model.seen(who, thread["email_thread_id"]))
            drafts = done(fork, "gmail__show_drafts", page_limit=20)
            assert drafts["total"] == sum(owner == who for owner, _, _ in self.model.drafts.values())

    @invariant()
    def the_sizes_add_up(self) -> None:
        sizes = done(self.context, "gmail__show_category_sizes")
        assert sizes["inbox"] + sizes["archived"] + sizes["spam"] + sizes["only_sent"] == sizes["threads"]
        assert sum(sizes["categories"].values()) == sizes["inbox"]
        unread = {
            thread
            for thread in self.model.threads(self.who, "inbox")
            if not any(self.model.state(self.who, thread)[name] for name in ("read", "archived", "spam"))
        }
        assert sizes["unread"] == len(unread)
        labels = done(self.context, "gmail__search_labels", page_limit=20)["labels"]
        mine = self.model.threads(self.who, "inbox") | self.model.threads(self.who, "outbox")
        given = [self.model.state(self.who, thread)["label"] for thread in mine]
        assert {one["label"]: one["threads"] for one in labels} == {one: given.count(one) for one in given if one}

    @invariant()
    def a_threads_mails_are_in_order_and_answers_stay_in_it(self) -> None:
        rows = self._emails()
        assert rows.keys() == self.model.mails.keys()
        for row in rows.values():
            assert row["response_to"] is None or rows[row["response_to"]]["thread"] == row["thread"]
            assert len(set(row["recipients"])) == len(row["recipients"]) > 0
        for thread in {of for of, _, _ in self.model.mails.values()}:
            if self.model.seen(self.who, thread):
                shown = done(self.context, "gmail__show_thread", email_thread_id=thread)["emails"]
                times = [(mail["created_at"], mail["email_id"]) for mail in shown]
                assert times == sorted(times)
                assert [key for _, key in times] == self.model.seen(self.who, thread)[-len(times) :]

    def _changed(self, ok: bool, thread: int, columns: dict[str, Any]) -> None:
        assert ok == bool(self.model.seen(self.who, thread))
        if ok:
            self.model.states[self.who, thread] = {**self.model.state(self.who, thread), **columns}

    def _thread(self, pick: int) -> int:
        threads = sorted({thread for thread, _, _ in self.model.mails.values()})
        return threads[pick % len(threads)]

    def _emails(self) -> dict[int, Any]:
        return dict(self.context.world.apps["gmail"].table("emails").rows())

    def _over(self, world: World) -> ToolContext:
        return ToolContext(world, root=self.context.root, ids=self.context.ids, clock=self.context.clock)

    @staticmethod
    def _listed(context: ToolContext, side: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for kept in ({"spam": False, "archived": False}, {"spam": False, "archived": True}, {"spam": True}):
            more, page = True, 0
            while more:
                result = done(context, f"gmail__show_{side}_threads", page_limit=20, page_index=page, **kept)
                found += result["email_threads"]
                more, page = "More:" in result.get("message", ""), page + 1
        return found


TestMailMachine = MailMachine.TestCase
TestMailMachine.settings = settings(max_examples=12, stateful_step_count=20)
