// The list of sessions: only the rows in sight are elements.

import { el, number } from "./dom.js";

const ROW = 34;
const ALL = { agent: "all agents", task_id: "all tasks", tag: "all tags", state: "scored or not" };
// Left out where the window is narrow.
const FURTHER = ["variant", "turns", "tool_calls", "run"];
const WORDS = ["agent", "task_id", "pack", "run", "error", "error_kind", "end", "group", "history_mode"];

export class SessionList {
  constructor() {
    this.places = [];
    this.rows = new Map();
    this.tags = {};
    this.shown = [];
    this.made = new Map();
    this.at = 0;
    this.sort = ["", 1];
    this.chosen = { agent: "", task_id: "", tag: "", state: "", text: "" };
    this.status = el("span", { class: "status", role: "status" });
    this.selects = {};
    for (const name of ["agent", "task_id", "tag", "state"]) {
      this.selects[name] = el("select", { "aria-label": ALL[name], onchange: (event) => this.choose(name, event.target.value) });
    }
    this.search = el("input", { type: "search", placeholder: "filter: words, score>0.5, -word   ( / )", "aria-label": "filter",
      oninput: (event) => this.choose("text", event.target.value) });
    this.problems = el("div", {});
    this.head = el("div", { class: "row head", role: "row" });
    this.body = el("div", { class: "rows", role: "rowgroup" });
    this.scroller = el("div", { class: "scroller", tabindex: 0, role: "grid", "aria-label": "sessions", onscroll: () => this.plan() },
      el("div", { class: "heads", role: "rowgroup" }, this.head), this.body);
    this.element = el("section", { class: "list" }, el("h1", { class: "unseen" }, "Sessions"),
      el("div", { class: "filters" }, this.search, Object.values(this.selects), this.status),
      this.problems, this.scroller);
    new ResizeObserver(() => this.plan()).observe(this.scroller);
  }

  take(answer) {
    if (answer.from === 0 && answer.generation !== this.generation) this.rows.clear();
    this.generation = answer.generation;
    for (const row of answer.rows) this.rows.set(row.id, row);
    const tagged = Object.keys(answer.tags).length !== Object.keys(this.tags).length;
    this.tags = answer.tags;
    this.places = answer.places;
    this.problems.replaceChildren(...(answer.problems.length
      ? [el("details", { class: "problems" }, el("summary", {}, `${answer.problems.length} lines could not be read`),
        answer.problems.map((one) => el("div", {}, one)))] : []));
    this.busy = answer.busy || answer.more;
    if (answer.rows.length || tagged || this.busy !== this.wasBusy) this.refresh();
    this.wasBusy = this.busy;
  }

  tagsOf(row) { return this.tags[`${row.pack}/${row.task_id}`] ?? []; }

  refresh() {
    const rows = [...this.rows.values()];
    this.scores = [...new Set(rows.flatMap((row) => Object.keys(row.scores)))];
    const options = {
      agent: new Set(rows.map((row) => row.agent)), task_id: new Set(rows.map((row) => row.task_id)),
      tag: new Set(Object.values(this.tags).flat()), state: new Set(["scored", "unscored", ...rows.map((row) => row.error_kind).filter(Boolean)]),
    };
    for (const [name, select] of Object.entries(this.selects)) {
      select.replaceChildren(el("option", { value: "" }, ALL[name]), ...[...options[name]].sort().map((one) => el("option", { value: one }, one)));
      select.value = this.chosen[name];
    }
    this.columns = [["agent", "agent"], ["task_id", "task"], ["variant", "variant"],
      ...this.scores.map((name) => [`scores.${name}`, name]), ["turns", "turns"], ["tool_calls", "calls"], ["why", "why"], ["run", "run"]];
    const widths = this.columns.map(([name, title]) => [name, ({ agent: "minmax(5rem,1fr)", task_id: "minmax(8.5rem,1.4fr)", why: "minmax(5rem,3fr)", run: "minmax(5rem,1fr)" })[name]
      ?? `${Math.min(9, Math.max(3.2, 1 + 0.42 * title.length)).toFixed(1)}rem`]);
    this.scroller.style.setProperty("--columns", widths.map(([, width]) => width).join(" "));
    this.scroller.style.setProperty("--few-columns", widths.filter(([name]) => !FURTHER.includes(name)).map(([, width]) => width).join(" "));
    const focused = [...this.head.children].findIndex((one) => one.contains(document.activeElement));
    this.head.replaceChildren(...this.columns.map(([name, title]) => el("div", { role: "columnheader", class: this.look(name),
      "aria-sort": this.sort[0] === name ? (this.sort[1] > 0 ? "ascending" : "descending") : "none" },
    el("button", { type: "button", title, onclick: () => { this.sort = [name, this.sort[0] === name ? -this.sort[1] : 1]; this.refresh(); } },
      title, this.sort[0] === name ? (this.sort[1] > 0 ? " ↑" : " ↓") : ""))));
    this.head.children[focused]?.firstChild.focus();
    this.filter();
  }

  look(name) { return `${this.isNumber(name) ? "number" : ""} ${FURTHER.includes(name) ? "further" : ""}`; }

  isNumber(name) { return name.startsWith("scores.") || ["variant", "turns", "tool_calls"].includes(name); }

  value(row, name) {
    if (name.startsWith("scores.")) return row.scores[name.slice(7)];
    if (name === "why") return row.scored ? (row.error || row.end ? `${row.end} ` : "") + (row.lacks ?? []).join(" · ") : `${row.error_kind}: ${row.error}`;
    return row[name];
  }

  filter() {
    const { agent, task_id, tag, state, text } = this.chosen;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
      const compared = /^(\w+)(<=|>=|=|<|>)(-?[\d.]+)$/.exec(word);
      if (compared) {
        const [, name, sign, bound] = compared;
        return (row) => {
          const found = row.scores[name] ?? row[name];
          if (typeof found !== "number") return false;
          return { "<": found < bound, ">": found > bound, "<=": found <= bound, ">=": found >= bound, "=": found === Number(bound) }[sign];
        };
      }
      const no = word.length > 1 && word.startsWith("-");
      const wanted = no ? word.slice(1) : word;
      return (row) => no !== this.text(row).includes(wanted);
    });
    const kept = [...this.rows.values()].filter((row) => (!agent || row.agent === agent) && (!task_id || row.task_id === task_id)
      && (!tag || this.tagsOf(row).includes(tag))
      && (!state || (state === "scored" ? row.scored : state === "unscored" ? !row.scored : row.error_kind === state))
      && words.every((fits) => fits(row)));
    const [name, way] = this.sort;
    if (name) {
      // Sessions without the value stand last, whichever way.
      kept.sort((left, right) => {
        const [a, b] = [this.value(left, name), this.value(right, name)];
        if (a == null || b == null) return (a == null) - (b == null);
        return way * (a < b ? -1 : a > b ? 1 : 0);
      });
    }
    const before = this.shown[this.at]?.id;
    this.shown = kept;
    const again = kept.findIndex((row) => row.id === before);
    this.at = Math.max(0, again >= 0 ? again : Math.min(this.at, kept.length - 1));
    this.status.textContent = `${kept.length.toLocaleString()} of ${this.rows.size.toLocaleString()} sessions${this.busy ? ", still reading …" : ""}`;
    this.made.clear();
    this.body.replaceChildren();
    this.body.style.height = `${kept.length * ROW}px`;
    this.draw();
  }

  text(row) {
    row.words ??= WORDS.map((name) => row[name]).join(" ").toLowerCase();
    return `${row.words} ${(row.lacks ?? []).join(" ").toLowerCase()} ${this.tagsOf(row).join(" ").toLowerCase()}`;
  }

  choose(name, value) {
    this.chosen[name] = value;
    this.scroller.scrollTop = 0;
    this.filter();
  }

  plan() {
    this.planned ??= requestAnimationFrame(() => { this.planned = undefined; this.draw(); });
  }

  draw() {
    if (!this.columns) return;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / ROW) - 8);
    const last = Math.min(this.shown.length, first + Math.ceil(this.scroller.clientHeight / ROW) + 16);
    // Rows that were in sight stay the elements that they are.
    for (const [place, line] of this.made) {
      if (place < first || place >= last) { line.remove(); this.made.delete(place); }
    }
    for (let place = first; place < last; place += 1) {
      if (!this.made.has(place)) {
        const line = this.row(place);
        this.made.set(place, line);
        this.body.append(line);
      }
    }
    for (const [place, line] of this.made) {
      line.classList.toggle("at", place === this.at);
      line.setAttribute("aria-selected", String(place === this.at));
    }
    this.scroller.setAttribute("aria-rowcount", this.shown.length + 1);
    this.scroller.setAttribute("aria-activedescendant", this.shown.length ? `row-${this.at}` : "");
  }

  row(place) {
    const row = this.shown[place];
    const line = el("a", { href: `#/s/${row.id}`, id: `row-${place}`, role: "row", "aria-rowindex": place + 2, tabindex: -1, class: "row" });
    line.style.transform = `translateY(${place * ROW}px)`;
    for (const [name] of this.columns) {
      const value = this.value(row, name);
      // Cells hold one text each, so bidirectional marks in one do not reach the next: the style isolates them.
      const cell = el("span", { role: "gridcell", class: this.look(name), title: name === "why" || name === "run" ? value : null });
      if (name.startsWith("scores.")) {
        cell.textContent = row.scored ? number(value) : "";
        if (typeof value === "number" && value >= 0.999) cell.classList.add("good");
        else if (typeof value === "number" && value <= 0.001) cell.classList.add("bad");
      } else if (name === "why" && !row.scored) cell.append(el("b", { class: "tag" }, "unscored"), el("bdi", {}, ` ${value}`));
      else cell.textContent = name === "run" ? this.runName(value) : String(value ?? "");
      line.append(cell);
    }
    return line;
  }

  // A run's path, without that of the one folder that was named.
  runName(run) {
    const [place, ...others] = this.places;
    return !others.length && run.startsWith(`${place}/`) ? run.slice(place.length + 1) : run;
  }

  move(by) {
    this.at = Math.max(0, Math.min(this.shown.length - 1, this.at + by));
    const top = this.at * ROW;
    const { scrollTop } = this.scroller;
    const clientHeight = this.scroller.clientHeight - ROW;  // The head stands over the rows.
    if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) this.scroller.scrollTop = top + ROW - clientHeight;
    this.draw();
  }

  near(id, by) {
    const place = this.shown.findIndex((row) => row.id === id);
    return place < 0 ? null : this.shown[place + by]?.id ?? null;
  }

  sameWorld(row) {
    return [...this.rows.values()].filter((one) => one.id !== row.id && one.pack === row.pack && one.task_id === row.task_id && one.variant === row.variant);
  }
}
