// Formats numbers as text. Unknown values become a dash.

import { isKnown } from "./dom.js";
import { t } from "./words.js";

/** The text of a value that is unknown or undefined. */
export const DASH = "–";

const WHOLE = new Intl.NumberFormat("en");

/** Returns a whole number with separated thousands. */
export function count(value) {
  return isKnown(value) ? WHOLE.format(value) : DASH;
}

export function percent(value, digits = 1) {
  return isKnown(value) ? `${(value * 100).toFixed(digits)} %` : DASH;
}

/** Returns the first and the last year; 0 is unknown. */
export function years(first, last) {
  if (!first && !last) return DASH;
  return first === last || !first ? `${last || first}` : `${first}–${last}`;
}

/** Returns the score of an engine for the side to move: pawns, or moves to mate. `mate_in` counts plies. */
export function verdict(line) {
  if (isKnown(line.mate_in)) {
    const n = Math.ceil(Math.abs(line.mate_in) / 2);
    return line.mate_in < 0 ? t("mate in {n} against", { n }) : t("mate in {n}", { n });
  }
  return pawns(line.score_cp);
}

function signed(value, digits) {
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(digits)}`;
}

/** Returns a difference of two shares in percentage points, with its sign. */
export function points(value) {
  return isKnown(value) ? signed(100 * value, 1) : DASH;
}

const MATE = 29_000;

/** Returns a value in centipawns as pawns, or as a mate. */
export function pawns(value) {
  if (!isKnown(value)) return DASH;
  return Math.abs(value) < MATE ? signed(value / 100, 2) : value > 0 ? t("mates") : t("is mated");
}

/** Returns the reason why a move is not kept, in a few words. */
export function reasonWords(reason) {
  const words = {
    "below-p": t("low win share"),
    "below-games": t("few games"),
    "beyond-ply": t("too deep"),
    "below-share": t("rare here"),
    "proved-worse": t("did worse"),
    "below-score": t("low score"),
    "by-hand": t("by hand"),
  };
  return words[reason] ?? t(reason.replaceAll("-", " "));
}

/** Returns the wins and losses of the side to move at a position. */
export function winsAndLosses({ turn, first_wins: first, second_wins: second }) {
  return turn === "first" ? [first ?? 0, second ?? 0] : [second ?? 0, first ?? 0];
}

/** Returns the P of a position for the side to move, null without a win or a loss. */
export function ownP(answer) {
  const [wins, losses] = winsAndLosses(answer);
  return wins + losses ? wins / (wins + losses) : null;
}

const BANDS = [-0.08, -0.025, 0.025, 0.08];

/** Returns the colour of a P less the P of the moves beside it, in five bands. */
export function band(difference) {
  return isKnown(difference) ? `p-${BANDS.filter((bound) => difference >= bound).length}` : "p-none";
}
