"""A quarter's electricity: what the meter and the prices make of it, and who of two bears how much by which rule."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from itertools import combinations, product

from pi_gym.authoring import (
    amounts_in,
    count_words,
    csv_text,
    fixed,
    made_rows,
    message_call,
    name_day,
    new_csv_rows,
    reached,
    sent_messages,
    written_day,
)

NORA, MAREN = "nora.lindqvist@halden-it.example", "maren.solberg@postbox.example"
FLAT, THREAD = 4, 18001
BEFORE, FIRST, DAYS = 47_602, date(2026, 1, 1), 90
CHOICES = {
    "away_rule": ("usage", "third", "base"),
    "travel": ("nights", "home", "away"),
    "support_rule": ("half", "usage"),
}
INTENTS = {"away-rule": "away_rule", "travel-days": "travel", "support": "support_rule"}
NET_INTENTS = ("net-entries", "internet")
INTERNET = {"half": 27_450, "upgrade": 22_450, "sixty": 21_960}  # what Maren bears of a month's 549.00
OLD_SHEETS = {
    "2025-09-30": {"energy": (92_500, 46_250), "standing charge": (17_700, 8_850), "support": (0, 0)},
    "2025-12-31": {"energy": (231_190, 115_595), "standing charge": (17_700, 8_850), "support": (0, 0)},
}
COLUMNS = ("item", "total", "nora", "maren")
TEXT_UP_TO = 20_000


def world(stream, preferences):
    """The meter, the prices, the days that Maren was away, and what the winter left open."""
    facts = _facts(stream)
    while not _is_telling(facts):
        facts = _facts(stream)
    people = preferences.p.people
    names = stream.shuffled([*people])
    owed = {
        name: 100 * stream.integer(*band) + stream.integer(1, 99)
        for name, band in zip(names, preferences.p.bands, strict=True)
    }
    skate, cinema, lent = (100 * stream.integer(*span) + 50 for span in ((38, 52), (14, 18), (30, 48)))
    extra = {name: cents - (cinema if name in names[:4] else skate) for name, cents in owed.items()}
    extra[names[5]] += lent
    return {
        "facts": facts,
        "prices": [fixed(price / 100, 2) for price in facts["prices"]],
        "change": facts["change"].isoformat(),
        "change_said": f"{facts['change'].day} {facts['change']:%B}",
        "first_said": f"{facts['first_change'].day} {facts['first_change']:%B}",
        "reading": f"{facts['reading']:,}".replace(",", " "),
        "misread": f"{facts['reading'] + (50 if facts['reading'] // 10 % 10 < 5 else -50):,}".replace(",", " "),
        "estimate": facts["reading"] + facts["over"],
        "billed": _money((facts["reading"] + facts["over"] - BEFORE) * facts["prices"][0] + 3 * facts["standing"]),
        "leaves": facts["away"][0].day,
        "returns": facts["away"][1].day,
        "planned": facts["away"][1].day - stream.integer(2, 3),
        "cash": names[6],
        "cash_said": _money(owed[names[6]]),
        "lender": names[5],
        "owed": {name: cents for name, cents in owed.items() if name != names[6]},
        "asked_day": written_day(date(2025, 9, 5), preferences.persona.date_style),
        "winter": {
            "cinema": _bill(people, dict.fromkeys(names[:4], cinema), cinema),
            "skating": _bill(people, dict.fromkeys(names[4:], skate), skate),
            "order": _bill(people, extra),
        },
        "lent": lent / 100,
    }, {
        "bills/halden-kraft_2026-q1_daily.csv": facts["csv"],
        **{
            f"bills/{preferences.persona.naming.format(topic='electricity', date=day)}.csv": _sheet(items)
            for day, items in OLD_SHEETS.items()
        },
    }


def _bill(people, cents, own=0):
    """One entry of the winter's group: who bears what of it, Nora first where she has a part."""
    mails = [NORA] * bool(own) + [people[name][0] for name in cents]
    parts = [own] * bool(own) + [*cents.values()]
    return {"paid": sum(parts) / 100, "mails": mails, "shares": [part / 100 for part in parts]}


def _facts(stream):
    """One quarter: kWh by day in tenths (None where the supplier has none), and the file that says so."""
    leaves = FIRST + timedelta(stream.integer(11, 15))
    returns = leaves + timedelta(stream.integer(10, 13))
    gap = stream.integer(56, 62)
    gaps = {gap, gap + 1, gap + 2, stream.integer(72, 86)}
    tenths, rows = [], []
    for at in range(DAYS):
        day = FIRST + timedelta(at)
        usual = stream.integer(150, 245) - at // 2 - 70 * (leaves < day < returns)
        tenths.append(usual)
        rows.append([day.isoformat(), "" if at in gaps else fixed(usual / 10, 1), "no data" if at in gaps else "ok"])
    first_resent = stream.integer(2, 7)
    for at in range(first_resent, first_resent + 3):
        rows[at][1:] = [fixed((tenths[at] + stream.integer(21, 60)) / 10, 1), "ok"]
        rows.append([rows[at][0], fixed(tenths[at] / 10, 1), "corrected"])
    hidden = sum(tenths[at] for at in gaps)
    hidden += -sum(tenths) % 10  # the meter shows whole kWh
    used = (sum(tenths) + -sum(tenths) % 10) // 10
    head = (
        "# Halden Kraft, meter 7714-03, Fyrgata 14, 3rd floor, kWh by day\n"
        "# A line 'corrected' takes the place of the day's earlier one. Days without data share\n"
        "# in equal parts what the meter shows beyond the other days.\n"
    )
    change = FIRST + timedelta(stream.integer(38, 52))
    return {
        "lines": [Fraction(hidden, 10 * len(gaps)) if at in gaps else Fraction(tenths[at], 10) for at in range(DAYS)],
        "reading": BEFORE + used,
        "over": stream.integer(90, 180),
        "change": change,
        "first_change": change - timedelta(stream.integer(9, 14)),
        "prices": (stream.integer(162, 179), stream.integer(128, 146)),
        "standing": 100 * stream.integer(49, 64),
        "support": 100 * stream.integer(180, 265) + stream.integer(1, 99),
        "away": (leaves, returns),
        "csv": head + csv_text(["day", "kWh", "status"], rows, delimiter=";"),
    }


def parts(facts, rules):
    """Energy, standing charge and support in cents: the whole, and what Maren bears by these rules."""
    days = [FIRST + timedelta(at) for at in range(DAYS)]
    cost = [kwh * facts["prices"][day >= facts["change"]] for kwh, day in zip(facts["lines"], days, strict=True)]
    leaves, returns = facts["away"]
    last = {"nights": returns - timedelta(1), "home": returns - timedelta(1), "away": returns}[rules["travel"]]
    gone = [leaves + timedelta(rules["travel"] == "home") <= day <= last for day in days]
    share = Fraction(1, 3) if rules["away_rule"] == "third" else Fraction(0)
    whole = sum(cost)
    apart = sum(cents for cents, out in zip(cost, gone, strict=True) if out)
    energy = share * apart + (whole - apart) / 2
    standing = 3 * facts["standing"]
    paid_days = DAYS - (sum(gone) if rules["away_rule"] == "base" else 0)
    back = energy / whole if rules["support_rule"] == "usage" else Fraction(1, 2)
    return {
        "energy": (_whole(whole), _whole(energy)),
        "standing charge": (standing, _whole(Fraction(standing * paid_days, 2 * DAYS))),
        "support": (-facts["support"], -_whole(back * facts["support"])),
    }


def _whole(cents):
    return int(cents + Fraction(1, 2))


def _maren(facts, rules):
    return sum(hers for _, hers in parts(facts, rules).values())


def _every(known):
    options = [[known[name]] if name in known else CHOICES[name] for name in CHOICES]
    return [dict(zip(CHOICES, one, strict=True)) for one in product(*options)]


def _is_telling(facts):
    """Whether every rule shows in what Maren bears."""
    return all(abs(one - two) >= 60 for one, two in combinations([_maren(facts, rules) for rules in _every({})], 2))


def work(world, values, draw):
    """The quarter for the rules at hand, what is as good where a rule is not drawn, and who is reminded how."""
    facts = world.facts
    rules = {name: getattr(values.p, name) for name in CHOICES}
    known = {name: rules[name] for intent, name in INTENTS.items() if intent in draw}
    right, bears = parts(facts, rules), {tuple(one.values()): _maren(facts, one) for one in _every({})}
    hers = sum(cents for _, cents in right.values())
    total = sum(whole for whole, _ in right.values())
    nets = {(entries, rule): [entries, 2 * cents] for entries in (1, 2) for rule, cents in INTERNET.items()}
    entries = {"monthly": 2, "quarter": 1}[values.p.net_entries]
    whole_net, her_net = 109_800 // entries, 2 * INTERNET[values.p.internet] // entries
    names = ["internet, February", "internet, March"] if entries == 2 else ["internet, February and March"]
    day = written_day(date.fromisoformat(values.persona.cabin_money_by), values.persona.date_style)
    by, least = values.persona.remind_by, 100 * values.persona.remind_from
    nudges = [
        _nudge(name, values.p.people[name], cents, by, day) for name, cents in world.owed.items() if cents >= least
    ]
    return {
        "total": total,
        "accept": [bears[tuple(one.values())] for one in _every(known)],
        "each": {name: [bears[tuple(one.values())] for one in _every({name: rules[name]})] for name in CHOICES},
        "any_net": [nets[one] for one in nets if _agrees(one, (entries, values.p.internet), draw)],
        "net_rule": [one for (_, rule), one in nets.items() if rule == values.p.internet],
        "net_count": [one for (count, _), one in nets.items() if count == entries],
        "shares": [(total - hers) / 100, hers / 100],
        "net": [[f"Fjordnett, {name}", whole_net / 100, (whole_net - her_net) / 100, her_net / 100] for name in names],
        "amounts": {name: whole for name, (whole, _) in right.items()},
        "sheet": _sheet(right),
        "printed": "".join(f"{row}\n" for row in _sheet(right).splitlines()[1:]),
        "hers_said": _money(hers + 2 * INTERNET[values.p.internet]),
        "nudges": nudges,
        "owed": [*world.owed.values()],
        "day": day,
    }


def _agrees(found, wanted, draw):
    return all(one == two or name not in draw for one, two, name in zip(found, wanted, NET_INTENTS, strict=True))


def _nudge(name, place, cents, by, day):
    """One reminder: to whom, how much, and the call that sends it."""
    (email, number), amount = place, _money(cents)
    how = ("text" if cents <= TEXT_UP_TO else "mail") if by == "size" else by
    said = f"the winter group is still open, you owe me {amount} kroner there. by {day}, please!"
    about = {"who": name, "name": name.capitalize(), "by": how, "email": email, "number": number, "cents": cents}
    return about | {"call": message_call(how, number, email, "Winter odds and ends", said)}


def _sheet(items):
    rows = [[name, whole, whole - hers, hers] for name, (whole, hers) in items.items()]
    rows.append(["sum", *(sum(row[at] for row in rows) for at in (1, 2, 3))])
    return csv_text(COLUMNS, [[name, *map(_money, cents)] for name, *cents in rows])


def _money(cents):
    return fixed(cents / 100, 2)


# -- what a session left ---------------------------------------------------------------------------------------------


def _entries(evidence):
    """The new entries of the flat that Nora paid: the amount and Maren's share, in cents."""
    found = []
    for row in made_rows(evidence, "splitwise", "expenses"):
        shares = dict(zip(row["debtor_emails"], row["debt_amounts"], strict=True))
        if row["group_id"] == FLAT and not row["deleted"] and row["payer_email"] == NORA:
            found.append((round(100 * row["paid_amount"]), round(100 * shares.get(MAREN, 0))))
    return found


def _power(evidence):
    """The largest new entry of the flat, which is the quarter's electricity; the others are the internet."""
    made = sorted(_entries(evidence))
    return made[-1] if made else (0, 0), made[:-1]


def check_power(evidence, total, accepted):
    """One new entry has the quarter's electricity with a right share for Maren."""
    (paid, hers), _ = _power(evidence)
    return abs(paid - total) <= 5 and any(abs(hers - one) <= 5 for one in accepted)


def check_net(evidence, accepted):
    """The other new entries of the flat hold two months of internet: their number, and Maren's part of them."""
    _, rest = _power(evidence)
    whole, hers = (sum(pair[at] for pair in rest) for at in (0, 1))
    return whole == 109_800 and any(len(rest) == count and abs(hers - right) <= 5 for count, right in accepted)


def check_answered(evidence, reading, total):
    """Henrik's mail has one answer, with the reading and what the quarter comes to."""
    bodies = [
        row["body"]
        for row in made_rows(evidence, "gmail", "emails")
        if row["thread"] == THREAD and row["sender"] == NORA and "henrik.aas@aas-utleie.example" in row["recipients"]
    ]
    joined = "".join(char for char in "".join(bodies) if char not in " .,'\u00a0\u202f")
    right = reading.replace(" ", "") in joined and len(bodies) == 1
    return right and any(abs(amount - total) <= 5 for amount in amounts_in(bodies[0]))


def check_sheet(evidence, items):
    """One new sheet in bills/ has the columns of the old ones, the items' amounts, and the sum that Splitwise has."""
    rows = new_csv_rows(evidence, "bills/")
    told = {row[0]: [sum(amounts_in(cell)) for cell in row[1:]] for row in rows[1:] if len(row) == 4}
    (paid, hers), _ = _power(evidence)
    whole = told.get("sum") or told.get("total") or [0, 0, 0]
    return (
        rows[0] == [*COLUMNS]
        and paid > 0
        and abs(paid - sum(items.values())) <= 10
        and all(abs(told.get(name, [0])[0] - abs(cents)) <= 5 for name, cents in items.items())
        and all(abs(one - two) <= 5 for one, two in zip(whole, (paid, paid - hers, hers), strict=True))
    )


def check_reminded(evidence, nudges, by="any"):
    """These people were reminded once each, by text or mail or as asked, with their amount; nobody else was."""
    return reached(sent_messages(evidence, THREAD), nudges, by=by)


def check_day(evidence, day, owed, style=""):
    """All reminders name an amount that is owed, the day and no other one, in one style where one is asked for."""
    return name_day(sent_messages(evidence, THREAD), day, owed, style)


def check_told(evidence):
    """A reply says what Maren owes for all new entries of the flat together."""
    hers = sum(hers for _, hers in _entries(evidence))
    short = [text for text in evidence.replies if count_words(text) <= 500 and "maren" in text.lower()]
    return hers > 0 and any(hers in amounts_in(text) for text in short)
