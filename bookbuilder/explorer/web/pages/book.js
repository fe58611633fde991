// The page of a book: what it is to each side, its recipe, and whether it is valid. Of a store: what was counted.

import { ask, attempt } from "../api.js";
import { button, copy, facts, field, folded, h, hint, panel, showError, textTable } from "../dom.js";
import { count } from "../format.js";
import { Page } from "../page.js";
import { addressOf } from "../state.js";
import { follower, gamesChoice, replyLists, sideTable } from "../whole.js";
import { t } from "../words.js";

const ARCHIVES = 12;

export default class Book extends Page {
  constructor(view, app) {
    super(app);
    this.box = h("div", { class: "book" });
    this.title = h("h1", {}, t("Book"));
    view.replaceChildren(this.title, this.error, this.box);
  }

  update() {
    const source = this.app.source();
    this.title.textContent = source.name;
    this.box.replaceChildren(...(source.kind === "store" ? storePanels(source, this.app) : this.bookPanels(source)));
  }

  /** Returns the panels of a book: what it is, how far games follow it, and how it was built. */
  bookPanels(source) {
    // A book of another format lists moves and has no records.
    const own = source.format
      ? [[t("Format"), source.format], [t("Moves"), count(source.records)], [t("Does not store"), source.lacks.join(", ")]]
      : [[t("Records"), count(source.records)]];
    const technical = h("div", {});
    const box = h("div", { class: "stack", role: "status" });
    const notation = this.app.notation(source.game);
    const show = (games) =>
      attempt(async () => {
        const { reach, recipe } = await ask("/reach", { src: source.id, games });
        box.replaceChildren(sideTable(reach, source), ...replyLists(reach, source, { state: this.app.state, notation }));
        if (recipe) technical.replaceChildren(recipePanel(recipe));
      }, showError(box));
    const nameOf = ({ name }) => t("any move of {name}", { name });
    const opponent = gamesChoice(this.app, source.game, t("book moves"), show, "opponent", nameOf);
    show("");
    return [
      panel(t("What the book is"), field(t("The opponent plays"), opponent), box),
      panel(t("Games that follow it"), follower(this.app, source.game, source.id)),
      factsPanel(t("Book"), source, ...own),
      source.format ? "" : archivesPanel(source.archives),
      technical,
    ];
  }
}

/** Returns the facts of a source, with those of its kind after its game. */
function factsPanel(title, source, ...pairs) {
  return panel(title, facts([[t("Game"), t(source.game)], ...pairs, [t("Place"), h("code", {}, source.path)]]));
}

function storePanels(source, app) {
  const books = app.sources.filter((each) => each.kind === "book");
  const links = books.map((each) => h("li", {}, h("a", { href: addressOf("/book", { src: each.id }) }, each.name)));
  return [
    factsPanel(
      t("Tally store"),
      source,
      [t("Games counted"), count(source.games)],
      [t("Rows"), count(source.rows)],
      [t("Counted up to ply"), source.max_ply === null ? t("the end") : count(source.max_ply)],
      [t("Newest year"), source.newest_year && String(source.newest_year)],
    ),
    archivesPanel(source.archives),
    panel(t("Books"), links.length ? h("ul", { class: "plain" }, links) : hint(t("None is served: bookbuilder serve STORE BOOK shows both."))),
  ];
}

function archivesPanel(archives) {
  const row = ({ name, games, rejects }) => [String(name), count(games), count(rejects)];
  const heads = [t("archive"), t("games"), t("rejected")];
  const table = (some) => textTable(heads, some.map(row), { class: "sizes archives" });
  const rest = archives.slice(ARCHIVES);
  return panel(
    t("Archives ({n})", { n: count(archives.length) }),
    archives.length ? table(archives.slice(0, ARCHIVES)) : hint(t("None is named.")),
    rest.length ? folded(t("{n} more", { n: count(rest.length) }), table(rest)) : null,
  );
}

function recipePanel(recipe) {
  const text = JSON.stringify(recipe, null, 1);
  const copied = button(t("Copy"), () => copy(text, t("Recipe")));
  return panel(t("Technical"), folded(t("How it was built"), copied, h("pre", { tabindex: 0 }, text)));
}
