// The columns of the table of moves: their order, which ones are shown, and how they sort.

import { h, isKnown } from "./dom.js";
import { ownP } from "./relative.js";
import { t } from "./words.js";

// id, title, key of the order, and what the title explains.
const COLUMNS = [
  ["move", t("Move"), (move) => move.text, t("Enter or a click plays it")],
  ["opening", t("Opening"), (move) => move.opening?.code ?? "~", t("The opening that the move leads to")],
  ["played", t("Games"), (move) => -(move.played ?? move.reached ?? 0), t("Games in which this move was played here")],
  ["weight", t("Weight"), (move) => -(move.weight ?? 0), t("The weight of the move in the book, and its share")],
  [
    "results",
    t("Results"),
    (move) => -(move.first_wins ?? 0),
    t("Won by the first side, drawn, won by the second side"),
  ],
  [
    "p",
    "P",
    (move) => -(move.p ?? -1),
    t("W / (W + L) of the side to move, without draws; the whisker is its 95 % interval, the tick what a book asks for"),
  ],
  [
    "relative",
    t("± P"),
    (move) => -(move.relative ?? -2),
    t("P less the P of the position, in percentage points: what the margin compares, without its prior games"),
  ],
  [
    "value",
    t("Engine"),
    (move) => -(move.value ?? -100_000),
    t("Value of the move by an engine, in pawns for the side to move"),
  ],
  [
    "kept",
    t("In book"),
    (move) => (move.kept ? 0 : 1),
    t("Whether a book with these thresholds keeps it, and why not"),
  ],
  ["score", t("Score"), (move) => -(move.shown_score ?? -1), "(W + D/2) / (W + D + L)"],
  [
    "reached",
    t("Reached"),
    (move) => -(move.reached ?? 0),
    t("Games that reached the position after this move, by any order of moves; a book judges by these"),
  ],
  ["quality", t("Quality"), (move) => -(move.quality ?? -1), t("0 … 31, as the book stores it")],
  ["rating", t("Rating"), (move) => -(move.rating ?? 0), t("Mean known rating of the players of the move")],
  ["years", t("Years"), (move) => -(move.year_max ?? 0), t("First and last year it was played")],
].map(([id, title, by, why]) => ({ id, title, by, why }));

const OPTIONAL = ["relative", "score", "reached", "quality", "rating", "years"];

// A column without any value is not shown. A source may know none.
const HAS_VALUE = {
  opening: (move) => move.opening,
  played: (move) => move.played !== null,
  weight: (move) => isKnown(move.weight),
  results: (move) => isKnown(move.draws),
  p: (move) => isKnown(move.p),
  relative: (move) => isKnown(move.relative),
  value: (move) => isKnown(move.value),
  kept: (move) => !isInBook(move),
  score: (move) => isKnown(move.score),
  reached: (move) => isKnown(move.reached),
  quality: (move) => isKnown(move.quality),
  rating: (move) => move.rating,
  years: (move) => move.year_max,
};

/** Names of the orders, for the key that goes through them. */
export const ORDERS = COLUMNS.map((column) => column.id);

/** Returns whether a move is a record of a book, which needs no verdict. */
function isInBook(move) {
  return move.played === null && move.kept;
}

/** Returns the sorted moves of the table, each with its text and its score from the reader's point of view. */
export function arranged(answer, { notation, view, sort, keptOnly, values }) {
  const turned = view === "first" && answer.turn === "second";
  const base = ownP(answer);
  const moves = answer.moves
    .filter((move) => !keptOnly || move.kept)
    .map((move) => ({
      ...move,
      text: move.names?.[notation] ?? move.san ?? move.move,
      value: values.get(move.move) ?? null,
      relative: isKnown(move.p) && isKnown(base) ? move.p - base : null,
      shown_score: turned && move.score !== null ? 1 - move.score : move.score,
    }));
  const column = COLUMNS.find((each) => each.id === sort.replace("-", "")) ?? COLUMNS[2];
  const sign = sort.startsWith("-") ? -1 : 1;
  const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
  return moves.sort((one, other) => sign * compare(column.by(one), column.by(other)));
}

/** Returns the columns to show: the usual ones, those that the reader chose, and the one that sorts. */
export function shownColumns(moves, { chosen, sort }) {
  const isBook = moves.every(isInBook);
  const isWanted = ({ id }) =>
    !OPTIONAL.includes(id) || chosen.includes(id) || sort.replace("-", "") === id ||
    (isBook && ["reached", "quality"].includes(id));
  return COLUMNS.filter((column) => isWanted(column) && hasValues(column, moves));
}

/** Returns the columns that a row can unfold: those with values that the table does not show. */
export function hiddenColumns(moves, shown) {
  return COLUMNS.filter((column) => !shown.includes(column) && hasValues(column, moves));
}

function hasValues({ id }, moves) {
  return HAS_VALUE[id] ? moves.some(HAS_VALUE[id]) : true;
}

/** Returns the boxes that choose columns; `choose` is called with the chosen ids. */
export function columnChoices(moves, { chosen }, choose) {
  const offered = COLUMNS.filter((column) => OPTIONAL.includes(column.id) && hasValues(column, moves));
  const box = ({ id, title, why }) => {
    const change = (event) =>
      choose(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id));
    const input = h("input", {
      type: "checkbox",
      checked: chosen.includes(id),
      "data-column": id,
      on: { change },
    });
    return h("label", { class: "inline", title: why }, input, title);
  };
  return h("div", { class: "columns", role: "group", "aria-label": t("Columns") }, offered.map(box));
}
