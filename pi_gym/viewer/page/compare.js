// Two sessions of one world side by side; the first difference is marked.

import { el, number } from "./dom.js";
import { entry } from "./entries.js";

const sign = (one) => JSON.stringify([one.type, one.role, one.kind, one.turn, one.text, one.fields, (one.calls ?? []).map((call) => [call.name, call.arguments, call.result])]);

export function comparePage(left, right) {
  const sides = [left, right].map((view) => view.entries);
  let same = 0;
  while (same < Math.min(...sides.map((one) => one.length)) && sign(sides[0][same]) === sign(sides[1][same])) same += 1;
  const grid = el("div", { class: "grid" });
  [left, right].forEach(({ row }) => grid.append(el("div", { class: "grid-head" }, el("a", { href: `#/s/${row.id}` }, el("bdi", {}, row.agent)), el("span", { class: "dim" }, ` sample ${row.sample} · ${row.run}`),
    el("div", {}, row.scored ? Object.entries(row.scores).map(([name, value]) => `${name} ${number(value)}`).join(" · ") : "unscored"))));
  const common = sides[0].slice(0, same);
  grid.append(el("details", { class: "wide" }, el("summary", {}, `${same} entries are the same`), common.map(entry)));
  const alike = same === sides[0].length && same === sides[1].length;
  const mark = el("div", { class: "wide difference", id: "difference" }, alike ? "no difference" : `first difference: turn ${(sides[0][same] ?? sides[1][same]).turn}`);
  grid.append(mark);
  const rest = sides.map((one) => one.slice(same));
  const turns = [...new Set(rest.flat().map((one) => one.turn))].sort((a, b) => a - b);
  for (const turn of turns) {
    grid.append(el("h2", { class: "wide" }, `Turn ${turn}`));
    for (const one of rest) grid.append(el("div", { class: "cell" }, one.filter((part) => part.turn === turn).map(entry)));
  }
  const world = left.row.pack === right.row.pack && left.row.task_id === right.row.task_id && left.row.variant === right.row.variant;
  return el("div", { class: "comparison" }, el("h1", {}, el("bdi", {}, left.row.task_id), el("span", { class: "dim" }, ` variant ${left.row.variant}`)),
    world ? "" : el("p", { class: "banner" }, "These sessions are of different worlds."), grid);
}
