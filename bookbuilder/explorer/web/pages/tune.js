// The page where a book is made: rules on the left, the book of these rules on the right, and curves below.

import { ask, attempt } from "../api.js";
import { BuildPanel } from "../build.js";
import { lineChart } from "../chart.js";
import { button, copy, empty, field, folded, h, hint, panel, redrawControls, textTable } from "../dom.js";
import { EditList } from "../edit.js";
import { facetControls, gamesFilter, MAIN, number, orderedRules, PRESET_MEANINGS, presetChoice, ruleControls } from "../filters.js";
import { count, percent, reasonWords } from "../format.js";
import { Page } from "../page.js";
import { filtersOf, presetOf, rulesOf } from "../state.js";
import { t } from "../words.js";

// What a reader waits before a stop counts as the end of a drag.
const REST_MS = 250;
const UNKNOWN_SIZE = t("These rules look at every position of a large store. Build the book to see its size.");

export default class Tune extends Page {
  constructor(view, app) {
    super(app);
    this.controls = h("div", { class: "stack" });
    this.edits = new EditList(app, () => this.changedByHand());
    this.size = h("div", { class: "size", "aria-live": "polite" });
    this.builder = new BuildPanel(app);
    const folds = [
      this.fold(t("The size of the book by its rules"), () => this.drawCurve()),
      this.fold(t("Does the win share hold in later games?"), () => this.drawCalibration()),
      this.fold(t("As a command and as Python"), () => this.drawTexts()),
    ];
    // The parts of the page that the rules change: `draw` asks for the content, which is grey while it is of other rules.
    // The size is asked for at once, so that it follows a drag.
    this.parts = [{ content: this.size, draw: () => this.drawSize(), isShown: () => true, rest: 0 }, ...folds];
    this.nothing = h("div", {});
    const rules = panel(t("Rules"), this.controls, this.edits.node);
    const book = panel(t("The book of these rules"), this.size, this.builder.node);
    this.box = h("div", { class: "tune" }, rules, book, folds.map(({ node }) => node));
    view.replaceChildren(h("h1", {}, t("Tune and build")), this.error, this.nothing, this.box);
  }

  /** Returns a folded panel, which is a part of the page once it is opened. */
  fold(title, draw) {
    const content = h("div", { class: "stack" });
    const node = h("details", { class: "panel unfolding" }, h("summary", {}, h("h2", {}, title)), content);
    const part = { node, content, draw, isShown: () => node.open, rest: REST_MS };
    node.addEventListener("toggle", () => this.refresh(part));
    return part;
  }

  /** Draws a part that is shown again if the rules are other ones. */
  refresh(part) {
    const { content } = part;
    const asked = JSON.stringify(this.question());
    if (!part.isShown() || asked === part.asked) return;
    content.classList.add("stale");
    clearTimeout(part.timer);
    if (!content.children.length) content.replaceChildren(hint(t("reading …")));
    part.timer = setTimeout(() => {
      part.asked = asked;
      const fill = (children) => {
        content.replaceChildren(...children);
        content.classList.remove("stale");
      };
      attempt(async () => fill(await part.draw()), (error) => fill([h("p", { class: "error" }, error.message)]));
    }, part.rest);
  }

  question() {
    const { state } = this;
    return { src: this.app.source().id, ...rulesOf(state), ...filtersOf(state), ...(state.split ? { split: state.split } : {}) };
  }

  async update(state) {
    const source = this.app.source();
    const isStore = source.kind === "store";
    this.box.hidden = !isStore;
    this.nothing.replaceChildren(
      isStore ? "" : empty(t("A book is tuned already"), t("Rules are tried on a tally store: choose one above.")),
    );
    if (!isStore) return;
    const change = (changes) => this.change(changes);
    const more = orderedRules().filter((name) => !MAIN.includes(name));
    const fold = (title, ...content) => h("details", { class: "more" }, h("summary", {}, title), h("div", { class: "filters" }, content));
    const facets = facetControls(source, state, change);
    redrawControls(this.controls, [
      h("div", { class: "filters" }, presetChoice(this.app, state, change), hint(PRESET_MEANINGS[presetOf(this.app.facts.presets, state)] ?? ""), ruleControls(MAIN, source, state, change)),
      fold(t("More rules"), ruleControls(more, source, state, change)),
      fold(t("Which games"), facets, gamesFilter(this.app, source)),
    ]);
    for (const each of this.parts) this.refresh(each);
    const tasks = [this.attempt(() => this.builder.update(source))];
    if (this.listed !== source.id) tasks.push(this.attempt(() => this.edits.update(source)));
    this.listed = source.id;
    await Promise.all(tasks);
  }

  changedByHand() {
    this.listed = null;
    this.builder.source = null;
    for (const each of this.parts) each.asked = "";
    return this.update(this.state);
  }

  /** Returns the exact number of moves in the book of these rules. */
  async drawSize() {
    const { moves, never_played: silent, reasons } = await ask("/size", this.question());
    if (moves === null) return [hint(UNKNOWN_SIZE)];
    const dropped = Object.entries(reasons).filter(([reason]) => !["kept", "root", "no-move"].includes(reason));
    return [
      h("p", { class: "big" }, h("strong", {}, count(moves)), t(" moves that an engine can play")),
      silent ? hint(t("{n} further moves are kept with weight 0 and never played.", { n: count(silent) })) : "",
      dropped.length ? hint(t("Dropped: "), dropped.map(([reason, many]) => `${reasonWords(reason)} ${count(many)}`).join(" · ")) : "",
    ];
  }

  async drawCurve() {
    const { rule, points } = await ask("/curve", this.question());
    const known = points.filter((each) => each.moves !== null);
    if (!known.length) return [hint(UNKNOWN_SIZE)];
    const value = rule === "margin" ? (each) => percent(each, 0) : (each) => each.toFixed(2);
    const name = rule === "margin" ? t("margin") : t("minimum win share");
    return [
      lineChart({
        series: [{ name, points: known.map((each) => [each.value, each.moves]) }],
        x: { label: name, max: known.at(-1).value, format: value },
        y: { format: count },
        label: t("Moves in the book by {name}, with the other rules of the page", { name }),
      }),
      folded(t("All numbers"), textTable([name, t("moves")], known.map((each) => [value(each.value), count(each.moves)]))),
    ];
  }

  async drawCalibration() {
    const source = this.app.source();
    if (!source.facets.includes("year")) {
      return [hint(t("Needs a store that keeps years apart: bookbuilder tally GAMES -o STORE --facet year"))];
    }
    const { state } = this;
    const { year_from: _, year_to: __, ...filters } = filtersOf(state);
    const { min_games, max_ply } = rulesOf(state);
    const answer = await ask("/calibration", { src: source.id, split: state.split, min_games, max_ply, ...filters });
    const points = answer.points.filter((each) => each.p !== null);
    const axis = { max: 1, format: (value) => value.toFixed(1) };
    const rows = points.map(({ value, moves, coverage, p_train: earlier, p, gain }) => [
      `≥ ${value.toFixed(2)}`,
      count(moves),
      ...[coverage, earlier, p, gain].map((each) => percent(each)),
    ]);
    const games = { before: count(answer.games_before), year: answer.split, later: count(answer.games_later) };
    return [
      field(t("Later games from"), number(String(answer.split), (split) => this.change({ split }), { min: 1800 }), t("A year")),
      hint(
        t("{before} games before {year}, {later} from then on. ", games),
        t("Moves of at least {n} earlier games.", { n: count(answer.min_games) }),
      ),
      lineChart({
        series: [
          { name: t("later results"), points: points.map((each) => [each.p_train, each.p]) },
          { name: t("as predicted"), points: [[0, 0], [1, 1]] },
        ],
        x: { ...axis, label: t("win share in the earlier games") },
        y: axis,
        label: t("Win share in later games by win share in earlier games"),
      }),
      folded(t("By threshold"), textTable([t("Win share"), t("moves"), t("covered later"), t("earlier"), t("later"), t("gain")], rows)),
    ];
  }

  async drawTexts() {
    const { command, python } = await ask("/commands", { ...this.question(), what: "build" });
    const block = (label, what, text) =>
      h("div", { class: "copyable" }, h("pre", { tabindex: 0 }, h("code", {}, text)), button(label, () => copy(text, what)));
    return [block(t("Copy as command"), t("Command"), command), block(t("Copy as Python"), "Python", python)];
  }

  leave() {
    this.builder.leave();
    for (const each of this.parts) clearTimeout(each.timer);
  }

  keys() {
    return this.thresholdKeys();
  }
}
