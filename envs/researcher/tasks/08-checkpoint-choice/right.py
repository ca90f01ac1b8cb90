"""The sweep's log with its dirt, and the decision that follows from it.

Error rates are whole hundredths of a percentage point while the log is made, so that means come out as designed. Rows
that count are known as such: those that sweeps/chunk-lookahead/README.md makes of the log's text.
"""

from datetime import datetime, timedelta

from pi_gym.authoring import Change, File, csv_records, fixed, keyed_texts, new_lines, new_text, own_choices

PAGE = "docs/demo-plan.md"
OLD_MODEL = "`neap-c8`, the model of the autumn. To be replaced by the winner of the chunk/lookahead sweep."
OLD_LIMIT = "300 ms p95, of February, when the box still had the big card. Tomasz measures again when it is back."
STILL_OPEN = "- [ ] the model\n"
NOISY = ("street", "babble", "kitchen")
CONDITIONS = ("clean", *NOISY)
FAMILIES = ("brook", "delta", "fjord", "lagoon", "marsh", "shoal", "tarn")
SEEDS = (11, 23, 47)
CKPTS = tuple(f"k{step}" for step in range(40, 240, 20))
# Chunk size by the latency limit that it just meets, faster ones first; c16 meets only the plan's outdated limit.
CHUNKS = {180: "c4", 230: "c8", 280: "c12", 300: "c16"}
TIE_POINTS = 0.1
# Error rates of the noisy conditions, by what a configuration is best at: babble, the mean, the worst condition.
BEST_AT = {"babble": (1160, 900, 1130), "noisy": (1165, 1030, 800), "worst": (1085, 1060, 1088)}
NEAR = {"babble": (1170, 906, 1140), "noisy": (1171, 1035, 807), "worst": (1094, 1066, 1091)}
OLD_RATES = (541, 1187, 1046, 1003)
START = datetime(2026, 3, 2, 16, 0)
CHATTER = ["lr plateau", "slow node", "disk 91% full, cleaned up", "scored twice, same", "ok so far"]


def world(stream, preferences):
    """The sweep, its log and the notes of earlier decisions."""
    persona, p = preferences.persona, preferences.p
    roles, curves, latency = _configurations(stream.child("configurations"), p.latency_limit)
    runs = _schedule(stream.child("schedule"), roles, list(curves))
    rows, window = _play(stream.child("play"), runs, roles, curves, latency)
    unit_day = _annotate(stream.child("log"), rows)
    notes, old_rate = _old_notes(stream.child("notes"), preferences.data, persona)
    candidates, switcher = _candidates(rows), getattr(persona, p.box_owner)
    facts = {
        "candidates": candidates, "paths": [one["path"] for one in candidates],
        "true": {f"{one['config']} / {one['ckpt']}": one["row"] for one in candidates},
        "left_out": [run for run in runs if run["aborted"] or run["mistaken"]],
        "broken": roles["broken"], "window": window, "unit_day": unit_day, "log": sorted(rows, key=_moment),
        "switcher": switcher, "fallback_says": {"owner": switcher.split()[0], "deadline": "2026-03-24"},
        "old_checkpoint": f"ckpt/neap-c8/s{SEEDS[0]}/k{stream.integer(8, 12) * 20}.pt",
        "old_rate": old_rate, "said": keyed_texts(preferences.data["said.csv"]),
    }  # fmt: skip
    return facts, notes


def _configurations(stream, limit):
    """Who is best at what, with error-rate curves (config -> checkpoint -> four numbers) and latencies in ms."""
    roles, peaks, curves, latency = {}, {}, {}, {}
    for rank, (bound, chunk) in enumerate(CHUNKS.items()):
        offset = -60 * (rank - list(CHUNKS).index(limit))
        families = [f"{family}-{chunk}" for family in stream.sample(FAMILIES, 5)]
        if bound == 300:  # tempting for whoever believes the plan
            curves[families[0]] = _curve(stream, (1060, 870, 900), offset - 60, [7])
            latency[families[0]] = stream.integer(287, 295)
            continue
        best = dict(zip(BEST_AT, families, strict=False))
        for role, config in best.items():
            peaks[config] = stream.integer(6, 7)
            curves[config] = _curve(stream, BEST_AT[role], offset, [peaks[config]])
            latency[config] = bound - stream.integer(7, 15)
        if bound == limit:
            near, short = families[3:]
            roles |= best | {"near": near, "short": short}
            spots = dict(zip(stream.shuffled([6, 7, 8]), NEAR.values(), strict=True))
            curves[near] = _curve(stream, (1150, 985, 1040), 0, spots)
            curves[short] = _curve(stream, (1065, 882, 975), 0, [7])
            latency |= {near: bound - stream.integer(26, 31), short: bound - stream.integer(7, 15)}
    roles["rescored"] = stream.choice([roles[role] for role in BEST_AT])
    return roles | {"peak": peaks[roles["rescored"]], "broken": stream.choice(NOISY)}, curves, latency


def _curve(stream, rates, offset, peaks):
    """Error rates falling to the peaks (indices); with a single one, an earlier checkpoint is almost as good.

    The noisy conditions have `rates` at a peak, or what `peaks` gives for its index, and `offset` is added to all.
    """
    twin, curve = stream.integer(4, 5) if len(peaks) == 1 else None, []
    for index in range(len(CKPTS)):
        away = max(0, min(peaks) - index)
        if index in peaks:
            bump = 0
        elif index == twin:
            bump = stream.integer(4, 7)
        else:
            bump = stream.integer(26, 44) + 25 * away + 12 * max(0, away - 3) ** 2
        clean = 505 + offset // 3 + bump // 2 + stream.integer(-22, 22)
        noisy = peaks[index] if isinstance(peaks, dict) and index in peaks else rates
        curve.append([clean, *(rate + offset + bump for rate in noisy)])
    return curve


def _schedule(stream, roles, names):
    """36 runs over six nodes in six rounds."""
    order = stream.shuffled([(config, seed) for config in names for seed in SEEDS])
    # A second configuration falls away late, of the chunk size that is farthest from the limit's and decides nothing.
    far = "-c12" if roles["near"].endswith("-c4") else "-c4"
    aborted = [roles["short"], stream.choice([config for config in names if config.endswith(far)])]
    offsets = {config: dict(zip(SEEDS, stream.shuffled([-26, 1, 25]), strict=True)) for config in names}
    # What the notes of 13 March tell happened to the first of a configuration's runs, so that it had happened by then.
    first, runs = dict(reversed(order)), []
    for number, (config, seed) in enumerate(order):
        run = {"id": f"r{101 + number}", "config": config, "seed": seed, "lane": number % 6, "round": number // 6}
        run |= {"aborted": config in aborted and first[config] == seed, "offset": offsets[config][seed]}
        runs.append(run | {"mistaken": config == roles["near"] and first[config] == seed})
    return runs


def _attempts(stream, run):
    """What a run logs, in order: (attempt, checkpoint's index, shift of its rates, note); a shifted row counts not."""
    plan = [(1, index, 0, "") for index in range(len(CKPTS))]
    if run["aborted"]:
        return [*plan[:4], (1, 4, stream.integer(300, 500), stream.choice(["loss spike, killed", "NaN, killed it"]))]
    if run["mistaken"]:
        notes = ["resumed by mistake with the old tokenizer, files deleted, do not use attempt 2", "", "", ""]
        plan += [(2, index, -stream.integer(64, 90), note) for index, note in enumerate(notes, start=6)]
    return plan


def _play(stream, runs, roles, curves, latency):
    """All log rows, marked whether they count, and the hours in which one dev list was broken."""
    noise, rows = {}, []
    for config in curves:
        for key in [(config, index, place) for index in range(len(CKPTS)) for place in range(4)]:
            a, b = stream.integer(-3, 3), stream.integer(-3, 3)
            noise[key] = dict(zip(SEEDS, (a, b, stream.integer(-1, 1) - a - b), strict=True))
    nodes = stream.shuffled([f"halden-g{number}" for number in range(1, 9)])
    free = [START + timedelta(minutes=11 * lane) for lane in range(6)]

    def log(run, at, attempt, index, shift, note):
        config, seed = run["config"], run["seed"]
        means = enumerate(curves[config][index])
        rates = [mean + run["offset"] + noise[config, index, place][seed] + shift for place, mean in means]
        row = {"run": run, "at": f"{at:%Y-%m-%d %H:%M}", "attempt": attempt, "index": index, "ckpt": CKPTS[index]}
        row |= {"rates": rates, "note": note, "counts": not shift, "node": nodes[run["lane"]]}
        rows.append(row | {"ms": latency[config] + stream.integer(-2, 2)})

    for run in runs:
        at = free[run["lane"]] + timedelta(minutes=stream.integer(10, 50))
        at = max(at, START + timedelta(hours=46 * run["round"]))
        for entry in _attempts(stream, run):
            at += timedelta(minutes=stream.integer(245, 262))
            log(run, at, *entry)
        free[run["lane"]] = at

    # Rows of some hours were scored on a cut list: too good in one condition. What still counts is scored again later.
    spot = (roles["rescored"], CKPTS[roles["peak"]])
    centre = datetime.fromisoformat(min(row["at"] for row in rows if (row["run"]["config"], row["ckpt"]) == spot))
    first = (centre - timedelta(hours=stream.integer(3, 6))).replace(minute=0)
    window = [f"{moment:%Y-%m-%d %H:%M}" for moment in (first, first + timedelta(hours=12))]
    at, place = max(*free, datetime(2026, 3, 14, 21, 0)) + timedelta(hours=1), CONDITIONS.index(roles["broken"])
    for row in [row for row in rows if window[0] <= row["at"] < window[1]]:
        if row["counts"]:
            at += timedelta(minutes=stream.integer(6, 9))
            log(row["run"], at, row["attempt"], row["index"], 0, f"re-eval ({roles['broken']})")
        row["rates"][place] = int(row["rates"][place] * 0.68)
    return rows, window


def _annotate(stream, rows):
    """Add the card hours and somebody's chatter to the rows, and give the day from whose noon rates are fractions."""
    day = f"2026-03-{stream.integer(9, 11):02}"
    for row in sorted(rows, key=_moment):
        row["hours"] = 4.2 * (row["index"] + 1) + stream.integer(-4, 4) / 10
        row["aborted"] = row["run"]["aborted"] and row["index"] == 4
        row["note"] = row["note"] or (stream.choice(CHATTER) if stream.integer(1, 12) == 1 else "")
    return day


def _moment(row):
    return row["at"], row["run"]["id"]


def _old_notes(stream, data, persona):
    """Two earlier decisions in her own style, and an error rate of the first as it is with all digits."""
    files, shown = {}, []
    for old in csv_records(data["old-notes.csv"]):
        ckpts = {name: f"k{stream.integer(7, 11) * 20}" for name in stream.shuffled(old["names"].split())}
        rows = []
        for place, (name, ckpt) in enumerate(ckpts.items()):
            rates = [((rate + 21 * place + stream.integer(0, 18)) * 3 + 1) / 300 for rate in OLD_RATES]
            cells = [name, ckpt, *(fixed(rate, persona.decimals) for rate in rates), str(stream.integer(201, 229))]
            rows.append(f"| {' | '.join(cells)} |")
            shown += rates
        (best, ckpt), (second, spare), _ = ckpts.items()
        path = f"ckpt/{best}/s{SEEDS[0]}/{ckpt}.pt"
        decision = f"## Decision\n\nWe take {best} at {ckpt}: {old['why']}.\n\nchoice: {path}\n"
        top = persona.bottom_line == "top"
        files[f"decisions/{persona.naming.format(**old)}.md"] = data["old-note.md"].format(
            **old, top=f"{decision}\n" if top else "", numbers="\n".join(rows), again=old[persona.plan_b],
            spare=f"ckpt/{second}/s{SEEDS[0]}/{spare}.pt", end="" if top else f"\n{decision}",
        )  # fmt: skip
    return files, shown[0]


def _candidates(rows):
    """The eligible candidates (a configuration at a checkpoint, three seeds) with their means in percentage points."""
    latest, candidates = {}, []
    for row in sorted((row for row in rows if row["counts"]), key=lambda row: row["at"]):
        latest.setdefault((row["run"]["config"], row["ckpt"]), {})[row["run"]["seed"]] = row
    for (config, ckpt), seeds in sorted(latest.items()):
        if len(seeds) == len(SEEDS):
            means = [sum(found) / 300 for found in zip(*(row["rates"] for row in seeds.values()), strict=True)]
            row = dict(zip(CONDITIONS, means, strict=True)) | {"p95 ms": sum(row["ms"] for row in seeds.values()) / 3}
            # What may decide, by the metric's name; "all" is what somebody takes who was told nothing.
            score = {"babble": means[2], "noisy": sum(means[1:]) / 3, "worst": max(means[1:]), "all": sum(means) / 4}
            one = {"config": config, "ckpt": ckpt, "step": int(ckpt[1:]), "latency": row["p95 ms"], "score": score}
            candidates.append(row | one | {"row": row, "path": f"ckpt/{config}/s{SEEDS[0]}/{ckpt}.pt"})
    return candidates


# -- what is right --------------------


def _choose(candidates, metric, tie):
    """The right candidate; `tie` is "latency", "earlier" or None where the plain best wins."""
    ranked = sorted(candidates, key=lambda one: one["score"][metric])
    best = [one for one in ranked if one["score"][metric] <= ranked[0]["score"][metric] + TIE_POINTS + 1e-6]
    return min(best, key=lambda one: one["latency"] if tie == "latency" else one["step"]) if tie else best[0]


def right(world, wishes):
    """The note's figures and the demo's line.

    Who knows nothing of a wish goes by the plan, and takes the last checkpoint that is best over all four dev sets.
    """
    metric, limit = wishes.metric or "all", wishes.latency_limit or 300
    fitting = [one for one in world.candidates if one["latency"] <= limit]
    chosen = _choose([one for one in fitting if wishes.metric or one["ckpt"] == CKPTS[-1]], metric, wishes.tie)
    others, leaders = [one for one in fitting if one["config"] != chosen["config"]], {}
    for one in sorted(others, key=lambda one: one["score"][metric]):
        leaders.setdefault(one["config"], one)  # the best of each configuration
    model, most = f"{chosen['config']} at {chosen['ckpt']}", f"at most {limit} ms p95"
    mended = {
        "mend": {OLD_MODEL: f"{model}.", OLD_LIMIT: f"{most} (Tomasz, 13 March)."},
        "open": {STILL_OPEN: f"{STILL_OPEN}- [ ] Model section, for Priya: {model}, {most}\n"},
    }
    name = (wishes.note_name or "{topic}").format(topic="chunk-lookahead", date="2026-03-16")
    return {
        "note": File(f"{name}.md"), "word": File("demo-box.md") if wishes.word else None,
        "demo": Change({world.old_checkpoint: chosen["path"]}),
        "plan": Change(mended[wishes.plan_page]) if wishes.plan_page else None,
        "decimals": wishes.decimals or 2, "limit": limit, "score": chosen["score"][metric], "fitting": fitting,
        "chosen": chosen, "path": chosen["path"], "spare": _choose(others, metric, wishes.tie)["path"],
        "rows": [chosen, *list(leaders.values())[:4]],
    }  # fmt: skip


# -- what no facet says --------------------


def _choice(evidence):
    """The path that the new note's line "choice: …" names; "" without one."""
    return own_choices.said_in_line(new_text(evidence, "decisions/", ".md"), "choice").partition(" ")[0].rstrip(".,;`")


def check_follows(evidence, old):
    """The demo's configuration names the note's choice in place of the old one and is otherwise as it was."""
    start, choice = evidence.start.text("configs/demo.yaml") or "", _choice(evidence)
    return bool(choice) and evidence.text("configs/demo.yaml") == start.replace(old, choice)


def _chosen(evidence):
    """The configuration and the checkpoint of the note's choice; nothing without one."""
    parts = _choice(evidence).removesuffix(".pt").split("/")
    return [parts[1], parts[3]] if len(parts) == 4 else []


def check_names_choice(evidence, where):
    """A reply, or the new draft, names the note's choice."""
    return own_choices.named_in(evidence, _chosen(evidence), where)


def check_plan_says(evidence, where):
    """New lines of the plan name the note's choice, in place of its old model and limit or beside them."""
    text, new = evidence.text(PAGE) or "", new_lines(evidence, PAGE)
    stays = [old in text for old in (OLD_MODEL, OLD_LIMIT)]
    return stays == [where == "open"] * 2 and new.count("\n") < 4 and own_choices.names_all(new, _chosen(evidence))
