// The page of a book: what it is to each side, its recipe, and whether it is valid. Of a store: what was counted.

import { ask } from "../api.js";
import { button, choice, copy, facts, field, folded, h, hint, panel, textTable } from "../dom.js";
import { count } from "../format.js";
import { Page } from "../page.js";
import { addressOf } from "../state.js";
import { follower, gapLists, lackingList, replyTable, sideTable } from "../whole.js";
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
    const technical = h("div", {});
    const box = h("div", { class: "stack", role: "status" });
    const notation = this.app.notation(source.game);
    const show = async (games) => {
      try {
        const { reach, recipe } = await ask("/reach", { src: source.id, games });
        box.replaceChildren(
          sideTable(reach, source),
          replyTable(reach, notation),
          ...gapLists(reach, source, { state: this.app.state, notation }),
          ...lackingList(reach, source, { state: this.app.state, notation }),
        );
        if (recipe) technical.replaceChildren(recipePanel(recipe));
      } catch (error) {
        if (error.name !== "AbortError") box.replaceChildren(h("p", { class: "error" }, error.message));
      }
    };
    show("");
    return [
      panel(t("What the book is"), opponents(this.app, source, show), box),
      panel(t("Games that follow it"), follower(this.app, source.game, { src: source.id })),
      ...(source.format ? [listedPanel(source)] : [factsPanel(t("Book"), source, [t("Records"), count(source.records)]), archivesPanel(source.archives)]),
      technical,
    ];
  }
}

/** Returns the choice of the games that a book is measured by: none, or those of a store. */
function opponents(app, source, show) {
  const stores = app.sources.filter((each) => each.kind === "store" && each.game === source.game);
  const pairs = [["", t("book moves")], ...stores.map((each) => [each.id, t("any move of {name}", { name: each.name })])];
  return field(t("The opponent plays"), choice(pairs, "", show, { class: "opponent" }));
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

/** Returns the facts of a book of another format, which lists moves and has no records. */
function listedPanel(source) {
  const lacks = [t("Does not store"), source.lacks.join(", ")];
  return factsPanel(t("Book"), source, [t("Format"), source.format], [t("Moves"), count(source.records)], lacks);
}

function archivesPanel(archives) {
  const table = (some) =>
    textTable(
      [t("archive"), t("games"), t("rejected")],
      some.map((each) => [String(each.name ?? each.source), count(each.games), count(each.rejects)]),
      { class: "sizes archives" },
    );
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
