// Compares two sources, or two selections, at one position.

import { ask } from "../api.js";
import { button, choice, empty, h, hint, redrawControls } from "../dom.js";
import { rulesBar } from "../filters.js";
import { count, percent } from "../format.js";
import { remember } from "../lines.js";
import { BoardPage } from "../page.js";
import { filtersOf, noFilters, placeOf, rulesOf, stateOfSide } from "../state.js";
import { changeList } from "../whole.js";
import { keptMark, resultBar, sidesOf } from "../cells.js";
import { t } from "../words.js";

const CHANGES = { "only-a": t("only in A"), "only-b": t("only in B"), changed: t("changed"), same: t("same") };

/**
 * Returns the moves of both sides: those of the first in its order, then the others. A move has changed if one side
 * keeps it and the other does not. A weight alone does not count: it depends on the other moves that are kept.
 */
function compared(one, other) {
  const [left, right] = [one, other].map((moves) => new Map(moves.map((move) => [move.move, move])));
  return [...new Map([...left, ...right]).keys()].map((move) => {
    const [a, b] = [left.get(move), right.get(move)];
    const change = !a ? "only-b" : !b ? "only-a" : a.kept === b.kept ? "same" : "changed";
    return { ...(a ?? b), a, b, change };
  });
}

export default class Compare extends BoardPage {
  constructor(view, app) {
    super(app);
    const [a, b] = ["A", "B"].map((name) => h("section", { class: "panel", "aria-label": name }));
    this.sides = { a, b };
    this.rows = h("div", { class: "compare-table" });
    const both = h("div", { class: "two" }, a, b);
    this.whole = h("div", { class: "stack", role: "status" });
    this.lay(view, h("h1", {}, t("Compare")), this.way, [both, this.whole, this.rows]);
  }

  /** Returns A and B: sources of one game. Without names, both are the first source. */
  pair(state) {
    const a = this.app.source(state.a || state.src);
    const peers = this.app.sources.filter((source) => source.game === a.game);
    const b = peers.find((source) => source.id === state.b) ?? peers.find((source) => source !== a) ?? a;
    return { a, b, peers };
  }

  /** Asks for the position in a source, with the rules and filters of a side. */
  position(state, prefix, source) {
    const own = stateOfSide(state, prefix);
    const filters = source.kind === "store" ? filtersOf(own) : {};
    return ask("/position", { ...placeOf(state), src: source.id, ...rulesOf(own), ...filters }, { kind: prefix });
  }

  update(state) {
    const { a, b, peers } = this.pair(state);
    const reset = { b: "", fen: "", play: "", next: "" };
    const isSameGame = (id) => this.app.source(id).game === a.game;
    const first = (id) => ({ a: id, ...noFilters("a_"), ...(isSameGame(id) ? {} : reset) });
    this.drawSide("a", a, this.app.sources, state, first);
    this.drawSide("b", b, peers, state, (id) => ({ b: id, ...noFilters("b_") }));
    this.drawWhole(a, b);
    return this.attempt(async () => {
      const [one, other] = await Promise.all([this.position(state, "a_", a), this.position(state, "b_", b)]);
      this.answer = one;
      const rows = compared(one.moves, other.moves);
      remember({ ...one, moves: rows }, state);
      this.draw(rows);
    });
  }

  /** Offers to compare two books as a whole. */
  drawWhole(a, b) {
    const names = [a.id, b.id].join();
    if (names === this.wholeOf) return;
    this.wholeOf = names;
    const areBooks = a.kind === "book" && b.kind === "book" && a !== b;
    const show = () =>
      this.attempt(async () => {
        this.whole.replaceChildren(hint(t("comparing the books …")));
        const answer = await ask("/diff", { a: a.id, b: b.id });
        const words = answer.weights_compared ? "" : hint(t("Their weights mean different things and are not compared."));
        this.whole.replaceChildren(changeList(answer, a.name, this.app.notation(a.game), true), words);
      });
    this.whole.replaceChildren(areBooks ? button(t("Compare the whole books"), show) : "");
  }

  drawSide(side, source, sources, state, change) {
    const name = side.toUpperCase();
    const pairs = sources.map((each) => [each.id, each.name]);
    const pick = choice(pairs, source.id, (id) => this.app.go(change(id)), { "aria-label": t("Source {name}", { name }) });
    redrawControls(this.sides[side], [
      h("div", { class: "panel-head" }, h("h2", {}, name), pick),
      source.kind === "book"
        ? hint(t("A book of {n} records.", { n: count(source.records) }))
        : rulesBar(this.app, source, state, (changes) => this.change(changes), `${side}_`),
    ]);
  }

  draw(rows) {
    this.ensureBoard(this.answer.game);
    this.showBoard(this.answer);
    this.showWay();
    this.rows.replaceChildren(
      rows.length ? this.table(rows) : empty(t("Nothing to compare"), t("Neither source has a move here.")),
    );
  }

  table(rows) {
    const head = (properties) => (text) => h("th", { scope: "col", ...properties }, text);
    const { a, b } = this.pair(this.state);
    const group = { scope: "colgroup", colspan: 4, class: "group" };
    const heads = [
      [t("Move"), t("Difference")].map(head({ rowspan: 2 })),
      [`A: ${a.name}`, `B: ${b.name}`].map(head(group)),
    ];
    const each = [t("games"), t("results"), t("win share"), t("in book")];
    const change = (row) => h("td", { class: "change" }, h("span", { class: `tag ${row.change}` }, CHANGES[row.change]));
    const cells = (row) => [change(row), this.cells(row.a, "A"), this.cells(row.b, "B")];
    return h(
      "table",
      { class: "compare", "aria-label": t("Moves of A and B") },
      h("thead", {}, h("tr", {}, heads), h("tr", { class: "sub-heads" }, [...each, ...each].map(head({})))),
      h("tbody", {}, rows.map((row) => this.moveRow(row, row.change, ...cells(row)))),
    );
  }

  cells(side, name) {
    if (!side) return h("td", { colspan: 4, class: `none side-${name}`, "data-side": name }, t("not there"));
    return [
      h("td", { class: `side-${name} number`, "data-side": name }, count(side.played ?? side.reached)),
      h("td", { class: "results" }, resultBar(side, sidesOf(this.answer))),
      h("td", { class: "number" }, percent(side.p)),
      h("td", {}, keptMark(side)),
    ];
  }
}
