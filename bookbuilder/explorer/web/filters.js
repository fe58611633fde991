// The rules of selection and the filters of games: a line of words that unfolds to controls. The server declares the
// rules; here they have their names for people.

import { sideOf } from "./cells.js";
import { choice, field, h, hint } from "./dom.js";
import { count } from "./format.js";
import { filterGames } from "./import.js";
import { presetOf, RULES, rulesOfPreset } from "./state.js";
import { t } from "./words.js";

/** Name and meaning of each rule, in the order of their controls. Another rule is shown as the server declares it. */
const WORDS = {
  min_games: [t("Minimum games"), t("Moves of fewer games are dropped")],
  margin: [t("Margin"), t("Moves that are proved worse than their position by more than this are dropped: 0.05, 5%, off")],
  for: [t("Book for"), t("The side that plays the book")],
  opponent_min_share: [t("Opponent's share"), t("Minimum share of the opponent's moves, 0 … 1")],
  p: [t("Minimum win share"), t("Minimum W / (W + L) of the side that moved; draws are ignored")],
  min_share: [t("Minimum share"), t("Minimum share of the moves at a position, 0 … 1")],
  max_ply: [t("Maximum plies"), t("Positions after more plies are not kept")],
  connected: [t("Connected"), t("Keep only what kept moves reach from the start")],
  sharpen: [
    t("Power of weights"),
    t("1: weights as popular as the moves are; 3: cubed, so rare moves are played less; 0: by quality"),
  ],
  criteria: [t("Criteria"), t("Weights of usage, strength, date, result and annotation, such as result=0,annotation=0.5")],
};
/** The rules that Tune shows unfolded. */
export const MAIN = ["min_games", "margin", "for", "opponent_min_share"];

/** Returns a line of words about the rules and filters; it unfolds to their controls, which call `change`. */
export function rulesBar(app, source, state, change, prefix = "") {
  if (source?.kind === "book") return hint(t("A book holds what was kept; rules are for tally stores."));
  const words = h("span", {}, rulesWords(app, source, state, prefix));
  const label = prefix ? t("Rules of {name}", { name: prefix[0].toUpperCase() }) : t("Rules");
  const controls = [
    presetChoice(app, state, change, prefix),
    ruleControls(orderedRules(), source, state, change, prefix),
    facetControls(source, state, change, prefix),
  ];
  return h(
    "details",
    { class: "rules" },
    h("summary", {}, words, " ", h("span", { class: "change" }, t("Change"))),
    h("div", { class: "filters", role: "group", "aria-label": label }, controls),
    prefix ? "" : gamesFilter(app, source),
  );
}

/** Returns the rules and filters in a few words. */
export function rulesWords(app, source, state, prefix = "") {
  const now = (name) => state[prefix + name];
  const preset = presetOf(app.facts.presets ?? {}, state, prefix);
  const games = now("min_games") === "auto" ? source.min_games : Number(now("min_games"));
  const share = (text) => `${Number((100 * asNumber(text)).toFixed(1))} %`;
  const from = [now("year_from"), now("year_to")];
  const ratings = [now("rating"), now("rating_to") && Number(now("rating_to")) + 1];
  return [
    preset ? t("Preset {name}", { name: t(preset) }) : t("own rules"),
    games === 1 ? t("from 1 game on") : t("from {n} games on", { n: count(games) }),
    now("margin") !== "off" && t("margin {n}", { n: share(now("margin")) }),
    asNumber(now("p")) > 0 && t("win share from {n} on", { n: share(now("p")) }),
    now("for") && t("for {side}", { side: sideOf(source, now("for")) }),
    from.some(Boolean) && t("years {from}–{to}", { from: from[0], to: from[1] }),
    ratings.some(Boolean) && t("ratings {from}–{to}", { from: ratings[0], to: ratings[1] }),
    now("speed") && t(now("speed")),
  ].filter(Boolean).join(" · ");
}

/** Returns the names of all rules, those with a place first. */
export function orderedRules() {
  return [...new Set([...Object.keys(WORDS), ...RULES.keys()])].filter((name) => RULES.has(name));
}

export const PRESET_MEANINGS = {
  engine: t("For engines: every move of enough games that is not proved worse."),
  broad: t("For a look at all: every move of enough games, weighted by popularity."),
  repertoire: t("For one player: one side's moves, and the opponent's common replies."),
  "own-games": t("For a small collection: every move of it."),
  literature: t("As in the paper on opening libraries: positions with a win share from 55 % on."),
};

export function presetChoice(app, state, change, prefix = "") {
  const { presets } = app.facts;
  const pairs = [["", t("own rules")], ...Object.keys(presets).map((name) => [name, t(name)])];
  const withPrefix = (rules) => Object.fromEntries(Object.entries(rules).map(([name, value]) => [prefix + name, value]));
  const choose = (name) => name && change(withPrefix(rulesOfPreset(presets[name])));
  return field(t("Preset"), choice(pairs, presetOf(presets, state, prefix), choose, { class: "preset" }), t("Named rules"));
}

export function ruleControls(names, source, state, change, prefix = "") {
  const isShown = (name) => name !== "opponent_min_share" || state[`${prefix}for`];
  return names.filter((name) => RULES.has(name) && isShown(name)).map((name) => {
    const rule = RULES.get(name);
    const value = state[prefix + name];
    const set = (text) => change({ [prefix + name]: text });
    const [label, title] = WORDS[name] ?? [rule.name, rule.meaning];
    if (name === "p") return slider(value, set, prefix);
    if (rule.kind === "flag") {
      const on = { change: (event) => set(event.target.checked ? "1" : "0") };
      const box = h("input", { type: "checkbox", checked: value === "1", on });
      return h("label", { class: "check", title }, box, h("span", {}, label));
    }
    const control = name === "for"
      ? choice([[rule.default, t("both sides")], ...["first", "second"].map((side) => [side, sideOf(source, side)])], value, set)
      : rule.kind === "word"
      ? choice(rule.words.map((word) => [word, t(word)]), value, set)
      : h("input", {
        type: "text",
        inputmode: "decimal",
        size: 6,
        id: `${prefix}${name}`,
        value: value === rule.unset ? "" : value,
        placeholder: name === "min_games" ? t("auto ({n})", { n: source?.min_games ?? "" }) : rule.unset ? t(rule.unset) : t("any"),
        on: { change: (event) => set(event.target.value.trim() || rule.unset || "") },
      });
    return field(label, control, title);
  });
}

function slider(value, set, prefix) {
  const [label, title] = WORDS.p;
  const output = h("output", { class: "p-value" }, asNumber(value).toFixed(2));
  const look = { type: "range", id: `${prefix}p-slider`, "aria-label": label, min: 0, max: 1, step: 0.01 };
  const range = h("input", { ...look, value: asNumber(value), on: { input: () => set(String(Number(range.value))) } });
  const row = h("span", { class: "p-row" }, range, output);
  return h("label", { class: "field p-field", title: `${title} ([, ])` }, h("span", { class: "label" }, label), row);
}

/** Returns a number from 0 to 1; the text may be a fraction such as "55/100" or a percentage. */
export function asNumber(text) {
  const [over, under] = String(text).replace("%", "/100").split("/").map(Number);
  const value = under ? over / under : over;
  return Number.isFinite(value) ? value : 0;
}

export function number(value, set, properties) {
  return h("input", { type: "number", inputmode: "numeric", value, ...properties, on: { change: (event) => set(event.target.value) } });
}

// First ratings of the bands of the mean rating in stores.
const BANDS = [1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2500, 2600, 2700, 2800];
const SPEEDS = ["ultrabullet", "bullet", "blitz", "rapid", "classical"];

export function facetControls(source, state, change, prefix = "") {
  const set = (name) => (text) => change({ [prefix + name]: text });
  const now = (name) => state[prefix + name];
  const offer = (name, values, shown = (each) => each) =>
    choice([["", t("any")], ...values.map((each) => [String(each), String(shown(each))])], now(name), set(name));
  const year = (name) => number(now(name), set(name), { min: 1800, placeholder: t("any") });
  const controls = {
    year: () => [field(t("From year"), year("year_from")), field(t("To year"), year("year_to"))],
    rating: () => [
      field(t("Minimum rating"), offer("rating", BANDS), t("Mean of the players' known ratings")),
      field(t("Rating below"), offer("rating_to", BANDS.map((band) => band - 1), (most) => most + 1)),
    ],
    speed: () => [field(t("Speed"), offer("speed", SPEEDS, t), t("Class of the time control"))],
    "player-side": () => [field(t("Player's side"), offer("player_side", ["first", "second"], (side) => sideOf(source, side)))],
  };
  return (source?.facets ?? []).flatMap((facet) => controls[facet]?.() ?? []);
}

/** Returns the fields that filter the games of a store's archives by player and opening. These games are a new source. */
export function gamesFilter(app, source) {
  if (!app.facts.writable || source.kind !== "store") return "";
  const [player, eco] = ["", "B90"].map((placeholder) => h("input", { type: "text", placeholder }));
  const submit = (event) => {
    event.preventDefault();
    filterGames(source.id, player.value.trim(), eco.value.replaceAll(" ", ""), app.imported);
  };
  return h(
    "form",
    { class: "filters", on: { submit } },
    field(t("Player"), player, t("Part of a name")),
    field(t("Opening codes"), eco, t("Of ECO, for xiangqi of ECCO")),
    h("button", {}, t("Show these games")),
  );
}
