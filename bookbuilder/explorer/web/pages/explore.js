// The explorer: board, moves, rules, games and engine at one position.

import { ask, attempt } from "../api.js";
import { nameOfOpening, sidesOf } from "../cells.js";
import { announce, button, copy, h, icon, isKnown, redraw, redrawControls } from "../dom.js";
import { EditList } from "../edit.js";
import { EngineLine } from "../engine.js";
import { asNumber, rulesBar } from "../filters.js";
import { pawns } from "../format.js";
import { importedButtons, importFile } from "../import.js";
import { headOf, remember, samplesPanel, stateOf } from "../lines.js";
import { BoardPage, control, focusRow } from "../page.js";
import { filtersOf, placeOf, questionOf } from "../state.js";
import { arranged, columnChoices, moveTable } from "../table.js";
import { NOTATION_NAMES, t } from "../words.js";

// Arrows of rarer moves would hide the board.
const ARROWS = 8;
const MIN_SHARE = 0.005;

export default class Explorer extends BoardPage {
  constructor(view, app) {
    super(app);
    this.answer = null;
    this.moves = [];
    this.unfolded = new Set();
    this.samples = samplesPanel(app);
    this.edits = new EditList(app, () => this.update(this.state));
    this.engine = new EngineLine(this);
    for (const name of ["controls", "head", "filterBox", "copyBox"]) this[name] = h("div", { class: name });
    this.found = h("div", { class: "found", role: "status" });
    // A pasted list of games keeps its lines, which a field would join.
    const paste = (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (!text.includes("\n")) return;
      event.preventDefault();
      this.playText(text);
    };
    const entry = this.entry = h("input", {
      id: "entry",
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: t("moves, an opening, a FEN or a game"),
      "aria-label": t("Moves, the name of an opening, a FEN or a game in PGN"),
      on: { paste },
    });
    const submit = (event) => this.enter(event);
    const form = h("form", { class: "entry", on: { submit } }, entry, h("button", {}, t("Go")));
    this.rows = h("div", { class: "tableBox", "aria-live": "off" });
    this.bar = h("div", { class: "value-bar", role: "img", hidden: true });
    this.boardBox.append(this.bar);
    const right = [this.head, this.filterBox, this.rows, this.edits.node, this.samples.node, this.copyBox];
    this.engine.node.hidden = !app.facts.engine;
    const left = [this.controls, this.way, form, this.found, this.engine.node];
    this.lay(view, h("h1", { class: "offscreen" }, t("Explorer")), left, right, "explorer");
  }

  /** Returns the parameters of the position that is shown. */
  place() {
    const { fen, game } = this.answer ?? {};
    return { src: this.app.source().id, game, fen };
  }

  /** Returns the value of each move for the side to move, and of the position as "": searched now, or known. */
  values() {
    const known = [["", this.answer.value], ...this.answer.moves.map((move) => [move.move, move.value])];
    const stored = known.filter(([, value]) => isKnown(value)).map(([name, value]) => [name, value.score_cp]);
    return new Map([...stored, ...this.engine.values]);
  }

  async update(state) {
    const { app } = this;
    const source = app.source();
    this.ensureBoard(source.game);
    redrawControls(this.filterBox, [rulesBar(app, source, state, (changes) => this.change(changes))]);
    this.rows.setAttribute("aria-busy", "true");
    const settle = (text) => {
      this.error.textContent = text;
      this.rows.removeAttribute("aria-busy");
    };
    await attempt(async () => {
      const before = this.answer;
      this.answer = await ask("/position", questionOf(state));
      remember(this.answer, state);
      if (before?.fen !== this.answer.fen) {
        this.unfolded.clear();
        this.engine.search();
      }
      this.draw();
      await this.edits.update(source, this.answer);
      // Only games that pass the filters are shown.
      const shown = JSON.stringify([source.id, placeOf(state), filtersOf(state)]);
      if (shown !== this.sampled) this.samples.show(state);
      this.sampled = shown;
      settle("");
    }, (error) => settle(error.message));
  }

  look() {
    const { app, answer, state } = this;
    return {
      notation: app.notation(answer.game),
      sort: state.sort || "played",
      keptOnly: state.kept === "1",
      sides: sidesOf(answer),
      threshold: app.source().kind === "book" ? null : asNumber(state.p),
      margin: state.margin === "off" ? null : asNumber(state.margin),
      minGames: state.min_games === "auto" ? app.source().min_games : Number(state.min_games),
      minShare: asNumber(state.min_share),
      isSetUp: Boolean(state.fen),
      chosen: app.columns.split(",").filter(Boolean),
      open: this.unfolded,
      values: this.values(),
      edit: this.edits.canEdit(app.source()) ? (move, changes) => this.edits.change(move, changes) : null,
    };
  }

  /** Draws what values of an engine change; the board stays, since a piece may be in the hand. */
  drawValues() {
    if (this.isDrawing || !this.answer) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      this.drawMoves(this.look());
    });
  }

  /** Draws the table of moves and the value of the position. */
  drawMoves(look) {
    const { answer, app, rows: box } = this;
    this.moves = arranged(answer, look);
    this.showValue(answer, look);
    const message = stateOf(answer, this.moves, look, app);
    const hasRows = answer.moves.length || answer.ended_here?.games;
    const table = hasRows ? moveTable(answer, this.moves, look, this) : null;
    const columns = columnChoices(this.moves, look, (chosen) => app.prefer("columns", chosen.join(",")));
    const isMove = box.contains(document.activeElement) && document.activeElement.matches(".play");
    redraw(box, [message, table, table && columns]);
    if (isMove && answer.fen !== this.tableFen) focusRow(box, 0);
    this.tableFen = answer.fen;
  }

  draw() {
    const { app, answer, state } = this;
    const look = this.look();
    // Arrows of dropped moves appear when their row is pointed at.
    const arrows = answer.moves
      .filter((move) => move.kept && (move.share ?? 1) >= MIN_SHARE)
      .slice(0, ARROWS)
      .map(({ move, share, quality, kept }) => ({ move, share: share ?? (isKnown(quality) ? quality / 62 : 0.15), kept }));
    this.showBoard(answer, { arrows, lit: null });
    this.head.replaceChildren(...headOf(answer, look));
    this.showWay();
    this.drawControls();
    this.drawMoves(look);
    const keep = app.source().imported ? importedButtons(app, app.source()) : [];
    this.copyBox.replaceChildren(this.copies(), ...keep);
  }

  /** Returns the FEN of the position, with the buttons that copy it and the command that shows the position. */
  copies() {
    const { fen } = this.answer;
    const copyCommand = () =>
      attempt(async () => {
        const asked = { ...questionOf(this.state), src: this.app.source().id, what: "show" };
        await copy((await ask("/commands", asked)).command, t("Command"));
      }, (error) => announce(error.message));
    const copyFen = button(t("Copy FEN"), () => copy(fen, "FEN"), { class: "quiet" });
    const command = button(t("Copy as command"), copyCommand, { class: "quiet" });
    return h("div", { class: "copies" }, h("code", { class: "fen" }, fen), copyFen, command);
  }

  /** Shows the value of the position as a bar beside the board. */
  showValue({ turn }, { values, sides }) {
    const own = values.get("");
    this.bar.hidden = !isKnown(own);
    if (this.bar.hidden) return;
    const first = turn === "first" ? own : -own;
    const share = 1 / (1 + 10 ** (-first / 400));
    this.bar.style.setProperty("--share", `${(100 * share).toFixed(1)}%`);
    this.bar.classList.toggle("flipped", this.state.flip === "1");
    this.bar.classList.toggle("red", sides[0] === t("Red"));
    this.bar.ariaLabel = this.bar.title = t("{side} {n} by the engine", { side: sides[0], n: pawns(first) });
  }

  /** Shows all figures of a move below its row, or hides them again. */
  unfold(move) {
    if (!this.unfolded.delete(move)) this.unfolded.add(move);
    this.draw();
    this.rows.querySelector(`tr[data-move="${move}"] .unfold`)?.focus();
  }

  drawControls() {
    const { app, answer } = this;
    const name = NOTATION_NAMES[app.notation(answer.game)];
    redraw(this.controls, [
      ...this.stepButtons(),
      control(icon("look"), t("Next board and pieces (x)"), () => this.nextLook()),
      control(name, t("Notation (n)"), () => app.nextNotation(answer.game)),
    ]);
  }

  async enter(event) {
    event.preventDefault();
    const text = this.entry.value.trim();
    if (!text || !await this.playText(text)) return;
    this.entry.value = "";
    this.entry.blur(); // so that keys act on the page again
  }

  /**
   * Plays what was typed or pasted: moves in any notation, a FEN, or a game in PGN; or offers openings of that name.
   * Returns whether all of it was played.
   */
  async playText(text) {
    // An address has no room for the comments of a game.
    const games = text.match(/^\s*\[\s*Event\s/gm) ?? [];
    if (games.length > 1 && this.app.facts.writable) {
      await importFile("pasted.pgn", text, this.app.imported);
      return true;
    }
    const short = text.replaceAll(/\{[^}]*\}/g, " ").replaceAll(/\s+/g, " ");
    this.found.replaceChildren();
    try {
      const line = await ask("/line", { ...placeOf(this.state), text: short }, { kind: "entry" });
      if (line.openings.length) return this.offer(line.openings);
      this.app.go({ fen: line.fen, play: line.play, next: "" });
      if (line.stopped) this.refuse(line.stopped.word);
      return !line.stopped;
    } catch (error) {
      if (error.name === "AbortError") return false;
      if (error.code === "move") this.refuse(short.split(" ").find((word) => !/^\d+\.+$/.test(word)));
      else this.found.replaceChildren(error.message);
      return false;
    }
  }

  /** Says which word cannot be played, and selects it. */
  refuse(word) {
    this.found.replaceChildren(t("“{word}” is not a legal move here.", { word }));
    const at = this.entry.value.lastIndexOf(word);
    if (at < 0) return;
    this.entry.focus();
    this.entry.setSelectionRange(at, at + word.length);
  }

  /** Offers openings as links; nothing is played. */
  offer(openings) {
    const { notation } = this.look();
    this.found.replaceChildren(...openings.map((each) => {
      const go = () => {
        this.found.replaceChildren();
        this.entry.value = "";
        this.app.go({ fen: "", play: each.play, next: "" });
      };
      return button(`${each.code} ${nameOfOpening(each, notation)}`, go, { class: "chip" });
    }));
    return false;
  }

  leave() {
    this.engine.stop();
  }

  keys() {
    const nth = (n) => this.moves[n] && this.play(this.moves[n].move);
    const digits = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [String(n + 1), () => nth(n)]));
    return {
      ...super.keys(),
      ...digits,
      ...this.thresholdKeys(),
      k: () => this.change({ kept: this.state.kept ? "" : "1" }),
      e: () => this.engine.turn(),
      "/": () => document.getElementById("entry").focus(),
    };
  }
}
