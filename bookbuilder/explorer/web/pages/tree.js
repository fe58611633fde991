// The tree below a position: the moves and their frequency, folded and unfolded, P as a colour and as a number.

import { ask } from "../api.js";
import { positionCopies } from "../copies.js";
import { choice, empty, field, h, hint, isKnown, redrawControls } from "../dom.js";
import { rulesBar } from "../filters.js";
import { band, count, percent } from "../format.js";
import { breadcrumb, pliesBefore, remember } from "../lines.js";
import { BoardPage } from "../page.js";
import { movesOf, questionOf } from "../state.js";
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
    this.box = h("div", { class: "panel" });
    this.lay(view, h("h1", {}, t("Tree")), this.way, [this.bar, this.box]);
  }

  update(state) {
    const source = this.app.source();
    this.drawBar(source, state);
    const asked = {
      ...questionOf(state),
      depth: state.depth || 4,
      width: state.width || 4,
      kept_only: state.kept,
    };
    return this.attempt(async () => {
      const [answer, place] = await Promise.all([ask("/tree", asked), ask("/position", questionOf(state))]);
      remember(place, state);
      this.place = place;
      this.draw(answer, state);
    });
  }

  drawBar(source, state) {
    const sizes = Array.from({ length: 8 }, (_, n) => [String(n + 1), String(n + 1)]);
    const pick = (name) => choice(sizes, state[name] || "4", (value) => this.change({ [name]: value }));
    redrawControls(this.bar, [
      rulesBar(this.app, source, state, (changes) => this.change(changes)),
      h(
        "div",
        { class: "filters" },
        field(t("Plies deep"), pick("depth")),
        field(t("Moves at each position"), pick("width")),
      ),
    ]);
  }

  draw(answer, state) {
    const { app, place } = this;
    this.ensureBoard(place.game);
    this.showBoard(place);
    this.way.replaceChildren(breadcrumb(place.game, state, app.notation(place.game), (step) => app.go(step)));
    if (!answer.children.length) {
      const why = place.moves.length
        ? t("A book with these rules keeps no move.")
        : t("This source has no move at this position.");
      this.box.replaceChildren(empty(t("No tree here"), why));
      return;
    }
    const list = h("ul", {
      class: "tree",
      role: "tree",
      "aria-label": t("Moves below the position"),
      on: { keydown: (event) => this.key(event) },
    }, this.nodes(answer.children, [], 1));
    list.querySelector("[role=treeitem]").tabIndex = 0;
    const cut = t("The tree was cut: it is too large to be shown whole. Ask for less depth or width.");
    this.box.replaceChildren(
      hint(LEGEND),
      list,
      positionCopies(place.fen, app.source(), state),
      answer.is_cut ? h("p", { class: "notice" }, cut) : "",
    );
  }

  nodes(children, before, level) {
    const isFirst = (this.place.turn === "first") === (level % 2 === 1);
    const sum = (name) => children.reduce((total, each) => total + (each[name] ?? 0), 0);
    const [first, second] = [sum("first_wins"), sum("second_wins")];
    const base = (isFirst ? first : second) / (first + second);
    return children.map((node) => this.node(node, before, level, base));
  }

  node(node, before, level, base) {
    const line = [...before, node.move];
    const id = line.join(",");
    const hasChildren = node.children.length > 0;
    const isOpen = hasChildren && this.turned.has(id) !== level < OPEN_LEVELS;
    const item = h("li", {
      role: "treeitem",
      tabindex: -1,
      "aria-level": level,
      "aria-label": this.labelOf(node),
      "aria-expanded": hasChildren ? String(isOpen) : null,
      "data-line": id,
      on: { focus: () => this.peek(node) },
    }, this.row(node, line, hasChildren, isOpen, base));
    if (isOpen) {
      item.append(h("ul", { role: "group" }, this.nodes(node.children, line, level + 1)));
    }
    return item;
  }

  labelOf(node) {
    const verdict = node.kept ? t("kept") : t("not kept");
    const played = t("played {n}, {share}", { n: count(node.played ?? node.reached), share: percent(node.share) });
    return `${this.nameOf(node)}, ${played}, P ${percent(node.p)}, ${verdict}`;
  }

  row(node, line, hasChildren, isOpen, base) {
    const id = line.join(",");
    const click = (event) =>
      event.target.closest(".fold") && hasChildren ? this.fold(id) : this.open(line);
    const width = `${Math.max(1, (node.share ?? 0.1) * 100)}%`;
    return h(
      "div",
      {
        class: `tree-row ${node.kept ? "kept" : "dropped"}`,
        on: { click, pointerenter: () => this.peek(node), pointerleave: () => this.peek(null) },
      },
      h("span", { class: "fold", "aria-hidden": "true" }, hasChildren ? (isOpen ? "▾" : "▸") : ""),
      h("span", { class: "tree-move" }, moveNumber(this.place, line.length), this.nameOf(node)),
      h(
        "span",
        { class: "tree-bar", "aria-hidden": "true" },
        h("span", { class: `meter ${band(isKnown(node.p) ? node.p - base : null)}`, style: { width } }),
      ),
      h("span", { class: "tree-n" }, count(node.played ?? node.reached)),
      h("span", { class: "tree-share sub" }, percent(node.share, 0)),
      h("span", { class: "tree-p" }, `P ${percent(node.p, 0)}`),
      h("span", { class: "verdict-sign" }, node.kept ? "✓" : "✕"),
    );
  }

  /** Shows the position after a move of the tree while it is pointed at. */
  peek(node) {
    if (node) this.showBoard({ fen: node.fen_after }, { last: node.move });
    else this.showBoard(this.place);
  }

  fold(id) {
    if (!this.turned.delete(id)) this.turned.add(id);
    this.update(this.state).then(() => this.focus(id));
  }

  open(line) {
    this.app.go({ play: [...movesOf(this.state.play), ...line].join(","), next: "" });
  }

  items() {
    return [...this.box.querySelectorAll("[role=treeitem]")];
  }

  focus(id) {
    const items = this.items();
    const item = items.find((each) => each.dataset.line === id) ?? items[0];
    for (const each of items) each.tabIndex = each === item ? 0 : -1;
    item?.focus();
  }

  key(event) {
    const items = this.items();
    const item = event.target.closest("[role=treeitem]");
    const place = items.indexOf(item);
    const id = item.dataset.line;
    const isOpen = item.getAttribute("aria-expanded");
    const moves = {
      ArrowDown: () => this.focus(items[Math.min(place + 1, items.length - 1)].dataset.line),
      ArrowUp: () => this.focus(items[Math.max(place - 1, 0)].dataset.line),
      ArrowRight:
        () => (isOpen === "false"
          ? this.fold(id)
          : isOpen && this.focus(items[place + 1].dataset.line)),
      ArrowLeft:
        () => (isOpen === "true"
          ? this.fold(id)
          : id.includes(",") && this.focus(id.slice(0, id.lastIndexOf(",")))),
      Home: () => this.focus(items[0].dataset.line),
      End: () => this.focus(items.at(-1).dataset.line),
      Enter: () => this.open(id.split(",")),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    moves[event.key]();
  }

  keys() {
    return {
      ...super.keys(),
      ArrowDown: () => this.box.querySelector("[role=treeitem]")?.focus(),
      k: () => this.change({ kept: this.state.kept ? "" : "1" }),
    };
  }
}

/** Returns the number before a move, with dots if the second side moves. */
function moveNumber(place, depth) {
  const ply = pliesBefore(place.start_fen) + place.plies + depth - 1;
  return h("span", { class: "number" }, `${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."} `);
}
