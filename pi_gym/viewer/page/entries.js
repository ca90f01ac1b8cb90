// The entries of a conversation.

import { el, folded, said } from "./dom.js";

export function entry(one) {
  if (one.type === "note") {
    return el("div", { class: "entry note" }, folded(el("span", {}, el("b", {}, one.kind), " ", el("bdi", { class: "dim" }, brief(one.fields))),
      () => one.fields.map(([name, value]) => el("div", { class: "field" }, el("span", { class: "dim" }, name), said(value, "pre")))));
  }
  if (one.type === "ask") {
    return el("div", { class: "entry note" }, folded(el("span", {}, el("b", {}, `asked the ${one.kind}`), ` for ${one.role}, ${one.stage}`),
      () => [one.messages.map(([role, text]) => el("div", { class: "field" }, el("span", { class: "dim" }, role), said(text, "pre"))),
        el("div", { class: "field" }, el("span", { class: "dim" }, "answer"), said(one.answer, "pre"))].flat(2)));
  }
  const body = one.role === "system" ? folded("system message", () => said(one.text)) : one.text ? said(one.text) : "";
  return el("article", { class: `entry message ${one.role}` },
    el("div", { class: "who" }, one.role, one.how && one.how !== "final" ? ` · ${one.how}` : "", el("span", { class: "dim" }, one.step ? `step ${one.step}` : "opening")),
    one.thought ? folded("thought", () => said(one.thought)) : "",
    body,
    one.fault ? el("div", { class: "bad" }, "not run: ", said(one.fault, "span")) : "",
    (one.calls ?? []).map(call));
}

function call(one) {
  const tone = one.state === "ok" ? "good" : one.state === "answered by the user" ? "" : "bad";
  return el("div", { class: "call" }, folded(
    el("span", {}, el("code", {}, el("bdi", {}, one.name)), el("span", { class: `state ${tone}` }, one.state), el("bdi", { class: "dim args" }, one.arguments.slice(0, 400).replace(/\s+/g, " "))),
    () => [said(one.arguments, "pre"), one.result == null ? el("div", { class: "dim" }, "no result") : said(one.result, "pre")]));
}

const brief = (fields) => fields.map(([name, value]) => `${name}: ${value.slice(0, 400).replace(/[\s{}[\]"]+/g, " ").replace(/ (?=[:,])/g, "").trim()}`).join("  ").slice(0, 160);

export const changedFiles = (turn, text) => el("div", { class: "entry note" }, folded(`files changed in turn ${turn}`, () => diff(text), true));

// A unified diff, each line coloured by what it does.
export function diff(text) {
  const box = el("pre", { class: "diff said" });
  for (const line of text.split("\n")) {
    const kind = /^(\+\+\+|---) /.test(line) ? "file" : line.startsWith("@@") ? "hunk" : line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : "";
    box.append(el("span", { class: kind }, `${line}\n`));
  }
  return box;
}
