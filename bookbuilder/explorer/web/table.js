// The move table: an answer about a position in, a table that sums up out. It is the whole of the board's answer in
// words and numbers: sorted by any column, walked by keys, read by a screen reader; on a narrow page each row is a card.

import { h, s } from "./dom.js";
import { count, DASH, percent, reasonWords, years } from "./format.js";

const COLUMNS = [
  { id: "move", title: "Move", by: (move) => move.text, why: "Enter or a click plays it" },
  {
    id: "played",
    title: "Played",
    by: (move) => -(move.played ?? move.reached ?? 0),
    why: "Games in which this move was played here",
  },
  {
    id: "results",
    title: "Results",
    by: (move) => -(move.first_wins ?? 0),
    why: "Won by the first side, drawn, won by the second side",
  },
  { id: "score", title: "Score", by: (move) => -(move.shown_score ?? -1), why: "(W + D/2) / (W + D + L)" },
  {
    id: "p",
    title: "P",
    by: (move) => -(move.p ?? -1),
    why:
      "W / (W + L) of the side to move, draws left out; the whisker is its 95 % interval, the tick the threshold",
  },
  {
    id: "reached",
    title: "Reached",
    by: (move) => -(move.reached ?? 0),
    why: "Games that reached the position after this move, by any order of moves; a book judges by these",
  },
  {
    id: "kept",
    title: "In book",
    by: (move) => (move.kept ? 0 : 1),
    why: "Whether a book with these thresholds keeps it, and why not",
  },
  {
    id: "quality",
    title: "Quality",
    by: (move) => -(move.quality ?? -1),
    why: "0 … 31, as the book stores it",
  },
  {
    id: "rating",
    title: "Rating",
    by: (move) => -(move.rating ?? 0),
    why: "Mean known rating of the players of the move",
  },
  {
    id: "years",
    title: "Years",
    by: (move) => -(move.year_max ?? 0),
    why: "First and last year it was played",
  },
  {
    id: "opening",
    title: "Opening",
    by: (move) => move.opening?.code ?? "~",
    why: "The opening that the move leads to",
  },
];

/** Names of the orders, for the key that goes through them. */
export const ORDERS = COLUMNS.map((column) => column.id);

/** Returns the moves as the table shows them: the text of each, its score from the reader's point of view, in order. */
export function arranged(answer, { notation, view, sort, keptOnly }) {
  const turned = view === "first" && answer.turn === "second";
  const moves = answer.moves
    .filter((move) => !keptOnly || move.kept)
    .map((move) => ({
      ...move,
      text: move.names?.[notation] ?? move.san ?? move.move,
      shown_score: turned && move.score !== null ? 1 - move.score : move.score,
    }));
  const column = COLUMNS.find((each) => each.id === sort.replace("-", "")) ?? COLUMNS[1];
  const sign = sort.startsWith("-") ? -1 : 1;
  const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
  return moves.sort((one, other) => sign * compare(column.by(one), column.by(other)));
}

/** Returns the table. `act` holds play(move), light(move or null), sort(order) and, of a book that may be changed, edit(move, entry). */
export function moveTable(answer, moves, look, act) {
  const shown = COLUMNS.filter((column) => isTold(column, answer));
  const total = answer.moves.reduce((sum, move) => sum + (move.played ?? 0), 0) +
    (answer.ended_here?.games ?? 0);
  const rows = moves.map((move, place) => moveRow(move, place, shown, { answer, total, look, act }));
  const hidden = answer.moves.length - moves.length;
  if (hidden) {
    rows.push(
      h(
        "tr",
        { class: "hidden-rows", role: "row" },
        h("td", { colspan: shown.length, role: "cell" }, `${hidden} more below the thresholds`),
      ),
    );
  }
  if (answer.ended_here?.games) rows.push(endedRow(answer, shown, total));
  return h(
    "table",
    { class: "moves", role: "table", "aria-label": "Moves" },
    h(
      "thead",
      { role: "rowgroup" },
      h("tr", { role: "row" }, shown.map((column) => heading(column, look, act))),
    ),
    h("tbody", { role: "rowgroup" }, rows),
    answer.reached ? h("tfoot", { role: "rowgroup" }, totalRow(answer, shown, total, look)) : null,
  );
}

/** Whether any row says something in a column: what no source of this kind tells would only be a row of dashes. */
function isTold({ id }, answer) {
  const told = {
    played: (move) => move.played !== null,
    rating: (move) => move.rating,
    years: (move) => move.year_max,
    opening: (move) => move.opening,
    quality: (move) => move.quality !== null && move.quality !== undefined,
  }[id];
  return told ? answer.moves.some(told) : true;
}

function heading({ id, title, why }, look, act) {
  const current = look.sort.replace("-", "") === id;
  const down = current && look.sort.startsWith("-");
  // Numbers begin with the largest, words with the first.
  const rises = (id === "move" || id === "opening") !== down;
  const order = current ? (rises ? "ascending" : "descending") : "none";
  const button = h(
    "button",
    {
      type: "button",
      title: `${why}. Sort.`,
      on: { click: () => act.sort(current && !down ? `-${id}` : id) },
    },
    id === "score" && look.view === "first" ? `Score (${look.sides[0]})` : title,
    h("span", { class: "arrow-mark", "aria-hidden": "true" }, current ? (rises ? "▴" : "▾") : ""),
  );
  return h("th", { scope: "col", role: "columnheader", class: `c-${id}`, "aria-sort": order }, button);
}

function moveRow(move, place, shown, context) {
  const { act, answer } = context;
  const cells = shown.map((column) => cell(column, CELLS[column.id](move, context, place)));
  const few = (move.reached ?? 0) < 5;
  return h(
    "tr",
    {
      role: "row",
      "data-move": move.move,
      class: `${move.kept ? "kept" : "dropped"}${few ? " few" : ""}`,
      on: {
        pointerenter: () => act.light(move.move),
        pointerleave: () => act.light(null),
        focusin: () => act.light(move.move),
        focusout: () => act.light(null),
        click: (event) => event.target.closest("a, button, input") ?? act.play(move.move, answer),
      },
    },
    cells,
  );
}

function cell({ id, title }, content, properties = {}) {
  const isHead = id === "move";
  const own = isHead ? { scope: "row", role: "rowheader" } : { role: "cell" };
  return h(isHead ? "th" : "td", { ...own, class: `c-${id}`, "data-label": title, ...properties }, content);
}

const CELLS = {
  move: (move, { act, answer }, place) => [
    h("span", { class: "nth", "aria-hidden": "true" }, String(place + 1)),
    " ",
    h("button", {
      type: "button",
      class: "play",
      "data-play": move.move,
      on: { click: () => act.play(move.move, answer) },
    }, move.text),
  ],
  played: (move, { total }) => [
    h("span", { class: "n" }, count(move.played)),
    " ",
    h("span", { class: "sub" }, move.played === null ? "" : percent(total ? move.played / total : null)),
  ],
  results: (move, { look }) => resultBar(move, look.sides),
  score: (move) => percent(move.shown_score),
  p: (move, { look }) => [h("span", { class: "n" }, percent(move.p)), whisker(move, look.threshold)],
  reached: (move) => count(move.reached),
  kept: (move) => keptMark(move),
  quality: (
    move,
    { act },
  ) => (act.edit
    ? qualityEditor(move, act.edit)
    : move.quality === null || move.quality === undefined
    ? DASH
    : String(move.quality)),
  rating: (move) => (move.rating ? count(Math.round(move.rating)) : DASH),
  years: (move) => years(move.year_min, move.year_max),
  opening: (move, { answer }) => (move.opening ? openingName(move.opening, answer.opening?.name) : ""),
};

/** Returns the controls that change a book's entry: its quality, or that it is left out. */
function qualityEditor(move, edit) {
  const name = move.text;
  const change = (event) =>
    event.target.reportValidity() && edit(move.move, { quality: Number(event.target.value) });
  return h(
    "span",
    { class: "editor" },
    h("input", {
      type: "number",
      min: 0,
      max: 31,
      step: 1,
      required: true,
      value: move.quality ?? 0,
      "aria-label": `Quality of ${name}`,
      on: { change },
    }),
    h("button", {
      type: "button",
      class: "quiet",
      "aria-label": `Drop ${name} from the book`,
      on: { click: () => edit(move.move, { drop: true }) },
    }, "drop"),
  );
}

/** Returns an opening's code and name, without what the name of the position says already. */
export function openingName(opening, known = "") {
  const rest = known && opening.name.startsWith(known)
    ? opening.name.slice(known.length).replace(/^[:,;]?\s*/, "")
    : "";
  return h(
    "span",
    { class: "opening", title: `${opening.code} ${opening.name}` },
    h("span", { class: "code" }, opening.code),
    ` ${rest || opening.name}`,
  );
}

/** Returns whether a book keeps a move, and the reason if not: a sign and words, never colour alone. */
export function keptMark(move) {
  if (move.kept) {
    return h("span", { class: "verdict kept" }, h("span", { "aria-hidden": "true" }, "✓ "), "kept");
  }
  const why = move.reason_text || move.reason || "";
  return h(
    "span",
    { class: "verdict dropped", title: why },
    h("span", { "aria-hidden": "true" }, "✕ "),
    reasonWords(move.reason || "not in it"),
  );
}

/** Returns the bar of results, as wide as each result is frequent, with the shares that have room in it. */
export function resultBar(counts, sides, room = 0.25) {
  const parts = [counts.first_wins, counts.draws, counts.second_wins];
  const sum = parts.reduce((one, other) => one + (other ?? 0), 0);
  if (!sum) return h("span", { class: "sub" }, DASH);
  const names = [`${sides[0]} wins`, "draws", `${sides[1]} wins`];
  const spoken = parts.map((part, n) => `${names[n]} ${count(part)}`).join(", ");
  const red = sides[0] === "Red" ? " red" : "";
  return h(
    "span",
    { class: `bar${red}`, role: "img", "aria-label": spoken, title: spoken },
    parts.map((part, n) => {
      const share = part / sum;
      const text = share >= room ? `${Math.round(share * 100)}%` : "";
      return h("span", { class: ["first", "draw", "second"][n], style: { "flex-grow": String(part) } }, text);
    }),
  );
}

/** Returns P's 95 % interval on a scale from 0 to 1, with the threshold; a ring where the verdict saw more games. */
export function whisker(move, threshold) {
  const x = (share) => 2 + share * 92;
  const node = s("svg", { class: "whisker", viewBox: "0 0 96 16", "aria-hidden": "true" });
  node.append(s("path", { class: "axis", d: "M2 8h92" }));
  if (move.p !== null && move.p !== undefined) {
    node.append(
      s("path", {
        class: "interval",
        d: `M${x(move.p_low)} 8H${x(move.p_high)}M${x(move.p_low)} 5v6M${x(move.p_high)} 5v6`,
      }),
    );
    const judged = move.judged?.p;
    if (judged !== null && judged !== undefined && Math.abs(judged - move.p) > 1e-9) {
      node.append(s("circle", { class: "judged", cx: x(judged), cy: 8, r: 3.4 }));
    }
    node.append(s("circle", { class: "estimate", cx: x(move.p), cy: 8, r: 3 }));
  }
  if (threshold !== null) node.append(s("path", { class: "threshold", d: `M${x(threshold)} 1v14` }));
  return node;
}

function endedRow(answer, shown, total) {
  const ended = answer.ended_here;
  const words = ended.may_go_on ? "ended, or counted no further" : "game ended here";
  const content = {
    move: h("span", { class: "ended" }, words),
    played: [
      h("span", { class: "n" }, count(ended.games)),
      " ",
      h("span", { class: "sub" }, percent(total ? ended.games / total : null)),
    ],
    results: ended.first_wins === undefined ? "" : resultBar(ended, sidesOf(answer)),
  };
  return h(
    "tr",
    { class: "ended-here", role: "row" },
    shown.map((column) => cell(column, content[column.id] ?? "")),
  );
}

function totalRow(answer, shown, total, look) {
  const wins = answer.turn === "first" ? answer.first_wins : answer.second_wins;
  const losses = answer.turn === "first" ? answer.second_wins : answer.first_wins;
  const sum = (wins ?? 0) + (losses ?? 0) + (answer.draws ?? 0);
  const score = sum ? (wins + answer.draws / 2) / sum : null;
  const turned = look.view === "first" && answer.turn === "second" && score !== null;
  const content = {
    move: "Total",
    played: [
      h("span", { class: "n" }, count(total || answer.reached)),
      " ",
      h("span", { class: "sub" }, "100 %"),
    ],
    results: resultBar(answer, sidesOf(answer)),
    score: percent(turned ? 1 - score : score),
    p: h("span", { class: "n" }, percent(wins + losses ? wins / (wins + losses) : null)),
    reached: count(answer.reached),
    kept: `${answer.moves.filter((move) => move.kept).length} of ${answer.moves.length}`,
  };
  return h("tr", { role: "row" }, shown.map((column) => cell(column, content[column.id] ?? "")));
}

/** Returns what the sides of a position's game are called. */
export function sidesOf(answer) {
  return answer.game === "xiangqi" ? ["Red", "Black"] : ["White", "Black"];
}
