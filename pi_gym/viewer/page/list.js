// The list of sessions: only the rows in sight are elements.

import { el, number } from "./dom.js";

const ROW = 34;
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
      this.selects[name] = el("select", { "aria-label": name, onchange: (event) => this.choose(name, event.target.value) });
    }
    this.search = el("input", { type: "search", placeholder: "filter: words, score>0.5, -word   ( / )", "aria-label": "filter",
      oninput: (event) => this.choose("text", event.target.value) });
    this.problems = el("div", {});
    this.head = el("div", { class: "row head", role: "row" });
    this.body = el("div", { class: "rows" });
    this.scroller = el("div", { class: "scroller", tabindex: 0, role: "grid", "aria-label": "sessions", onscroll: () => this.plan() }, this.body);
    this.element = el("section", { class: "list" },
      el("div", { class: "filters" }, this.search, Object.values(this.selects), this.status),
      this.problems, this.head, this.scroller);
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
      const label = { agent: "all agents", task_id: "all tasks", tag: "all tags", state: "scored or not" }[name];
      select.replaceChildren(el("option", { value: "" }, label), ...[...options[name]].sort().map((one) => el("option", { value: one }, one)));
      select.value = this.chosen[name];
    }
    this.columns = [["agent", "agent"], ["task_id", "task"], ["variant", "variant"],
      ...this.scores.map((name) => [`scores.${name}`, name]), ["turns", "turns"], ["tool_calls", "calls"], ["why", "why"], ["run", "run"]];
    this.template = this.columns.map(([name]) => ({ agent: "minmax(6rem,1fr)", task_id: "minmax(9rem,1.4fr)", why: "minmax(7rem,3fr)", run: "minmax(5rem,1fr)" })[name] ?? "4.6rem").join(" ");
    this.head.style.gridTemplateColumns = this.template;
    this.head.replaceChildren(...this.columns.map(([name, title]) => el("button", { type: "button", role: "columnheader", class: this.isNumber(name) ? "number" : "",
      "aria-sort": this.sort[0] === name ? (this.sort[1] > 0 ? "ascending" : "descending") : "none",
      onclick: () => { this.sort = [name, this.sort[0] === name ? -this.sort[1] : 1]; this.refresh(); } },
    title, this.sort[0] === name ? (this.sort[1] > 0 ? " ↑" : " ↓") : "")));
    this.filter();
  }

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
    this.head.style.paddingRight = `calc(1.25rem + ${this.scroller.offsetWidth - this.scroller.clientWidth}px)`;
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
  }

  row(place) {
    const row = this.shown[place];
    const line = el("a", { href: `#/s/${row.id}`, role: "row", tabindex: -1, class: `row${row.scored ? "" : " unscored"}` });
    line.style.gridTemplateColumns = this.template;
    line.style.transform = `translateY(${place * ROW}px)`;
    for (const [name] of this.columns) {
      const value = this.value(row, name);
      // Cells hold one text each, so bidirectional marks in one do not reach the next: the style isolates them.
      const cell = el("span", { role: "gridcell", class: this.isNumber(name) ? "number" : "", title: name === "why" || name === "run" ? value : null });
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
    const { scrollTop, clientHeight } = this.scroller;
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
