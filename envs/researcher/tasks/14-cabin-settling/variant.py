"""A weekend's bills: what the till printed, what the texts tell, and who bears how much for which wishes."""

from __future__ import annotations

from datetime import date
from itertools import combinations, product
from operator import sub

from pi_gym.authoring import amounts_in, count_words, csv_text, days_in, fixed, made_rows, new_csv_rows, written_day

EMAILS = {"nora": "nora.lindqvist@halden-it.example"} | {
    one.partition(".")[0]: f"{one}@postbox.example"
    for one in ("sofie.dahl", "oda.lien", "mats.brekke", "maren.solberg", "kasper.nygaard")
}
PEOPLE = (*EMAILS,)
PHONES = dict(zip(PEOPLE, ("5550142001", *(f"55501420{end}" for end in (33, 39, 40, 30, 38))), strict=True))
GROUP, CORD = 5, 2580  # CORD: what Nora has owed Mats in the group since August, in cents
PAYERS = {"food": EMAILS["nora"], "cabin": EMAILS["sofie"], "petrol": EMAILS["oda"]}
COLUMNS = ("person", "cabin", "petrol", "food", "total")
CHOICES = {
    "own": ("both", "wood", "none"),
    "guest": ("all", "food", "no"),
    "sober": ("mats", "oda", "maren"),
    "flat": ("coffee beans", "olive oil", "rye flour"),
    "hut_rule": ("nights", "rent"),
    "petrol_rule": ("legs", "passengers", "both_ways"),
}
INTENTS = ("own-share", "guest", "drinks", "private-lines", "hut-rule", "petrol-rule")
MATTERS = {"food": [*CHOICES][:4], "cabin": ["guest", "hut_rule"], "petrol": ["guest", "petrol_rule"]}
OLD_SHEETS = {"2024-09-01": (4, 120_000, 49_700, 74_250), "2025-08-24": (5, 150_000, 54_000, 131_835)}
# By group of the till: article, most pieces, lowest and highest price in whole kroner, and whose it is.
SHELF = {
    "dairy": "Oat milk 1 l|4|22|28, Whole milk 1 l|3|20|25, Brown cheese 500 g|1|84|99, Salted butter 500 g|2|49|58,"
    " Free range eggs x 18|2|69|79, Sour cream 300 g|3|24|29, Sliced cheese 400 g|2|72|86",
    "greens": "Potatoes 2 kg|2|42|52, Leeks|2|29|36, Apples 1.5 kg|2|45|55, Oranges 2 kg|1|49|59, Cabbage|1|34|44",
    "dry": "Sourdough loaf|3|58|66, Waffle mix 800 g|2|47|55, Spaghetti 1 kg|2|29|36, Tinned tomatoes x 4|2|52|60,"
    " Ground coffee 500 g|2|79|94, Coffee beans 1 kg|1|189|219|coffee beans, Olive oil 1 l|1|139|169|olive oil,"
    " Rye flour 5 kg|1|104|124|rye flour, Milk chocolate 200 g|4|44|49, Cinnamon buns x 6|2|54|62",
    "meat": "Lamb sausages 600 g|2|94|109, Bacon 2 x 140 g|3|52|59",
    "beer and cider": "Lager 6 x 0.5 l|3|159|179, Pear cider 4 x 0.5 l|2|119|134",
    "household": "Shampoo 250 ml|1|59|79|own, Tights 40 den|1|79|99|own, AA batteries|1|89|109|own, Matches|1|29|35",
    "outdoor": "Birch wood 40 l sack|3|109|129|wood, Gas cartridge 450 g|2|99|119|gas",
}
APART = ("meat", "beer and cider")


def split(total, weights):
    """A total in cents by whole weights; cents left over go to the first ones."""
    parts = {name: total * weight // sum(weights.values()) for name, weight in weights.items()}
    for name in [name for name in parts if weights[name]][: total - sum(parts.values())]:
        parts[name] += 1
    return parts


def shares(facts, kind, wishes):
    """What everybody bears of one bill, in cents and in the order of PEOPLE, for the wishes that matter for it."""
    heads = dict.fromkeys(PEOPLE, 1)
    nights = {name: 1 if name in (facts["late"], facts["early"]) else 2 for name in PEOPLE}
    if kind == "food":
        away = {"own", wishes["flat"], *{"both": (), "wood": ("gas",), "none": ("wood", "gas")}[wishes["own"]]}
        pools = dict.fromkeys(("common", *APART), 0)
        for line in facts["lines"]:
            pools[line["group"] if line["group"] in APART else "common"] += 0 if line["whose"] in away else line["net"]
        without = {"common": {}, "meat": {facts["veg"]: 0}, "beer and cider": {wishes["sober"]: 0}}
        parts = [split(pool, heads | without[name]) for name, pool in pools.items()]
    elif kind == "cabin":
        rent, cleaning = 200 * facts["rent"], 100 * facts["cleaning"]
        whole = wishes["hut_rule"] == "nights"
        parts = [split(rent + cleaning, nights)] if whole else [split(rent, nights), split(cleaning, heads)]
    else:
        both_ways = {name: count - 1 for name, count in nights.items()}
        rides = {"legs": nights, "passengers": nights | {"oda": 0}, "both_ways": both_ways}[wishes["petrol_rule"]]
        parts = [split(facts["petrol"], rides)]
    total = {name: sum(part[name] for part in parts) for name in PEOPLE}
    if wishes["guest"] == "all" or (kind, wishes["guest"]) == ("food", "food"):
        total |= {"nora": total["nora"] + total["kasper"], "kasper": 0}
    return [*total.values()]


def every(facts, kind):
    """The shares for all wishes that matter for a bill, by these wishes."""
    options = product(*(CHOICES[name] for name in MATTERS[kind]))
    return {one: tuple(shares(facts, kind, dict(zip(MATTERS[kind], one, strict=True)))) for one in options}


def vectors(borne, kind, known):
    """Of what `every` gave, the shares for the wishes that agree with those that are known, each once."""
    wanted = [(at, known[name]) for at, name in enumerate(MATTERS[kind]) if name in known]
    agreeing = (parts for one, parts in borne.items() if all(one[at] == wish for at, wish in wanted))
    return [list(parts) for parts in dict.fromkeys(agreeing)]


def world(stream, preferences):
    """People's comings and goings, the bills and the earlier sheets."""
    facts = _facts(stream, preferences.p)
    while not _is_telling(facts):
        facts = _facts(stream, preferences.p)
    other, files = _bought(stream, 11, ()), {}
    for day, lines, empties in (("2026-03-21", other, 0), ("2026-03-27", facts["lines"], facts["empties"])):
        files[f"bills/torvmat_{day}.csv"] = _receipt(lines, day, stream, empties)
    for when, (count, *amounts) in OLD_SHEETS.items():
        path = f"bills/{preferences.persona.naming.format(topic='bjornbu', date=when)}.csv"
        files[path] = _sheet([split(amount, dict.fromkeys(PEOPLE[:count], 1)) for amount in amounts])
    return {
        **facts,
        "phones": PHONES,
        "emails": EMAILS,
        "other_shares": [part / 100 for part in split(sum(one["net"] for one in other), {"n": 1, "m": 1}).values()],
        "asked_day": written_day(date(2025, 9, 5), preferences.persona.date_style),
    }, files


def _facts(stream, p):
    tank, top_up, week, toll = (stream.integer(*span) for span in ((4700, 5400), (1300, 1900), (80, 150), (28, 39)))
    return {
        **dict(zip(("late", "early", "full"), stream.shuffled(["mats", "maren", "kasper"]), strict=True)),
        "veg": stream.choice(["sofie", "kasper"]),
        "was_sober": stream.choice([name for name in CHOICES["sober"] if name != p.sober]),
        "payer": stream.choice(["mats", "maren"]),
        "moved": stream.choice(["oda", "mats"]),
        "wish": stream.choice([name for name in CHOICES["flat"] if name != p.flat]),
        "tank": _money(10 * tank),
        "tank_wrong": _money(10 * tank + 10 * stream.integer(410, 970)),
        "top_up": _money(10 * top_up),
        "week": week,
        "toll": toll,
        "petrol": 10 * tank + 10 * top_up + 200 * toll - 100 * week,
        "rent": 10 * stream.integer(149, 168),
        "rent_old": 10 * stream.integer(170, 189),
        "cleaning": 10 * stream.integer(39, 52),
        "cleaning_old": 10 * stream.integer(31, 37),
        "empties": 100 * stream.integer(21, 58),
        "lines": _bought(stream, 16, ("own", "wood", "gas", *CHOICES["flat"]), APART),
    }


def _bought(stream, common, kept, groups=()):
    """A bill's lines, in cents, `net` after the discount on marked ones: some of everybody's, and all that is named."""
    shelf = [(group, *one.split("|"), "") for group, row in SHELF.items() for one in row.split(", ") if one]
    plain = [row for row in shelf if not row[5] and row[0] not in APART]
    special = [row for row in shelf if row[5] in kept or row[0] in groups]
    lines = []
    for group, name, most, low, high, whose, *_ in stream.shuffled([*stream.sample(plain, common), *special]):
        count = int(most) if group in APART else stream.integer(1, int(most))
        price, marked = 100 * stream.integer(int(low), int(high)) + 90, stream.integer(1, 4) == 1
        gross = price * count
        till = {"name": name + " *" * marked, "group": group, "count": count, "price": price, "gross": gross}
        lines.append(till | {"whose": whose, "net": gross - gross // 5 if marked else gross})
    return lines


def _receipt(lines, day, stream, empties):
    rows = [[one["name"], one["group"], one["count"], _money(one["price"]), _money(one["gross"])] for one in lines]
    net = sum(one["net"] for one in lines)
    off = net - sum(one["gross"] for one in lines)
    rows.append(["Members' discount, 20 % on articles with *", "discount", "", "", _money(off)])
    if empties:
        rows.append([f"Empties, slip {stream.integer(100, 999)}", "deposit", 1, "", _money(-empties)])
    rows.append(["TO PAY", "", "", "", _money(net - empties)])
    head = f"# Torvmat Halden, till {stream.integer(1, 6)}, {day} 15:{stream.integer(11, 59)}\n"
    return head + csv_text(["article", "group", "pieces", "price", "amount"], rows, delimiter=";")


def _is_telling(facts):
    """Whether every wish shows in the shares, and the same people owe Nora something whatever she wishes."""
    found = {kind: vectors(every(facts, kind), kind, {}) for kind in PAYERS}
    lowest = dict(zip(PEOPLE, map(min, zip(*found["food"], strict=True)), strict=True))
    taken = {"mats": CORD, "maren": 0, "oda": max(part[0] for part in found["petrol"])}
    taken[facts["payer"]] += 30_000
    return (
        all(max(map(abs, map(sub, *two))) >= 100 for some in found.values() for two in combinations(some, 2))
        and all(lowest[name] > amount + 3_500 for name, amount in taken.items())
        and max(part[1] for part in found["food"]) + 2_000 < min(part[0] for part in found["cabin"])
    )


def work(world, values, draw):
    """The shares for the wishes at hand, and all that are as good where a wish is not drawn."""
    facts = {name: getattr(world, name) for name in ("late", "early", "veg", "lines", "rent", "cleaning", "petrol")}
    wishes = {name: getattr(values.p, name) for name in CHOICES if name != "guest"}
    wishes["guest"] = values.persona.cabin_guest
    known = {name: wishes[name] for name, intent in zip(CHOICES, INTENTS, strict=True) if intent in draw}
    right = {kind: dict(zip(PEOPLE, shares(facts, kind, wishes), strict=True)) for kind in PAYERS}
    by_wishes = {kind: every(facts, kind) for kind in PAYERS}
    borne = {kind: {name: part for name, part in parts.items() if part} for kind, parts in right.items()}
    owed = right["food"] | {"sofie": right["food"]["sofie"] - right["cabin"]["nora"]}
    owed |= {"oda": owed["oda"] - right["petrol"]["nora"], "mats": owed["mats"] - CORD}
    owed[world.payer] -= 100 * values.p.prepaid
    debtors = [name for name in PEOPLE[2:] if owed[name] > 0]
    told = {kind: ", ".join(f"{name} {_money(part)}" for name, part in borne[kind].items()) for kind in PAYERS}
    return {
        "accept": {kind: vectors(by_wishes[kind], kind, known) for kind in PAYERS},
        "each": {
            name: {kind: vectors(by_wishes[kind], kind, {name: wishes[name]}) for kind in PAYERS} for name in CHOICES
        },
        "who": {kind: [EMAILS[name] for name in parts] for kind, parts in borne.items()},
        "shares": {kind: [part / 100 for part in parts.values()] for kind, parts in borne.items()},
        "texts": [{"name": one.capitalize(), "number": PHONES[one], "amount": _money(owed[one])} for one in debtors],
        "debtors": [PHONES[name] for name in debtors],
        "ahead": {"number": PHONES[world.payer], "email": EMAILS[world.payer], "cents": 100 * values.p.prepaid},
        "own_debt": _money(-owed["sofie"]),
        "day": written_day(date.fromisoformat(values.persona.cabin_money_by), values.persona.date_style),
        "sheet": _sheet([right[kind] for kind in COLUMNS[1:4]]),
        "printed": "".join(f"{kind} {_money(sum(right[kind].values()))}: {line}\n" for kind, line in told.items()),
    }


def _sheet(parts):
    rows = [[name.capitalize(), *(part[name] for part in parts)] for name in parts[0]]
    rows = [[name, *cents, sum(cents)] for name, *cents in rows if sum(cents)]
    rows.append(["sum", *(sum(column) for column in [*zip(*rows, strict=True)][1:])])
    return csv_text(COLUMNS, [[name, *map(_money, cents)] for name, *cents in rows])


def _money(cents):
    return fixed(cents / 100, 2)


# -- what a session left ---------------------------------------------------------------------------------------------


def _debts(rows):
    """Payer, who bears a share, and the share in cents, of all expenses of the group that count."""
    return [
        (row["payer_email"], email, round(100 * share))
        for row in rows
        if row["group_id"] == GROUP and not row["deleted"]
        for email, share in zip(row["debtor_emails"], row["debt_amounts"], strict=True)
    ]


def _borne(evidence, kind):
    """What everybody bears of the new expenses with one payer, in cents by address."""
    borne = {}
    for payer, email, cents in _debts(made_rows(evidence, "splitwise", "expenses")):
        if payer == PAYERS[kind]:
            borne[email] = borne.get(email, 0) + cents
    return borne


def _balances(evidence):
    """By phone number, what everybody owes Nora in the group as Splitwise has it now, in cents."""
    lent, had = {}, {}
    for payer, email, cents in _debts(row for _, row in evidence.apps["splitwise"].table("expenses").rows()):
        lent[email] = lent.get(email, 0) + cents * (payer == EMAILS["nora"])
        had[payer] = had.get(payer, 0) + cents * (email == EMAILS["nora"])
    return {PHONES[name]: lent.get(EMAILS[name], 0) - had.get(EMAILS[name], 0) for name in PEOPLE[1:]}


def _texts(evidence):
    """What Nora texted in this session, by the receiver's number."""
    made = made_rows(evidence, "phone", "messages")
    return {one["receiver"]: [row["message"] for row in made if row["receiver"] == one["receiver"]] for one in made}


def check_bill(evidence, kind, accepted, entries="one"):
    """The shares of a bill are among those that are right: in one entry with the payer's own, or in any entries."""
    made = [
        row for row in made_rows(evidence, "splitwise", "expenses") if row["group_id"] == GROUP and not row["deleted"]
    ]
    borne, count = _borne(evidence, kind), sum(row["payer_email"] == PAYERS[kind] for row in made)
    for vector in accepted:
        wanted = dict(zip(EMAILS.values(), vector, strict=True))
        who = [email for email in wanted if entries == "one" or email != PAYERS[kind]]
        whole = entries == "any" or (count == 1 and sum(borne.values()) == sum(vector))
        if borne and whole and all(abs(borne.get(email, 0) - wanted[email]) <= 5 for email in who):
            return True
    return False


def check_texted(evidence, numbers):
    """These people got one or two texts, and nobody else any."""
    texts = _texts(evidence)
    return sorted(texts) == sorted(numbers) and all(len(lines) <= 2 for lines in texts.values())


def check_amounts(evidence, ahead):
    """Everybody who was texted owes Nora something and reads how much, to the cent, and no other one's amount.

    ahead: who sent Nora how much. Where Splitwise was not told, a text may take it off all the same.
    """
    told = any(row["payer_email"] == ahead["email"] for row in made_rows(evidence, "splitwise", "expenses"))
    texts, owed, borne = _texts(evidence), _balances(evidence), [_borne(evidence, kind) for kind in PAYERS]
    emails = {PHONES[name]: EMAILS[name] for name in PEOPLE}
    for number, lines in texts.items():
        mine, read = owed.get(number, 0), amounts_in(" ".join(lines))
        known = [mine, *(one.get(emails.get(number), 0) for one in borne)]  # one's own shares may be told too
        others = {owed.get(one, 0) for one in texts if all(abs(owed.get(one, 0) - cents) > 5 for cents in known)}
        net = mine - ahead["cents"] if number == ahead["number"] and not told else mine
        if mine <= 0 or not {mine, net} & read or (others - {net}) & read:
            return False
    return all(PHONES[name] in texts for name in CHOICES["sober"])


def check_day(evidence, day, ahead, style=""):
    """All texts say until when, the right day and no other, in one style where one is asked for."""
    found = [days_in(" ".join(lines), 2026, 4) for lines in _texts(evidence).values()]
    right = all({number for number, _ in one} == {int(day[-2:])} for one in found)
    return (
        check_amounts(evidence, ahead) and right and all(not style or form == style for one in found for _, form in one)
    )


def check_sheet(evidence):
    """One new sheet in bills/, with the columns of the old ones, holds what Splitwise holds."""
    rows = new_csv_rows(evidence, "bills/")
    held = [_borne(evidence, kind) for kind in COLUMNS[1:4]]
    wanted = {name: [one.get(EMAILS[name], 0) for one in held] for name in PEOPLE}
    told = {row[0].split()[0]: [amounts_in(cell) for cell in row[1:]] for row in rows[1:] if len(row) == 5 and row[0]}
    names = {name for name in PEOPLE if name in told or any(wanted[name])}
    return all(held) and rows[0] == [*COLUMNS] and {*told} - {"sum", "total"} == names and all(
        len(cell) == 1 and abs(min(cell) - cents) <= 5
        for name in names
        for cell, cents in zip(told[name], [*wanted[name], sum(wanted[name])], strict=True)
    )  # fmt: skip


def check_told(evidence):
    """A reply has, to the cent, what Nora now owes Sofie, who paid most."""
    owed = -_balances(evidence)[PHONES["sofie"]]
    short = [text for text in evidence.replies if count_words(text) <= 500 and "sofie" in text.lower()]
    return owed > 0 and bool(_borne(evidence, "cabin")) and any(owed in amounts_in(text) for text in short)
