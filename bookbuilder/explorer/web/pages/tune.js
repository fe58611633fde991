// Tuning the threshold: what P costs in positions and in visits, for several minimum counts, before a book is built.

import { ask } from "../api.js";
import { buildCommand, buildPython } from "../commands.js";
import { lineChart, numbersTable } from "../chart.js";
import { copy, empty, field, h, panel } from "../dom.js";
import { asNumber, filterBar } from "../filters.js";
import { bytes, count, percent, reasonWords } from "../format.js";
import { questionOf } from "../state.js";

/** Shows the page; `update` follows the state. */
export function show(view, app) {
  const tune = new Tune(view, app);
  return { update: (state) => tune.update(state), keys: tune.keys() };
}

class Tune {
  constructor(view, app) {
    this.app = app;
    this.head = h("div", { class: "panel" });
    this.curve = panel("Positions kept as the threshold rises");
    this.visits = panel("Share of visits that the book knows");
    this.coverage = panel("How deep the book goes");
    this.exact = h("div", { class: "exact", "aria-live": "polite" });
    this.curveSizes = h("div", {});
    this.sizes = panel("What these thresholds keep", this.exact, this.curveSizes);
    this.build = panel("Build it");
    this.error = h("p", { class: "error", role: "alert" });
    view.replaceChildren(
      h("h1", {}, "Tune the threshold"),
      this.error,
      h("div", { class: "tune" }, this.head, this.curve, this.sizes, this.visits, this.coverage, this.build),
    );
  }

  get state() {
    return this.app.state;
  }

  async update(state) {
    const source = this.app.source();
    const isStore = source.kind === "store";
    for (const each of [this.curve, this.visits, this.coverage, this.sizes, this.build]) {
      each.hidden = !isStore;
    }
    if (!isStore) {
      this.head.replaceChildren(
        empty("A book is tuned already", "Thresholds are tried on a tally store: choose one above."),
      );
      return;
    }
    this.drawHead(source, state);
    this.drawBuild(source, state);
    for (const each of [this.curve, this.visits, this.coverage]) {
      if (each.children.length < 2) each.append(h("p", { class: "hint" }, "reading …"));
    }
    await Promise.all([this.loadCurve(state), this.loadCoverage(state)]);
  }

  drawHead(source, state) {
    if (this.head.contains(document.activeElement)) return;
    const counts = h("input", {
      type: "text",
      inputmode: "numeric",
      value: state.counts,
      size: 12,
      on: { change: (event) => this.app.go({ counts: event.target.value.replaceAll(" ", "") }) },
    });
    this.head.replaceChildren(
      filterBar(source, state, (changes) => this.app.go(changes, { replace: true }), { withKept: false }),
      h(
        "div",
        { class: "filters" },
        field("Curves for at least … games", counts, "Up to eight numbers, such as 1,5,20"),
        this.toggle(state),
      ),
    );
  }

  toggle(state) {
    const box = h("input", {
      type: "checkbox",
      checked: state.scale !== "linear",
      on: {
        change: (event) => this.app.go({ scale: event.target.checked ? "" : "linear" }, { replace: true }),
      },
    });
    return h("label", { class: "check" }, box, h("span", {}, "Logarithmic"));
  }

  async loadCurve(state) {
    try {
      const rest = questionOf({ ...state, fen: "", play: "" });
      const answer = await ask("/curve", { ...rest, p: "", min_games: state.counts });
      this.error.textContent = "";
      this.drawCurves(answer, state);
    } catch (error) {
      if (error.name !== "AbortError") this.error.textContent = error.message;
    }
  }

  drawCurves(answer, state) {
    const groups = grouped(answer.points);
    const series = (word) =>
      [...groups].map(([least, points]) => ({
        name: `at least ${count(least)} ${least === 1 ? "game" : "games"}`,
        points: points.map((point) => [point.p, point[word]]),
      }));
    const p = asNumber(state.p);
    const marker = {
      value: p,
      label: "Threshold P",
      pick: (value) => value !== p && this.app.go({ p: String(value) }, { replace: true }),
    };
    const x = {
      label: "threshold P = W / (W + L)",
      max: 1,
      ticks: [0, 0.2, 0.4, 0.6, 0.8, 1],
      format: (value) => value.toFixed(1),
    };
    this.fill(
      this.curve,
      lineChart({
        series: series("positions"),
        x,
        y: { format: count, log: state.scale !== "linear" },
        marker,
        label: "Positions kept by threshold",
      }),
    );
    this.fill(
      this.visits,
      lineChart({
        series: series("usage_share"),
        x,
        y: { format: (value) => percent(value, 0) },
        marker,
        label: "Share of visits by threshold",
      }),
    );
    const size = (positions) => bytes(answer.bytes_fixed + positions * answer.bytes_per_record);
    const figures = (
      point,
    ) => [
      `≥ ${count(point.min_games)}`,
      point.p.toFixed(2),
      count(point.positions),
      size(point.positions),
      percent(point.usage_share, 2),
    ];
    const near = (points) =>
      points.reduce((best, point) => (Math.abs(point.p - p) < Math.abs(best.p - p) ? point : best));
    const heads = ["games", "P ≥", "positions", "bytes, about", "of visits"];
    const table = h(
      "div",
      {},
      numbersTable("", heads, [...groups.values()].map((points) => figures(near(points)))),
    ).querySelector("table");
    table.className = "sizes";
    this.curveSizes.replaceChildren(
      table,
      h(
        "p",
        { class: "hint" },
        "The points of the curves next to P; visits are those that the side and the ply limit allow.",
      ),
      numbersTable("All numbers of the curves", heads, answer.points.map(figures)),
    );
  }

  async loadCoverage(state) {
    try {
      const answer = await ask("/coverage", questionOf({ ...state, fen: "", play: "" }));
      this.drawCost(answer);
      this.drawCoverage(answer.plies.filter((each) => each.share !== null && each.ply > 0));
    } catch (error) {
      if (error.name !== "AbortError") this.fill(this.coverage, h("p", { class: "hint" }, error.message));
    }
  }

  /** The coverage by ply: a curve for each side, since thresholds are for the side that moved. */
  drawCoverage(plies) {
    const after = (side) => plies.filter(({ ply }) => ply % 2 === side).map(({ ply, share }) => [ply, share]);
    const [first, second] = this.app.source().sides;
    const series = [
      { name: `after ${first}'s moves`, points: after(1) },
      { name: `after ${second}'s moves`, points: after(0) },
    ];
    const y = { max: 1, format: (value) => percent(value, 0) };
    const label = "Share of visits that a book with these thresholds knows, by ply";
    this.fill(
      this.coverage,
      lineChart({ series, x: { label: "ply", format: count }, y, label }),
      h("p", { class: "hint" }, "Share of the games' positions after each ply that such a book knows."),
      numbersTable(
        "All numbers",
        ["ply", "of visits"],
        plies.map(({ ply, share }) => [String(ply), percent(share, 2)]),
      ),
    );
  }

  /** What the thresholds keep and drop, exactly. Where games begin is no move's position, and is left out. */
  drawCost(answer) {
    const roots = answer.plies.filter((each) => each.ply === 0);
    const sum = (name) => answer[name] - roots.reduce((total, each) => total + each[name], 0);
    const visits = sum("visits");
    const words = Object.entries(answer.reasons).filter(([reason]) =>
      reason && reason !== "kept" && reason !== "root"
    );
    this.exact.replaceChildren(
      h(
        "p",
        { class: "big" },
        h("strong", {}, count(answer.positions_kept)),
        ` of ${count(sum("positions"))} positions are kept`,
      ),
      h("p", {}, `${percent(visits ? answer.visits_kept / visits : null, 2)} of all the games' visits`),
      h(
        "ul",
        { class: "plain" },
        words.map(([reason, many]) => h("li", {}, `${count(many)} ${reasonWords(reason)}`)),
      ),
    );
  }

  drawBuild(source, state) {
    const block = (what, text) =>
      h(
        "div",
        { class: "copyable" },
        h("pre", { tabindex: 0 }, h("code", {}, text)),
        h(
          "button",
          { type: "button", on: { click: () => copy(text, what) } },
          `Copy as ${what.toLowerCase() === "python" ? "Python" : "command"}`,
        ),
      );
    this.fill(
      this.build,
      block("Command", buildCommand(source, state)),
      block("Python", buildPython(source, state)),
    );
  }

  /** Fills a panel below its heading; a slider that has the focus keeps it. */
  fill(node, ...content) {
    const hadFocus = node.contains(document.activeElement) &&
      document.activeElement.getAttribute("role") === "slider";
    node.replaceChildren(node.querySelector("h2"), ...content);
    if (hadFocus) node.querySelector("[role=slider]")?.focus();
  }

  keys() {
    const move = (step) =>
      this.app.go({
        p: String(Math.min(1, Math.max(0, Math.round((asNumber(this.state.p) + step) * 100) / 100))),
      }, { replace: true });
    return {
      "[": () => move(-0.01),
      "]": () => move(0.01),
      y: () => copy(buildCommand(this.app.source(), this.state), "Command"),
    };
  }
}

function grouped(points) {
  const groups = new Map();
  for (const point of points) groups.set(point.min_games, [...(groups.get(point.min_games) ?? []), point]);
  return groups;
}
