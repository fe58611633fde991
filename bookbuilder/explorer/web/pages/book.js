// The page of a book: what it is to each side, its recipe, and whether it is valid. Of a store: what was counted.

import { ask } from "../api.js";
import { button, choice, copy, facts, field, folded, h, hint, panel, textTable } from "../dom.js";
import { bytes, count } from "../format.js";
import { Page } from "../page.js";
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
    return this.attempt(async () => {
      const panels = source.kind === "store"
        ? storePanels(source, this.app)
        : source.format
          ? [listedPanel(source)]
          : bookPanels(await ask("/book", { src: source.id }), source);
      const whole = source.kind === "book" ? this.wholePanels(source) : [];
      this.box.replaceChildren(...whole, ...panels);
    });
  }

  /** Returns the panels of a whole book: what it is, and how far games follow it. */
  wholePanels(source) {
    const box = h("div", { class: "stack", role: "status" });
    const notation = this.app.notation(source.game);
    const show = async (games) => {
      try {
        const { reach } = await ask("/reach", { src: source.id, games });
        box.replaceChildren(
          sideTable(reach, source),
          replyTable(reach, notation),
          ...gapLists(reach, source, { state: this.app.state, notation }),
          ...lackingList(reach, source, { state: this.app.state, notation }),
        );
      } catch (error) {
        if (error.name !== "AbortError") box.replaceChildren(h("p", { class: "error" }, error.message));
      }
    };
    show("");
    return [
      panel(t("What the book is"), opponents(this.app, source, show), box),
      panel(t("Games that follow it"), follower(this.app, source.game, { src: source.id })),
    ];
  }
}

/** Returns the choice of the games that a book is measured by: none, or those of a store. */
function opponents(app, source, show) {
  const stores = app.sources.filter((each) => each.kind === "store" && each.game === source.game);
  const pairs = [["", t("book moves")], ...stores.map((each) => [each.id, t("any move of {name}", { name: each.name })])];
  return field(t("The opponent plays"), choice(pairs, "", show, { class: "opponent" }));
}

function storePanels(source, app) {
  const books = app.sources.filter((each) => each.kind === "book");
  const links = books.map((each) => h("a", { href: `/book?src=${encodeURIComponent(each.id)}` }, each.name));
  return [
    panel(
      t("Tally store"),
      facts([
        [t("Game"), t(source.game)],
        [t("Games counted"), count(source.games)],
        [t("Rows"), count(source.rows)],
        [t("Counted up to ply"), source.max_ply === null ? t("the end") : count(source.max_ply)],
        [t("Newest year"), source.newest_year && String(source.newest_year)],
        [t("Place"), h("code", {}, source.path)],
      ]),
    ),
    archivesPanel(source.archives),
    panel(
      t("Books"),
      links.length
        ? h("ul", { class: "plain" }, links.map((link) => h("li", {}, link)))
        : hint(t("None is served: bookbuilder serve STORE BOOK shows both.")),
    ),
  ];
}

/** Returns the facts of a book of another format, which lists moves and has no records. */
function listedPanel(source) {
  return panel(
    t("Book"),
    facts([
      [t("Format"), source.format],
      [t("Game"), t(source.game)],
      [t("Moves"), count(source.records)],
      [t("Does not store"), source.lacks.join(", ")],
      [t("Place"), h("code", {}, source.path)],
    ]),
  );
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

function bookPanels(answer, source) {
  const recipe = answer.recipe ?? {};
  const choices = Object.entries({ program: recipe.program, ...recipe.selection });
  const text = JSON.stringify(recipe, null, 1);
  return [
    panel(
      t("Book"),
      facts([
        [t("Game"), t(answer.game)],
        [t("Records"), count(answer.records)],
        [t("Bytes"), `${count(answer.bytes)} (${bytes(answer.bytes)})`],
        [t("Place"), h("code", {}, source.path)],
      ]),
    ),
    verifyPanel(source),
    archivesPanel(source.archives),
    panel(
      t("Recipe"),
      facts(choices.map(([name, value]) => [h("code", {}, name), wordOf(value)])),
      folded(t("The whole recipe"), button(t("Copy"), () => copy(text, t("Recipe"))), h("pre", { tabindex: 0 }, text)),
    ),
  ];
}

/** Returns the text of an option, null if it is off. */
function wordOf(value) {
  if (value === null || value === false) return null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function verifyPanel(source) {
  const result = h(
    "div",
    { role: "status" },
    hint(t("Checks every record's place, order and size, and walks the book from the start position.")),
  );
  const start = button(t("Verify"), async () => {
    start.disabled = true;
    result.replaceChildren(hint(t("reading …")));
    try {
      const { verify } = await ask("/book", { src: source.id, verify: 1 }, { kind: "verify" });
      const walk = Object.entries(verify.walk ?? {});
      const verdict = verify.sound ? t("✓ The book is sound.") : `${t("✕ The book is damaged.")} `;
      const textOf = (value) => (typeof value === "number" ? count(value) : String(value));
      result.replaceChildren(
        h("p", {}, h("strong", {}, verdict), verify.fault ?? ""),
        facts(walk.map(([name, value]) => [t(name.replaceAll("_", " ")), textOf(value)])),
      );
    } catch (error) {
      result.replaceChildren(h("p", { class: "error" }, error.message));
    }
    start.disabled = false;
  }, { class: "primary" });
  return panel(t("Verify"), result, start);
}
