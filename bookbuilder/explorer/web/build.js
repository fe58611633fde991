// Builds books on the server with the rules of the page: options of a book, progress, what the book is, and downloads.

import { ask, route, send } from "./api.js";
import { sidesOf } from "./cells.js";
import { button, choice, field, h, hint, redrawControls } from "./dom.js";
import { number } from "./filters.js";
import { count } from "./format.js";
import { follower } from "./judge.js";
import { changeList, gapLists, replyTable, sideTable } from "./reach.js";
import { DEFAULTS, questionOf, SELECTION } from "./state.js";
import { t } from "./words.js";

const PATIENCE_MS = 300;
const CUSTOM = "";
// A preset keeps its name when these differ, as on the command line.
const FREE = ["for", "max_ply", "min_games", "opponent_min_games"];

export class BuildPanel {
  /** Makes the panel; `change` takes a change of the state. */
  constructor(app, change) {
    this.app = app;
    this.change = change;
    this.controls = h("div", {});
    this.error = h("p", { class: "error", role: "alert" });
    this.progress = h("p", { class: "hint", role: "status" });
    this.result = h("div", { class: "built" });
    this.timer = null;
    this.node = h("div", { class: "stack" }, this.controls, this.error, this.progress, this.result);
  }

  /** Draws the options, and the last build if there is one. */
  async update(source, state) {
    redrawControls(this.controls, [h("div", { class: "filters" }, this.options(source, state))]);
    if (this.app.facts.writable && this.timer === null) await this.follow();
  }

  options(source, state) {
    const set = (name) => (text) => this.change({ [name]: text });
    const presets = this.app.facts.presets;
    const names = [[CUSTOM, t("own rules")], ...Object.keys(presets).map((name) => [name, name])];
    const sides = [["", t("both sides")], ["first", sidesOf(source)[0]], ["second", sidesOf(source)[1]]];
    // As `build --side` does: what belongs to one side comes from the preset `repertoire`.
    const { for: _, ...own } = presets.repertoire;
    const choose = (side) => this.change(side ? { ...own, for: side, side: DEFAULTS.side } : WITHOUT_SIDE);
    return [
      field(
        t("Preset"),
        choice(names, presetOf(presets, state), (name) => name && this.change(optionsOf(presets[name]))),
        t("Named rules; docs/guides/presets.md says what they are worth"),
      ),
      field(t("Book for"), choice(sides, state.for, choose), t("The side that plays the book")),
      state.for && field(
        t("Opponent's share"),
        number(state.opponent_min_share, set("opponent_min_share"), {
          min: 0,
          max: 1,
          step: "any",
          placeholder: t("any"),
        }),
        t("Minimum share of the opponent's moves, 0 … 1"),
      ),
      state.for && field(
        t("Opponent's games"),
        number(state.opponent_min_games, set("opponent_min_games"), { min: 0, placeholder: t("auto"), unset: "auto" }),
        t("Minimum number of games of the opponent's moves"),
      ),
      field(
        t("Power of weights"),
        number(state.sharpen, set("sharpen"), { min: 1, max: 8, placeholder: t("off"), unset: "off" }),
        t("Raise weights to this power: 1 = as popular as the moves are, 3 = cubed; off = by quality"),
      ),
      checkbox(
        t("Own lines"),
        t("Only moves that their side reaches by its own book moves"),
        state.own_lines === "1",
        (on) => this.change({ own_lines: on ? "1" : "0" }),
      ),
      checkbox(t("Connected"), t("Only what kept moves reach from the start"), state.connected === "1", (on) =>
        this.change({ connected: on ? "1" : "" })),
      this.app.facts.writable
        ? button(t("Build the book"), () => this.build(), { class: "primary", id: "build" })
        : hint(t("To build and download books here, start the server with --write.")),
    ].filter(Boolean);
  }

  /** Starts a build of what the page shows. */
  async build() {
    this.error.textContent = "";
    try {
      const asked = questionOf({ ...this.app.state, fen: "", play: "", src: this.app.source().id });
      await send("POST", "/builds", {}, asked);
      await this.follow();
    } catch (error) {
      this.error.textContent = error.message;
    }
  }

  /** Shows the newest build, and asks again while it runs. */
  async follow() {
    clearTimeout(this.timer);
    this.timer = null;
    const { builds: [newest] } = await ask("/builds", {}, { isFresh: true });
    if (!newest) return;
    this.progress.textContent = newest.state === "running" ? `${t(newest.phase)} …` : "";
    if (newest.state === "running") this.timer = setTimeout(() => this.follow(), PATIENCE_MS);
    else if (newest.state === "failed") this.error.textContent = newest.error;
    else this.result.replaceChildren(...this.drawn(newest));
  }

  leave() {
    clearTimeout(this.timer);
  }

  drawn(build) {
    const { reach, change } = build;
    const source = this.app.source(build.source);
    const notation = this.app.notation(build.game);
    const left = [
      h("h3", {}, t("Book {id}: {name}, {n} moves", { id: build.id, name: source.name, n: count(build.moves) })),
      hint(
        t("{n} games, {s} s. ", { n: count(build.games), s: build.seconds.toFixed(1) }),
        t("{n} moves can be reached from the start.", { n: count(reach.reachable) }),
      ),
      downloads(build),
      sideTable(reach, source),
      change && changeList(change, t("book {id}", { id: change.build }), notation),
      follower(this.app, build.game, { build: build.id }),
    ];
    const right = [replyTable(reach, notation), ...gapLists(reach, source, { state: this.app.state, notation })];
    return [left, right].map((parts) => h("div", { class: "stack" }, parts.filter(Boolean)));
  }
}

const WITHOUT_SIDE = Object.fromEntries(
  ["for", "opponent_min_games", "opponent_min_share", "connected"].map((name) => [name, DEFAULTS[name]]),
);

/** Returns the whole state of selection of a preset. */
function optionsOf(preset) {
  const usual = Object.fromEntries(Object.keys(SELECTION).map((name) => [name, DEFAULTS[name]]));
  const own = Object.entries(preset).map(([name, value]) => [
    name,
    SELECTION[name] === "flag" && value === "0" && !DEFAULTS[name] ? "" : value,
  ]);
  return { ...usual, ...Object.fromEntries(own) };
}

/** Returns the name of the preset that the state is. */
function presetOf(presets, state) {
  const isSame = (preset) =>
    Object.entries(optionsOf(preset)).every(([name, value]) => FREE.includes(name) || state[name] === value);
  const names = Object.keys(presets).filter((name) => isSame(presets[name]));
  return names.find((name) => Boolean(presets[name].for) === Boolean(state.for)) ?? names[0] ?? CUSTOM;
}

function checkbox(text, title, checked, set) {
  const box = h("input", { type: "checkbox", checked, on: { change: (event) => set(event.target.checked) } });
  return h("label", { class: "check", title }, box, h("span", {}, text));
}

function downloads({ id, formats }) {
  const link = ({ name, suffix }) =>
    h(
      "a",
      { class: "button", href: route(`/builds/${id}/file`, { format: name }), download: "", "data-format": name },
      suffix,
    );
  return h("div", { class: "copies downloads", "aria-label": t("Download") }, t("Download"), formats.map(link));
}
