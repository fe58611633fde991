// The table of moves of a position. It has everything that the board shows in words and numbers: it can be sorted by any
// column, walked by keys and read by a screen reader. On a narrow page each row is a card.

import { button, h, isKnown, s } from "./dom.js";
import { count, DASH, percent, reasonWords, years } from "./format.js";

const COLUMNS = [
  ["move", "Move", (move) => move.text, "Enter or a click plays it"],
  ["played", "Played", (move) => -(move.played ?? move.reached ?? 0), "Games in which this move was played here"],
  ["weight", "Weight", (move) => -(move.weight ?? 0), "The weight of the move in the book, and its share"],
  [
    "results",
    "Results",
    (move) => -(move.first_wins ?? 0),
    "Won by the first side, drawn, won by the second side",
  ],
  ["score", "Score", (move) => -(move.shown_score ?? -1), "(W + D/2) / (W + D + L)"],
  [
    "p",
    "P",
    (move) => -(move.p ?? -1),
    "W / (W + L) of the side to move, draws left out; the whisker is its 95 % interval, the tick the threshold",
  ],
  [
    "reached",
    "Reached",
    (move) => -(move.reached ?? 0),
    "Games that reached the position after this move, by any order of moves; a book judges by these",
  ],
  [
    "kept",
    "In book",
    (move) => (move.kept ? 0 : 1),
    "Whether a book with these thresholds keeps it, and why not",
  ],
  ["quality", "Quality", (move) => -(move.quality ?? -1), "0 … 31, as the book stores it"],
  ["rating", "Rating", (move) => -(move.rating ?? 0), "Mean known rating of the players of the move"],
  ["years", "Years", (move) => -(move.year_max ?? 0), "First and last year it was played"],
  ["opening", "Opening", (move) => move.opening?.code ?? "~", "The opening that the move leads to"],
].map(([id, title, by, why]) => ({ id, title, by, why }));

/** Names of the orders, for the key that goes through them. */
export const ORDERS = COLUMNS.map((column) => column.id);

/** Returns the sorted moves of the table, each with its text and its score from the reader's point of view. */
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

/**
 * Returns the table. `act` has play(move), sort(order), on(move): the listeners of a row, and for a writable book
 * edit(move, entry).
 */
export function moveTable(answer, moves, look, act) {
  const shown = COLUMNS.filter((column) => hasValues(column, answer));
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

/** Returns whether any row has a value in a column. A source may know none. */
function hasValues({ id }, answer) {
  const has = {
    played: (move) => move.played !== null,
    weight: (move) => isKnown(move.weight),
    rating: (move) => move.rating,
    years: (move) => move.year_max,
    opening: (move) => move.opening,
    quality: (move) => isKnown(move.quality),
  }[id];
  return has ? answer.moves.some(has) : true;
}

function heading({ id, title, why }, look, act) {
  const current = look.sort.replace("-", "") === id;
  const down = current && look.sort.startsWith("-");
  // Numbers are sorted from the largest, words from the first.
  const rises = (id === "move" || id === "opening") !== down;
  const order = current ? (rises ? "ascending" : "descending") : "none";
  const sort = button(
    [
      id === "score" && look.view === "first" ? `Score (${look.sides[0]})` : title,
      h("span", { class: "arrow-mark", "aria-hidden": "true" }, current ? (rises ? "▴" : "▾") : ""),
    ],
    () => act.sort(current && !down ? `-${id}` : id),
    { title: `${why}. Sort.` },
  );
  return h("th", { scope: "col", role: "columnheader", class: `c-${id}`, "aria-sort": order }, sort);
}

function moveRow(move, place, shown, context) {
  const { act } = context;
  const cells = shown.map((column) => cell(column, CELLS[column.id](move, context, place)));
  const few = !isKnown(move.weight) && (move.reached ?? 0) < 5;
  return h(
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
  );
}

function cell({ id, title }, content, properties = {}) {
  const isHead = id === "move";
  const own = isHead ? { scope: "row", role: "rowheader" } : { role: "cell" };
  return h(isHead ? "th" : "td", { ...own, class: `c-${id}`, "data-label": title, ...properties }, content);
}

const CELLS = {
  move: (move, { act }, place) => [
    h("span", { class: "nth", "aria-hidden": "true" }, String(place + 1)),
    " ",
    playButton(move.move, move.text, () => act.play(move.move)),
  ],
  played: (move, { total }) => countCell(move.played, total),
  weight: (move) => [
    h("span", { class: "n" }, count(move.weight)),
    " ",
    h("span", { class: "sub" }, percent(move.share)),
  ],
  results: (move, { look }) => resultBar(move, look.sides),
  score: (move) => percent(move.shown_score),
  p: (move, { look }) => [h("span", { class: "n" }, percent(move.p)), whisker(move, look.threshold)],
  reached: (move) => count(move.reached),
  kept: (move) => keptMark(move),
  quality: (move, { act }) => act.edit ? qualityEditor(move, act.edit) : String(move.quality ?? DASH),
  rating: (move) => (move.rating ? count(Math.round(move.rating)) : DASH),
  years: (move) => years(move.year_min, move.year_max),
  opening: (move, { answer }) => (move.opening ? openingName(move.opening, answer.opening?.name) : ""),
};

/** Returns the button that plays a move of a table. */
export function playButton(move, text, play) {
  return button(text, play, { class: "play", "data-play": move });
}

/** Returns a number of games and its share of the total. */
function countCell(games, total) {
  const share = games === null ? "" : percent(total ? games / total : null);
  return [h("span", { class: "n" }, count(games)), " ", h("span", { class: "sub" }, share)];
}

/** Returns the controls that change the quality of a book's entry or drop it. */
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
    button("drop", () => edit(move.move, { drop: true }), {
      class: "quiet",
      "aria-label": `Drop ${name} from the book`,
    }),
  );
}

/** Returns an opening's code and name, without the part that the name of the position has already. */
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

/** Returns whether a book keeps a move and the reason if not, as a sign and words: colour alone is not enough. */
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

/** Returns the bar of results. Parts are as wide as their share, which is written where there is room. */
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

/** Returns P's 95 % interval on a scale from 0 to 1, with the threshold, and a ring where the verdict used more games. */
function whisker(move, threshold) {
  const x = (share) => 2 + share * 92;
  const node = s("svg", { class: "whisker", viewBox: "0 0 96 16", "aria-hidden": "true" });
  node.append(s("path", { class: "axis", d: "M2 8h92" }));
  if (isKnown(move.p)) {
    node.append(
      s("path", {
        class: "interval",
        d: `M${x(move.p_low)} 8H${x(move.p_high)}M${x(move.p_low)} 5v6M${x(move.p_high)} 5v6`,
      }),
    );
    const judged = move.judged?.p;
    if (isKnown(judged) && Math.abs(judged - move.p) > 1e-9) {
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
    played: countCell(ended.games, total),
    results: ended.first_wins === undefined ? "" : resultBar(ended, sidesOf(answer)),
  };
  return h(
    "tr",
    { class: "ended-here", role: "row" },
    shown.map((column) => cell(column, content[column.id] ?? "")),
  );
}

function totalRow(answer, shown, total, look) {
  const { first_wins: first, second_wins: second } = answer;
  const [wins, losses] = answer.turn === "first" ? [first, second] : [second, first];
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

/** Returns the names of the sides of a position's game. */
export function sidesOf(answer) {
  return answer.game === "xiangqi" ? ["Red", "Black"] : ["White", "Black"];
}
