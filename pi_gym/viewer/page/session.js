// One session: its conversation, and beside it what was judged.

import { el, folded, number, said } from "./dom.js";
import { changedFiles, diff, entry } from "./entries.js";
import { source } from "./source.js";

export function sessionPage(view, others) {
  const row = view.row;
  const talk = el("div", { class: "talk" });
  const turns = new Map();
  for (const one of view.entries) {
    if (!turns.has(one.turn)) {
      const box = el("section", { class: "turn", id: `turn-${one.turn}` }, el("h2", {}, `Turn ${one.turn}`));
      turns.set(one.turn, box);
      talk.append(box);
    }
    turns.get(one.turn).append(entry(one));
  }
  const go = (turn) => turns.get(turn)?.scrollIntoView({ block: "start" });
  const texts = el("div", {});
  const side = el("aside", { class: "side", "aria-label": "judgements" },
    view.lives.length ? el("section", {}, el("h2", {}, "Time line"), view.lives.map((life) => lifeLine(life, go))) : "",
    view.judged.map(judged), facts(view), texts);
  const page = el("div", { class: "session" },
    el("div", { class: "title" }, el("h1", {}, el("bdi", {}, row.task_id), el("span", { class: "dim" }, ` variant ${row.variant}`)),
      el("p", { class: "dim" }, el("bdi", {}, `${row.agent} · ${row.env_id} · ${row.pack} · seed ${row.seed} · history ${row.history_mode} · sample ${row.sample} · ${row.run}`)),
      el("div", { class: "bar" }, scores(view), compareWith(row, others), el("button", { type: "button", class: "narrow", onclick: () => side.scrollIntoView() }, "to the judgements")),
      row.scored ? "" : el("p", { class: "banner bad" }, "Unscored. ", said(`${view.facts.error_kind}: ${view.facts.error}`, "span")),
      view.cut ? el("p", { class: "banner" }, `This session is too large to show (${Math.round(row.bytes / 1e6)} MB). Its scores and its first ${view.entries.length} entries are here; `,
        source.isStatic ? "the rest stands in the run's folder." : el("a", { href: `api/line?id=${row.id}`, download: true }, "download its line.")) : "",
      view.note ? el("p", { class: "banner" }, view.note) : ""),
    talk, side);
  if (row.scored && !view.cut) {
    texts.append(el("p", { class: "dim" }, "playing it again for diffs …"));
    source.dossier(row.id).then((found) => { texts.replaceChildren(); showDossier(found, turns, texts, side, talk); },
      () => texts.replaceChildren(el("p", { class: "banner" }, "The server did not answer.")));
  }
  return page;
}

function scores(view) {
  return el("div", { class: "scores" }, Object.entries(view.row.scores).map(([name, value]) =>
    el("div", { class: "score" }, el("b", {}, number(value)), el("span", { class: "dim" }, name))));
}

function compareWith(row, others) {
  if (!others.length) return "";
  return el("label", { class: "compare" }, "side by side with ",
    el("select", { id: "other", onchange: (event) => { if (event.target.value) location.hash = `#/c/${row.id}/${event.target.value}`; } },
      el("option", { value: "" }, `${others.length} of this world`),
      others.slice(0, 500).map((one) => el("option", { value: one.id }, `${one.agent}, sample ${one.sample}, ${one.scored ? `return ${number(one.scores.return)}` : "unscored"} (${one.run})`))));
}

function lifeLine(life, go) {
  return folded(el("span", { class: "life" }, el("i", { class: `dot ${life.tone}` }), el("b", {}, el("bdi", {}, life.name)), el("span", { class: "dim" }, ` ${life.value}`),
    el("span", { class: "beads", "aria-hidden": "true" }, life.moments.slice(0, 12).map((one) => el("i", { class: `dot ${one.tone}` })))),
  () => [el("div", { class: "wish", "data-part": `${life.kind}/${life.id}` }), el("ol", { class: "moments" }, life.moments.map((one) =>
    el("li", { class: one.tone }, el("button", { type: "button", onclick: () => go(one.turn) }, `turn ${one.turn}`), " ", el("b", {}, one.state), said(one.text))))],
  life.moments.length <= 6);
}

function judged(part) {
  return el("section", {}, el("h2", {}, part.title), part.parts.map((one) => el("div", { class: "judged" },
    el("span", { class: one.good ? "good" : "bad" }, one.good ? "✓" : "✗"), el("div", {}, el("b", {}, el("bdi", {}, one.name)), el("span", { class: "dim" }, ` ${one.value}`),
      el("div", { class: "wish", "data-part": `${part.kind}/${one.id}` }), one.reason ? said(one.reason) : ""))));
}

function facts(view) {
  const pairs = Object.entries({ ...view.facts, ...Object.fromEntries(Object.entries(view.components).map(([name, value]) => [`reward: ${name}`, number(value)])) })
    .filter(([, value]) => value !== "" && value !== false && value != null);
  return el("section", {}, el("h2", {}, "Facts"),
    folded("counts, reward, hashes", () => el("dl", {}, pairs.map(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))]))),
    folded("settings", () => said(view.config, "pre")),
    view.faults.length ? folded(el("span", { class: "bad" }, `${view.faults.length} errors of pi_gym's own`), () => view.faults.map((one) => said(`${one.where}, step ${one.step}: ${one.error}\n${one.traceback}`, "pre"))) : "",
    view.outputs.length ? folded(`${view.outputs.length} policy outputs`, () => view.outputs.map((one) => said(one, "pre"))) : "");
}

function showDossier(found, turns, place, side, talk) {
  if (found.problem) { place.append(el("p", { class: "banner" }, found.problem)); return; }
  for (const [kind, id, text] of found.texts) {
    for (const box of side.querySelectorAll(".wish")) if (box.dataset.part === `${kind}/${id}`) box.replaceChildren(said(text));
  }
  for (const [turn, text] of Object.entries(found.changes)) {
    const box = turns.get(Number(turn)) ?? talk;
    box.append(changedFiles(turn, text));
  }
  const rewards = Object.entries(found.rewards).filter(([, parts]) => Object.values(parts).some(Boolean));
  if (rewards.length) {
    place.append(el("h2", {}, "Reward by step"), el("dl", {}, rewards.map(([step, parts]) => [el("dt", {}, `step ${step}`),
      el("dd", {}, Object.entries(parts).filter(([, value]) => value).map(([name, value]) => `${name} ${number(value)}`).join(", "))])));
  }
  for (const [title, text] of Object.entries(found.final)) place.append(el("h2", {}, title), folded("show", () => diff(text)));
}
