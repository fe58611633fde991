// The value of a position with few pieces, from endgame tables: the value of every move, and the line of best play.

import { ask } from "../api.js";
import { choice, empty, field, h, panel, tableHead } from "../dom.js";
import { count } from "../format.js";
import { lineStep, numberBefore, stepsInto } from "../lines.js";
import { BoardPage } from "../page.js";
import { sidesOf } from "../cells.js";
import { t } from "../words.js";

const STARTS = { chess: "8/8/8/3k4/8/8/R7/K7 w - - 0 1", xiangqi: "4k4/9/9/9/9/9/9/9/9/R2K5 w - - 0 1" };
const GAMES = [["chess", t("Chess")], ["xiangqi", t("Xiangqi")]];
const VALUES = { 1: t("won"), 0: t("drawn"), "-1": t("lost") };
const DISTANCES = { dtm: t("plies to mate"), dtc: t("plies to a capture or mate"), dtz: t("plies to a zeroing move") };

export default class Endgame extends BoardPage {
  constructor(view, app) {
    super(app);
    this.box = h("div", { class: "stack" });
    this.bar = h("div", { class: "panel" });
    this.lay(view, h("h1", {}, t("Endgame")), null, [this.bar, this.box]);
  }

  gameOf(state) {
    const games = this.app.facts.endgames ?? [];
    const { game } = this.app.source();
    return state.game || (games.includes(game) ? game : games[0]) || game;
  }

  async update(state) {
    const game = this.gameOf(state);
    const fen = state.fen || STARTS[game];
    this.drawBar(game, fen);
    this.ensureBoard(game);
    await this.attempt(async () => {
      const answer = await ask("/endgame", { game, fen, play: state.play });
      this.answer = answer;
      const dests = {};
      for (const { move } of answer.moves) (dests[move.slice(0, 2)] ??= []).push(move.slice(2, 4));
      const arrows = answer.best.map((move) => ({ move, share: 0.3, kept: true }));
      this.showBoard({ fen: answer.fen, dests }, { arrows });
      this.box.replaceChildren(...this.panels(answer));
    }, (error) => {
      this.showBoard({ fen }, { last: "" });
      this.box.replaceChildren(empty(t("No answer from the tables"), error.message));
    });
  }

  drawBar(game, fen) {
    if (this.bar.contains(document.activeElement)) return;
    const value = this.answer?.fen ?? fen;
    const entry = h("input", { type: "text", id: "entry", value, spellcheck: "false", autocomplete: "off" });
    const form = h(
      "form",
      { class: "entry", on: { submit: (event) => this.enter(event, entry) } },
      h("label", { class: "field grow" }, h("span", { class: "label" }, "FEN"), entry),
      h("button", {}, t("Probe")),
    );
    const pick = choice(GAMES, game, (value) => this.app.go({ game: value, fen: "", play: "", next: "" }));
    this.bar.replaceChildren(h("div", { class: "filters" }, field(t("Game"), pick), form));
  }

  enter(event, entry) {
    event.preventDefault();
    entry.blur();
    this.app.go({ fen: entry.value.trim(), play: "", next: "" });
  }

  /** Plays moves; the address names the position that they start from, which other pages need. */
  play(...moves) {
    const game = this.gameOf(this.state);
    this.app.go({ ...stepsInto(this.state, moves), fen: this.state.fen || STARTS[game], game });
  }

  panels(answer) {
    const plies = Object.keys(DISTANCES).filter((name) => name in answer);
    // The side that loses has a negative distance. The headline names the winner.
    const distances = plies.map((name) => `${count(Math.abs(answer[name]))} ${DISTANCES[name]}`).join(" · ");
    const best = h("span", { class: "offscreen" }, t("best"));
    const row = (each) =>
      this.moveRow(
        each,
        null,
        h("td", {}, h("span", { class: `tag worth-${each.wdl}` }, VALUES[each.wdl])),
        h("td", { class: "number" }, each.wdl && plies.length ? count(Math.abs(each.plies)) : "–"),
        h("td", {}, answer.best.includes(each.move) ? t("best") : ""),
      );
    const head = tableHead(t("move"), t("worth"), plies.length ? DISTANCES[plies[0]] : t("plies"), best);
    const look = { class: "compare worths", "aria-label": t("Moves and their worth") };
    return [
      panel(headline(answer), h("p", { class: "facts" }, distances)),
      panel(t("Moves"), h("table", look, head, h("tbody", {}, answer.moves.map(row)))),
      answer.line.length ? panel(t("Best play"), this.bestLine(answer)) : "",
    ];
  }

  /** Returns the line of best play, whose moves can be played. */
  bestLine({ fen, line, line_names: names }) {
    const notation = this.app.notation(this.board.game);
    const steps = line.map((_, place) => {
      const go = () => this.play(...line.slice(0, place + 1));
      return lineStep(numberBefore(place, fen), names[place][notation], false, go);
    });
    return h("ol", { class: "line", "aria-label": t("Best play") }, steps);
  }

  keys() {
    return { ...super.keys(), "/": () => document.getElementById("entry").focus() };
  }
}

/** Returns what the tables say: who wins, and in how many moves if they know the mate. */
function headline({ game, turn, wdl, dtm, moves }) {
  const winner = sidesOf({ game })[(turn === "first") === (wdl > 0) ? 0 : 1];
  if (wdl === 0) return t("A draw");
  if (!moves.length) return t("{side} has won", { side: winner });
  return typeof dtm === "number" ? t("{side} mates in {n}", { side: winner, n: Math.ceil(Math.abs(dtm) / 2) }) : t("{side} wins", { side: winner });
}
