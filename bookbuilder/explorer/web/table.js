// The table of moves of a position. It has everything that the board shows in words and numbers: it can be sorted by any
// column, walked by keys and read by a screen reader. Each move is one line at every width, and unfolds to the figures
// that have no column.

import { countCell, keptMark, openingName, playButton, resultBar, sidesOf, valueCell, whisker } from "./cells.js";
import { button, h, isKnown } from "./dom.js";
import { moveEditor } from "./edit.js";
import { band, count, DASH, ownP, percent, points, winsAndLosses, years } from "./format.js";
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
  ["p", t("Win share"), (move) => -(move.p ?? -1), t("P = W / (W + L) of the side to move: draws are left out")],
  [
    "relative",
    t("± Win share"),
    (move) => -(move.relative ?? -2),
    t("Win share less that of the position, in percentage points"),
  ],
  [
    "value",
    t("Engine"),
    (move) => -(move.value ?? -100_000),
    t("Value of the move by an engine, in pawns for the side to move"),
  ],
  ["kept", t("In book"), (move) => (move.kept ? 0 : 1), t("Whether a book with these rules keeps it, and why not")],
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

const OF_BOOK = ["reached", "quality"];
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
function shownColumns(moves, { chosen, sort }) {
  const isBook = moves.every(isInBook);
  const isWanted = ({ id }) =>
    !OPTIONAL.includes(id) || chosen.includes(id) || sort.replace("-", "") === id ||
    (isBook && OF_BOOK.includes(id));
  return COLUMNS.filter((column) => isWanted(column) && hasValues(column, moves));
}

/** Returns the columns that a row can unfold: those with values that the table does not show. */
function hiddenColumns(moves, shown) {
  return COLUMNS.filter((column) => !shown.includes(column) && hasValues(column, moves));
}

function hasValues({ id }, moves) {
  return HAS_VALUE[id] ? moves.some(HAS_VALUE[id]) : true;
}

/** Returns the boxes that choose columns; `choose` is called with the chosen ids. */
export function columnChoices(moves, { chosen }, choose) {
  // A book shows some of them always.
  const always = moves.every(isInBook) ? OF_BOOK : [];
  const offered = COLUMNS.filter(({ id }) => OPTIONAL.includes(id) && !always.includes(id) && hasValues({ id }, moves));
  const box = ({ id, title, why }) => {
    const change = (event) =>
      choose(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id));
    const input = h("input", { type: "checkbox", checked: chosen.includes(id), "data-column": id, on: { change } });
    return h("label", { class: "inline", title: why }, input, title);
  };
  return h("div", { class: "columns", role: "group", "aria-label": t("Columns") }, offered.map(box));
}

/**
 * Returns the table. `act` has play(move), sort(order), unfold(move), on(move): the listeners of a row; and for a
 * store whose book can be changed change(move, changes).
 */
export function moveTable(answer, moves, look, act) {
  const shown = shownColumns(moves.length ? moves : answer.moves, look);
  const total = answer.moves.reduce((sum, move) => sum + (move.played ?? 0), 0) +
    (answer.ended_here?.games ?? 0);
  const best = Math.max(...moves.map((move) => move.value ?? -Infinity));
  const context = { answer, moves, best, total, look: { ...look, asked: askedP(answer, look) }, act, shown };
  const rows = moves.flatMap((move, place) => moveRows(move, place, context));
  const hidden = answer.moves.length - moves.length;
  if (hidden) rows.push(wideRow("hidden-rows", shown, t("{n} more that the rules drop", { n: hidden })));
  if (answer.ended_here?.games) rows.push(endedRow(answer, shown, total));
  return h(
    "table",
    { class: `moves${Number.isFinite(best) ? " valued" : ""}`, role: "table", "aria-label": t("Moves") },
    h("thead", { role: "rowgroup" }, headings(shown, look, act)),
    h("tbody", { role: "rowgroup" }, rows),
    answer.reached ? h("tfoot", { role: "rowgroup" }, totalRow(answer, shown, total, look)) : null,
  );
}

/** Returns the P that a book asks for here: the minimum, or what the margin leaves of the position's own P. */
function askedP(answer, { threshold, margin }) {
  if (threshold === null) return null;
  return margin === null ? threshold : Math.max(threshold, (ownP(answer) ?? 0) - margin);
}

function headings(shown, look, act) {
  const heads = shown.map((column) => heading(column, look, act));
  const more = h("span", { class: "offscreen" }, t("More"));
  return h("tr", { role: "row" }, heads, h("th", { scope: "col", role: "columnheader", class: "c-more" }, more));
}

function heading({ id, title, why }, look, act) {
  const current = look.sort.replace("-", "") === id;
  const down = current && look.sort.startsWith("-");
  // Numbers are sorted from the largest, words from the first.
  const rises = (id === "move" || id === "opening") !== down;
  const order = current ? (rises ? "ascending" : "descending") : "none";
  const name = id === "score" && look.view === "first" ? `${t("Score")} (${look.sides[0]})` : title;
  const sort = button(
    [name, h("span", { class: "arrow-mark", "aria-hidden": "true" }, current ? (rises ? "▴" : "▾") : "")],
    () => act.sort(current && !down ? `-${id}` : id),
    { title: t("{why}. Sort.", { why }), "aria-label": name },
  );
  return h("th", { scope: "col", role: "columnheader", class: `c-${id}`, "aria-sort": order }, sort);
}

function moveRows(move, place, context) {
  const { act, shown, look } = context;
  const cells = shown.map((column) => cell(column, CELLS[column.id](move, context, place)));
  const isOpen = look.open.has(move.move);
  const unfold = button(isOpen ? "▾" : "▸", () => act.unfold(move.move), {
    class: "unfold",
    "aria-expanded": String(isOpen),
    "aria-label": t("More about {move}", { move: move.text }),
  });
  const few = !isKnown(move.weight) && (move.reached ?? 0) < 5;
  const row = h(
    "tr",
    {
      role: "row",
      "data-move": move.move,
      class: `${move.kept ? "kept" : "dropped"}${few ? " few" : ""}`,
      on: { ...act.on(move.move), click: (event) => event.target.closest("a, button, input") ?? act.play(move.move) },
    },
    cells,
    cell({ id: "more" }, unfold),
  );
  return isOpen ? [row, wideRow("unfolded", shown, figures(move, context))] : [row];
}

/** Returns what a row unfolds to. Pairs whose column is in the table are `seen`: a wide page does not repeat them. */
function figures(move, context) {
  const { moves, shown } = context;
  const pair = (title, content, isSeen = false) => [
    h("dt", { class: isSeen ? "seen" : null }, title),
    h("dd", { class: isSeen ? "seen" : null }, content),
  ];
  const all = [...shown, ...hiddenColumns(moves, shown)].filter(({ id }) => id !== "move");
  const pairs = all.map((column) =>
    pair(column.title, CELLS[column.id](move, context), shown.includes(column))
  );
  if (isKnown(move.p_low)) {
    const words = `${percent(move.p_low)} … ${percent(move.p_high)}`;
    pairs.push(pair(t("Win share, 95 %"), [h("span", { class: "n" }, words), whisker(move, context.look.asked)]));
  }
  if (move.reason_text) pairs.push(pair(move.kept ? t("Kept") : t("Not kept"), move.reason_text));
  if (move.edit?.comment) pairs.push(pair(t("Comment"), move.edit.comment));
  const { change } = context.act;
  return [h("dl", { class: "figures" }, pairs), change && moveEditor(move, (changes) => change(move.move, changes))];
}

function wideRow(look, shown, content) {
  return h("tr", { class: look, role: "row" }, h("td", { colspan: shown.length + 1, role: "cell" }, content));
}

function cell({ id }, content, properties = {}) {
  const isHead = id === "move";
  const own = isHead ? { scope: "row", role: "rowheader" } : { role: "cell" };
  return h(isHead ? "th" : "td", { ...own, class: `c-${id}`, ...properties }, content);
}

const CELLS = {
  move: (move, { act }) => [
    playButton(move.move, move.text, () => act.play(move.move)),
    move.edit?.mark && h("span", { class: "mark" }, move.edit.mark),
  ],
  opening: (move, { answer, look }) =>
    move.opening ? openingName(move.opening, look.notation, answer.opening) : "",
  played: (move, { total }) => countCell(move.played, total),
  weight: (move) => [
    h("span", { class: "n" }, count(move.weight)),
    " ",
    h("span", { class: "sub" }, percent(move.share)),
  ],
  results: (move, { look }) => resultBar(move, look.sides),
  relative: (move) => [h("span", { class: `swatch ${band(move.relative)}` }), points(move.relative)],
  p: (move) => h("span", { class: "n" }, percent(move.p)),
  value: (move, { best }) => valueCell(move, Number.isFinite(best) ? best : null),
  kept: (move) => keptMark(move),
  score: (move) => percent(move.shown_score),
  reached: (move) => count(move.reached),
  quality: (move) => String(move.quality ?? DASH),
  rating: (move) => (move.rating ? count(Math.round(move.rating)) : DASH),
  years: (move) => years(move.year_min, move.year_max),
};

function endedRow(answer, shown, total) {
  const ended = answer.ended_here;
  const words = ended.may_go_on ? t("ended, or counted no further") : t("game ended here");
  return summaryRow("ended-here", shown, {
    move: h("span", { class: "ended", title: words }, ended.may_go_on ? t("end") : t("ended")),
    opening: h("span", { class: "ended" }, words),
    played: countCell(ended.games, total),
    results: ended.first_wins === undefined ? "" : resultBar(ended, sidesOf(answer)),
  });
}

function totalRow(answer, shown, total, look) {
  const [wins, losses] = winsAndLosses(answer);
  const sum = wins + losses + (answer.draws ?? 0);
  const score = sum ? (wins + answer.draws / 2) / sum : null;
  const turned = look.view === "first" && answer.turn === "second" && score !== null;
  return summaryRow(null, shown, {
    move: t("Total"),
    played: [h("span", { class: "n" }, count(total || answer.reached)), " ", h("span", { class: "sub" }, "100 %")],
    results: resultBar(answer, sidesOf(answer)),
    p: h("span", { class: "n" }, percent(wins + losses ? wins / (wins + losses) : null)),
    kept: t("{part} of {all}", { part: answer.moves.filter((move) => move.kept).length, all: answer.moves.length }),
    score: percent(turned ? 1 - score : score),
    reached: count(answer.reached),
  });
}

function summaryRow(look, shown, content) {
  const cells = shown.map((column) => cell(column, content[column.id] ?? ""));
  return h("tr", { class: look, role: "row" }, cells, cell({ id: "more" }, ""));
}
