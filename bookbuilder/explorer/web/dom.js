// Makes the elements of the page. Text is inserted as text nodes only, so that text of an archive is never parsed as
// markup. Styles are set through the CSSOM: the page's Content-Security-Policy allows no style attribute.

import { t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/** Returns an HTML element. `on` holds listeners, `style` CSS properties; other properties are attributes. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** Returns an SVG element, as `h` does. */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (!isKnown(value) || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name === "style") {
      for (const [property, text] of Object.entries(value)) node.style.setProperty(property, text);
    } else if (name === "value") {
      node.value = value;
    } else {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat(Infinity).filter((child) => isKnown(child) && child !== false));
  return node;
}

/** Returns whether a value is neither null nor undefined. */
export function isKnown(value) {
  return value !== null && value !== undefined;
}

/** Returns the item of a list after one, and the first after the last. */
export function nextOf(items, item) {
  return items[(items.indexOf(item) + 1) % items.length];
}

export function button(content, click, properties = {}) {
  return h("button", { type: "button", ...properties, on: { click } }, content);
}

/** Returns a paragraph that explains something. */
export function hint(...content) {
  return h("p", { class: "hint" }, ...content);
}

export function tableHead(...texts) {
  return h("thead", {}, h("tr", {}, texts.map((text) => h("th", { scope: "col" }, text))));
}

/** Returns a table of texts. The first cell of a row is its heading. */
export function textTable(heads, rows, properties = {}) {
  const row = ([name, ...texts]) =>
    h("tr", {}, h("th", { scope: "row" }, name), texts.map((text) => h("td", {}, text)));
  return h("table", properties, tableHead(...heads), h("tbody", {}, rows.map(row)));
}

export function folded(title, ...content) {
  return h("details", { class: "numbers" }, h("summary", {}, title), ...content);
}

/** Returns a list of [name, value] pairs, without the values that are missing. */
export function facts(pairs) {
  const shown = pairs.filter(([, value]) => isKnown(value) && value !== "");
  return h("dl", { class: "facts-list" }, shown.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/** Replaces the children of a box. The focus goes to the new control with the same name. */
export function redraw(box, children) {
  const nameOf = ({ dataset, ariaLabel, textContent }) => dataset.play ?? dataset.column ?? ariaLabel ?? textContent;
  const name = nameOf(document.activeElement);
  const alike = () => [...box.querySelectorAll("a, button, input, select")].filter((each) => nameOf(each) === name);
  const place = alike().indexOf(document.activeElement);
  box.replaceChildren(...children.filter(Boolean));
  if (place >= 0) alike()[place]?.focus();
}

/** Replaces controls. While one of them has the focus they stay, and take over what the new ones show. */
export function redrawControls(box, children) {
  const fresh = h("div", {}, children);
  const [old, now] = [box, fresh].map((each) => [...each.querySelectorAll("input, select, output, summary span, .hint")]);
  const isKept = box.contains(document.activeElement) && old.length === now.length;
  if (!isKept) {
    const open = [...box.querySelectorAll("details")].map((each) => each.open);
    box.replaceChildren(...fresh.childNodes);
    return [...box.querySelectorAll("details")].forEach((each, n) => (each.open ||= open[n] ?? false));
  }
  old.forEach((control, n) => {
    const isTyped = control === document.activeElement && ["text", "number"].includes(control.type);
    if (["OUTPUT", "SPAN", "P"].includes(control.tagName)) control.textContent = now[n].textContent;
    else if (control.type === "checkbox") control.checked = now[n].checked;
    else if (!isTyped) control.value = now[n].value;
  });
}

/** Returns what shows an error in a box, in place of its content. */
export function showError(box) {
  return (error) => box.replaceChildren(h("p", { class: "error" }, error.message));
}

/** Shows a message for a moment. Screen readers read it aloud. */
export function announce(text) {
  const live = document.getElementById("live");
  live.textContent = text;
  live.classList.add("shown");
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => live.classList.remove("shown"), 2600);
}

/** Copies a text to the clipboard and shows a message. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The permission or https is missing. Every browser allows to copy a selection on a key or a click.
    const field = h("textarea", { class: "offscreen", value: text, "aria-hidden": "true" });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  announce(t("{what} copied", { what }));
}

export function field(label, control, hint) {
  return h("label", { class: "field", title: hint }, h("span", { class: "label" }, label), control);
}

/** Returns a select of [value, text] pairs. */
export function choice(pairs, value, change, properties = {}) {
  const options = pairs.map(([each, text]) => h("option", { value: each, selected: each === value }, text));
  return h("select", { ...properties, on: { change: (event) => change(event.target.value) } }, options);
}

export function panel(title, ...children) {
  return h("section", { class: "panel", "aria-label": title }, h("h2", {}, title), ...children);
}

/** Returns a message for a place without content: a heading and the reason. */
export function empty(title, why, ...more) {
  return h("div", { class: "empty", role: "status" }, h("strong", {}, title), h("p", {}, why), ...more);
}

const ICONS = {
  start: "M6 5v14M19 5L9 12l10 7z",
  back: "M16 5L6 12l10 7z",
  forward: "M8 5l10 7-10 7z",
  end: "M18 5v14M5 5l10 7-10 7z",
  auto: "M12 4v16a8 8 0 0 0 0-16z",
  light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1 1M18 18l1 1M5 19l1-1M18 6l1-1",
  dark: "M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z",
  look: "M5 5h7v7H5zM12 12h7v7h-7z",
  flip: "M8 20V5M4 9l4-5 4 5M16 4v15M12 15l4 5 4-5",
};

export function icon(name) {
  const look = { class: "icon", viewBox: "0 0 24 24", width: 18, height: 18, "aria-hidden": "true" };
  return s("svg", look, s("path", { d: ICONS[name] }));
}

/** Shows a dialog with a heading and a button that closes it. It goes when it is closed. */
export function showDialog(look, title, ...content) {
  const heading = h("h2", { id: "dialog-title" }, title);
  const close = h("form", { method: "dialog" }, h("button", {}, t("Close")));
  const dialog = h("dialog", { class: look, "aria-labelledby": "dialog-title" }, heading, content, close);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
