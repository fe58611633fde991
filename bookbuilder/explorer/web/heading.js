// The heading of a position, and the message for a position without moves to show.

import { button, empty, h, isKnown } from "./dom.js";
import { count } from "./format.js";
import { openingName } from "./cells.js";
import { t } from "./words.js";

/** Returns the heading of a position: opening, number of games, and side to move. */
export function headOf(answer, look) {
  const mover = answer.turn === "first" ? look.sides[0] : look.sides[1];
  const isStart = !answer.plies && !look.isSetUp;
  const name = answer.opening ? openingName(answer.opening, look.notation) : isStart ? t("Start position") : t("Position");
  const facts = [
    isKnown(answer.reached) && (answer.reached === 1 ? t("1 game") : t("{n} games", { n: count(answer.reached) })),
    t("{side} to move", { side: mover }),
  ].filter(Boolean);
  return [h("h2", { class: "position-name" }, name), h("p", { class: "facts" }, facts.join(" · "))];
}

/** Returns the message above, or in place of, the table if a position has no move to show, else null. */
export function stateOf(answer, moves, look, app) {
  if (answer.ended) return empty(t("The game is over: {why}", { why: t(answer.ended) }), t("There is no legal move."));
  if (answer.state === "beyond_depth") {
    return empty(
      t("Beyond the stored depth"),
      t("This source was counted up to ply {most}; the position stands after ply {ply}.", {
        most: app.source().max_ply,
        ply: answer.plies,
      }),
    );
  }
  if (answer.state === "ended") {
    return empty(t("The games ended here"), t("Every game that reached this position ended in it."));
  }
  if (answer.state === "never_seen") {
    return empty(t("Never seen"), t("No game of this source reached this position."));
  }
  if (look.keptOnly && !moves.length && answer.moves.length) {
    const all = button(t("Show them"), () => app.go({ kept: "" }, { replace: true }));
    const many = answer.moves.length === 1
      ? t("1 move was played here; a book with these thresholds keeps none.")
      : t("{n} moves were played here; a book with these thresholds keeps none.", { n: answer.moves.length });
    return empty(t("Below the thresholds"), many, all);
  }
  if (answer.state === "all_dropped") {
    return h("p", { class: "notice" }, t("A book with these thresholds keeps none of these moves."));
  }
  return null;
}
