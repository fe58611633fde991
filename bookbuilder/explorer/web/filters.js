// The filter bar: controls of the selection. Each move of the threshold's slider sends a request, which cancels the
// one before it.

import { choice, field, h } from "./dom.js";
import { isExport } from "./exported.js";
import { changedOptions, DEFAULTS, filtersOf, OF_BOOK } from "./state.js";

/** Returns the controls of a selection. They call `change` with the changed part of the state, also while sliding. */
export function filterBar(source, state, change, { prefix = "", withKept = true } = {}) {
  const name = (word) => (prefix ? `${prefix}_${word}` : word);
  const value = (word) => (prefix ? state[name(word)] || state[word] : state[word]);
  const set = (word) => (text) => change({ [name(word)]: text });
  const isStore = source?.kind !== "book";
  if (isExport) return h("p", { class: "hint" }, "An export shows the verdicts of the default book.");
  if (!isStore) {
    return h("p", { class: "hint" }, "A book holds what was kept; thresholds are for tally stores.");
  }
  const more = prefix ? [] : [
    field(
      "Margin compares",
      choice([["p", "P = W / (W + L)"], ["score", "score"], ["performance", "performance"]], value("by"), set("by")),
      "P, the score (W + D/2) / N, or this corrected for ratings",
    ),
    field(
      "Prior games",
      number(value("prior"), set("prior"), { min: 0, unset: DEFAULTS.prior }),
      "Games at the position's own P that the margin adds to each move",
    ),
    field(
      "Maximum plies",
      number(value("max_ply"), set("max_ply"), { min: 0, placeholder: "all", unset: "all" }),
      "Positions after more plies are not kept",
    ),
    field(
      "Side",
      choice(
        [["both", "both"], ["first", source?.sides[0] ?? "first"], ["second", source?.sides[1] ?? "second"]],
        value("side"),
        set("side"),
      ),
    ),
    field(
      "Minimum share",
      number(value("min_share"), set("min_share"), {
        min: 0,
        max: 1,
        step: "any",
        placeholder: "off",
        unset: "off",
      }),
      "Minimum share of the moves at a position, 0 … 1",
    ),
    field(
      "Nobody won",
      choice([["keep", "keep"], ["drop", "drop"]], value("undefined_p"), set("undefined_p")),
      "Moves without a win or a loss, whose P is undefined",
    ),
    check(
      "Confident",
      "Compare the lower bound of P (Wilson, 95 %), not P",
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
      "aria-label": prefix ? `Thresholds of ${prefix.toUpperCase()}` : "Thresholds",
    },
    slider(value("p"), set("p"), prefix),
    field(
      "Minimum games",
      number(value("min_games"), set("min_games"), {
        min: 0,
        id: `${prefix}min-games`,
        placeholder: "auto",
        unset: "auto",
      }),
    ),
    prefix ? null : field(
      "Margin",
      h("input", {
        type: "text",
        id: "margin",
        size: 6,
        value: value("margin"),
        on: { change: (event) => set("margin")(event.target.value.trim() || "off") },
      }),
      "Keep moves with a P down to this much below the P of their position: 0.05, 5%, off",
    ),
    withKept
      ? check(
        "Kept only",
        "Hide what is not kept (k)",
        state.kept === "1",
        (on) => change({ kept: on ? "1" : "" }),
      )
      : null,
    prefix ? facets(source, state, change, `${prefix}_`) : h(
      "details",
      { class: "more", open: asksMore(state) },
      h("summary", {}, "More"),
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
    "aria-label": "Threshold P",
    on: {
      input: (event) => {
        output.textContent = asShare(event.target.value);
        set(String(Number(event.target.value)));
      },
    },
  });
  return h(
    "label",
    { class: "field p-field", title: "Minimum W / (W + L) of the side that moved ([ and ])" },
    h("span", { class: "label" }, "Minimum P"),
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
    choice([["", "any"], ...values.map((each) => [String(each), String(shown(each))])], now(name), set(name));
  const controls = {
    year: () => [
      field("From year", number(now("year_from"), set("year_from"), { min: 1800, placeholder: "any" })),
      field("To year", number(now("year_to"), set("year_to"), { min: 1800, placeholder: "any" })),
    ],
    rating: () => [
      field("Minimum rating", offer("rating", BANDS), "Mean of the players' known ratings"),
      field("Rating below", offer("rating_to", BANDS.map((band) => band - 1), (most) => most + 1)),
    ],
    speed: () => [field("Speed", offer("speed", SPEEDS), "Class of the time control")],
    "player-side": () => [field("Player's side", offer("player_side", ["first", "second"]))],
  };
  return (source?.facets ?? []).flatMap((facet) => controls[facet]?.() ?? []);
}
