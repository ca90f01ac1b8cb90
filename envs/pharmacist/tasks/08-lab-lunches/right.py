"""Six lunches: what the receipts say, who was there, and who bears how much of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pi_gym.authoring import (
    Stream,
    amounts_in,
    attempts,
    csv_text,
    debts,
    logs,
    made_rows,
    messages,
    new_csv_rows,
    split_amount,
    written_amount,
    written_day,
)

LAB = ("siri.kvamme", "pavel.novotny", "amina.yusuf", "luca.ferrante", "ingebjorg.aalen")
EMAILS = {one.partition(".")[0]: f"{one}@brygge-lab.example" for one in LAB}
EMAILS["mairead"] = "mairead.tveit@eidsund-hospital.example"
ROTA = (*EMAILS,)
PHONES = dict(
    zip(("luca", "siri", "ingebjorg", "pavel", "amina"), map(str, range(5550261021, 5550261026)), strict=True)
)
DAYS = ("2026-03-26", "2026-04-09", "2026-04-16", "2026-04-23", "2026-04-30", "2026-05-07")
GROUP, NOTES = 2, {"tin": 84, "rota": 107}
OLD_LINE = "112.00 counted by Siri and me"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Bills, comings and goings, and the tin."""
    skipped = stream.choice([1, 2])
    skipper = ROTA[skipped]
    missing = [{stream.choice(("pavel", "amina", "ingebjorg"))}, set(), set(), set(), set(), set()]
    missing[skipped] = {skipper}
    stepper = stream.choice(("luca", "ingebjorg"))
    payers = [stepper if place == skipped else name for place, name in enumerate(ROTA)]
    away = stream.choice([one for one in ("siri", "amina", "ingebjorg") if one not in {stepper, skipper}])
    missing[1].add(away)
    missing[3] = set(stream.sample(("siri", "pavel", "amina", "ingebjorg"), 2))
    for _ in attempts():
        sums = [[stream.integer(330, 760) * 100 + stream.integer(1, 99), stream.integer(90, 210) * 100] for _ in DAYS]
        cents = [sum(one) for one in sums]
        cake, deposit = stream.integer(180, 260) * 100, stream.integer(24, 60) * 100
        cents[2] += cake
        heads = [6 - len(one) for one in missing]
        every = [*cents, cents[3] - deposit]
        if all(cents[place] % heads[place] and cents[place] % 6 for place in (0, 1)) and len(set(every)) == 7:
            break
    counted = stream.integer(90, 160) * 100 + 50
    milk = stream.choice([one * 100 for one in range(18, 37) if one * 100 != deposit])
    tin = counted - milk + deposit
    return {
        "cents": cents, "sums": [str(one / 100) for one in cents], "less": str((cents[3] - deposit) / 100),
        "cake": cake, "deposit": deposit, "payers": payers, "bought": sums, "heads": heads,
        "missing": [sorted(one) for one in missing],
        "skipper": skipper, "away": away, "stepper": stepper, "skip_day": DAYS[skipped],
        "skip_said": [skipper, *(form.format(int(DAYS[skipped][8:])) for form in ("{}.4", "{} apr", "april {}"))],
        "tin": tin, "phones": PHONES, "late": stream.choice(("siri", "pavel", "amina")),
        "written": {
            "tin": written_amount(tin), "deposit": written_amount(deposit), "counted": written_amount(counted),
            "milk": written_amount(milk),
        },
        "shop": {"pavel": "P. Novotny", "luca": "L. Ferrante"}[preferences.p.who_pays],
        "rota_note": "\n".join(
            [
                "On a Thursday one looks here: whoever has fetched least often, on whosever card, is next.",
                *map(_turn, DAYS, ROTA),
            ]
        ),
        "turns": [_turn(DAYS[skipped], one) for one in (skipper, f"{stepper}, for {skipper.capitalize()}")],
        "tin_note": (
            "Behind the coffee filters. Coffee, bottle deposits, what is left over. Ingebjorg buys the coffee by the"
            f" sum that stands here, nobody counts before.\n{OLD_LINE}"
        ),
    }, {}  # fmt: skip


def _turn(day: str, name: str) -> str:
    """A line of the rota."""
    return f"{int(day[8:])}.{int(day[5:7])}. {name[0].upper()}{name[1:]}"


def _shared(cents: int, weights: Mapping[str, int], odd: str | None) -> dict[str, int]:
    """What each bears: whole parts, and what is left over by one of them."""
    if odd is None:
        return split_amount(cents, weights)
    whole = cents // sum(weights.values())
    parts = {name: whole * weight for name, weight in weights.items()}
    parts[odd] += cents - sum(parts.values())
    return parts


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The entries, the table and the notes. Who knows nothing goes by the receipts, by head."""
    entries, heads = [], []
    payers = [*world.payers[:5], wishes.who_pays or "mairead"]
    for place, cents in enumerate(world.cents):
        there = [name for name in ROTA if not (wishes.absent and name in world.missing[place])]
        payer = payers[place]
        odd = {"payer": payer, None: None}.get(wishes.rounding, wishes.rounding)
        weights = dict.fromkeys(there, 1)
        if place == 3 and not wishes.bottle_money:
            cents -= world.deposit
        if place == 4 and wishes.guest:
            weights[wishes.guest] += 1
        parts = _shared(cents - (world.cake if place == 2 else 0), weights, odd)
        if place == 2:
            cake = _shared(world.cake, {"siri": 1} | ({wishes.cake: 1} if wishes.cake else {}), None)
            parts = {name: parts.get(name, 0) + cake.get(name, 0) for name in ROTA}
        said = f"Lunch of {written_day(DAYS[place], 'day-month')}"
        entries.append(debts.expense(said, EMAILS[payer], {EMAILS[name]: one for name, one in parts.items()}, GROUP))
        heads.append(len([one for one in parts.values() if one]) + (place == 4))
    days = [written_day(day, wishes.day_form) if wishes.day_form else f"{day[8:]}.{day[5:7]}." for day in DAYS]
    rows = [
        (day, payer.capitalize(), written_amount(round(100 * one["paid_amount"])), count)
        for day, payer, one, count in zip(days, payers, entries, heads, strict=True)
    ]
    debt = [debts.expense("December", EMAILS["mairead"], {EMAILS["pavel"]: 9000}, GROUP)] if wishes.pavel_debt else []
    balance = _net([*entries, *debt])
    return {
        "entries": entries,
        "debt": debt or None,
        "table": csv_text(["day", "paid by", "kroner", "heads"], rows),
        "balance": balance,
        "balance_written": written_amount(abs(balance)),
    }


def _net(entries: Iterable[Mapping[str, Any]]) -> int:
    """What Mairead owes in all by some expenses, in cents; below 0: is owed."""
    me = EMAILS["mairead"]
    return sum(
        debts.shares(one).get(me, 0) - (round(100 * one["paid_amount"]) if one["payer_email"] == me else 0)
        for one in entries
    )


def keep_notes(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Bring rota and tin in line; where it is not known that nobody is texted, text everybody."""
    calls = []
    if wishes.rota:
        calls.append(logs.note_call(NOTES["rota"], world.rota_note.replace(*world.turns)))
    if wishes.kitty:
        new = f"{world.written['tin']} counted, milk and bottles"
        calls.append(logs.note_call(NOTES["tin"], world.tin_note.replace(OLD_LINE, new)))
    if not wishes.no_reminders:
        said = "The lunches are in Splitwise."
        calls += messages.send_calls(*(messages.message("text", "", number, "", said) for number in PHONES.values()))
    return calls


# -- what was entered and written ------------------------------------------------------------------------------------


def check_odd(evidence: Any, who: str, keys: list[int]) -> bool:
    """Lunches that all share alike: each bears the same to the øre, and one what is left over."""
    made = [one for one in debts.made_here(evidence, GROUP) if round(100 * one["paid_amount"]) in keys]
    for one in made:
        bearer = one["payer_email"] if who == "payer" else EMAILS[who]
        parts = debts.shares(one)
        cents = sum(parts.values())
        whole = cents // len(parts)
        want = {name: whole + (cents - whole * len(parts)) * (name == bearer) for name in parts}
        if parts != want:
            return False
    return len(made) == len(keys)


def check_rota(evidence: Any, fetched: str, turn: list[str]) -> bool:
    """A line of the note names who fetched, and the turn, by its day or by whose it was."""
    lines = [line.lower() for line in logs.note_lines(evidence, NOTES["rota"])]
    return any(fetched in line and any(word in line for word in turn) for line in lines)


def check_tin(evidence: Any, total: int) -> bool:
    """A line of the note has the sum."""
    return any(total in amounts_in(line) for line in logs.note_lines(evidence, NOTES["tin"]))


def check_agrees(evidence: Any) -> bool:
    """The table says of each entry what it came to, who paid it and how many share it; a guest may be counted."""
    made = [one for one in debts.made_here(evidence, GROUP) if one["paid_amount"] > 200]
    told = {
        (max(amounts_in(row[2]), default=0), row[1].split()[0] if row[1] else ""): amounts_in(row[3])
        for row in new_csv_rows(evidence, "notes/")[1:]
        if len(row) >= 4
    }
    held = {
        (round(100 * one["paid_amount"]), one["payer_email"].partition(".")[0]): 100 * len(one["debtor_emails"])
        for one in made
    }
    return bool(held) and told.keys() == held.keys() and all(told[one] & {n, n + 100} for one, n in held.items())


def check_tells_balance(evidence: Any) -> bool:
    """A reply has, to the øre, what Mairead owes or is owed by what was entered: in the group, or in all."""
    made = [one for one in made_rows(evidence, "splitwise", "expenses") if not one["deleted"]]
    nets = {_net(debts.made_here(evidence, GROUP)), _net(made)}
    return bool(made) and any(messages.reply_tells(evidence, {"ow": abs(net)}) for net in nets)
