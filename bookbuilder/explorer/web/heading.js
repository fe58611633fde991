// What stands above the table: what a position is, and why it has no move to show. An answer in, nodes out.

import { empty, h } from "./dom.js";
import { count } from "./format.js";
import { openingName, resultBar } from "./table.js";

/** Returns the heading of a position: opening, who moves, how many games reached it and how they ended. */
export function headOf(answer, look) {
  const mover = answer.turn === "first" ? look.sides[0] : look.sides[1];
  const name = answer.opening ? openingName(answer.opening) : answer.plies ? "Position" : "Start position";
  const facts = [
    `${mover} to move`,
    answer.reached === null || answer.reached === undefined
      ? null
      : `reached by ${count(answer.reached)} games`,
    `ply ${answer.plies}`,
    answer.cluster === null || answer.cluster === undefined ? null : `cluster ${count(answer.cluster)}`,
  ].filter(Boolean);
  return [
    h("h2", { class: "position-name" }, name),
    h(
      "p",
      { class: "facts" },
      facts.join(" · "),
      " ",
      h("code", { title: "Key of the position" }, answer.key),
    ),
    answer.reached ? resultBar(answer, look.sides, 0.07) : "",
  ];
}

/** Returns what is said above, or in place of, the table: why a position has no move to show. */
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
    const all = h(
      "button",
      { type: "button", on: { click: () => app.go({ kept: "" }, { replace: true }) } },
      "Show them",
    );
    const many = answer.moves.length === 1 ? "1 move was" : `${answer.moves.length} moves were`;
    return empty(
      "Below the thresholds",
      `${many} played here; a book with these thresholds keeps none.`,
      all,
    );
  }
  if (answer.state === "all_dropped") {
    return h("p", { class: "notice" }, "A book with these thresholds keeps none of these moves.");
  }
  return null;
}
