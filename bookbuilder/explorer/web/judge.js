// Judges a book by games: whether earlier P holds in later games, and how far games follow the book.

import { ask } from "./api.js";
import { lineChart, numbersTable } from "./chart.js";
import { choice, field, h, hint } from "./dom.js";
import { number } from "./filters.js";
import { count, percent } from "./format.js";
import { filtersOf, questionOf } from "./state.js";
import { t } from "./words.js";

/** Returns the contents of a panel: P of the games before a year against results from then on. */
export async function calibration(source, state, change) {
  if (!source.facets.includes("year")) {
    return [hint(t("Needs a store that keeps years apart: bookbuilder tally GAMES -o STORE --facet year"))];
  }
  const { confident, max_ply } = questionOf(state);
  const { year_from: _, year_to: __, ...filters } = filtersOf(state);
  const least = state.min_games === "auto" ? "" : state.min_games;
  const asked = { src: source.id, split: state.split, min_games: least, confident, max_ply, ...filters };
  const answer = await ask("/calibration", asked);
  const bins = answer.bins.filter((each) => each.p !== null);
  const middle = (each) => each.p_train ?? (each.p_from + each.p_to) / 2;
  const series = [
    { name: t("later results"), points: bins.map((each) => [middle(each), each.p]) },
    { name: t("as predicted"), points: [[0, 0], [1, 1]] },
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
    field(t("Later games from"), number(String(answer.split), (split) => change({ split }), { min: 1800 }), t("A year")),
    hint(
      t("{before} games before {year}, {later} from then on. ", {
        before: count(answer.games_before),
        year: answer.split,
        later: count(answer.games_later),
      }),
      t("Positions with at least {n} earlier games.", { n: count(answer.min_games) }),
    ),
    lineChart({
      series,
      x: { ...axis, label: t("P in the earlier games") },
      y: { max: 1, format: (value) => value.toFixed(1) },
      label: t("P in later games by P in earlier games"),
    }),
    numbersTable(t("By threshold"), ["P", t("positions"), t("seen later"), t("P earlier"), t("P later"), t("hold it")], rows),
  ];
}

/** Returns a choice of games and how far they follow a book; `asked` names the book: { src } or { build }. */
export function follower(app, game, asked) {
  const stores = app.sources.filter((source) => source.kind === "store" && source.game === game);
  const result = h("div", { class: "stack", role: "status" });
  const show = async (games) => {
    result.replaceChildren(...(games ? [hint(t("reading the games …"))] : []));
    if (!games) return;
    try {
      result.replaceChildren(...followed(await ask("/follow", { ...asked, games })));
    } catch (error) {
      if (error.name !== "AbortError") result.replaceChildren(h("p", { class: "error" }, error.message));
    }
  };
  const pairs = [["", t("choose games")], ...stores.map((source) => [source.id, source.name])];
  const pick = choice(pairs, "", show, { class: "followed" });
  return h("div", { class: "stack" }, field(t("How far do games follow it?"), pick), result);
}

function followed(answer) {
  const plies = answer.plies.filter((each) => each.inside);
  return [
    h(
      "p",
      {},
      t("{n} games: they leave the book after {plies} plies on average, {share} of their plies are in it.", {
        n: count(answer.games),
        plies: answer.mean_exit_ply.toFixed(1),
        share: percent(answer.plies_share),
      }),
    ),
    lineChart({
      series: [{ name: t("still in the book"), points: plies.map((each) => [each.ply, each.inside_share]) }],
      x: { label: t("ply"), format: count },
      y: { max: 1, format: (value) => percent(value, 0) },
      label: t("Share of the games that are still in the book, by ply"),
    }),
    numbersTable(
      t("All numbers"),
      [t("ply"), t("still in the book"), t("leave it here")],
      plies.map((each) => [count(each.ply), percent(each.inside_share), count(each.left)]),
    ),
  ];
}
