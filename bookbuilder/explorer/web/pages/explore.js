// The explorer: board, moves, thresholds, games and engine at one position.

import { ask, send } from "../api.js";
import { Board } from "../board.js";
import { positionCopies } from "../copies.js";
import { announce, copy, h, icon } from "../dom.js";
import { EngineLine } from "../engine.js";
import { asNumber, filterBar } from "../filters.js";
import { headOf, stateOf } from "../heading.js";
import { branches, breadcrumb, remember, stepBack, stepForward, stepInto } from "../lines.js";
import { samplesPanel } from "../samples.js";
import { movesOf, questionOf } from "../state.js";
import { arranged, moveTable, ORDERS, sidesOf } from "../table.js";

// Arrows of rarer moves would hide the board.
const ARROWS = 8;
const LEAST_SHARE = 0.005;

/** Shows the page; `update` follows the state. */
export function show(view, app) {
  const explorer = new Explorer(view, app);
  return {
    update: (state) => explorer.update(state),
    keys: explorer.keys(),
    leave: () => explorer.engine.stop(),
  };
}

class Explorer {
  constructor(view, app) {
    this.app = app;
    this.board = null;
    this.answer = null;
    this.moves = [];
    this.samples = samplesPanel(app);
    this.engine = new EngineLine(() => this.place(), () => app.notation(this.answer.game));
    const make = (tag, name, properties = {}) => (this[name] = h(tag, { class: name, ...properties }));
    const entry = h("input", {
      id: "entry",
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "a move, or a FEN",
      "aria-label": "A move, or a FEN",
    });
    const form = h(
      "form",
      { class: "entry", on: { submit: (event) => this.enter(event, entry) } },
      entry,
      h("button", {}, "Go"),
    );
    const left = h(
      "div",
      { class: "column-board" },
      make("div", "boardBox"),
      make("div", "controls"),
      make("div", "way"),
      form,
      this.engine.node,
    );
    const right = h(
      "div",
      { class: "column-moves" },
      make("div", "head"),
      make("div", "filterBox"),
      make("div", "tableBox", { "aria-live": "off" }),
      this.samples.node,
      make("div", "copyBox"),
    );
    this.engine.node.hidden = !app.facts.engine;
    this.error = h("p", { class: "error", role: "alert" });
    view.replaceChildren(
      h("h1", { class: "offscreen" }, "Explorer"),
      h("div", { class: "explorer" }, left, right),
    );
    left.append(this.error);
  }

  get state() {
    return this.app.state;
  }

  place() {
    const { fen, game } = this.answer ?? {};
    return { game, fen };
  }

  async update(state) {
    const source = this.app.source();
    this.ensureBoard(source.game);
    if (!this.filterBox.contains(document.activeElement) || this.filterSource !== source.id) {
      this.filterSource = source.id;
      this.filterBox.replaceChildren(
        filterBar(source, state, (changes) => this.app.go(changes, { replace: true })),
      );
    }
    this.tableBox.setAttribute("aria-busy", "true");
    try {
      const before = this.answer;
      this.answer = await ask("/position", questionOf(state));
      this.error.textContent = "";
      remember(this.answer, state);
      this.draw();
      if (before?.fen !== this.answer.fen) {
        this.engine.look();
        this.samples.show(state);
      } else if (before?.src !== source.id) this.samples.show(state);
      this.answer.src = source.id;
      this.tableBox.removeAttribute("aria-busy");
    } catch (error) {
      if (error.name === "AbortError") return;
      this.error.textContent = error.message;
      this.tableBox.removeAttribute("aria-busy");
    }
  }

  ensureBoard(game) {
    if (this.board?.game === game) return;
    this.board = new Board(game, { onMove: (move) => this.play(move) });
    this.boardBox.replaceChildren(this.board.node);
  }

  draw() {
    const { app, answer, state } = this;
    const look = {
      notation: app.notation(answer.game),
      view: app.view,
      sort: state.sort || "played",
      keptOnly: state.kept === "1",
      sides: sidesOf(answer),
      threshold: app.source().kind === "book" ? null : asNumber(state.p),
    };
    this.moves = arranged(answer, look);
    const arrows = answer.moves
      .filter((move) => (!look.keptOnly || move.kept) && (move.share ?? 1) >= LEAST_SHARE)
      .slice(0, ARROWS)
      .map(({ move, share, kept }) => ({ move, share: share ?? 0.15, kept }));
    this.board.show({
      fen: answer.fen,
      dests: answer.dests,
      arrows,
      flip: app.flip,
      letters: app.letters,
      lit: null,
      last: movesOf(state.play).at(-1) ?? "",
      check: answer.check,
    });
    this.head.replaceChildren(...headOf(answer, look));
    this.way.replaceChildren(
      breadcrumb(answer.game, state, look.notation, (step) => app.go(step)),
      branches(answer.game, state, look.notation, (step) => app.go(step)) ?? "",
    );
    this.drawControls();
    this.drawTable(look);
    this.copyBox.replaceChildren(positionCopies(answer.fen, app.source(), state));
  }

  drawTable(look) {
    const hadFocus = this.tableBox.contains(document.activeElement) ? document.activeElement : null;
    const nth = hadFocus?.dataset.play ? [...this.tableBox.querySelectorAll(".play")].indexOf(hadFocus) : -1;
    const sorted = hadFocus?.closest("th[scope=col]")?.className;
    const act = {
      play: (move) => this.play(move),
      light: (move) => this.board.light(move),
      sort: (sort) => this.app.go({ sort }, { replace: true }),
    };
    if (this.app.source().writable) act.edit = (move, entry) => this.edit(move, entry);
    const told = stateOf(this.answer, this.moves, look, this.app);
    const table = this.answer.moves.length || this.answer.ended_here?.games
      ? moveTable(this.answer, this.moves, look, act)
      : null;
    this.tableBox.replaceChildren(...[told, table].filter(Boolean));
    const isSame = this.answer.fen === this.tableFen;
    this.tableFen = this.answer.fen;
    if (nth >= 0) this.focusRow(isSame ? nth : 0);
    else if (sorted) this.tableBox.querySelector(`.${sorted} button`)?.focus();
  }

  drawControls() {
    const button = (text, label, act, isOff = false) =>
      h(
        "button",
        { type: "button", "aria-label": label, title: label, disabled: isOff, on: { click: act } },
        text,
      );
    const { app, state } = this;
    const atStart = !state.play;
    const atEnd = !state.next;
    const kept = document.activeElement?.getAttribute?.("aria-label");
    this.controls.replaceChildren(
      button(icon("start"), "To the start (Home)", () => this.toStart(), atStart),
      button(icon("back"), "Back (←)", () => this.back(), atStart),
      button(icon("forward"), "Forward (→)", () => this.forward(), atEnd),
      button(icon("end"), "To the end (End)", () => this.toEnd(), atEnd),
      h("span", { class: "grow" }),
      button(icon("flip"), "Flip the board (f)", () => this.flip()),
      this.answer.game === "xiangqi"
        ? button(
          app.letters === "latin" ? "字" : "R",
          "Characters or letters on the pieces (x)",
          () => this.letter(),
        )
        : "",
      button(this.notationName(), "Notation (n)", () => app.nextNotation(this.answer.game)),
    );
    if (kept) [...this.controls.children].find((each) => each.getAttribute("aria-label") === kept)?.focus();
  }

  notationName() {
    return {
      san: "SAN",
      uci: "UCI",
      wxf: "WXF",
      iccs: "ICCS",
      chinese: "Chinese",
    }[this.app.notation(this.answer.game)];
  }

  play(move) {
    this.app.go(stepInto(this.state, move));
  }

  enter(event, entry) {
    event.preventDefault();
    const text = entry.value.trim();
    if (!text) return;
    entry.value = "";
    entry.blur(); // the keys are the page's again
    if (text.includes("/")) this.app.go({ fen: text, play: "", next: "" });
    else this.playText(text);
  }

  /** Plays a move that was typed, in any notation of the game; the answer's path spells it in coordinates. */
  async playText(text) {
    const { play, ...rest } = questionOf(this.state);
    try {
      const answer = await ask("/position", { ...rest, play: play ? `${play},${text}` : text }, {
        kind: "entry",
      });
      this.play(answer.path.at(-1).move);
    } catch (error) {
      this.error.textContent = error.message;
    }
  }

  /** Changes an entry of the book; the server keeps what was there, so that it can be taken back on the book's page. */
  async edit(move, entry) {
    const source = this.app.source();
    try {
      await send("PUT", `/book/${encodeURIComponent(source.id)}/entry`, {
        fen: this.answer.fen,
        move,
        ...entry,
      });
      announce(entry.drop ? `${move} dropped` : `Quality of ${move}: ${entry.quality}`);
    } catch (error) {
      this.error.textContent = error.message;
    }
    this.update(this.state);
  }

  back() {
    const step = stepBack(this.state);
    if (step) this.app.go(step);
  }

  forward() {
    const step = stepForward(this.state);
    if (step) this.app.go(step);
  }

  toStart() {
    const all = [...movesOf(this.state.play), ...movesOf(this.state.next)];
    this.app.go({ play: "", next: all.join(",") });
  }

  toEnd() {
    const all = [...movesOf(this.state.play), ...movesOf(this.state.next)];
    this.app.go({ play: all.join(","), next: "" });
  }

  flip() {
    this.app.flip = !this.app.flip;
    this.board.show({ flip: this.app.flip });
  }

  letter() {
    this.app.prefer("letters", this.app.letters === "latin" ? "chinese" : "latin");
  }

  /** Goes to the move that was played next more, or less, often in place of the last one. */
  async sibling(step) {
    const played = movesOf(this.state.play);
    if (!played.length) return;
    const before = played.slice(0, -1).join(",");
    const { play: _, ...rest } = questionOf(this.state);
    const answer = await ask("/position", before ? { ...rest, play: before } : rest, { kind: "sibling" });
    const moves = answer.moves.map((move) => move.move);
    const move = moves[(moves.indexOf(played.at(-1)) + step + moves.length) % moves.length];
    this.app.go({ play: [...played.slice(0, -1), move].join(","), next: "" });
  }

  focusRow(place) {
    const rows = [...this.tableBox.querySelectorAll(".play")];
    rows[Math.max(0, Math.min(rows.length - 1, place))]?.focus();
  }

  walk(step) {
    const rows = [...this.tableBox.querySelectorAll(".play")];
    const now = rows.indexOf(document.activeElement);
    this.focusRow(now < 0 ? (step > 0 ? 0 : rows.length - 1) : now + step);
  }

  threshold(step) {
    const p = Math.min(1, Math.max(0, Math.round((asNumber(this.state.p) + step) * 100) / 100));
    this.app.go({ p: String(p) }, { replace: true });
    announce(`Threshold P ${p.toFixed(2)}`);
  }

  keys() {
    const app = this.app;
    const digits = Object.fromEntries(
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((
        n,
      ) => [String(n), () => this.moves[n - 1] && this.play(this.moves[n - 1].move)]),
    );
    const sort = () =>
      ORDERS[(ORDERS.indexOf((this.state.sort || "played").replace("-", "")) + 1) % ORDERS.length];
    return {
      ...digits,
      ArrowLeft: () => this.back(),
      ArrowRight: () => this.forward(),
      Home: () => this.toStart(),
      End: () => this.toEnd(),
      ArrowUp: () => this.walk(-1),
      ArrowDown: () => this.walk(1),
      "Alt+ArrowUp": () => this.sibling(-1),
      "Alt+ArrowDown": () => this.sibling(1),
      "Shift+ ": () => this.moves[0] && this.play(this.moves[0].move),
      "[": () => this.threshold(-0.01),
      "]": () => this.threshold(0.01),
      f: () => this.flip(),
      x: () => this.letter(),
      n: () => app.nextNotation(this.answer.game),
      k: () => app.go({ kept: this.state.kept ? "" : "1" }, { replace: true }),
      s: () => app.go({ sort: sort() }, { replace: true }),
      v: () => app.prefer("view", app.view === "first" ? "mover" : "first"),
      e: () => this.engine.turn(),
      c: () => app.go({ a: app.source().id, b: "" }, { path: "/compare" }),
      y: () => copy(this.answer.fen, "FEN"),
      "/": () => document.getElementById("entry").focus(),
    };
  }
}
