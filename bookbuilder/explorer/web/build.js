// Builds books on the server with the rules of the page, and shows what was built. A build belongs to its source and
// rules: where they differ from those of the page, its figures and downloads are grey.

import { ask, attempt, route, send } from "./api.js";
import { button, h, hint } from "./dom.js";
import { rulesWords } from "./filters.js";
import { count } from "./format.js";
import { addressOf, DEFAULTS, FACETS, filtersOf, RULES, rulesOf } from "./state.js";
import { messageOf, t } from "./words.js";
import { changeList, follower, replyLists, sideTable } from "./whole.js";

const PATIENCE_MS = 300;

export class BuildPanel {
  constructor(app) {
    this.app = app;
    this.error = h("p", { class: "error", role: "alert" });
    this.progress = h("p", { class: "hint", role: "status" });
    this.head = h("div", { class: "stack start" });
    this.result = h("div", { class: "built" });
    this.builds = [];
    this.node = h("div", { class: "stack" }, this.head, this.error, this.progress, this.result);
  }

  /** Shows the newest build of the source. Asks the server only for a source that it has not asked for. */
  async update(source) {
    if (this.source === source.id) return this.draw();
    this.source = source.id;
    this.builds = [];
    await this.follow();
  }

  async build() {
    this.error.textContent = "";
    const { state } = this.app;
    const asked = { ...rulesOf(state), ...filtersOf(state), src: this.app.source().id };
    await attempt(async () => {
      await send("/builds", {}, asked);
      await this.follow();
    }, (error) => (this.error.textContent = error.message));
  }

  /** Asks for the builds of the source, and again while one runs. */
  async follow() {
    this.leave();
    const asked = this.source;
    const show = (builds, message) => {
      this.builds = builds;
      this.error.textContent = message;
      this.draw();
    };
    await attempt(async () => {
      const { builds } = await ask("/builds", { src: asked }, { isFresh: true });
      if (asked !== this.source) return;
      const [newest] = builds;
      if (newest?.state === "running") this.timer = setTimeout(() => this.follow(), PATIENCE_MS);
      // The book is a source now.
      if (newest?.state === "done" && !this.app.sources.some(({ id }) => id === newest.id)) await this.app.learnSources();
      show(builds, "");
    }, (error) => show([], error.message));
  }

  leave() {
    clearTimeout(this.timer);
  }

  draw() {
    const [newest] = this.builds;
    const isRunning = newest?.state === "running";
    const done = this.builds.find((each) => each.state === "done");
    this.progress.textContent = isRunning ? `${t(newest.phase)} …` : "";
    if (newest?.state === "failed") this.error.textContent = messageOf(newest.error);
    const fits = Boolean(done) && this.fits(done);
    const label = done && !fits ? t("Build again") : t("Build the book");
    const start = this.app.facts.writable
      ? button(label, () => this.build(), { class: "primary", id: "build", disabled: isRunning || fits })
      : hint(t("To build and download books here, start the server with --write."));
    this.head.replaceChildren(start, done && !fits ? this.staleNote(done) : "");
    this.result.classList.toggle("stale", Boolean(done) && !fits);
    const key = done && JSON.stringify([done.id, done.formats, fits, this.app.notation(done.game)]);
    if (key === this.shown) return;
    this.shown = key;
    this.result.replaceChildren(...(done ? this.drawn(done, fits) : []));
  }

  /** Returns whether a build has the rules and filters of the page, and the games and changes by hand of now. */
  fits({ query, edits_changed: areOther, store_changed: isOther }) {
    const isAsked = (name) => this.app.state[name] === (query[name] ?? DEFAULTS[name]);
    return !areOther && !isOther && [...RULES.keys(), ...FACETS].every(isAsked);
  }

  staleNote({ query, edits_changed: areOther, store_changed: isOther }) {
    const [words, now] = [{ ...DEFAULTS, ...query }, this.app.state].map((state) => rulesWords(this.app, this.app.source(), state));
    const text = words !== now || !(isOther || areOther)
      ? t("Built with other rules: {words}.", { words })
      : isOther
      ? t("The games have changed since this book was built.")
      : t("Your changes by hand have changed since this book was built.");
    return h("p", { class: "notice", role: "status" }, text);
  }

  drawn(build, fits) {
    const { reach, change } = build;
    const source = this.app.source(build.source);
    const notation = this.app.notation(build.game);
    const name = t("book {n}", { n: build.number });
    const place = addressOf("/", { ...DEFAULTS, src: build.id });
    const left = [
      h("h3", {}, t("Book {id}: {n} moves that an engine can play", { id: build.number, n: count(build.moves) })),
      hint(
        t("{n} games. ", { n: count(build.games) }),
        t("{n} moves can be reached from the start. ", { n: count(reach.reachable) }),
      ),
      h("p", {}, h("a", { href: place }, t("Look at {name} as a source", { name }))),
      downloads(build, fits, () => this.follow()),
      sideTable(reach, source),
      change && changeList(change, t("book {n}", { n: change.build }), notation),
      follower(this.app, build.game, build.id),
    ];
    const shown = { state: this.app.state, notation };
    return [left, replyLists(reach, source, shown)].map((parts) => h("div", { class: "stack" }, parts.filter(Boolean)));
  }
}

/**
 * Returns the links to the files, each with its number of moves, which some have once they are written: then `written` is
 * called. Those of other rules are not links.
 */
function downloads({ id, formats }, fits, written) {
  const link = ({ name, suffix, moves, lost }) => {
    const title = lost.length ? t("Not in this format: {list}", { list: lost.map((each) => t(each)).join(", ") }) : null;
    const text = [suffix, moves === null ? "" : h("small", {}, count(moves))];
    const href = fits ? route(`/builds/${id}/file`, { format: name }) : null;
    return h("a", { class: "button", href, download: fits ? "" : null, "aria-disabled": fits ? null : "true", role: fits ? null : "link", title, "data-format": name, on: { click: () => moves === null && href && fetch(href, { method: "HEAD" }).then(written, () => {}) } }, text);
  };
  return h("div", { class: "copies downloads", role: "group", "aria-label": t("Download") }, t("Download"), formats.map(link));
}
