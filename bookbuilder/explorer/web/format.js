// Numbers as people read them: a value in, a text out. What is not known is a dash.

/** The dash of what is not known or not defined. */
export const DASH = "–";

const WHOLE = new Intl.NumberFormat("en");

/** A whole number with its thousands apart. */
export function count(value) {
  return value === null || value === undefined ? DASH : WHOLE.format(value);
}

/** A share as a percentage. */
export function percent(value, digits = 1) {
  return value === null || value === undefined ? DASH : `${(value * 100).toFixed(digits)} %`;
}

/** Bytes in the unit that leaves few digits. */
export function bytes(value) {
  if (value === null || value === undefined) return DASH;
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit ? value.toFixed(1) : count(value)} ${units[unit]}`;
}

/** First and last year; 0 is unknown. */
export function years(first, last) {
  if (!first && !last) return DASH;
  return first === last || !first ? `${last || first}` : `${first}–${last}`;
}

/** What an engine thinks of a position, for the side to move: pawns, or moves to mate; `mate_in` counts plies. */
export function verdict(line) {
  if (line.mate_in !== null && line.mate_in !== undefined) {
    return `mate in ${Math.ceil(Math.abs(line.mate_in) / 2)}${line.mate_in < 0 ? " against" : ""}`;
  }
  const pawns = line.score_cp / 100;
  return `${pawns > 0 ? "+" : pawns < 0 ? "−" : ""}${Math.abs(pawns).toFixed(2)}`;
}

/** The reason why a move is not kept, in a few words. */
export function reasonWords(reason) {
  const words = {
    "below-p": "below P",
    "below-games": "few games",
    "beyond-ply": "too deep",
    "below-share": "rare here",
    "below-score": "low score",
    "other-side": "other side",
    "undefined-p": "no result",
  };
  return words[reason] ?? reason.replaceAll("-", " ");
}
