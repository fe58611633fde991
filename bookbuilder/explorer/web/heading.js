// The heading of a position, and the message for a position without moves to show.

import { button, empty, h, isKnown } from "./dom.js";
import { count } from "./format.js";
import { openingName } from "./cells.js";

/** Returns the heading of a position: opening, number of games, and side to move. */
export function headOf(answer, look) {
  const mover = answer.turn === "first" ? look.sides[0] : look.sides[1];
  const isStart = !answer.plies && !look.isSetUp;
  const name = answer.opening ? openingName(answer.opening, look.notation) : isStart ? "Start position" : "Position";
  const facts = [
    isKnown(answer.reached) && (answer.reached === 1 ? "1 game" : `${count(answer.reached)} games`),
    `${mover} to move`,
  ].filter(Boolean);
  return [h("h2", { class: "position-name" }, name), h("p", { class: "facts" }, facts.join(" · "))];
}

/** Returns the message above, or in place of, the table if a position has no move to show, else null. */
export function stateOf(answer, moves, look, app) {
  if (answer.ended) return empty(`The game is over: ${answer.ended}`, "There is no legal move.");
  if (answer.state === "beyond_depth") {
    return empty(
      "Beyond the stored depth",
      `This source was counted up to ply ${app.source().max_ply}; the position stands after ply ${answer.plies}.`,
    );
  }
  if (answer.state === "ended") {
    return empty("The games ended here", "Every game that reached this position ended in it.");
  }
  if (answer.state === "never_seen") {
    return empty("Never seen", "No game of this source reached this position.");
  }
  if (look.keptOnly && !moves.length && answer.moves.length) {
    const all = button("Show them", () => app.go({ kept: "" }, { replace: true }));
    const many = answer.moves.length === 1 ? "1 move was" : `${answer.moves.length} moves were`;
    return empty("Below the thresholds", `${many} played here; a book with these thresholds keeps none.`, all);
  }
  if (answer.state === "all_dropped") {
    return h("p", { class: "notice" }, "A book with these thresholds keeps none of these moves.");
  }
  return null;
}
