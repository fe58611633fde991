// The filter bar: controls of the selection. Each move of the threshold's slider sends a request, which cancels the
// one before it.

import { sidesOf } from "./cells.js";
import { choice, field, h } from "./dom.js";
import { isExport } from "./exported.js";
import { changedOptions, DEFAULTS, filtersOf, OF_BOOK } from "./state.js";
import { t } from "./words.js";

/** Returns the controls of a selection. They call `change` with the changed part of the state, also while sliding. */
export function filterBar(source, state, change, { prefix = "", withKept = true } = {}) {
  const name = (word) => (prefix ? `${prefix}_${word}` : word);
  const value = (word) => (prefix ? state[name(word)] || state[word] : state[word]);
  const set = (word) => (text) => change({ [name(word)]: text });
  const isStore = source?.kind !== "book";
  if (isExport) return h("p", { class: "hint" }, t("An export shows the verdicts of the default book."));
  if (!isStore) {
    return h("p", { class: "hint" }, t("A book holds what was kept; thresholds are for tally stores."));
  }
  const more = prefix ? [] : [
    field(
      t("Margin compares"),
      choice([["p", "P = W / (W + L)"], ["score", t("score")], ["performance", t("performance")]], value("by"), set("by")),
      t("P, the score (W + D/2) / N, or this corrected for ratings"),
    ),
    field(
      t("Prior games"),
      number(value("prior"), set("prior"), { min: 0, unset: DEFAULTS.prior }),
      t("Games at the position's own P that the margin adds to each move"),
    ),
    field(
      t("Maximum plies"),
      number(value("max_ply"), set("max_ply"), { min: 0, placeholder: t("all"), unset: "all" }),
      t("Positions after more plies are not kept"),
    ),
    field(
      t("Side"),
      choice(
        [["both", t("both")], ["first", sidesOf(source)[0]], ["second", sidesOf(source)[1]]],
        value("side"),
        set("side"),
      ),
    ),
    field(
      t("Minimum share"),
      number(value("min_share"), set("min_share"), {
        min: 0,
        max: 1,
        step: "any",
        placeholder: t("off"),
        unset: "off",
      }),
      t("Minimum share of the moves at a position, 0 … 1"),
    ),
    field(
      t("Nobody won"),
      choice([["keep", t("keep")], ["drop", t("drop")]], value("undefined_p"), set("undefined_p")),
      t("Moves without a win or a loss, whose P is undefined"),
    ),
    check(
      t("Confident"),
      t("Compare the lower bound of P (Wilson, 95 %), not P"),
      value("confident") === "1",
      (on) => set("confident")(on ? "1" : ""),
    ),
    ...facets(source, state, change),
  ];
  return h(
    "div",
    {
      class: "filters",
      role: "group",
      "aria-label": prefix ? t("Thresholds of {name}", { name: prefix.toUpperCase() }) : t("Thresholds"),
    },
    slider(value("p"), set("p"), prefix),
    field(
      t("Minimum games"),
      number(value("min_games"), set("min_games"), {
        min: 0,
        id: `${prefix}min-games`,
        placeholder: t("auto"),
        unset: "auto",
      }),
    ),
    prefix ? null : field(
      t("Margin"),
      h("input", {
        type: "text",
        id: "margin",
        size: 6,
        value: value("margin"),
        on: { change: (event) => set("margin")(event.target.value.trim() || "off") },
      }),
      t("Keep moves with a P down to this much below the P of their position: 0.05, 5%, off"),
    ),
    withKept
      ? check(
        t("Kept only"),
        t("Hide what is not kept (k)"),
        state.kept === "1",
        (on) => change({ kept: on ? "1" : "" }),
      )
      : null,
    prefix ? facets(source, state, change, `${prefix}_`) : h(
      "details",
      { class: "more", open: asksMore(state) },
      h("summary", {}, t("More")),
      h("div", { class: "filters" }, more),
    ),
  );
}

/** Returns whether the state sets more than P, a minimum number of games and the margin. */
function asksMore(state) {
  const others = ["p", "min_games", "margin", ...OF_BOOK];
  const more = changedOptions(state).filter((name) => !others.includes(name));
  return more.length + Object.keys(filtersOf(state)).length > 0;
}

function slider(value, set, prefix) {
  const output = h("output", { class: "p-value" }, asShare(value));
  const range = h("input", {
    type: "range",
    id: `${prefix}p-slider`,
    min: 0,
    max: 1,
    step: 0.01,
    value: asNumber(value),
    "aria-label": t("Threshold P"),
    on: {
      input: (event) => {
        output.textContent = asShare(event.target.value);
        set(String(Number(event.target.value)));
      },
    },
  });
  return h(
    "label",
    { class: "field p-field", title: t("Minimum W / (W + L) of the side that moved ([ and ])") },
    h("span", { class: "label" }, t("Minimum P")),
    h("span", { class: "p-row" }, range, output),
  );
}

/** Returns a threshold as a number; it may be a fraction such as "55/100". */
export function asNumber(text) {
  const [over, under] = String(text).split("/").map(Number);
  const value = under ? over / under : over;
  return Number.isFinite(value) ? value : 0;
}

function asShare(text) {
  return asNumber(text).toFixed(2);
}

/** Returns a field for a number. An empty field means the word `unset`, and that word empties it. */
export function number(value, set, { unset = "", ...properties }) {
  return h("input", {
    type: "number",
    inputmode: "numeric",
    value: value === unset && Number.isNaN(Number(unset)) ? "" : value,
    ...properties,
    on: { change: (event) => set(event.target.value || unset) },
  });
}

function check(text, hint, on, set) {
  const box = h("input", {
    type: "checkbox",
    checked: on,
    on: { change: (event) => set(event.target.checked) },
  });
  return h("label", { class: "check", title: hint }, box, h("span", {}, text));
}

// First ratings of the bands of the mean rating in stores.
const BANDS = [1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2500, 2600, 2700, 2800];
const SPEEDS = ["ultrabullet", "bullet", "blitz", "rapid", "classical"];

/** Returns the controls for the facets of a store. */
function facets(source, state, change, prefix = "") {
  const set = (name) => (text) => change({ [prefix + name]: text });
  const now = (name) => state[prefix + name];
  const offer = (name, values, shown = (each) => each) =>
    choice([["", t("any")], ...values.map((each) => [String(each), String(shown(each))])], now(name), set(name));
  const controls = {
    year: () => [
      field(t("From year"), number(now("year_from"), set("year_from"), { min: 1800, placeholder: t("any") })),
      field(t("To year"), number(now("year_to"), set("year_to"), { min: 1800, placeholder: t("any") })),
    ],
    rating: () => [
      field(t("Minimum rating"), offer("rating", BANDS), t("Mean of the players' known ratings")),
      field(t("Rating below"), offer("rating_to", BANDS.map((band) => band - 1), (most) => most + 1)),
    ],
    speed: () => [field(t("Speed"), offer("speed", SPEEDS, t), t("Class of the time control"))],
    "player-side": () => [field(t("Player's side"), offer("player_side", ["first", "second"], (side) => sidesOf(source)[side === "first" ? 0 : 1]))],
  };
  return (source?.facets ?? []).flatMap((facet) => controls[facet]?.() ?? []);
}
