// Shows what a threshold costs in positions and in visits, for several minimum counts, before a book is built.

import { ask } from "../api.js";
import { BuildPanel } from "../build.js";
import { sidesOf } from "../cells.js";
import { commandsOf } from "../commands.js";
import { lineChart, numbersTable } from "../chart.js";
import { button, copy, empty, field, folded, h, hint, panel, redrawControls, textTable } from "../dom.js";
import { asNumber, filterBar } from "../filters.js";
import { bytes, count, inHundredths, percent, reasonWords, short } from "../format.js";
import { calibration } from "../judge.js";
import { Page } from "../page.js";
import { questionOf } from "../state.js";
import { t } from "../words.js";

export default class Tune extends Page {
  constructor(view, app) {
    super(app);
    this.head = h("div", { class: "panel" });
    this.curve = panel(t("Positions kept as the threshold rises"));
    this.visits = panel(t("Share of visits that the book knows"));
    this.coverage = panel(t("How deep the book goes"));
    this.calibration = panel(t("Does P hold in later games?"));
    this.exact = h("div", { class: "exact", "aria-live": "polite" });
    this.curveSizes = h("div", {});
    this.sizes = panel(t("What these thresholds keep"), this.exact, this.curveSizes);
    this.builder = new BuildPanel(app, (changes) => this.change(changes));
    this.texts = h("div", {});
    this.build = panel(t("Build it"), this.builder.node, this.texts);
    view.replaceChildren(
      h("h1", {}, t("Tune and build")),
      this.error,
      h("div", { class: "tune" }, this.head, this.build, this.curve, this.sizes, this.visits, this.coverage, this.calibration),
    );
  }

  async update(state) {
    const source = this.app.source();
    const isStore = source.kind === "store";
    for (const each of [this.curve, this.visits, this.coverage, this.calibration, this.sizes, this.build]) {
      each.hidden = !isStore;
    }
    if (!isStore) {
      this.head.replaceChildren(
        empty(t("A book is tuned already"), t("Thresholds are tried on a tally store: choose one above.")),
      );
      return;
    }
    this.drawHead(source, state);
    const building = this.attempt(() =>
      Promise.all([this.builder.update(source, state), this.drawTexts(source, state)])
    );
    for (const each of [this.curve, this.visits, this.coverage]) {
      if (each.children.length < 2) each.append(hint(t("reading …")));
    }
    await Promise.all([building, this.loadCurve(state), this.loadCoverage(state), this.calibrate(source, state)]);
  }

  calibrate(source, state) {
    return this.attempt(
      async () => this.fill(this.calibration, ...await calibration(source, state, (changes) => this.change(changes))),
      (error) => this.fill(this.calibration, hint(error.message)),
    );
  }

  drawHead(source, state) {
    const counts = h("input", {
      type: "text",
      inputmode: "numeric",
      value: state.counts,
      size: 12,
      on: { change: (event) => this.app.go({ counts: event.target.value.replaceAll(" ", "") }) },
    });
    redrawControls(this.head, [
      filterBar(source, state, (changes) => this.change(changes), { withKept: false }),
      h(
        "div",
        { class: "filters" },
        field(t("Curves for at least … games"), counts, t("Up to eight numbers, such as 1,5,20")),
        this.toggle(state),
      ),
    ]);
  }

  toggle(state) {
    const box = h("input", {
      type: "checkbox",
      checked: state.scale !== "linear",
      on: { change: (event) => this.change({ scale: event.target.checked ? "" : "linear" }) },
    });
    return h("label", { class: "check" }, box, h("span", {}, t("Logarithmic")));
  }

  loadCurve(state) {
    return this.attempt(async () => {
      const rest = questionOf({ ...state, fen: "", play: "" });
      const answer = await ask("/curve", { ...rest, p: "", min_games: state.counts });
      this.drawCurves(answer, state);
    });
  }

  drawCurves(answer, state) {
    const groups = grouped(answer.points);
    const p = asNumber(state.p);
    const marker = {
      value: p,
      label: t("Threshold P"),
      pick: (value) => value !== p && this.change({ p: String(value) }),
    };
    const x = {
      label: t("threshold P = W / (W + L)"),
      max: 1,
      ticks: [0, 0.2, 0.4, 0.6, 0.8, 1],
      format: (value) => value.toFixed(1),
    };
    const chart = (word, y, label) => {
      const series = [...groups].map(([least, points]) => ({
        name: least === 1 ? t("at least 1 game") : t("at least {n} games", { n: count(least) }),
        points: points.map((point) => [point.p, point[word]]),
      }));
      return lineChart({ series, x, y, marker, label });
    };
    const positions = { format: short, log: state.scale !== "linear" };
    this.fill(this.curve, chart("positions", positions, t("Positions kept by threshold")));
    const visits = { format: (value) => percent(value, 0) };
    this.fill(this.visits, chart("usage_share", visits, t("Share of visits by threshold")));
    this.drawSizes(answer, [...groups.values()], p);
  }

  drawSizes(answer, groups, p) {
    const size = (positions) => bytes(answer.bytes_fixed + positions * answer.bytes_per_record);
    const figures = (point) => [
      `≥ ${count(point.min_games)}`,
      point.p.toFixed(2),
      count(point.positions),
      size(point.positions),
      percent(point.usage_share, 2),
    ];
    const near = (points) =>
      points.reduce((best, point) => (Math.abs(point.p - p) < Math.abs(best.p - p) ? point : best));
    const heads = [t("games"), "P ≥", t("positions"), t("bytes, about"), t("of visits")];
    this.curveSizes.replaceChildren(
      textTable(heads, groups.map((points) => figures(near(points))), { class: "sizes" }),
      hint(t("The points of the curves next to P; visits are those that the side and the ply limit allow.")),
      ...ignoredNote(answer),
      numbersTable(t("All numbers of the curves"), heads, answer.points.map(figures)),
    );
  }

  loadCoverage(state) {
    return this.attempt(async () => {
      const answer = await ask("/coverage", questionOf({ ...state, fen: "", play: "" }));
      this.drawCost(answer);
      this.drawCoverage(answer.plies.filter((each) => each.share !== null && each.ply > 0));
    }, (error) => this.fill(this.coverage, hint(error.message)));
  }

  /** Draws the coverage by ply: a curve for each side, since thresholds are for the side that moved. */
  drawCoverage(plies) {
    const after = (side) => plies.filter(({ ply }) => ply % 2 === side).map(({ ply, share }) => [ply, share]);
    const [first, second] = sidesOf(this.app.source());
    const series = [
      { name: t("after {side}'s moves", { side: first }), points: after(1) },
      { name: t("after {side}'s moves", { side: second }), points: after(0) },
    ];
    const y = { max: 1, format: (value) => percent(value, 0) };
    const label = t("Share of visits that a book with these thresholds knows, by ply");
    this.fill(
      this.coverage,
      lineChart({ series, x: { label: t("ply"), format: count }, y, label }),
      hint(t("Share of the games' positions after each ply that such a book knows.")),
      numbersTable(
        t("All numbers"),
        [t("ply"), t("of visits")],
        plies.map(({ ply, share }) => [String(ply), percent(share, 2)]),
      ),
    );
  }

  /** Draws the exact numbers that the thresholds keep and drop. Start positions do not count: no move leads there. */
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
        t(" of {n} positions are kept", { n: count(sum("positions")) }),
      ),
      h("p", {}, t("{share} of all the games' visits", { share: percent(visits ? answer.visits_kept / visits : null, 2) })),
      h(
        "ul",
        { class: "plain" },
        words.map(([reason, many]) => h("li", {}, `${count(many)} ${reasonWords(reason)}`)),
      ),
    );
  }

  /** Draws the command and the Python that build what the page shows. */
  async drawTexts(source, state) {
    const { command, python } = await commandsOf("build", source, state);
    const block = (label, what, text) =>
      h(
        "div",
        { class: "copyable" },
        h("pre", { tabindex: 0 }, h("code", {}, text)),
        button(label, () => copy(text, what)),
      );
    const isOpen = this.texts.querySelector("details")?.open ?? false;
    const texts = folded(
      t("As a command and as Python"),
      block(t("Copy as command"), t("Command"), command),
      block(t("Copy as Python"), "Python", python),
    );
    texts.open = isOpen;
    this.texts.replaceChildren(texts);
  }

  leave() {
    this.builder.leave();
  }

  /** Fills a panel below its heading. A slider keeps the focus. */
  fill(node, ...content) {
    const hadFocus = node.contains(document.activeElement) &&
      document.activeElement.getAttribute("role") === "slider";
    node.replaceChildren(node.querySelector("h2"), ...content);
    if (hadFocus) node.querySelector("[role=slider]")?.focus();
  }

  keys() {
    const move = (step) => this.change({ p: String(inHundredths(asNumber(this.state.p) + step)) });
    return {
      "[": () => move(-0.01),
      "]": () => move(0.01),
      y: async () => copy((await commandsOf("build", this.app.source(), this.state)).command, t("Command")),
    };
  }
}

function grouped(points) {
  const groups = new Map();
  for (const point of points) groups.set(point.min_games, [...(groups.get(point.min_games) ?? []), point]);
  return groups;
}

const IGNORED = { "below-share": t("the share"), "below-margin": t("the margin"), "unreachable": t("what its lines reach") };

/** Returns a note on the rules that the figures leave out, in a list; an empty list without such rules. */
function ignoredNote({ ignored }) {
  if (!ignored.length) return [];
  const rules = ignored.map((reason) => IGNORED[reason]).join(", ");
  return [hint(t("These figures are by a position's own counts. A book also asks for {rules}, so it keeps less.", { rules }))];
}
