// The state of the page, kept in its address, so that a link, the back button and a reload show the same.
// A change of the state makes a new entry of the history.

import { HOME } from "./exported.js";

/** The state of an address without parameters; the options are those of `bookbuilder show`. */
export const DEFAULTS = {
  src: "",
  fen: "",
  play: "",
  next: "",
  p: "0",
  min_games: "auto",
  margin: "0.05",
  by: "p",
  prior: "20",
  min_share: "0.02",
  max_ply: "40",
  side: "both",
  undefined_p: "keep",
  confident: "",
  for: "",
  opponent_min_games: "1",
  opponent_min_share: "",
  connected: "",
  own_lines: "1",
  sharpen: "3",
  kept: "",
  sort: "",
  year_from: "",
  year_to: "",
  rating: "",
  rating_to: "",
  speed: "",
  player_side: "",
  counts: "1,5,20",
  scale: "",
  shows: "",
  depth: "",
  width: "",
  ply: "",
  game: "",
  a: "",
  b: "",
  a_p: "",
  b_p: "",
  a_min_games: "",
  b_min_games: "",
  changes: "",
  split: "",
  flip: "",
};

/** The options of selection with the kind of their values; a test compares them with those of the server. */
export const SELECTION = {
  p: "share",
  min_games: "number",
  margin: "share",
  by: "word",
  prior: "number",
  min_share: "share",
  max_ply: "number",
  side: "word",
  undefined_p: "word",
  confident: "flag",
  for: "word",
  opponent_min_games: "number",
  opponent_min_share: "share",
  connected: "flag",
  own_lines: "flag",
  sharpen: "number",
};
/** Those of them that are for the whole book: the page of Tune offers them. */
export const OF_BOOK = ["for", "opponent_min_games", "opponent_min_share", "connected", "own_lines", "sharpen"];
const FACETS = ["year_from", "year_to", "rating", "rating_to", "speed", "player_side"];

for (const side of ["a", "b"]) for (const name of FACETS) DEFAULTS[`${side}_${name}`] = "";

/** Returns the change of state that shows all games of a store, or of a side of Compare. */
export function noFilters(prefix = "") {
  return Object.fromEntries(FACETS.map((name) => [prefix + name, ""]));
}

/** Returns the state of an address. */
export function readState(location) {
  const given = new URLSearchParams(location.search);
  const state = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS)) {
    if (given.has(name)) state[name] = given.get(name);
  }
  return state;
}

/** Returns the address of a state on a page: only what differs from the defaults. */
export function addressOf(path, state) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (name in DEFAULTS && value !== DEFAULTS[name]) search.set(name, value);
  }
  // Commas and slashes need no escape in a query, and are easier to read.
  const text = search.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
  const place = path === "/" ? HOME : path;
  return text ? `${place}?${text}` : place;
}

/** Returns the parameters of the position, without those of selection. */
export function placeOf(state) {
  return given(state, ["src", "fen", "play"]);
}

/** Returns the parameters that filter the games of a store, or of a side of Compare. */
export function filtersOf(state, prefix = "") {
  return given(state, FACETS.map((name) => prefix + name));
}

/** Returns the parameters of a request for moves with their verdicts. */
export function questionOf(state) {
  return { ...placeOf(state), ...given(state, Object.keys(SELECTION)), ...filtersOf(state) };
}

/** Returns the names of the options of selection that differ from their defaults. */
export function changedOptions(state) {
  return Object.keys(SELECTION).filter((name) => state[name] !== DEFAULTS[name]);
}

function given(state, names) {
  return Object.fromEntries(names.filter((name) => state[name] !== "").map((name) => [name, state[name]]));
}

/** Returns the moves of a list in the address. */
export function movesOf(text) {
  return text ? text.split(",") : [];
}
