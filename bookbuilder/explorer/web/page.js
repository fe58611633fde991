// What the pages with a board share: the two columns, the board, the error message, and the keys of the board.

import { Board } from "./board.js";
import { button, h, icon } from "./dom.js";
import { LOOKS } from "./ground.js";
import { stepBack, stepForward, stepInto } from "./lines.js";
import { movesOf } from "./state.js";
import { t } from "./words.js";

/** The base of a page. `update(state)` draws it, `keys()` returns its keys, `leave()` ends what still runs. */
export class Page {
  constructor(app) {
    this.app = app;
    this.error = h("p", { class: "error", role: "alert" });
  }

  get state() {
    return this.app.state;
  }

  /** Changes the state without an entry in the history. */
  change(changes) {
    this.app.go(changes, { replace: true });
  }

  /** Runs a request and what draws its answer. Shows an error; a request that a newer one replaced is ignored. */
  async attempt(work, fail = (error) => (this.error.textContent = error.message)) {
    try {
      await work();
      this.error.textContent = "";
    } catch (error) {
      if (error.name !== "AbortError") fail(error);
    }
  }

  keys() {
    return {};
  }

  leave() {}
}

/** The base of a page with a board on its left. */
export class BoardPage extends Page {
  constructor(app) {
    super(app);
    this.board = null;
    this.boardBox = h("div", { class: "boardBox" });
    this.way = h("div", { class: "way" });
  }

  /** Puts a heading and the two columns on the page. */
  lay(view, heading, left, right, look = "explorer narrow-board") {
    view.replaceChildren(
      heading,
      h(
        "div",
        { class: look },
        h("div", { class: "column-board" }, this.boardBox, left, this.error),
        h("div", { class: "column-moves" }, right),
      ),
    );
  }

  /** Makes the board of a game unless it is there. */
  ensureBoard(game, options = { onMove: (move) => this.play(move) }) {
    if (this.board?.game === game) return;
    this.board = new Board(game, options);
    this.boardBox.querySelector(".board-frame")?.remove();
    this.boardBox.append(this.board.node);
  }

  /** Shows a position on the board. */
  showBoard({ fen, dests = {}, check = false }, more = {}) {
    const flip = this.state.flip === "1";
    const last = movesOf(this.state.play).at(-1) ?? "";
    const notation = this.app.notation(this.board.game);
    this.board.show({ fen, dests, check, arrows: [], flip, look: this.app.look, last, notation, ...more });
  }

  /** Returns a move in the notation that the reader prefers. */
  nameOf(move) {
    return move.names?.[this.app.notation(this.board.game)] ?? move.move;
  }

  /** Returns listeners that show the arrow of a move while its row is pointed at or has the focus. */
  lighting(move) {
    const [on, off] = [() => this.board.light(move), () => this.board.light(null)];
    return { pointerenter: on, pointerleave: off, focusin: on, focusout: off };
  }

  play(move) {
    this.app.go(stepInto(this.state, move));
  }

  back() {
    const step = stepBack(this.state);
    if (step) this.app.go(step);
  }

  forward() {
    const step = stepForward(this.state);
    if (step) this.app.go(step);
  }

  flip() {
    this.change({ flip: this.state.flip ? "" : "1" });
  }

  flipButton() {
    return control(icon("flip"), t("Flip the board (f)"), () => this.flip());
  }

  nextLook() {
    this.app.prefer("look", LOOKS[(LOOKS.indexOf(this.app.look) + 1) % LOOKS.length]);
  }

  keys() {
    return {
      ArrowLeft: () => this.back(),
      ArrowRight: () => this.forward(),
      f: () => this.flip(),
      n: () => this.app.nextNotation(this.board.game),
      x: () => this.nextLook(),
    };
  }
}

/** Moves the focus to a row of a table of moves. */
export function focusRow(box, place) {
  const rows = [...box.querySelectorAll(".play")];
  rows[Math.max(0, Math.min(rows.length - 1, place))]?.focus();
}

/** Moves the focus to the row above or below the one that has it. */
export function walkRows(box, step) {
  const rows = [...box.querySelectorAll(".play")];
  const now = rows.indexOf(document.activeElement);
  focusRow(box, now < 0 ? (step > 0 ? 0 : rows.length - 1) : now + step);
}

/** Returns a button of the controls, whose label names its key. */
export function control(content, label, click, disabled = false) {
  return button(content, click, { "aria-label": label, title: label, disabled });
}

/** Returns the buttons of a line. `steps` go to the start, back, forward and to the end. */
export function stepButtons([start, back, forward, end], atStart, atEnd) {
  return [
    control(icon("start"), t("To the start (Home)"), start, atStart),
    control(icon("back"), t("Back (←)"), back, atStart),
    control(icon("forward"), t("Forward (→)"), forward, atEnd),
    control(icon("end"), t("To the end (End)"), end, atEnd),
  ];
}
