// The position in words: its heading, the line of moves that led to it, and sample games.

import { ask, attempt } from "./api.js";
import { openingName, sideOf } from "./cells.js";
import { button, empty, h, hint, isKnown, panel } from "./dom.js";
import { count } from "./format.js";
import { addressOf, filtersOf, movesOf, placeOf, questionOf } from "./state.js";
import { t } from "./words.js";

const names = new Map();

/** Remembers the names of the moves of an answer, and of those of the line to it. */
export function remember(answer, state) {
  const root = `${answer.game}|${state.fen}|`;
  const line = [];
  for (const step of answer.path) {
    line.push(step.move);
    names.set(root + line.join(","), step.names);
  }
  for (const move of answer.moves) names.set(root + [...line, move.move].join(","), move.names);
}

/** Returns the plies of a game before the position of a FEN, by its counter of moves and its side to move. */
export function pliesBefore(fen) {
  const words = fen.split(" ");
  return 2 * (Math.max(1, Number(words[5]) || 1) - 1) + (words[1] === "b" ? 1 : 0);
}

/** Returns the number before a move at a ply, with dots if the second side moves. */
export function moveNumber(ply) {
  return h("span", { class: "number" }, `${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."} `);
}

/** Returns the number before a move of a line that starts from `fen`, null where there is none. */
export function numberBefore(place, fen) {
  const ply = pliesBefore(fen) + place;
  return ply % 2 === 0 || place === 0 ? moveNumber(ply) : null;
}

/** Returns a line from the start of a game as text, by the names of its moves. */
export function lineText(names, notation) {
  return names.map((each, ply) => `${ply % 2 ? "" : `${ply / 2 + 1}.\u00a0`}${each[notation]}`).join(" ");
}

export function lineStep(number, text, isCurrent, click, look = null) {
  return h("li", { class: look }, number, button(text, click, { "aria-current": isCurrent ? "step" : null }));
}

/** Returns the line as a list of steps, which call `go` with a ply. Moves that were taken back follow the current one. */
export function breadcrumb(game, state, notation, go) {
  const played = movesOf(state.play);
  const all = [...played, ...movesOf(state.next)];
  const root = `${game}|${state.fen}|`;
  const steps = all.map((move, place) => {
    const text = names.get(root + all.slice(0, place + 1).join(","))?.[notation] ?? move;
    const look = place >= played.length ? "ahead" : null;
    return lineStep(numberBefore(place, state.fen), text, place + 1 === played.length, () => go(place + 1), look);
  });
  const start = lineStep(null, t("Start"), !played.length, () => go(0));
  return h("ol", { class: "line", "aria-label": t("Line") }, start, steps);
}

/** Returns the state at a ply of the line, whose later moves are those that were taken back. */
export function stateAt(state, ply) {
  const all = movesOf(state.play).concat(movesOf(state.next));
  const place = Math.max(0, Math.min(all.length, ply));
  return { play: all.slice(0, place).join(","), next: all.slice(place).join(",") };
}

export function stepsInto(state, moves) {
  const [played, [...next]] = [movesOf(state.play), movesOf(state.next)];
  for (const move of moves) if (next.shift() !== move) next.length = 0;
  return { play: [...played, ...moves].join(","), next: next.join(",") };
}

/** Returns the heading of a position: opening, number of games, and side to move. */
export function headOf(answer, look) {
  const isStart = !answer.plies && !look.isSetUp;
  const name = answer.opening ? openingName(answer.opening, look.notation) : isStart ? t("Start position") : t("Position");
  const facts = [
    isKnown(answer.reached) && (answer.reached === 1 ? t("1 game") : t("{n} games", { n: count(answer.reached) })),
    t("{side} to move", { side: sideOf(answer, answer.turn) }),
  ].filter(Boolean);
  return [h("h2", { class: "position-name" }, name), h("p", { class: "facts" }, facts.join(" · "))];
}

/** Returns the message above, or in place of, the table if a position has no move to show, else null. */
export function stateOf(answer, moves, look, app) {
  if (answer.ended) return empty(t("The game is over: {why}", { why: t(answer.ended) }), t("There is no legal move."));
  const messages = {
    beyond_depth: [
      t("Beyond the stored depth"),
      t("This source was counted up to ply {most}; the position stands after ply {ply}.", {
        most: app.source().max_ply,
        ply: answer.plies,
      }),
    ],
    ended: [t("The games ended here"), t("Every game that reached this position ended in it.")],
    never_seen: [t("Never seen"), t("No game of this source reached this position.")],
  };
  if (answer.state in messages) return empty(...messages[answer.state]);
  const none = t("A book with these rules keeps none of these moves.");
  if (look.keptOnly && !moves.length && answer.moves.length) {
    const all = button(t("Show them"), () => app.go({ kept: "" }, { replace: true }));
    return empty(t("Dropped by the rules"), none, all);
  }
  return answer.state === "all_dropped" ? h("p", { class: "notice" }, none) : null;
}

const SAMPLES = 8;

/** Returns the panel; `show(state)` fills it. */
export function samplesPanel(app) {
  const list = h("ol", { class: "games" });
  const note = hint();
  const node = panel(t("Sample games"), note, list);
  node.classList.add("samples");

  async function show(state) {
    const source = app.source();
    node.hidden = source?.kind === "book";
    if (node.hidden) return;
    const fill = (games, text) => {
      list.replaceChildren(...games.map((game) => gameItem(game, state, source)));
      note.textContent = text;
    };
    await attempt(async () => {
      const { games } = await ask("/games", { ...placeOf(state), ...filtersOf(state), limit: SAMPLES });
      fill(games, games.length ? "" : t("No game is known by name here."));
    }, (error) => fill([], error.message));
  }

  return { node, show };
}

function gameItem(game, state, source) {
  // The position is part of the link: the game opens there.
  const href = addressOf(`/games/${encodeURIComponent(game.id)}`, { ...questionOf(state), src: source.id });
  const when = [game.date?.replaceAll(".??", ""), game.event];
  return h(
    "li",
    {},
    h("a", { href }, h("bdi", {}, playersOf(game))),
    h("span", { class: "result" }, game.result),
    h("bdi", { class: "sub" }, when.filter((text) => text && text !== "?").join(" · ")),
  );
}

/** Returns the players of a game, with their ratings where they are known. */
export function playersOf(game) {
  if (!game.players.some(Boolean)) return t("Players unknown");
  return game.players.map((name, n) => `${name || "?"}${game.ratings[n] ? ` (${game.ratings[n]})` : ""}`).join(" – ");
}
