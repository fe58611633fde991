// The tree below a position: what is played how often, folded and unfolded, P as a colour and as a number.

import { ask } from "../api.js";
import { Board } from "../board.js";
import { positionCopies } from "../copies.js";
import { choice, empty, field, h } from "../dom.js";
import { filterBar } from "../filters.js";
import { count, percent } from "../format.js";
import { breadcrumb, remember, stepBack, stepForward, stepInto } from "../lines.js";
import { movesOf, questionOf } from "../state.js";

/** Shows the page; `update` follows the state. */
export function show(view, app) {
  const tree = new Tree(view, app);
  return { update: (state) => tree.update(state), keys: tree.keys() };
}

class Tree {
  constructor(view, app) {
    this.app = app;
    this.folded = new Set();
    this.boardBox = h("div", {});
    this.way = h("div", {});
    this.bar = h("div", { class: "panel" });
    this.box = h("div", { class: "panel" });
    this.error = h("p", { class: "error", role: "alert" });
    const left = h("div", { class: "column-board" }, this.boardBox, this.way, this.error);
    const right = h("div", { class: "column-moves" }, this.bar, this.box);
    view.replaceChildren(h("h1", {}, "Tree"), h("div", { class: "explorer narrow-board" }, left, right));
  }

  async update(state) {
    const source = this.app.source();
    if (!this.bar.contains(document.activeElement)) this.drawBar(source, state);
    const asked = {
      ...questionOf(state),
      depth: state.depth || 4,
      width: state.width || 4,
      kept_only: state.kept,
    };
    try {
      const [answer, place] = await Promise.all([ask("/tree", asked), ask("/position", questionOf(state))]);
      this.error.textContent = "";
      remember(place, state);
      this.place = place;
      this.draw(answer, state);
    } catch (error) {
      if (error.name !== "AbortError") this.error.textContent = error.message;
    }
  }

  drawBar(source, state) {
    const pick = (name, most, usual) =>
      choice(
        Array.from({ length: most }, (_, n) => [String(n + 1), String(n + 1)]),
        state[name] || usual,
        (value) => this.app.go({ [name]: value }, { replace: true }),
      );
    this.bar.replaceChildren(
      filterBar(source, state, (changes) => this.app.go(changes, { replace: true })),
      h(
        "div",
        { class: "filters" },
        field("Plies deep", pick("depth", 8, "4")),
        field("Moves at each position", pick("width", 8, "4")),
      ),
    );
  }

  draw(answer, state) {
    const { app, place } = this;
    if (this.board?.game !== place.game) {
      this.board = new Board(place.game, { onMove: (move) => this.app.go(stepInto(this.app.state, move)) });
      this.boardBox.replaceChildren(this.board.node);
    }
    this.here = {
      fen: place.fen,
      dests: place.dests,
      last: movesOf(state.play).at(-1) ?? "",
      check: place.check,
    };
    this.board.show({ ...this.here, arrows: [], flip: app.flip, letters: app.letters });
    this.way.replaceChildren(breadcrumb(place.game, state, app.notation(place.game), (step) => app.go(step)));
    if (!answer.children.length) {
      this.box.replaceChildren(
        empty(
          "No tree here",
          place.moves.length
            ? "A book with these thresholds keeps no move."
            : "This source has no move at this position.",
        ),
      );
      return;
    }
    const list = h("ul", {
      class: "tree",
      role: "tree",
      "aria-label": "Moves below the position",
      on: { keydown: (event) => this.key(event) },
    }, answer.children.map((node) => this.node(node, [], 1)));
    list.querySelector("[role=treeitem]").tabIndex = 0;
    this.box.replaceChildren(
      h(
        "p",
        { class: "hint" },
        "The bar is as long as the move is frequent at its position; its colour says P: orange below one half, blue above, grey near it and where nobody won.",
      ),
      list,
      positionCopies(place.fen, app.source(), state),
      answer.is_cut
        ? h(
          "p",
          { class: "notice" },
          "The tree was cut: it is too large to be shown whole. Ask for less depth or width.",
        )
        : "",
    );
  }

  node(node, before, level) {
    const line = [...before, node.move];
    const id = line.join(",");
    const hasChildren = node.children.length > 0;
    const isOpen = hasChildren && !this.folded.has(id);
    const text = node.names?.[this.app.notation(this.place.game)] ?? node.move;
    const label = `${text}, played ${count(node.played ?? node.reached)}, ${percent(node.share)}, P ${
      percent(node.p)
    }, ${node.kept ? "kept" : "not kept"}`;
    const row = h(
      "div",
      { class: `tree-row ${node.kept ? "kept" : "dropped"}` },
      h("span", { class: "fold", "aria-hidden": "true" }, hasChildren ? (isOpen ? "▾" : "▸") : ""),
      h("span", { class: "tree-move" }, moveNumber(this.place, line.length), text),
      h(
        "span",
        { class: "tree-bar", "aria-hidden": "true" },
        h("span", {
          class: `meter ${band(node.p)}`,
          style: { width: `${Math.max(1, (node.share ?? 0.1) * 100)}%` },
        }),
      ),
      h("span", { class: "tree-n" }, count(node.played ?? node.reached)),
      h("span", { class: "tree-share sub" }, percent(node.share, 0)),
      h("span", { class: "tree-p" }, `P ${percent(node.p, 0)}`),
      h("span", { class: "verdict-sign" }, node.kept ? "✓" : "✕"),
    );
    row.addEventListener(
      "click",
      (event) => (event.target.closest(".fold") && hasChildren ? this.fold(id, !isOpen) : this.open(line)),
    );
    row.addEventListener("pointerenter", () => this.peek(node));
    row.addEventListener("pointerleave", () => this.peek(null));
    const item = h("li", {
      role: "treeitem",
      tabindex: -1,
      "aria-level": level,
      "aria-label": label,
      "aria-expanded": hasChildren ? String(isOpen) : null,
      "data-line": id,
      on: { focus: () => this.peek(node) },
    }, row);
    if (isOpen) {
      item.append(
        h("ul", { role: "group" }, node.children.map((child) => this.node(child, line, level + 1))),
      );
    }
    return item;
  }

  /** Shows the position after a move of the tree while it is pointed at. */
  peek(node) {
    if (node) this.board.show({ fen: node.fen_after, dests: {}, last: node.move, check: false });
    else this.board.show(this.here);
  }

  fold(id, isOpen) {
    if (isOpen) this.folded.delete(id);
    else this.folded.add(id);
    this.update(this.app.state).then(() => this.focus(id));
  }

  open(line) {
    const state = this.app.state;
    this.app.go({ play: [...movesOf(state.play), ...line].join(","), next: "" });
  }

  focus(id) {
    const items = [...this.box.querySelectorAll("[role=treeitem]")];
    const item = items.find((each) => each.dataset.line === id) ?? items[0];
    for (const each of items) each.tabIndex = each === item ? 0 : -1;
    item?.focus();
  }

  key(event) {
    const items = [...this.box.querySelectorAll("[role=treeitem]")];
    const item = event.target.closest("[role=treeitem]");
    const place = items.indexOf(item);
    const id = item.dataset.line;
    const isOpen = item.getAttribute("aria-expanded");
    const moves = {
      ArrowDown: () => this.focus(items[Math.min(place + 1, items.length - 1)].dataset.line),
      ArrowUp: () => this.focus(items[Math.max(place - 1, 0)].dataset.line),
      ArrowRight:
        () => (isOpen === "false"
          ? this.fold(id, true)
          : isOpen && this.focus(items[place + 1].dataset.line)),
      ArrowLeft:
        () => (isOpen === "true"
          ? this.fold(id, false)
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
    const go = (step) => step && this.app.go(step);
    return {
      ArrowLeft: () => go(stepBack(this.app.state)),
      ArrowRight: () => go(stepForward(this.app.state)),
      ArrowDown: () => this.box.querySelector("[role=treeitem]")?.focus(),
      f: () => {
        this.app.flip = !this.app.flip;
        this.board.show({ flip: this.app.flip });
      },
      k: () => this.app.go({ kept: this.app.state.kept ? "" : "1" }, { replace: true }),
      n: () => this.app.nextNotation(this.place.game),
      x: () => this.app.prefer("letters", this.app.letters === "latin" ? "chinese" : "latin"),
    };
  }
}

/** The number before a move: its pair's number, and dots if the second side moves. */
function moveNumber(place, depth) {
  const offset = place.start_fen.split(" ")[1] === "b" ? 1 : 0;
  const ply = place.plies + depth - 1 + offset;
  return h("span", { class: "number" }, `${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."} `);
}

/** The colour of a P: five bands around one half. */
function band(p) {
  if (p === null || p === undefined) return "p-none";
  return ["p-0", "p-1", "p-2", "p-3", "p-4"][[0.35, 0.46, 0.54, 0.65].filter((bound) => p >= bound).length];
}
