// Charts as SVG. Lines differ by dashes and signs as well as by colour, and every chart has a table of its numbers.

import { folded, h, s, tableHead, textTable } from "./dom.js";
import { inHundredths } from "./format.js";

const [WIDE, NARROW, HEIGHT] = [720, 380, 340];
const INSET = { left: 66, right: 18, top: 14, bottom: 46 };
const SIGNS = [
  (x, y) => s("circle", { cx: x, cy: y, r: 3.6 }),
  (x, y) => s("rect", { x: x - 3.3, y: y - 3.3, width: 6.6, height: 6.6 }),
  (x, y) => s("path", { d: `M${x} ${y - 4.4}l4.2 7.4h-8.4z` }),
  (x, y) => s("path", { d: `M${x} ${y - 4.6}l4.6 4.6-4.6 4.6-4.6-4.6z` }),
];

/**
 * Returns a chart of lines over x.
 *
 * `series` is [{name, points: [[x, y]]}]. `x` and `y` have `label`, `format` and `max`; `y.log` is a logarithmic
 * axis. `marker` is {value, label, pick}: a vertical line that is moved by mouse, finger and keys.
 */
export function lineChart({ series, x, y, marker = null, label }) {
  // On a narrow page the chart is narrower, so that its letters keep their size.
  const width = window.innerWidth < 560 ? NARROW : WIDE;
  const scale = scalesOf(series, x, y, width);
  const svg = s("svg", {
    class: "chart",
    viewBox: `0 0 ${width} ${HEIGHT}`,
    // A picture may hold no slider.
    role: marker ? "group" : "img",
    "aria-label": label,
  });
  svg.append(...axes(scale, x, y));
  series.forEach((one, n) => svg.append(curve(one, n, scale)));
  if (marker) svg.append(movable(svg, scale, marker));
  return h("figure", { class: "chart-figure" }, svg, legend(series));
}

function scalesOf(series, x, y, width) {
  const all = series.flatMap((one) => one.points);
  const xMin = x.min ?? 0;
  const xMax = x.max ?? Math.max(1, ...all.map(([value]) => value));
  const top = Math.max(y.log ? 10 : 0, ...all.map(([, value]) => value)) || 1;
  const yTicks = y.log ? logTicks(top) : ticks(0, y.max ?? top, 5);
  const yMax = Math.max(y.max ?? top, yTicks.at(-1));
  const [left, right, bottom, up] = [INSET.left, width - INSET.right, HEIGHT - INSET.bottom, INSET.top];
  // log(1 + y), since a logarithmic axis must show zero.
  const height = (value) => (y.log ? Math.log10(1 + value) / Math.log10(1 + yMax) : value / yMax);
  return {
    x: (value) => left + ((value - xMin) / (xMax - xMin || 1)) * (right - left),
    y: (value) => bottom - height(value) * (bottom - up),
    back: (pixel) => xMin + ((pixel - left) / (right - left)) * (xMax - xMin),
    xTicks: x.ticks ?? ticks(xMin, xMax, width / 90),
    yTicks,
    left,
    right,
    bottom,
    up,
    width,
  };
}

/** Returns round numbers from `low` to at least `high`, about `wanted` of them. */
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const found = [];
  for (let n = 0; low + n * step < high + step * 0.999; n += 1) {
    found.push(Number((low + n * step).toPrecision(12)));
  }
  return found;
}

function logTicks(high) {
  const found = [0];
  for (let power = 1;; power *= 10) {
    found.push(power);
    if (power >= high) return found;
  }
}

function axes(scale, x, y) {
  const { left, right, bottom } = scale;
  const text = (at, anchor, look, content) => s("text", { class: look, ...at, "text-anchor": anchor }, content);
  const nodes = [];
  for (const value of scale.yTicks) {
    const at = scale.y(value);
    nodes.push(s("path", { class: "grid", d: `M${left} ${at}H${right}` }));
    nodes.push(text({ x: left - 8, y: at + 4 }, "end", "tick", y.format(value)));
  }
  for (const value of scale.xTicks) {
    const at = scale.x(value);
    if (at > right + 1) continue;
    nodes.push(s("path", { class: "tick-mark", d: `M${at} ${bottom}v5` }));
    nodes.push(text({ x: at, y: bottom + 19 }, "middle", "tick", x.format(value)));
  }
  nodes.push(s("path", { class: "axis", d: `M${left} ${bottom}H${right}` }));
  nodes.push(text({ x: (left + right) / 2, y: HEIGHT - 6 }, "middle", "axis-name", x.label));
  return nodes;
}

function curve({ points }, n, scale) {
  const path = points.map(([x, y], place) =>
    `${place ? "L" : "M"}${scale.x(x).toFixed(1)} ${scale.y(y).toFixed(1)}`
  ).join("");
  // Signs must not overlap.
  const every = Math.max(1, Math.ceil(points.length / 16));
  const signs = points.filter((_, place) => place % every === (n % every)).map(([x, y]) =>
    SIGNS[n % SIGNS.length](scale.x(x), scale.y(y))
  );
  return s("g", { class: `series s${n % 4}` }, s("path", { class: "curve", d: path }), signs);
}

function legend(series) {
  if (series.length < 2) return null;
  const items = series.map((one, n) => {
    const sample = s(
      "svg",
      { viewBox: "0 0 34 12", width: 34, height: 12, "aria-hidden": "true" },
      s(
        "g",
        { class: `series s${n % 4}` },
        s("path", { class: "curve", d: "M1 6h32" }),
        SIGNS[n % SIGNS.length](17, 6),
      ),
    );
    return h("li", {}, sample, one.name);
  });
  return h("ul", { class: "legend" }, items);
}

/** Returns the vertical line of the threshold: a slider for mouse, finger and keys. */
function movable(svg, scale, { value, label, pick }) {
  const at = scale.x(value);
  const middle = at > scale.right - 60 ? "end" : at < scale.left + 60 ? "start" : "middle";
  const group = s(
    "g",
    {
      class: "threshold-line",
      tabindex: 0,
      role: "slider",
      "aria-label": label,
      "aria-valuemin": 0,
      "aria-valuemax": 1,
      "aria-valuenow": value,
    },
    s("rect", { class: "grip", x: at - 16, y: scale.up, width: 32, height: scale.bottom - scale.up }),
    s("path", { d: `M${at} ${scale.up}V${scale.bottom}` }),
    s("circle", { cx: at, cy: scale.bottom, r: 7 }),
    s("text", { x: at, y: scale.up + 13, "text-anchor": middle }, `P ≥ ${value.toFixed(2)}`),
  );
  const valueAt = (event) => {
    const box = svg.getBoundingClientRect();
    return inHundredths(scale.back(((event.clientX - box.left) / box.width) * scale.width));
  };
  svg.classList.add("pickable");
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    pick(valueAt(event));
  });
  svg.addEventListener("pointermove", (event) => event.buttons && pick(valueAt(event)));
  group.addEventListener("keydown", (event) => {
    const step = {
      ArrowLeft: -0.01,
      ArrowDown: -0.01,
      ArrowRight: 0.01,
      ArrowUp: 0.01,
      PageDown: -0.1,
      PageUp: 0.1,
    }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    pick(inHundredths(value + step));
  });
  return group;
}

/** Returns bars, one for each [label, value, text]. */
export function bars(items, { label, name }) {
  const most = Math.max(1, ...items.map(([, value]) => value));
  const rows = items.map(([title, value, text]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, title),
      h(
        "td",
        { class: "bar-cell" },
        h("span", {
          class: "meter",
          style: { width: `${Math.max(value ? 0.4 : 0, (value / most) * 100)}%` },
        }),
      ),
      h("td", { class: "bar-number" }, text),
    )
  );
  const head = tableHead(...name);
  head.querySelector("th:last-child").colSpan = 2;
  return h("table", { class: "bars", "aria-label": label }, head, h("tbody", {}, rows));
}

/** Returns a folded table of the numbers of a chart. */
export function numbersTable(title, heads, rows) {
  return folded(title, textTable(heads, rows));
}
