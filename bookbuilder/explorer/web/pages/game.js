// One game of an archive, replayed: board, moves, and the way back to the explorer at any ply.

import { ask, route } from "../api.js";
import { Board } from "../board.js";
import { h, icon, panel } from "../dom.js";
import { playersOf } from "../samples.js";
import { addressOf } from "../state.js";

const HEADS = ["Event", "Site", "Date", "Round", "Result", "ECO", "Opening", "TimeControl", "Termination"];

/** Shows the page; `update` follows the state. */
export function show(view, app) {
  const replay = new Replay(view, app);
  return { update: (state) => replay.update(state), keys: replay.keys() };
}

class Replay {
  constructor(view, app) {
    this.app = app;
    this.id = decodeURIComponent(location.pathname.slice("/games/".length));
    this.game = null;
    this.title = h("h1", {}, "Game");
    this.boardBox = h("div", {});
    this.controls = h("div", { class: "controls" });
    this.moves = h("div", {});
    this.tags = h("div", { class: "stack" });
    this.error = h("p", { class: "error", role: "alert" });
    const left = h("div", { class: "column-board" }, this.boardBox, this.controls, this.error);
    view.replaceChildren(
      this.title,
      h("div", { class: "explorer" }, left, h("div", { class: "column-moves" }, this.moves, this.tags)),
    );
  }

  async update(state) {
    try {
      this.game ??= await ask(`/games/${encodeURIComponent(this.id)}`, {
        src: state.src,
        fen: state.fen,
        play: state.play,
      });
      this.ply = Math.max(
        0,
        Math.min(this.game.moves.length, Number(state.ply === "" ? this.game.ply ?? 0 : state.ply) || 0),
      );
      this.draw();
    } catch (error) {
      if (error.name !== "AbortError") this.error.textContent = error.message;
    }
  }

  draw() {
    const { game, ply, app } = this;
    const players = playersOf(game);
    this.title.textContent = `${players}  ${game.result}`;
    document.title = `${players} · bookbuilder`;
    if (!this.board) {
      this.board = new Board(game.game, { small: true });
      this.boardBox.replaceChildren(this.board.node);
    }
    this.board.show({
      fen: game.fens[ply],
      dests: {},
      flip: app.flip,
      letters: app.letters,
      last: game.moves[ply - 1]?.move ?? "",
    });
    this.drawControls();
    this.drawMoves();
    const tags = HEADS.filter((name) => game.tags[name] && !/^[?.\s]*$/.test(game.tags[name])).map((
      name,
    ) => [h("dt", {}, name), h("dd", {}, game.tags[name])]);
    const mirrored = game.is_mirrored
      ? h(
        "p",
        { class: "notice" },
        "Here the board is the left-right mirror of the position that you came from.",
      )
      : "";
    this.tags.replaceChildren(
      mirrored,
      panel(
        "About the game",
        h("dl", { class: "facts-list" }, tags, h("dt", {}, "Archive"), h("dd", {}, game.archive ?? "–")),
      ),
    );
  }

  drawControls() {
    const { ply, game } = this;
    const button = (sign, label, to, isOff) =>
      h("button", {
        type: "button",
        "aria-label": label,
        title: label,
        disabled: isOff,
        on: { click: () => this.to(to) },
      }, icon(sign));
    const hadFocus = this.controls.contains(document.activeElement)
      ? document.activeElement.getAttribute("aria-label")
      : null;
    const isStandard = !game.tags.FEN;
    const play = game.moves.slice(0, ply).map((move) => move.move).join(",");
    const next = game.moves.slice(ply, ply + 20).map((move) => move.move).join(",");
    const back = addressOf("/", { src: game.source, fen: isStandard ? "" : game.start_fen, play, next });
    this.controls.replaceChildren(
      button("start", "To the start (Home)", 0, ply === 0),
      button("back", "Back (←)", ply - 1, ply === 0),
      button("forward", "Forward (→)", ply + 1, ply === game.moves.length),
      button("end", "To the end (End)", game.moves.length, ply === game.moves.length),
      h("button", {
        type: "button",
        "aria-label": "Flip the board (f)",
        title: "Flip the board (f)",
        on: { click: () => this.flip() },
      }, icon("flip")),
      h("span", { class: "grow" }),
      h("a", { class: "button", href: back }, "Explore from here"),
    );
    if (hadFocus) {
      [...this.controls.children].find((each) => each.getAttribute("aria-label") === hadFocus)?.focus();
    }
  }

  drawMoves() {
    const { game, ply } = this;
    const notation = this.app.notation(game.game);
    const offset = game.start_fen.split(" ")[1] === "b" ? 1 : 0;
    const items = game.moves.map((move, place) => {
      const at = place + offset;
      const prefix = at % 2 === 0 ? `${at / 2 + 1}. ` : place === 0 ? `${(at + 1) / 2}… ` : "";
      return h(
        "li",
        {},
        prefix ? h("span", { class: "number" }, prefix) : null,
        h("button", {
          type: "button",
          "aria-current": place + 1 === ply ? "step" : null,
          on: { click: () => this.to(place + 1) },
        }, move.names?.[notation] ?? move.move),
      );
    });
    const pgn = h("a", {
      href: route(`/games/${encodeURIComponent(this.id)}.pgn`, { src: game.source }),
      download: `${this.id}.pgn`,
    }, "PGN");
    const list = h(
      "ol",
      { class: "line game-line", "aria-label": "Moves" },
      items,
      h("li", { class: "result" }, game.result),
    );
    this.moves.replaceChildren(
      h(
        "section",
        { class: "panel", "aria-label": "Moves of the game" },
        h("div", { class: "panel-head" }, h("h2", {}, "Moves"), pgn),
        list,
      ),
    );
  }

  to(ply) {
    this.app.go({ ply: String(Math.max(0, Math.min(this.game.moves.length, ply))) }, { replace: true });
  }

  flip() {
    this.app.flip = !this.app.flip;
    this.board.show({ flip: this.app.flip });
  }

  keys() {
    return {
      ArrowLeft: () => this.to(this.ply - 1),
      ArrowRight: () => this.to(this.ply + 1),
      Home: () => this.to(0),
      End: () => this.to(this.game.moves.length),
      f: () => this.flip(),
      n: () => this.app.nextNotation(this.game.game),
      x: () => this.app.prefer("letters", this.app.letters === "latin" ? "chinese" : "latin"),
    };
  }
}
