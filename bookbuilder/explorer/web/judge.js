// Judges a book by games: whether earlier P holds in later games, and how far games follow the book.

import { ask } from "./api.js";
import { lineChart, numbersTable } from "./chart.js";
import { choice, field, h, hint } from "./dom.js";
import { number } from "./filters.js";
import { count, percent } from "./format.js";
import { filtersOf, questionOf } from "./state.js";

/** Returns the contents of a panel: P of the games before a year against results from then on. */
export async function calibration(source, state, change) {
  if (!source.facets.includes("year")) {
    return [hint("Needs a store that keeps years apart: bookbuilder tally GAMES -o STORE --facet year")];
  }
  const { confident, max_ply } = questionOf(state);
  const { year_from: _, year_to: __, ...filters } = filtersOf(state);
  const least = state.min_games === "auto" ? "" : state.min_games;
  const asked = { src: source.id, split: state.split, min_games: least, confident, max_ply, ...filters };
  const answer = await ask("/calibration", asked);
  const bins = answer.bins.filter((each) => each.p !== null);
  const middle = (each) => each.p_train ?? (each.p_from + each.p_to) / 2;
  const series = [
    { name: "later results", points: bins.map((each) => [middle(each), each.p]) },
    { name: "as predicted", points: [[0, 0], [1, 1]] },
  ];
  const axis = { max: 1, ticks: [0, 0.2, 0.4, 0.6, 0.8, 1], format: (value) => value.toFixed(1) };
  const rows = answer.thresholds.filter((each) => each.positions).map((each) => [
    `≥ ${each.threshold.toFixed(2)}`,
    count(each.positions),
    count(each.seen),
    percent(each.p_train),
    percent(each.p),
    percent(each.held_share),
  ]);
  return [
    field("Later games from", number(String(answer.split), (split) => change({ split }), { min: 1800 }), "A year"),
    hint(
      `${count(answer.games_before)} games before ${answer.split}, ${count(answer.games_later)} from then on. `,
      `Positions with at least ${count(answer.min_games)} earlier games.`,
    ),
    lineChart({
      series,
      x: { ...axis, label: "P in the earlier games" },
      y: { max: 1, format: (value) => value.toFixed(1) },
      label: "P in later games by P in earlier games",
    }),
    numbersTable("By threshold", ["P", "positions", "seen later", "P earlier", "P later", "hold it"], rows),
  ];
}

/** Returns a choice of games and how far they follow a book; `asked` names the book: { src } or { build }. */
export function follower(app, game, asked) {
  const stores = app.sources.filter((source) => source.kind === "store" && source.game === game);
  const result = h("div", { class: "stack", role: "status" });
  const show = async (games) => {
    result.replaceChildren(...(games ? [hint("reading the games …")] : []));
    if (!games) return;
    try {
      result.replaceChildren(...followed(await ask("/follow", { ...asked, games })));
    } catch (error) {
      if (error.name !== "AbortError") result.replaceChildren(h("p", { class: "error" }, error.message));
    }
  };
  const pairs = [["", "choose games"], ...stores.map((source) => [source.id, source.name])];
  const pick = choice(pairs, "", show, { class: "followed" });
  return h("div", { class: "stack" }, field("How far do games follow it?", pick), result);
}

function followed(answer) {
  const plies = answer.plies.filter((each) => each.inside);
  return [
    h(
      "p",
      {},
      `${count(answer.games)} games: they leave the book after ${answer.mean_exit_ply.toFixed(1)} plies on average, `,
      `${percent(answer.plies_share)} of their plies are in it.`,
    ),
    lineChart({
      series: [{ name: "still in the book", points: plies.map((each) => [each.ply, each.inside_share]) }],
      x: { label: "ply", format: count },
      y: { max: 1, format: (value) => percent(value, 0) },
      label: "Share of the games that are still in the book, by ply",
    }),
    numbersTable(
      "All numbers",
      ["ply", "still in the book", "leave it here"],
      plies.map((each) => [count(each.ply), percent(each.inside_share), count(each.left)]),
    ),
  ];
}
