// The table of moves of a position. It has everything that the board shows in words and numbers: it can be sorted by any
// column, walked by keys and read by a screen reader. Each move is one line at every width, and unfolds to the figures
// that have no column.

import { countCell, keptMark, openingName, playButton, qualityEditor, resultBar, sidesOf, valueCell, whisker } from "./cells.js";
import { hiddenColumns, shownColumns } from "./columns.js";
import { button, h, isKnown } from "./dom.js";
import { moveEditor } from "./edit.js";
import { count, DASH, percent, points, years } from "./format.js";
import { band, ownP, winsAndLosses } from "./relative.js";
import { t } from "./words.js";

/**
 * Returns the table. `act` has play(move), sort(order), unfold(move), on(move): the listeners of a row; for a
 * writable book edit(move, entry), for a store whose book can be changed change(move, changes).
 */
export function moveTable(answer, moves, look, act) {
  const shown = shownColumns(moves.length ? moves : answer.moves, look);
  const total = answer.moves.reduce((sum, move) => sum + (move.played ?? 0), 0) +
    (answer.ended_here?.games ?? 0);
  const best = Math.max(...moves.map((move) => move.value ?? -Infinity));
  const context = { answer, moves, best, total, look: { ...look, asked: askedP(answer, look) }, act, shown };
  const rows = moves.flatMap((move, place) => moveRows(move, place, context));
  const hidden = answer.moves.length - moves.length;
  if (hidden) rows.push(wideRow("hidden-rows", shown, t("{n} more below the thresholds", { n: hidden })));
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
  return h(
    "tr",
    { role: "row" },
    heads,
    h("th", { scope: "col", role: "columnheader", class: "c-more" }, more),
  );
}

function heading({ id, title, why }, look, act) {
  const current = look.sort.replace("-", "") === id;
  const down = current && look.sort.startsWith("-");
  // Numbers are sorted from the largest, words from the first.
  const rises = (id === "move" || id === "opening") !== down;
  const order = current ? (rises ? "ascending" : "descending") : "none";
  const name = id === "score" && look.view === "first" ? `${t("Score")} (${look.sides[0]})` : title;
  const sort = button(
    [
      name,
      h("span", { class: "arrow-mark", "aria-hidden": "true" }, current ? (rises ? "▴" : "▾") : ""),
    ],
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
      on: {
        ...act.on(move.move),
        click: (event) => event.target.closest("a, button, input") ?? act.play(move.move),
      },
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
  if (isKnown(move.p_low)) pairs.push(pair(t("P, 95 %"), `${percent(move.p_low)} … ${percent(move.p_high)}`));
  if (move.reason_text) pairs.push(pair(move.kept ? t("Kept") : t("Not kept"), move.reason_text));
  if (move.edit?.comment) pairs.push(pair(t("Comment"), move.edit.comment));
  const { change } = context.act;
  return [
    h("dl", { class: "figures" }, pairs),
    change && moveEditor(move, (changes) => change(move.move, changes)),
  ];
}

function wideRow(look, shown, content) {
  return h(
    "tr",
    { class: look, role: "row" },
    h("td", { colspan: shown.length + 1, role: "cell" }, content),
  );
}

function cell({ id }, content, properties = {}) {
  const isHead = id === "move";
  const own = isHead ? { scope: "row", role: "rowheader" } : { role: "cell" };
  return h(isHead ? "th" : "td", { ...own, class: `c-${id}`, ...properties }, content);
}

const CELLS = {
  move: (move, { act }, place) => [
    h("span", { class: "nth", "aria-hidden": "true" }, String(place + 1)),
    " ",
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
  p: (move, { look }) => [h("span", { class: "n" }, percent(move.p)), whisker(move, look.asked)],
  value: (move, { best }) => valueCell(move, Number.isFinite(best) ? best : null),
  kept: (move) => keptMark(move),
  score: (move) => percent(move.shown_score),
  reached: (move) => count(move.reached),
  quality: (move, { act }) => act.edit ? qualityEditor(move, act.edit) : String(move.quality ?? DASH),
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
    played: [
      h("span", { class: "n" }, count(total || answer.reached)),
      " ",
      h("span", { class: "sub" }, "100 %"),
    ],
    results: resultBar(answer, sidesOf(answer)),
    p: h("span", { class: "n" }, percent(wins + losses ? wins / (wins + losses) : null)),
    kept: t("{part} of {all}", {
      part: answer.moves.filter((move) => move.kept).length,
      all: answer.moves.length,
    }),
    score: percent(turned ? 1 - score : score),
    reached: count(answer.reached),
  });
}

function summaryRow(look, shown, content) {
  const cells = shown.map((column) => cell(column, content[column.id] ?? ""));
  return h("tr", { class: look, role: "row" }, cells, cell({ id: "more" }, ""));
}
