// What a position with few men is worth, from endgame tables: the worth of every move, and the line of best play.

import { ask } from "../api.js";
import { Board } from "../board.js";
import { choice, empty, field, h, panel } from "../dom.js";
import { count } from "../format.js";
import { movesOf } from "../state.js";

const STARTS = { chess: "8/8/8/3k4/8/8/R7/K7 w - - 0 1", xiangqi: "4k4/9/9/9/9/9/9/9/9/R2K5 w - - 0 1" };
const WORTH = { 1: "won", 0: "drawn", "-1": "lost" };

/** Shows the page; `update` follows the state. */
export function show(view, app) {
  const probe = new Probe(view, app);
  return { update: (state) => probe.update(state), keys: probe.keys() };
}

class Probe {
  constructor(view, app) {
    this.app = app;
    this.boardBox = h("div", {});
    this.box = h("div", { class: "stack" });
    this.bar = h("div", { class: "panel" });
    this.error = h("p", { class: "error", role: "alert" });
    const left = h("div", { class: "column-board" }, this.boardBox, this.error);
    view.replaceChildren(
      h("h1", {}, "Endgame"),
      h(
        "div",
        { class: "explorer narrow-board" },
        left,
        h("div", { class: "column-moves" }, this.bar, this.box),
      ),
    );
  }

  gameOf(state) {
    const games = this.app.facts.endgames ?? [];
    return state.game || (games.includes(this.app.source().game) ? this.app.source().game : games[0]) ||
      this.app.source().game;
  }

  async update(state) {
    const game = this.gameOf(state);
    const fen = state.fen || STARTS[game];
    this.drawBar(game, fen);
    if (this.board?.game !== game) {
      this.board = new Board(game, { onMove: (move) => this.play(move) });
      this.boardBox.replaceChildren(this.board.node);
    }
    try {
      const answer = await ask("/endgame", { game, fen, play: state.play });
      this.error.textContent = "";
      this.answer = answer;
      const dests = {};
      for (const { move } of answer.moves) (dests[move.slice(0, 2)] ??= []).push(move.slice(2, 4));
      const arrows = answer.best.map((move) => ({ move, share: 0.3, kept: true }));
      this.board.show({
        fen: answer.fen,
        dests,
        arrows,
        flip: this.app.flip,
        letters: this.app.letters,
        last: movesOf(state.play).at(-1) ?? "",
      });
      this.box.replaceChildren(...this.panels(answer));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.board.show({ fen, dests: {}, arrows: [], last: "" });
      this.box.replaceChildren(empty("No answer from the tables", error.message));
    }
  }

  drawBar(game, fen) {
    if (this.bar.contains(document.activeElement)) return;
    const entry = h("input", {
      type: "text",
      id: "entry",
      value: this.answer?.fen ?? fen,
      spellcheck: "false",
      autocomplete: "off",
    });
    const form = h(
      "form",
      { class: "entry", on: { submit: (event) => this.enter(event, entry) } },
      h("label", { class: "field grow" }, h("span", { class: "label" }, "FEN"), entry),
      h("button", {}, "Probe"),
    );
    const games = [["chess", "Chess"], ["xiangqi", "Xiangqi"]];
    this.bar.replaceChildren(
      h(
        "div",
        { class: "filters" },
        field("Game", choice(games, game, (value) => this.app.go({ game: value, fen: "", play: "" }))),
        form,
      ),
    );
  }

  enter(event, entry) {
    event.preventDefault();
    entry.blur();
    this.app.go({ fen: entry.value.trim(), play: "" });
  }

  play(move) {
    const moves = [...movesOf(this.app.state.play), move];
    this.app.go({
      play: moves.join(","),
      fen: this.app.state.fen || STARTS[this.gameOf(this.app.state)],
      game: this.gameOf(this.app.state),
    });
  }

  panels(answer) {
    const plies = ["dtm", "dtc", "dtz"].filter((name) => typeof answer[name] === "number");
    const words = { dtm: "plies to mate", dtc: "plies to a capture or mate", dtz: "plies to a zeroing move" };
    // A side that loses has a negative distance; the headline says who loses.
    const told = plies.map((name) => `${count(Math.abs(answer[name]))} ${words[name]}`).join(" · ");
    const notation = this.app.notation(answer.game);
    const row = (each) =>
      h(
        "tr",
        {
          on: { pointerenter: () => this.board.light(each.move), pointerleave: () => this.board.light(null) },
        },
        h(
          "th",
          { scope: "row" },
          h("button", {
            type: "button",
            class: "play",
            "data-play": each.move,
            on: { click: () => this.play(each.move) },
          }, each.names?.[notation] ?? each.move),
        ),
        h("td", {}, h("span", { class: `tag worth-${each.wdl}` }, WORTH[each.wdl])),
        h("td", { class: "number" }, each.wdl && plies.length ? count(Math.abs(each.plies)) : "–"),
        h("td", {}, answer.best.includes(each.move) ? "best" : ""),
      );
    const head = h(
      "thead",
      {},
      h(
        "tr",
        {},
        ["move", "worth", plies.length ? words[plies[0]] : "plies", ""].map((text) =>
          h("th", { scope: "col" }, text || h("span", { class: "offscreen" }, "best"))
        ),
      ),
    );
    return [
      h(
        "section",
        { class: "panel", "aria-label": "Worth" },
        h(
          "h2",
          { class: "worth" },
          `The side to move has ${answer.wdl === 0 ? "a draw" : answer.wdl > 0 ? "a win" : "lost"}`,
        ),
        h("p", { class: "facts" }, told),
      ),
      panel(
        "Moves",
        h(
          "table",
          { class: "compare worths", "aria-label": "Moves and their worth" },
          head,
          h("tbody", {}, answer.moves.map(row)),
        ),
      ),
      answer.line.length ? panel("Best play", h("p", { class: "best-line" }, answer.line.join(" "))) : "",
    ];
  }

  keys() {
    return {
      ArrowLeft: () => this.app.go({ play: movesOf(this.app.state.play).slice(0, -1).join(",") }),
      f: () => {
        this.app.flip = !this.app.flip;
        this.board.show({ flip: this.app.flip });
      },
      n: () => this.app.nextNotation(this.gameOf(this.app.state)),
      x: () => this.app.prefer("letters", this.app.letters === "latin" ? "chinese" : "latin"),
      "/": () => document.getElementById("entry").focus(),
    };
  }
}
