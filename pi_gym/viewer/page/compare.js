// Two sessions of one world side by side; the first difference is marked.

import { el, folded, number } from "./dom.js";
import { changedFiles, diff, entry } from "./entries.js";
import { source } from "./source.js";

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
  const cells = [new Map(), new Map()];
  for (const turn of turns) {
    grid.append(el("h2", { class: "wide" }, `Turn ${turn}`));
    rest.forEach((one, side) => {
      cells[side].set(String(turn), el("div", { class: "cell" }, one.filter((part) => part.turn === turn).map(entry)));
      grid.append(cells[side].get(String(turn)));
    });
  }
  if (!alike) [left, right].forEach((view, side) => grid.append(replayed(view, cells[side])));
  const world = left.row.pack === right.row.pack && left.row.task_id === right.row.task_id && left.row.variant === right.row.variant;
  return el("div", { class: "comparison" }, el("h1", {}, el("bdi", {}, left.row.task_id), el("span", { class: "dim" }, ` variant ${left.row.variant}`)),
    world ? "" : el("p", { class: "banner" }, "These sessions are of different worlds."), grid);
}

// What a session's replay adds: changed files stand in the cells of their turns, the last state below.
function replayed(view, cells) {
  const end = el("div", { class: "cell" });
  if (!view.row.scored || view.cut) return end;
  end.append(el("p", { class: "dim" }, "playing it again for diffs …"));
  source.dossier(view.row.id).then((found) => {
    end.replaceChildren(found.problem ? el("p", { class: "banner" }, found.problem) : "");
    for (const [turn, text] of Object.entries(found.changes ?? {})) cells.get(turn)?.append(changedFiles(turn, text));
    for (const [title, text] of Object.entries(found.final ?? {})) end.append(el("h2", {}, title), folded("show", () => diff(text)));
  }, () => end.replaceChildren(el("p", { class: "banner" }, "The server did not answer.")));
  return end;
}
