// What the page shows, kept in its address: so that a link, the back button and a reload show the same.
// In comes the address, out goes a state; a change of the state makes a new entry of the history.

/** What holds where the address says nothing; the thresholds are those of `bookbuilder show`. */
export const DEFAULTS = {
  src: "",
  fen: "",
  play: "",
  next: "",
  p: "0.55",
  min_games: "1",
  max_ply: "",
  side: "both",
  min_share: "",
  undefined_p: "keep",
  confident: "",
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
};

const SELECTION = ["p", "min_games", "max_ply", "side", "min_share", "undefined_p", "confident"];
const FACETS = ["year_from", "year_to", "rating", "rating_to", "speed", "player_side"];

/** The change that asks a store for all of its games. */
export const NO_FILTERS = Object.fromEntries(FACETS.map((name) => [name, ""]));

/** Returns the state that an address means. */
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
  return text ? `${path}?${text}` : path;
}

/** Returns the parameters of the position, without what judges it. */
export function placeOf(state) {
  return given(state, ["src", "fen", "play"]);
}

/** Returns the parameters that ask a store for some of its games. */
export function filtersOf(state) {
  return given(state, FACETS);
}

/** Returns the parameters of a request that judges moves. */
export function questionOf(state) {
  return {
    ...placeOf(state),
    p: state.p,
    min_games: state.min_games,
    ...given(state, SELECTION),
    ...filtersOf(state),
  };
}

function given(state, names) {
  return Object.fromEntries(names.filter((name) => state[name] !== "").map((name) => [name, state[name]]));
}

/** Returns the moves of a list in the address. */
export function movesOf(text) {
  return text ? text.split(",") : [];
}

/** What a reader prefers, whatever the address: kept in the browser. */
export const preferences = {
  read(name, otherwise) {
    try {
      return localStorage.getItem(`bookbuilder.${name}`) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  write(name, value) {
    try {
      localStorage.setItem(`bookbuilder.${name}`, value);
    } catch {
      // A browser that stores nothing still shows everything.
    }
  },
};
