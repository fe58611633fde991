// The line of moves that led to the position, and links to the branches that the reader has visited.

import { button, h } from "./dom.js";
import { movesOf } from "./state.js";
import { t } from "./words.js";

const names = new Map();
const visited = new Map();

/** Remembers the names of the moves of an answer, and the line to it. */
export function remember(answer, state) {
  const root = `${answer.game}|${state.fen}|`;
  const line = [];
  for (const step of answer.path) {
    const before = root + line.join(",");
    if (!visited.has(before)) visited.set(before, new Set());
    visited.get(before).add(step.move);
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

/** Returns the number before a move of a line that starts from `fen`, null where there is none. */
export function numberBefore(place, fen) {
  const ply = pliesBefore(fen) + place;
  const text = ply % 2 === 0 ? `${ply / 2 + 1}. ` : place === 0 ? `${(ply + 1) / 2}… ` : "";
  return text ? h("span", { class: "number" }, text) : null;
}

/** Returns a line from the start of a game as text, by the names of its moves. */
export function lineText(names, notation) {
  return names.map((each, ply) => `${ply % 2 ? "" : `${ply / 2 + 1}.\u00a0`}${each[notation]}`).join(" ");
}

/** Returns one move of a line. */
export function lineStep(number, text, isCurrent, click, look = null) {
  const step = button(text, click, { "aria-current": isCurrent ? "step" : null });
  return h("li", { class: look }, number, step);
}

/** Returns the line as a list of steps. The current one is marked; moves that were taken back follow it. */
export function breadcrumb(game, state, notation, go) {
  const played = movesOf(state.play);
  const all = [...played, ...movesOf(state.next)];
  const root = `${game}|${state.fen}|`;
  const steps = all.map((move, place) => {
    const text = names.get(root + all.slice(0, place + 1).join(","))?.[notation] ?? move;
    const step = { play: all.slice(0, place + 1).join(","), next: all.slice(place + 1).join(",") };
    const isCurrent = place === played.length - 1;
    const look = place >= played.length ? "ahead" : null;
    return lineStep(numberBefore(place, state.fen), text, isCurrent, () => go(step), look);
  });
  const start = lineStep(null, t("Start"), !played.length, () => go({ play: "", next: all.join(",") }));
  return h("ol", { class: "line", "aria-label": t("Line") }, start, steps);
}

/** Returns links to other moves that the reader visited in place of the last one, null if there are none. */
export function branches(game, state, notation, go) {
  const played = movesOf(state.play);
  if (!played.length) return null;
  const before = played.slice(0, -1);
  const root = `${game}|${state.fen}|`;
  const others = [...(visited.get(root + before.join(",")) ?? [])].filter((move) => move !== played.at(-1));
  if (!others.length) return null;
  const links = others.map((move) => {
    const play = [...before, move].join(",");
    return button(names.get(root + play)?.[notation] ?? move, () => go({ play, next: "" }), { class: "chip" });
  });
  return h("div", { class: "branches" }, h("span", { class: "label" }, t("Instead")), links);
}

/** Returns the state one step back, or null at the start. */
export function stepBack(state) {
  const played = movesOf(state.play);
  if (!played.length) return null;
  return { play: played.slice(0, -1).join(","), next: [played.at(-1), ...movesOf(state.next)].join(",") };
}

/** Returns the state one step forward along the moves that were taken back, or null at the end. */
export function stepForward(state) {
  const [move, ...next] = movesOf(state.next);
  return move ? { play: [...movesOf(state.play), move].join(","), next: next.join(",") } : null;
}

/** Returns the state after a move. */
export function stepInto(state, move) {
  const [expected, ...rest] = movesOf(state.next);
  return { play: [...movesOf(state.play), move].join(","), next: expected === move ? rest.join(",") : "" };
}

/** Returns the state after some moves. */
export function stepsInto(state, moves) {
  return moves.reduce((now, move) => ({ ...now, ...stepInto(now, move) }), state);
}
