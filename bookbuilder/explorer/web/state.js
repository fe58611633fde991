// The state of the page, kept in its address, so that a link, the back button and a reload show the same. A change of
// the state makes a new entry of the history. The server says which rules there are, and their defaults.

/** The rules of selection as the server declares them, by name. */
export const RULES = new Map();
/** The parameters that filter the games of a store. */
export const FACETS = ["year_from", "year_to", "rating", "rating_to", "speed", "player_side"];
/** The sides of Compare, each with its own rules and filters. */
const SIDES = ["a_", "b_"];

const PAGE = ["src", "fen", "play", "next", "kept", "sort", "depth", "width", "ply", "game", "a", "b", "split", "flip"];

/** The state of an address without parameters. */
export const DEFAULTS = Object.fromEntries(PAGE.map((name) => [name, ""]));

/** Takes the rules that the server declares; must be called before a state is read. */
export function declareRules(rules) {
  for (const rule of rules) RULES.set(rule.name, rule);
  for (const prefix of ["", ...SIDES]) {
    for (const { name, default: usual } of rules) DEFAULTS[prefix + name] = usual;
    for (const name of FACETS) DEFAULTS[prefix + name] = "";
  }
}

/** Returns the change of state that shows all games of a store, or of a side of Compare. */
export function noFilters(prefix = "") {
  return Object.fromEntries(FACETS.map((name) => [prefix + name, ""]));
}

export function readState(location) {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(Object.entries(DEFAULTS).map(([name, usual]) => [name, given.get(name) ?? usual]));
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

function changed(state, names) {
  return Object.fromEntries(names.filter((name) => state[name] !== DEFAULTS[name]).map((name) => [name, state[name]]));
}

/** Returns the parameters of the position, without those of selection. */
export function placeOf(state) {
  return changed(state, ["src", "fen", "play"]);
}

/** Returns the rules that differ from their defaults. */
export function rulesOf(state) {
  return changed(state, [...RULES.keys()]);
}

/** Returns the parameters that filter the games of a store. */
export function filtersOf(state) {
  return changed(state, FACETS);
}

/** Returns the parameters of a request for moves with their verdicts. */
export function questionOf(state) {
  return { ...placeOf(state), ...rulesOf(state), ...filtersOf(state) };
}

/** Returns the state of the other pages with the rules and filters of a side of Compare. */
export function stateOfSide(state, prefix) {
  const own = [...RULES.keys(), ...FACETS].map((name) => [name, state[prefix + name]]);
  return { ...state, ...Object.fromEntries(own) };
}

/** Returns the state of Compare with the rules and filters of another page on both sides. */
export function stateOfPair(state) {
  const names = [...RULES.keys(), ...FACETS];
  const both = SIDES.flatMap((prefix) => names.map((name) => [prefix + name, state[name]]));
  const usual = names.map((name) => [name, DEFAULTS[name]]);
  return { ...state, ...Object.fromEntries([...both, ...usual]), a: state.src };
}

export function rulesOfPreset(preset) {
  return { ...Object.fromEntries([...RULES].map(([name, rule]) => [name, rule.default])), ...preset };
}

// A preset keeps its name when these differ, as on the command line.
const FREE = ["for", "max_ply", "min_games"];

/** Returns the name of the preset that the rules are, "" for other rules. */
export function presetOf(presets, state, prefix = "") {
  const isSame = (preset) =>
    Object.entries(rulesOfPreset(preset)).every(([name, value]) => FREE.includes(name) || state[prefix + name] === value);
  const names = Object.keys(presets).filter((name) => isSame(presets[name]));
  return names.find((name) => Boolean(presets[name].for) === Boolean(state[`${prefix}for`])) ?? names[0] ?? "";
}

export function movesOf(text) {
  return text ? text.split(",") : [];
}
