// The filter bar: a state in, controls that change it out. The threshold's slider is live: every position of it asks
// anew, and what is overtaken is given up.

import { choice, field, h } from "./dom.js";
import { filtersOf } from "./state.js";

/** Returns the controls of a selection. `change` is called with what is to change in the state, also while sliding. */
export function filterBar(source, state, change, { prefix = "", withKept = true } = {}) {
  const name = (word) => (prefix ? `${prefix}_${word}` : word);
  const value = (word) => (prefix ? state[name(word)] || state[word] : state[word]);
  const set = (word) => (text) => change({ [name(word)]: text });
  const isStore = source?.kind !== "book";
  if (!isStore) {
    return h("p", { class: "hint" }, "A book holds what was kept; thresholds are for tally stores.");
  }
  const more = prefix ? [] : [
    field(
      "Plies, at most",
      number(value("max_ply"), set("max_ply"), { min: 0, placeholder: "all" }),
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
      "Least share",
      number(value("min_share"), set("min_share"), { min: 0, max: 1, step: "any", placeholder: "0" }),
      "Least share of the moves at a position, 0 … 1",
    ),
    field(
      "Nobody won",
      choice([["keep", "keep"], ["drop", "drop"]], value("undefined_p"), set("undefined_p")),
      "Moves whose P is undefined, since nobody won",
    ),
    check(
      "Confident",
      "Ask the lower bound of P (Wilson, 95 %), not P",
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
      "Games, at least",
      number(value("min_games"), set("min_games"), { min: 0, id: `${prefix}min-games` }),
    ),
    withKept
      ? check(
        "Kept only",
        "Hide what is not kept (k)",
        state.kept === "1",
        (on) => change({ kept: on ? "1" : "" }),
      )
      : null,
    prefix ? null : h(
      "details",
      { class: "more", open: asksMore(state) },
      h("summary", {}, "More"),
      h("div", { class: "filters" }, more),
    ),
  );
}

/** Whether the state asks for more than P and a minimum count. */
function asksMore(state) {
  return Boolean(
    state.max_ply || state.side !== "both" || state.min_share || state.undefined_p !== "keep" ||
      state.confident || Object.keys(filtersOf(state)).length,
  );
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
    { class: "field p-field", title: "Least W / (W + L) of the side that moved ([ and ])" },
    h("span", { class: "label" }, "P, at least"),
    h("span", { class: "p-row" }, range, output),
  );
}

/** Returns a threshold as a number; "55/100" is one too. */
export function asNumber(text) {
  const [over, under] = String(text).split("/").map(Number);
  const value = under ? over / under : over;
  return Number.isFinite(value) ? value : 0;
}

function asShare(text) {
  return asNumber(text).toFixed(2);
}

/** Returns a field for a whole number; empty means none. */
export function number(value, set, properties) {
  return h("input", {
    type: "number",
    inputmode: "numeric",
    value,
    ...properties,
    on: { change: (event) => set(event.target.value) },
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

// Where bands of the mean rating begin, as stores keep them.
const BANDS = [1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2500, 2600, 2700, 2800];
const SPEEDS = ["ultrabullet", "bullet", "blitz", "rapid", "classical"];

/** Returns the controls of what a store keeps apart. */
function facets(source, state, change) {
  const set = (name) => (text) => change({ [name]: text });
  const offer = (name, values, shown = (each) => each) =>
    choice([["", "any"], ...values.map((each) => [String(each), String(shown(each))])], state[name], set(name));
  const controls = {
    year: () => [
      field("From year", number(state.year_from, set("year_from"), { min: 1800, placeholder: "any" })),
      field("To year", number(state.year_to, set("year_to"), { min: 1800, placeholder: "any" })),
    ],
    rating: () => [
      field("Rating, at least", offer("rating", BANDS), "Mean of the players' known ratings"),
      field("Rating, below", offer("rating_to", BANDS.map((band) => band - 1), (most) => most + 1)),
    ],
    speed: () => [field("Speed", offer("speed", SPEEDS), "Class of the time control")],
    "player-side": () => [field("Player's side", offer("player_side", ["first", "second"]))],
  };
  return (source?.facets ?? []).flatMap((facet) => controls[facet]?.() ?? []);
}
