// Shows the page that the address names. One document serves all paths. A click on one of our links changes the address
// and the page without a reload, and the back button works.

import { ask } from "./api.js";
import { announce, button, choice, empty, h, icon, nextOf, redraw } from "./dom.js";
import { importButton, listenForFiles } from "./import.js";
import { listenForKeys, showHelp } from "./keys.js";
import { loadPieces, LOOKS } from "./ground.js";
import { addressOf, declareRules, DEFAULTS, noFilters, questionOf, readState, stateOfPair, stateOfSide } from "./state.js";
import { language, LANGUAGES, NOTATION_NAMES, preferences, t } from "./words.js";

const PAGES = [
  ["/", t("Explorer"), "explore"],
  ["/tune", t("Tune"), "tune"],
  ["/compare", t("Compare"), "compare"],
  ["/tree", t("Tree"), "tree"],
  ["/book", t("Book"), "book"],
  ["/endgame", t("Endgame"), "endgame"],
];
const NOTATIONS = { chess: ["san", "uci"], xiangqi: ["wxf", "chinese", "chinese-traditional", "iccs", "uci"] };
// The notation of xiangqi that a reader of Chinese expects.
const OWN_NOTATION = { "zh-Hans": "chinese", "zh-Hant": "chinese-traditional" };
const THEMES = { auto: t("as the system"), light: t("light"), dark: t("dark") };

/** State that all pages share: the sources, the address and the reader's preferences. */
const app = {
  sources: [],
  facts: {},
  path: location.pathname,
  state: DEFAULTS,
  look: preferences.read("look", LOOKS[0]),
  columns: preferences.read("columns", ""),

  /** Returns the source that the state names; the first one otherwise. */
  source(id = this.state.src) {
    return this.sources.find((source) => source.id === id) ?? this.sources.find((source) => !source.missing) ?? this.sources[0];
  },

  notation(game) {
    const all = NOTATIONS[game];
    const names = [preferences.read(`notation.${game}`, ""), OWN_NOTATION[language], all[0]];
    return names.find((name) => all.includes(name));
  },

  /** Saves a preference and shows the page with it. */
  prefer(name, value) {
    preferences.write(name, value);
    if (name in this) this[name] = value;
    page?.update(this.state);
  },

  nextNotation(game) {
    const next = nextOf(NOTATIONS[game], this.notation(game));
    this.prefer(`notation.${game}`, next);
    announce(t("Notation: {name}", { name: NOTATION_NAMES[next] }));
  },

  /** Asks which sources there are now. */
  async learnSources() {
    this.facts = await ask("/sources", {}, { isFresh: true });
    this.sources = this.facts.sources;
    drawHeader();
  },

  /** Shows another source, which may have other facets. Positions of another game make no sense: show its start. */
  show(id, path = this.path) {
    const isSameGame = this.source(id)?.game === this.source()?.game;
    this.go({ src: id, ...noFilters(), ...(isSameGame ? {} : { fen: "", play: "", next: "" }) }, { path });
  },

  async imported(id) {
    await app.learnSources();
    app.show(id, "/");
  },

  /** Goes to another state, and page if one is given; `replace` leaves no entry in the history. */
  go(changes, { path = this.path, replace = false } = {}) {
    const address = addressOf(path, { ...this.state, ...changes });
    if (address === location.pathname + location.search) return;
    history[replace ? "replaceState" : "pushState"](null, "", address);
    arrive();
  },
};

let page = null;

/** Shows the page that the address names now. */
async function arrive() {
  app.state = readState(location);
  const isSame = page && app.path === location.pathname;
  app.path = location.pathname;
  drawHeader();
  if (isSame) return page.update(app.state);
  page?.leave();
  page = null;
  const view = document.getElementById("view");
  const [, title, name] = app.path.startsWith("/games/")
    ? ["", t("About the game"), "game"]
    : PAGES.find(([path]) => path === app.path) ?? [];
  document.title = `${title ?? t("Not found")} · bookbuilder`;
  if (!name) return showNothing(t("No such page"), app.path, h("a", { href: "/" }, t("To the explorer")));
  if (app.state.src && name !== "game" && !app.sources.some((source) => source.id === app.state.src)) {
    const why = t("{name} is not served here any more", { name: app.state.src });
    return showNothing(t("No such source"), why, h("a", { href: addressOf(app.path, {}) }, t("Without it")));
  }
  const module = await import(`./pages/${name}.js`);
  if (app.path !== location.pathname) return;
  view.className = `page-${name}`;
  page = new module.default(view, app);
  page.update(app.state);
}

/** Shows why there is no page, and a way on. */
function showNothing(title, why, ...more) {
  const heading = h("h1", { class: "offscreen" }, title);
  document.getElementById("view").replaceChildren(heading, empty(title, why, ...more));
}

function drawHeader() {
  const isPair = app.path === "/compare";
  const state = isPair ? stateOfSide({ ...app.state, src: app.state.a || app.state.src }, "a_") : app.state;
  const carried = { ...DEFAULTS, ...questionOf(state), flip: state.flip };
  const carriedTo = (path) => isPair && path === "/compare" ? app.state : path === "/compare" ? stateOfPair(carried) : carried;
  const isShown = ([path]) => path !== "/endgame" || app.facts.endgames?.length || app.path === path;
  const links = PAGES.filter(isShown).map(([path, title]) =>
    h("a", { href: addressOf(path, carriedTo(path)), "aria-current": path === app.path ? "page" : null }, title)
  );
  document.getElementById("nav").replaceChildren(...links);
  redraw(document.getElementById("tools"), toolsNow());
}

function toolsNow() {
  const pairs = app.sources.map((source) => [source.id, source.missing ? t("{name} (missing)", { name: source.name }) : source.name]);
  const sources = app.path.startsWith("/games/") || app.path === "/compare"
    ? null
    : choice(pairs, app.source()?.id, (id) => app.show(id), { id: "source", "aria-label": t("Source") });
  const theme = preferences.read("theme", "auto");
  const look = t("Colours: {name}", { name: THEMES[theme] });
  return [
    sources,
    app.facts.writable ? importButton(app.imported) : null,
    choice(LANGUAGES, language, speak, { id: "language", class: "quiet", "aria-label": t("Language"), title: t("Language") }),
    button(icon(theme), nextTheme, { id: "theme", class: "quiet", "aria-label": look, title: look }),
    button("?", help, { class: "quiet", "aria-label": t("Keys and numbers"), title: t("Keys and numbers (?)") }),
  ].filter(Boolean);
}

/** Changes the language. Every text is drawn anew with the page. */
function speak(tag) {
  preferences.write("language", tag);
  location.reload();
}

/** Shows the next theme: that of the system, light, or dark. */
function nextTheme() {
  const theme = nextOf(Object.keys(THEMES), preferences.read("theme", "auto"));
  preferences.write("theme", theme);
  announce(t("Colours: {name}", { name: THEMES[theme] }));
  document.documentElement.dataset.theme = theme;
  drawHeader();
}

/** Follows a link of our own without loading the page again. */
function follow(event) {
  const link = event.target.closest?.("a[href]");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || link.target || link.hasAttribute("download")) return;
  if (link.getAttribute("href").startsWith("#")) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || to.pathname.startsWith("/api/") || to.pathname.startsWith("/static/")) return;
  event.preventDefault();
  history.pushState(null, "", to);
  arrive();
  window.scrollTo(0, 0);
}

function handlersNow() {
  return { "?": help, ...page?.keys() };
}

const help = () => showHelp(handlersNow());

async function start() {
  // The document is the same for all readers.
  document.documentElement.lang = language;
  document.querySelector(".skip").textContent = t("Skip to the content");
  document.getElementById("nav").setAttribute("aria-label", t("Pages"));
  document.addEventListener("click", follow);
  window.addEventListener("popstate", arrive);
  listenForKeys(handlersNow);
  try {
    await Promise.all([loadPieces(), app.learnSources()]);
    declareRules(app.facts.rules);
    if (app.facts.writable) listenForFiles(app.imported);
    await arrive();
  } catch (error) {
    showNothing(t("The explorer cannot start"), error.message);
  }
}

start();
