// Replays one game of an archive, with a link to the explorer at any ply.

import { ask, route } from "../api.js";
import { facts, h, hint, panel, redraw } from "../dom.js";
import { lineStep, numberBefore, playersOf } from "../lines.js";
import { BoardPage } from "../page.js";
import { addressOf, questionOf } from "../state.js";
import { t } from "../words.js";

const HEADS = ["Event", "Site", "Date", "Round", "Result", "ECO", "Opening", "TimeControl", "Termination"];

export default class Game extends BoardPage {
  constructor(view, app) {
    super(app);
    this.id = decodeURIComponent(location.pathname.slice("/games/".length));
    this.game = null;
    this.title = h("h1", {}, t("About the game"));
    this.controls = h("div", { class: "controls" });
    this.moves = h("div", {});
    this.tags = h("div", { class: "stack" });
    this.lay(view, this.title, this.controls, [this.moves, this.tags], "explorer");
  }

  update(state) {
    return this.attempt(async () => {
      this.game ??= await ask(`/games/${encodeURIComponent(this.id)}`, questionOf(state));
      this.draw();
    });
  }

  get ply() {
    return this.within(Number(this.state.ply === "" ? this.game.ply ?? 0 : this.state.ply) || 0);
  }

  get plies() {
    return this.game.moves.length;
  }

  /** Returns the ply of the game that is nearest to a number. */
  within(ply) {
    return Math.max(0, Math.min(this.plies, ply));
  }

  draw() {
    const { game, ply } = this;
    const players = playersOf(game);
    this.title.textContent = `${players}  ${game.result}`;
    document.title = `${players} · bookbuilder`;
    this.ensureBoard(game.game, { small: true });
    this.showBoard({ fen: game.fens[ply] }, { last: game.moves[ply - 1]?.move ?? "" });
    this.drawControls();
    this.drawMoves();
    const tags = HEADS.filter((name) => !/^[?.\s]*$/.test(game.tags[name] ?? ""));
    const known = tags.map((name) => [t(name), h("bdi", {}, game.tags[name])]);
    const archive = [t("Archive"), archiveOf(game, this.app.source(game.source))];
    const mirrored = t("Here the board is the left-right mirror of the position that you came from.");
    this.tags.replaceChildren(
      game.is_mirrored ? h("p", { class: "notice" }, mirrored) : "",
      panel(t("About the game"), facts([...known, archive])),
    );
  }

  drawControls() {
    const { ply, game } = this;
    const moves = game.moves.map((each) => each.move);
    const [play, next] = [moves.slice(0, ply), moves.slice(ply, ply + 20)].map((each) => each.join(","));
    const fen = game.tags.FEN ? game.start_fen : "";
    const back = addressOf("/", { ...questionOf(this.state), src: game.source, fen, play, next });
    redraw(this.controls, [...this.stepButtons(), h("a", { class: "button", href: back }, t("Explore from here"))]);
  }

  drawMoves() {
    const { game, ply } = this;
    const items = game.moves.map((move, place) => {
      const look = place >= (game.left_at ?? Infinity) ? "outside" : null;
      const number = numberBefore(place, game.start_fen);
      return lineStep(number, this.nameOf(move), place + 1 === ply, () => this.to(place + 1), look);
    });
    const address = route(`/games/${encodeURIComponent(this.id)}.pgn`, { src: game.source });
    const pgn = h("a", { href: address, download: `${this.id}.pgn` }, "PGN");
    const result = h("li", { class: "result" }, game.result);
    const line = h("ol", { class: "line game-line", "aria-label": t("Moves") }, items, result);
    this.moves.replaceChildren(panel(t("Moves of the game"), line, hint(this.leaving(), " ", pgn)));
  }

  /** Returns where the game leaves the book of the rules. */
  leaving() {
    const { left_at: left, moves } = this.game;
    if (left === null) return t("A book with these rules follows the game to its end.");
    return t("A book with these rules leaves the game at {move}.", { move: this.nameOf(moves[left]) });
  }

  to(ply) {
    this.change({ ply: String(this.within(ply)) });
  }
}

/** Returns the archive of a game; of an import, which stands in a folder of the server, only its name. */
function archiveOf({ archive }, source) {
  return archive && source?.imported ? archive.split("/").at(-1) : archive ?? "–";
}
