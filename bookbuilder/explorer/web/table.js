// The table of moves of a position. It has everything that the board shows in words and numbers: it can be sorted by any
// column, walked by keys and read by a screen reader. Each move is one line at every width, and unfolds to the figures
// that have no column.

import { countCell, keptMark, openingName, playButton, reasonSentence, resultBar, shareCell, sidesOf, unfoldButton, valueCell, whisker } from "./cells.js";
import { button, h, hint, isKnown } from "./dom.js";
import { moveEditor } from "./edit.js";
import { band, count, DASH, ownP, percent, points, winsAndLosses, years } from "./format.js";
import { t } from "./words.js";

/** The columns that are shown if the reader chooses them, and those of them that a book always shows. */
const OPTIONAL = ["relative", "score", "reached", "quality", "rating", "years"];
const OF_BOOK = ["reached", "quality"];

/**
 * The columns: their title and what it explains; `by`: the key of the order, by default the largest value first; `has`:
 * whether a move has a value, since a column without any is not shown; `cell`: the content for a move.
 */
const COLUMNS = Object.entries({
  move: {
    has: () => true,
    title: t("Move"),
    why: t("Enter or a click plays it"),
    by: (move) => move.text,
    cell: (move, { page }) => [
      playButton(move.move, move.text, () => page.play(move.move)),
      move.edit?.mark && h("span", { class: "mark" }, move.edit.mark),
    ],
  },
  opening: {
    title: t("Opening"),
    why: t("The opening that the move leads to"),
    by: (move) => move.opening?.code ?? "~",
    cell: (move, { answer, look }) => (move.opening ? openingName(move.opening, look.notation, answer.opening) : ""),
  },
  played: {
    title: t("Games"),
    why: t("Games in which this move was played here"),
    by: (move) => -(move.played ?? move.reached ?? 0),
    cell: (move, { total }) => countCell(move.played, total),
  },
  weight: {
    title: t("Weight"),
    why: t("The weight of the move in the book, and its share"),
    cell: (move) => shareCell(count(move.weight), percent(move.share)),
  },
  results: {
    title: t("Results"),
    why: t("Won by the first side, drawn, won by the second side"),
    by: (move) => -(move.first_wins ?? 0),
    has: (move) => isKnown(move.draws),
    cell: (move, { look }) => resultBar(move, look.sides),
  },
  p: {
    title: t("Win share"),
    why: t("Wins / (wins + losses) of the side to move: draws are ignored"),
    cell: (move) => h("span", { class: "n" }, percent(move.p)),
  },
  relative: {
    title: t("± Win share"),
    why: t("Win share less that of the position, in percentage points"),
    cell: (move) => [h("span", { class: `swatch ${band(move.relative)}` }), points(move.relative)],
  },
  value: {
    title: t("Engine"),
    why: t("Value of the move by an engine, in pawns for the side to move"),
    cell: (move, { best }) => valueCell(move, Number.isFinite(best) ? best : null),
  },
  kept: {
    title: t("In book"),
    why: t("Whether a book with these rules keeps it, and why not"),
    by: (move) => (move.kept ? 0 : 1),
    has: (move) => !isInBook(move),
    cell: (move) => keptMark(move),
  },
  score: {
    title: t("Score"),
    why: "(W + D/2) / (W + D + L)",
    cell: (move) => percent(move.score),
  },
  reached: {
    title: t("Reached"),
    why: t("Games that reached the position after this move, by any order of moves; a book judges by these"),
    cell: (move) => count(move.reached),
  },
  quality: {
    title: t("Quality"),
    why: t("0 … 31, as the book stores it"),
    cell: (move) => String(move.quality ?? DASH),
  },
  rating: {
    title: t("Rating"),
    why: t("Mean known rating of the players of the move"),
    cell: (move) => (move.rating ? count(Math.round(move.rating)) : DASH),
  },
  years: {
    title: t("Years"),
    why: t("First and last year it was played"),
    by: (move) => -(move.year_max ?? 0),
    has: (move) => move.year_max,
    cell: (move) => years(move.year_min, move.year_max),
  },
}).map(([id, column]) => {
  const usual = { has: (move) => isKnown(move[id]), by: (move) => -(move[id] ?? -Infinity) };
  return { id, isOptional: OPTIONAL.includes(id), isOfBook: OF_BOOK.includes(id), ...usual, ...column };
});

/** Returns whether a move is a record of a book, which needs no verdict. */
function isInBook(move) {
  return move.played === null && move.kept;
}

/** Returns the sorted moves of the table, each with its text, its value and its win share less that of the position. */
export function arranged(answer, { notation, sort, keptOnly, values }) {
  const base = ownP(answer);
  const moves = answer.moves.filter((move) => !keptOnly || move.kept).map((move) => ({
    ...move,
    text: move.names?.[notation] ?? move.san ?? move.move,
    value: values.get(move.move) ?? null,
    relative: isKnown(move.p) && isKnown(base) ? move.p - base : null,
  }));
  const { by } = COLUMNS.find(({ id }) => id === sort.replace("-", "")) ?? COLUMNS[2];
  const sign = sort.startsWith("-") ? -1 : 1;
  return moves.sort((one, other) => sign * (by(one) < by(other) ? -1 : by(one) > by(other) ? 1 : 0));
}

/** Returns the columns with values to show: the usual ones, those that the reader chose, and the one that sorts. */
function shownColumns(moves, { chosen, sort }) {
  const isBook = moves.every(isInBook);
  return COLUMNS.filter(({ id, has, isOptional, isOfBook }) =>
    (!isOptional || chosen.includes(id) || sort.replace("-", "") === id || (isBook && isOfBook)) && moves.some(has)
  );
}

/** Returns the boxes that choose columns; `choose` is called with the chosen ids. A book shows some of them always. */
export function columnChoices(moves, { chosen }, choose) {
  const isBook = moves.every(isInBook);
  const offered = COLUMNS.filter(({ has, isOptional, isOfBook }) => isOptional && !(isBook && isOfBook) && moves.some(has));
  const box = ({ id, title, why }) => {
    const change = (event) => choose(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id));
    const input = h("input", { type: "checkbox", checked: chosen.includes(id), "data-column": id, on: { change } });
    return h("label", { class: "inline", title: why }, input, title);
  };
  return h("div", { class: "columns", role: "group", "aria-label": t("Columns") }, offered.map(box));
}

/** Returns the table of a page that can unfold its rows. `look.edit` changes a move by hand, if that is allowed. */
export function moveTable(answer, moves, look, page) {
  const shown = shownColumns(moves.length ? moves : answer.moves, look);
  const total = answer.moves.reduce((sum, move) => sum + (move.played ?? 0), 0) +
    (answer.ended_here?.games ?? 0);
  const best = Math.max(...moves.map((move) => move.value ?? -Infinity));
  const context = { answer, moves, best, total, look: { ...look, asked: askedP(answer, look) }, page, shown };
  const rows = moves.flatMap((move) => moveRows(move, context));
  const more = h("span", { class: "offscreen" }, t("More"));
  const hidden = answer.moves.length - moves.length;
  if (hidden) rows.push(wideRow("hidden-rows", shown, t("{n} more that the rules drop", { n: hidden })));
  if (answer.ended_here?.games) rows.push(endedRow(answer, shown, total));
  return h(
    "table",
    { class: "moves", "aria-label": t("Moves") },
    h("thead", {}, h("tr", {}, shown.map((column) => heading(column, look, page)), h("th", { scope: "col", class: "c-more" }, more))),
    h("tbody", {}, rows),
    answer.reached ? h("tfoot", {}, totalRow(answer, shown, total)) : null,
  );
}

/** Returns the P that a book asks for here: the minimum, or what the margin leaves of the position's own P. */
function askedP(answer, { threshold, margin }) {
  if (threshold === null) return null;
  return margin === null ? threshold : Math.max(threshold, (ownP(answer) ?? 0) - margin);
}

function heading({ id, title, why }, look, page) {
  const current = look.sort.replace("-", "") === id;
  const down = current && look.sort.startsWith("-");
  // Numbers are sorted from the largest, words from the first.
  const rises = (id === "move" || id === "opening") !== down;
  const order = current ? (rises ? "ascending" : "descending") : "none";
  const sort = button(
    [title, h("span", { class: "arrow-mark", "aria-hidden": "true" }, current ? (rises ? "▴" : "▾") : "")],
    () => page.change({ sort: current && !down ? `-${id}` : id }),
    { title: t("{why}. Sort.", { why }), "aria-label": title },
  );
  return h("th", { scope: "col", class: `c-${id}`, "aria-sort": order }, sort);
}

function moveRows(move, context) {
  const { page, shown, look } = context;
  const cells = shown.map((column) => cell(column, column.cell(move, context)));
  const isOpen = look.open.has(move.move);
  const unfold = unfoldButton(isOpen, move.text, () => page.unfold(move.move));
  const few = !isKnown(move.weight) && (move.reached ?? 0) < 5;
  const kind = `${move.kept ? "kept" : "dropped"}${few ? " few" : ""}`;
  const click = (event) => event.target.closest("a, button, input") ?? page.play(move.move);
  const on = { ...page.lighting(move.move), click };
  const row = h("tr", { "data-move": move.move, class: kind, on }, cells, cell({ id: "more" }, unfold));
  return isOpen ? [row, wideRow("unfolded", shown, figures(move, context))] : [row];
}

/** Returns what a row unfolds to. Pairs whose column is in the table are `seen`: a wide page does not repeat them. */
function figures(move, context) {
  const { moves, shown } = context;
  const pair = (title, content, isSeen = false) =>
    ["dt", "dd"].map((tag, n) => h(tag, { class: isSeen ? "seen" : null }, [title, content][n]));
  const hidden = COLUMNS.filter((column) => !shown.includes(column) && moves.some(column.has));
  const all = [...shown, ...hidden].filter(({ id }) => id !== "move");
  const pairs = all.map((column) => pair(column.title, column.cell(move, context), shown.includes(column)));
  if (isKnown(move.p_low)) {
    const words = `${percent(move.p_low)} … ${percent(move.p_high)}`;
    pairs.push(pair(t("Win share, 95 %"), [h("span", { class: "n" }, words), whisker(move, context.look.asked)]));
  }
  if (move.edit?.comment) pairs.push(pair(t("Comment"), move.edit.comment));
  const { edit } = context.look;
  const verdict = move.kept ? t("Kept") : t("Not kept");
  const why = isInBook(move) ? "" : hint(`${verdict}: `, reasonSentence(move, context.look, ownP(context.answer)));
  const editor = edit && moveEditor(move, (changes) => edit(move.move, changes));
  return [h("dl", { class: "figures" }, pairs), why, editor];
}

function wideRow(look, shown, content) {
  return h("tr", { class: look }, h("td", { colspan: shown.length + 1 }, content));
}

function cell({ id }, content) {
  return id === "move" ? h("th", { scope: "row", class: "c-move" }, content) : h("td", { class: `c-${id}` }, content);
}

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

function totalRow(answer, shown, total) {
  const [wins, losses] = winsAndLosses(answer);
  const sum = wins + losses + (answer.draws ?? 0);
  return summaryRow(null, shown, {
    move: t("Total"),
    played: shareCell(count(total || answer.reached), "100 %"),
    results: resultBar(answer, sidesOf(answer)),
    p: h("span", { class: "n" }, percent(ownP(answer))),
    kept: t("{part} of {all}", { part: answer.moves.filter((move) => move.kept).length, all: answer.moves.length }),
    score: percent(sum ? (wins + answer.draws / 2) / sum : null),
    reached: count(answer.reached),
  });
}

function summaryRow(look, shown, content) {
  const cells = shown.map((column) => cell(column, content[column.id] ?? ""));
  return h("tr", { class: look }, cells, cell({ id: "more" }, ""));
}
