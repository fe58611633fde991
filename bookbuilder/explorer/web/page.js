// What the pages with a board share: the two columns, the board, the error message, and the keys of the board.

import { attempt } from "./api.js";
import { Board } from "./board.js";
import { playButton } from "./cells.js";
import { announce, button, h, icon, nextOf } from "./dom.js";
import { asNumber } from "./filters.js";
import { LOOKS } from "./ground.js";
import { breadcrumb, stateAt, stepsInto } from "./lines.js";
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
    await attempt(async () => {
      await work();
      this.error.textContent = "";
    }, fail);
  }

  /** Returns the keys that change the minimum win share. */
  thresholdKeys() {
    const move = (step) => {
      const p = Math.min(1, Math.max(0, Math.round(100 * (asNumber(this.state.p) + step)) / 100));
      this.change({ p: String(p) });
      announce(`${t("Minimum win share")} ${p.toFixed(2)}`);
    };
    return { "[": () => move(-0.01), "]": () => move(0.01) };
  }

  keys() {
    return {};
  }

  leave() {}
}

/** The base of a page with a board on its left. A page with moves to walk through has them in `rows`. */
export class BoardPage extends Page {
  constructor(app) {
    super(app);
    this.board = null;
    this.boardBox = h("div", { class: "boardBox" });
    this.way = h("div", { class: "way" });
  }

  /** Puts a heading and the two columns on the page. */
  lay(view, heading, left, right, look = "explorer narrow-board") {
    const board = h("div", { class: "column-board" }, this.boardBox, left, this.error);
    view.replaceChildren(heading, h("div", { class: look }, board, h("div", { class: "column-moves" }, right)));
  }

  /** Makes the board of a game unless it is there. */
  ensureBoard(game, options = { onMove: (move) => this.play(move) }) {
    if (this.board?.game === game) return;
    this.board = new Board(game, options);
    this.boardBox.querySelector(".board-frame")?.remove();
    this.boardBox.append(this.board.node);
  }

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

  /** Returns a row of a table of moves: the button that plays the move, and more cells. */
  moveRow(move, look, ...cells) {
    const play = playButton(move.move, this.nameOf(move), () => this.play(move.move));
    return h("tr", { class: look, on: this.lighting(move.move) }, h("th", { scope: "row" }, play), cells);
  }

  showWay() {
    const { game } = this.board;
    this.way.replaceChildren(breadcrumb(game, this.state, this.app.notation(game), (ply) => this.to(ply)));
  }

  /** Plays moves from the position that is shown. */
  play(...moves) {
    this.app.go(stepsInto(this.state, moves));
  }

  /** The ply of the line that the board shows. */
  get ply() {
    return movesOf(this.state.play).length;
  }

  /** The plies of the line, with the moves that were taken back. */
  get plies() {
    return this.ply + movesOf(this.state.next).length;
  }

  to(ply) {
    this.app.go(stateAt(this.state, ply));
  }

  /** Returns the buttons that walk the line, and the one that flips the board. */
  stepButtons() {
    const { ply, plies } = this;
    return [
      control(icon("start"), t("To the start (Home)"), () => this.to(0), !ply),
      control(icon("back"), t("Back (←)"), () => this.to(ply - 1), !ply),
      control(icon("forward"), t("Forward (→)"), () => this.to(ply + 1), ply === plies),
      control(icon("end"), t("To the end (End)"), () => this.to(plies), ply === plies),
      h("span", { class: "grow" }),
      control(icon("flip"), t("Flip the board (f)"), () => this.flip()),
    ];
  }

  flip() {
    this.change({ flip: this.state.flip ? "" : "1" });
  }

  nextLook() {
    this.app.prefer("look", nextOf(LOOKS, this.app.look));
  }

  keys() {
    return {
      ArrowLeft: () => this.to(this.ply - 1),
      ArrowRight: () => this.to(this.ply + 1),
      Home: () => this.to(0),
      End: () => this.to(this.plies),
      f: () => this.flip(),
      n: () => this.app.nextNotation(this.board.game),
      x: () => this.nextLook(),
      ...(this.rows && { ArrowUp: () => walkRows(this.rows, -1), ArrowDown: () => walkRows(this.rows, 1) }),
    };
  }
}

/** Moves the focus to a row of a table of moves. */
export function focusRow(box, place) {
  const rows = [...box.querySelectorAll(".play")];
  rows[Math.max(0, Math.min(rows.length - 1, place))]?.focus();
}

/** Moves the focus to the row above or below the one that has it. */
function walkRows(box, step) {
  const rows = [...box.querySelectorAll(".play")];
  const now = rows.indexOf(document.activeElement);
  focusRow(box, now < 0 ? (step > 0 ? 0 : rows.length - 1) : now + step);
}

/** Returns a button of the controls, whose label names its key. */
export function control(content, label, click, disabled = false) {
  return button(content, click, { "aria-label": label, title: label, disabled });
}
