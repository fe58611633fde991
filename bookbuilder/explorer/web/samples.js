// Sample games of a position, as links that open each game at this position.

import { ask } from "./api.js";
import { choice, h, hint } from "./dom.js";
import { isExport } from "./exported.js";
import { addressOf, filtersOf, placeOf, questionOf } from "./state.js";
import { t } from "./words.js";

const SHOWN = 8;

/** Returns the panel; `show(state)` fills it. */
export function samplesPanel(app) {
  let sort = "rating";
  const list = h("ol", { class: "games" });
  const note = hint();
  const pick = choice([["rating", t("rating")], ["date", t("date")]], sort, (value) => {
    sort = value;
    show(app.state);
  }, { "aria-label": t("Order of the games") });
  const node = h(
    "section",
    { class: "panel samples", "aria-label": t("Sample games") },
    h("div", { class: "panel-head" }, h("h2", {}, t("Sample games")), isExport ? "" : h("label", { class: "inline" }, t("by "), pick)),
    note,
    list,
  );

  async function show(state) {
    const source = app.source();
    node.hidden = source?.kind === "book";
    if (node.hidden) return;
    try {
      const answer = await ask("/games", { ...placeOf(state), ...filtersOf(state), sort, limit: SHOWN });
      list.replaceChildren(...answer.games.map((game) => gameItem(game, state, source)));
      note.textContent = answer.games.length ? "" : t("No game is known by name here.");
    } catch (error) {
      if (error.name === "AbortError") return;
      list.replaceChildren();
      note.textContent = error.message;
    }
  }

  return { node, show };
}

function gameItem(game, state, source) {
  const players = playersOf(game);
  // The position is part of the link: the game opens there.
  const href = addressOf(`/games/${encodeURIComponent(game.id)}`, {
    ...questionOf(state),
    src: source.id,
  });
  return h(
    "li",
    {},
    isExport ? h("span", {}, players) : h("a", { href }, players),
    h("span", { class: "result" }, game.result),
    h(
      "span",
      { class: "sub" },
      [game.date?.replaceAll(".??", ""), game.event].filter((text) => text && text !== "?").join(" · "),
    ),
  );
}

/** Returns the players of a game, with their ratings where they are known. */
export function playersOf(game) {
  if (!game.players.some(Boolean)) return t("Players unknown");
  return game.players.map((name, n) => `${name || "?"}${game.ratings?.[n] ? ` (${game.ratings[n]})` : ""}`)
    .join(" – ");
}
