// The tree below a position: the moves and their frequency, folded and unfolded, P as a colour and as a number.

import { ask } from "../api.js";
import { playButton, unfoldButton } from "../cells.js";
import { choice, empty, field, h, hint, isKnown, redrawControls } from "../dom.js";
import { rulesBar } from "../filters.js";
import { band, count, ownP, percent } from "../format.js";
import { moveNumber, pliesBefore, remember } from "../lines.js";
import { BoardPage } from "../page.js";
import { questionOf } from "../state.js";
import { t } from "../words.js";

const LEGEND = [
  t("The bar is as long as the move is frequent at its position."),
  t("Its colour compares the win share with that of all moves shown there: blue is better, orange worse, grey about equal."),
  t("By transpositions a move may have more games than the one before it."),
].join(" ");
// Deeper levels are folded at first.
const OPEN_LEVELS = 2;

export default class Tree extends BoardPage {
  constructor(view, app) {
    super(app);
    this.turned = new Set();
    this.bar = h("div", { class: "panel" });
    this.rows = h("div", { class: "panel" });
    this.lay(view, h("h1", {}, t("Tree")), this.way, [this.bar, this.rows]);
  }

  update(state) {
    this.drawBar(this.app.source(), state);
    const asked = { ...questionOf(state), depth: state.depth || 4, width: state.width || 4, kept_only: state.kept };
    return this.attempt(async () => {
      const [answer, place] = await Promise.all([ask("/tree", asked), ask("/position", questionOf(state))]);
      remember(place, state);
      this.place = place;
      this.answer = answer;
      this.draw(state);
    });
  }

  drawBar(source, state) {
    const sizes = Array.from({ length: 8 }, (_, n) => [String(n + 1), String(n + 1)]);
    const pick = (name) => choice(sizes, state[name] || "4", (value) => this.change({ [name]: value }));
    const fields = [field(t("Plies deep"), pick("depth")), field(t("Moves at each position"), pick("width"))];
    redrawControls(this.bar, [
      rulesBar(this.app, source, state, (changes) => this.change(changes)),
      h("div", { class: "filters" }, fields),
    ]);
  }

  draw(state) {
    const { answer, place } = this;
    this.ensureBoard(place.game);
    this.showBoard(place);
    this.showWay();
    if (!answer.children.length) {
      const why = place.moves.length
        ? t("A book with these rules keeps no move.")
        : t("This source has no move at this position.");
      return this.rows.replaceChildren(empty(t("No tree here"), why));
    }
    const cut = t("The tree was cut: it is too large to be shown whole. Ask for less depth or width.");
    this.rows.replaceChildren(
      hint(LEGEND),
      h("ul", { class: "tree", "aria-label": t("Moves below the position") }, this.items(answer.children, [])),
      answer.is_cut ? h("p", { class: "notice" }, cut) : "",
    );
  }

  /** Returns the items of the moves after a line below the position. */
  items(children, before) {
    const isFirst = (this.place.turn === "first") === (before.length % 2 === 0);
    const sum = (name) => children.reduce((total, each) => total + (each[name] ?? 0), 0);
    const base = ownP({ turn: isFirst ? "first" : "second", first_wins: sum("first_wins"), second_wins: sum("second_wins") });
    return children.map((node) => {
      const line = [...before, node.move];
      const isOpen = node.children.length > 0 && this.turned.has(line.join(",")) !== line.length < OPEN_LEVELS;
      const below = isOpen ? h("ul", {}, this.items(node.children, line)) : null;
      return h("li", {}, this.row(node, line, isOpen, base), below);
    });
  }

  row(node, line, isOpen, base) {
    const name = this.nameOf(node);
    const fold = node.children.length
      ? unfoldButton(isOpen, name, () => this.fold(line), { "data-line": line.join(",") })
      : h("span", {});
    const width = `${Math.max(1, (node.share ?? 0.1) * 100)}%`;
    const [on, off] = [() => this.showBoard({ fen: node.fen_after }, { last: node.move }), () => this.showBoard(this.place)];
    const ply = pliesBefore(this.place.start_fen) + this.place.plies + line.length - 1;
    const verdict = node.kept ? t("kept") : t("not kept");
    return h(
      "div",
      {
        class: `tree-row ${node.kept ? "kept" : "dropped"}`,
        "data-level": line.length,
        // The board shows the position after the move that is pointed at.
        on: { pointerenter: on, pointerleave: off, focusin: on, focusout: off },
      },
      fold,
      h("span", { class: "tree-move" }, moveNumber(ply), playButton(node.move, name, () => this.play(...line))),
      h("span", { class: "tree-bar" }, h("span", { class: `meter ${band(isKnown(node.p) && isKnown(base) ? node.p - base : null)}`, style: { width } })),
      h("span", { class: "tree-n" }, count(node.played ?? node.reached)),
      h("span", { class: "tree-share sub" }, percent(node.share, 0)),
      h("span", { class: "tree-p", title: t("Win share") }, percent(node.p, 0)),
      h("span", { class: "verdict-sign", role: "img", "aria-label": verdict, title: verdict }, node.kept ? "✓" : "✕"),
    );
  }

  fold(line) {
    const id = line.join(",");
    if (!this.turned.delete(id)) this.turned.add(id);
    this.draw(this.state);
    this.rows.querySelector(`[data-line="${id}"]`)?.focus();
  }

  keys() {
    return { ...super.keys(), k: () => this.change({ kept: this.state.kept ? "" : "1" }) };
  }
}
