// Elements, made without HTML: every text goes in as text.

export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, String(value));
  }
  made.append(...children.flat(Infinity).filter((one) => one != null && one !== false && one !== ""));
  return made;
}

const SHOWN = 20000;

// A text that agents or people wrote; a long one is cut until somebody asks for the rest.
export function said(text, tag = "div") {
  const whole = String(text);
  const box = el(tag, { class: "said", dir: "auto" });
  box.textContent = whole.slice(0, SHOWN);
  if (whole.length <= SHOWN) return box;
  const more = el("button", { type: "button", onclick: () => { box.textContent = whole; more.remove(); } },
    `show all ${whole.length.toLocaleString()} characters`);
  return el("div", {}, box, more);
}

// Something folded; what is in it is made when it is opened first.
export function folded(summary, make, open = false) {
  const box = el("details", {}, el("summary", {}, summary));
  const fill = () => { if (box.open && box.childElementCount === 1) box.append(...[make()].flat()); };
  box.addEventListener("toggle", fill);
  if (open) { box.open = true; fill(); }
  return box;
}

export const number = (value) => (value == null ? "–" : Number.isInteger(value) ? String(value) : value.toFixed(3));
