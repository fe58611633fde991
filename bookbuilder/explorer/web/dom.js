// Elements of the page: a tag, its properties and its children in, a node out.
// Text goes in as text nodes only, so that what an archive holds is never read as markup. Styles are set through
// the CSSOM: the page's Content-Security-Policy allows no style attribute.

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
    if (value === null || value === undefined || value === false) continue;
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
  node.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return node;
}

/** Tells a reader of the screen, and shows for a moment, what was done. */
export function announce(text) {
  const live = document.getElementById("live");
  live.textContent = text;
  live.classList.add("shown");
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => live.classList.remove("shown"), 2600);
}

/** Copies a text, and says so. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without the permission, or without https: through a selection, which every browser allows on a key or a click.
    const field = h("textarea", { class: "offscreen", value: text, "aria-hidden": "true" });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  announce(`${what} copied`);
}

/** Returns a labelled field: the label's text, then the control. */
export function field(label, control, hint) {
  return h("label", { class: "field", title: hint }, h("span", { class: "label" }, label), control);
}

/** Returns a select of [value, text] pairs. */
export function choice(pairs, value, change, properties = {}) {
  const options = pairs.map(([each, text]) => h("option", { value: each, selected: each === value }, text));
  return h("select", { ...properties, on: { change: (event) => change(event.target.value) } }, options);
}

/** Returns a panel with its heading. */
export function panel(title, ...children) {
  const head = title ? h("h2", {}, title) : null;
  return h("section", { class: "panel", "aria-label": title || null }, head, ...children);
}

/** Returns what stands where there is nothing to show: a heading and why. */
export function empty(title, why, ...more) {
  return h("div", { class: "empty", role: "status" }, h("strong", {}, title), h("p", {}, why), ...more);
}

const ICONS = {
  start: "M6 5v14M19 5L9 12l10 7z",
  back: "M16 5L6 12l10 7z",
  forward: "M8 5l10 7-10 7z",
  end: "M18 5v14M5 5l10 7-10 7z",
  flip: "M8 20V5M4 9l4-5 4 5M16 4v15M12 15l4 5 4-5",
};

/** Returns one of the page's own signs. */
export function icon(name) {
  return s(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", width: 18, height: 18, "aria-hidden": "true" },
    s("path", { d: ICONS[name] }),
  );
}
