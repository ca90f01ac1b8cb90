// The page: which view is shown, keys, and what comes in while it is open.

import { el } from "./dom.js";
import { source } from "./source.js";
import { SessionList } from "./list.js";
import { sessionPage } from "./session.js";
import { comparePage } from "./compare.js";

const page = document.getElementById("page");
const help = document.getElementById("help");
const list = new SessionList();
const KEYS = [["j / k", "next or previous session, or turn"], ["enter", "open"], ["n / p", "next or previous session of the list"], ["/", "filter"], ["c", "side by side"], ["d", "to the first difference"], ["escape", "back to the list"], ["t", "light or dark"], ["?", "this help"]];
let shownHash = null;

async function show() {
  const hash = location.hash;
  shownHash = hash;
  const [, kind, ...ids] = hash.split("/");
  if (kind !== "s" && kind !== "c") {
    page.replaceChildren(list.element);
    document.title = "pi-gym view";
    list.filter();
    return;
  }
  page.replaceChildren(el("p", { class: "dim wait" }, "reading …"));
  try {
    const views = await Promise.all(ids.map((id) => source.session(id)));
    if (shownHash !== hash) return;
    const problem = views.find((view) => view.problem);
    if (problem || (kind === "c" && views.length !== 2)) page.replaceChildren(el("p", { class: "banner" }, problem?.problem ?? "Two sessions are compared."));
    else {
      page.replaceChildren(kind === "s" ? sessionPage(views[0], list.sameWorld(views[0].row)) : comparePage(...views));
      document.title = `${views[0].row.task_id} · pi-gym view`;
    }
  } catch {
    page.replaceChildren(el("p", { class: "banner" }, "The server did not answer; is it still running?"));
  }
  page.focus();
  scrollTo(0, 0);
  if (kind === "c") document.getElementById("difference")?.scrollIntoView({ block: "center" });
}

function theme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
}

function turn(by) {
  const tops = [...document.querySelectorAll(".turn")].map((one) => one.getBoundingClientRect().top - 60);
  const sections = document.querySelectorAll(".turn");
  const place = by > 0 ? tops.findIndex((top) => top > 8) : tops.findLastIndex((top) => top < -8);
  sections[place]?.scrollIntoView({ block: "start" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches?.("input, select, textarea");
  if (event.key === "Escape") {
    if (help.open) help.close();
    else if (typing) event.target.blur();
    else if (location.hash.length > 2) location.hash = "#/";
    return;
  }
  if (typing && !(event.key === "Enter" && event.target === list.search)) return;
  const [, kind, id] = location.hash.split("/");
  const inList = kind !== "s" && kind !== "c";
  const keys = {
    "?": () => help.showModal(), t: theme,
    "/": () => { if (!inList) location.hash = "#/"; setTimeout(() => list.search.focus()); },
    j: () => (inList ? list.move(1) : turn(1)), k: () => (inList ? list.move(-1) : turn(-1)),
    ArrowDown: inList ? () => list.move(1) : null, ArrowUp: inList ? () => list.move(-1) : null,
    Enter: inList && !event.target.matches?.("button, a, summary") ? () => { if (list.shown[list.at]) location.hash = `#/s/${list.shown[list.at].id}`; } : null,
    n: () => { const next = list.near(id, 1); if (next) location.hash = `#/s/${next}`; },
    p: () => { const next = list.near(id, -1); if (next) location.hash = `#/s/${next}`; },
    c: () => { const other = document.getElementById("other"); if (other?.options.length === 2) location.hash = `#/c/${id}/${other.options[1].value}`; else other?.focus(); },
    d: () => document.getElementById("difference")?.scrollIntoView({ block: "center" }),
  };
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});

let next = 0;
let generation = 0;
async function update() {
  let wait = 2000;
  try {
    const answer = await source.rows(next, generation);
    next = answer.next;
    generation = answer.generation;
    list.take(answer);
    if (answer.more) wait = 0;
    else if (answer.busy) wait = 100;
  } catch {
    list.status.textContent = "The server did not answer; is it still running?";
  }
  if (!source.isStatic) setTimeout(update, document.hidden ? 5000 : wait);
}

document.getElementById("bar").append(el("a", { href: "#/", class: "brand" }, "pi-gym view"), el("span", { class: "grow" }),
  el("button", { type: "button", onclick: theme, title: "light or dark (t)", "aria-label": "light or dark" }, "◐"), el("button", { type: "button", onclick: () => help.showModal(), title: "keys (?)", "aria-label": "keys" }, "?"));
help.append(el("h2", {}, "Keys"), el("dl", {}, KEYS.map(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)])), el("button", { type: "button", onclick: () => help.close() }, "close"));
addEventListener("hashchange", show);
await update();
show();
