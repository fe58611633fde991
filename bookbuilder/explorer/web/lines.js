// The line of moves that led to the position, and the branches that were looked at beside it: moves in, links out.

import { h } from "./dom.js";
import { movesOf } from "./state.js";

const names = new Map();
const visited = new Map();

/** Remembers what the moves of an answer are called, and which way was gone. */
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

/** Returns the line as a list of steps; the current one is marked, what was taken back stands behind it. */
export function breadcrumb(game, state, notation, go) {
  const played = movesOf(state.play);
  const all = [...played, ...movesOf(state.next)];
  const root = `${game}|${state.fen}|`;
  const offset = state.fen.split(" ")[1] === "b" ? 1 : 0;
  const steps = all.map((move, place) => {
    const text = names.get(root + all.slice(0, place + 1).join(","))?.[notation] ?? move;
    const ply = place + offset;
    const prefix = ply % 2 === 0 ? `${ply / 2 + 1}. ` : place === 0 ? `${(ply + 1) / 2}… ` : "";
    const step = { play: all.slice(0, place + 1).join(","), next: all.slice(place + 1).join(",") };
    const current = place === played.length - 1;
    return h(
      "li",
      { class: place >= played.length ? "ahead" : null },
      prefix ? h("span", { class: "number" }, prefix) : null,
      h(
        "button",
        { type: "button", "aria-current": current ? "step" : null, on: { click: () => go(step) } },
        text,
      ),
    );
  });
  const start = h(
    "li",
    {},
    h("button", {
      type: "button",
      "aria-current": played.length ? null : "step",
      on: { click: () => go({ play: "", next: all.join(",") }) },
    }, "Start"),
  );
  return h("ol", { class: "line", "aria-label": "Line" }, start, steps);
}

/** Returns links to other moves that were looked at in place of the last one; null if there are none. */
export function branches(game, state, notation, go) {
  const played = movesOf(state.play);
  if (!played.length) return null;
  const before = played.slice(0, -1);
  const root = `${game}|${state.fen}|`;
  const others = [...(visited.get(root + before.join(",")) ?? [])].filter((move) => move !== played.at(-1));
  if (!others.length) return null;
  const links = others.map((move) => {
    const play = [...before, move].join(",");
    return h(
      "button",
      { type: "button", class: "chip", on: { click: () => go({ play, next: "" }) } },
      names.get(root + play)?.[notation] ?? move,
    );
  });
  return h("div", { class: "branches" }, h("span", { class: "label" }, "Instead"), links);
}

/** Returns the state one step back, or null at the start. */
export function stepBack(state) {
  const played = movesOf(state.play);
  if (!played.length) return null;
  return { play: played.slice(0, -1).join(","), next: [played.at(-1), ...movesOf(state.next)].join(",") };
}

/** Returns the state one step forward along what was taken back, or null at the end. */
export function stepForward(state) {
  const [move, ...next] = movesOf(state.next);
  return move ? { play: [...movesOf(state.play), move].join(","), next: next.join(",") } : null;
}

/** Returns the state after a move. */
export function stepInto(state, move) {
  const [expected, ...rest] = movesOf(state.next);
  return { play: [...movesOf(state.play), move].join(","), next: expected === move ? rest.join(",") : "" };
}
