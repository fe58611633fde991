// Charts as SVG. Lines differ by dashes and signs as well as by colour, and every chart has a table of its numbers.

import { h, s } from "./dom.js";

const [WIDE, NARROW, HEIGHT] = [720, 380, 300];
const INSET = { left: 66, right: 24, top: 14, bottom: 46 };
const SIGNS = [
  (x, y) => s("circle", { cx: x, cy: y, r: 3.6 }),
  (x, y) => s("rect", { x: x - 3.3, y: y - 3.3, width: 6.6, height: 6.6 }),
];

/**
 * Returns a chart of lines over x. `series` is [{name, points: [[x, y]]}]; `x` and `y` have `label`, `format` and `max`.
 */
export function lineChart({ series, x, y, label }) {
  // On a narrow page the chart is narrower, so that its letters keep their size.
  const width = window.innerWidth < 560 ? NARROW : WIDE;
  const points = series.flatMap((one) => one.points);
  const xMax = x.max ?? Math.max(1, ...points.map(([value]) => value));
  const top = y.max ?? (Math.max(0, ...points.map(([, value]) => value)) || 1);
  const yTicks = ticks(top, 5);
  const yMax = Math.max(top, yTicks.at(-1));
  const [left, right, bottom, up] = [INSET.left, width - INSET.right, HEIGHT - INSET.bottom, INSET.top];
  const place = {
    x: (value) => left + (value / xMax) * (right - left),
    y: (value) => bottom - (value / yMax) * (bottom - up),
  };
  const text = (at, anchor, look, content) => s("text", { class: look, ...at, "text-anchor": anchor }, content);
  const grid = yTicks.flatMap((value) => [
    s("path", { class: "grid", d: `M${left} ${place.y(value)}H${right}` }),
    text({ x: left - 8, y: place.y(value) + 4 }, "end", "tick", y.format(value)),
  ]);
  const marks = ticks(xMax, width / 90).filter((value) => place.x(value) <= right + 1).flatMap((value) => [
    s("path", { class: "tick-mark", d: `M${place.x(value)} ${bottom}v5` }),
    text({ x: place.x(value), y: bottom + 19 }, "middle", "tick", x.format(value)),
  ]);
  const svg = s(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
    grid,
    marks,
    s("path", { class: "axis", d: `M${left} ${bottom}H${right}` }),
    text({ x: (left + right) / 2, y: HEIGHT - 6 }, "middle", "axis-name", x.label),
    series.map((one, n) => curve(one, n, place)),
  );
  return h("figure", { class: "chart-figure" }, svg, legend(series));
}

/** Returns round numbers from 0 to at least `high`, about `wanted` of them. */
function ticks(high, wanted) {
  const rough = high / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const found = [];
  for (let n = 0; n * step < high + step * 0.999; n += 1) found.push(Number((n * step).toPrecision(12)));
  return found;
}

function curve({ points }, n, place) {
  const path = points.map(([x, y], at) => `${at ? "L" : "M"}${place.x(x).toFixed(1)} ${place.y(y).toFixed(1)}`).join("");
  // Signs must not overlap.
  const every = Math.max(1, Math.ceil(points.length / 16));
  const signs = points.filter((_, at) => at % every === (n % every)).map(([x, y]) => SIGNS[n % 2](place.x(x), place.y(y)));
  return s("g", { class: `series s${n}` }, s("path", { class: "curve", d: path }), signs);
}

function legend(series) {
  if (series.length < 2) return null;
  const items = series.map((one, n) => {
    const sample = s("g", { class: `series s${n}` }, s("path", { class: "curve", d: "M1 6h32" }), SIGNS[n % 2](17, 6));
    return h("li", {}, s("svg", { viewBox: "0 0 34 12", width: 34, height: 12, "aria-hidden": "true" }, sample), one.name);
  });
  return h("ul", { class: "legend" }, items);
}
