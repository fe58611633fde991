// The page of a book: its header, the sizes of its clusters, its recipe, and whether it is valid. Of a store: what was
// counted.

import { ask, send } from "../api.js";
import { bars } from "../chart.js";
import { commandsOf } from "../commands.js";
import { commandCopies, copyBar } from "../copies.js";
import { announce, button, choice, copy, facts, field, folded, h, hint, panel, textTable } from "../dom.js";
import { bytes, count, percent } from "../format.js";
import { follower } from "../judge.js";
import { Page } from "../page.js";
import { gapLists, replyTable, sideTable } from "../reach.js";
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
          : bookPanels(await ask("/book", { src: source.id }), source, () => this.update());
      const whole = source.kind === "book" ? this.wholePanels(source) : [];
      this.box.replaceChildren(...whole, ...panels, copiesOf(source, this.app.state));
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

function copiesOf(source, state) {
  return copyBar(commandCopies(() => commandsOf("info", source, state)));
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
        [t("Mirrors are one position"), yesOrNo(source.fold)],
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
      [t("Mirrors are one position"), yesOrNo(source.fold)],
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

function bookPanels(answer, source, update) {
  const bins = answer.cluster_histogram.map(({ from, to, clusters }) => [
    from === to ? String(from) : `${from}–${to}`,
    clusters,
    count(clusters),
  ]);
  const total = answer.cluster_histogram.reduce((sum, bin) => sum + bin.clusters, 0);
  const recipe = answer.recipe ?? {};
  const choices = Object.entries({ program: recipe.program, ...recipe.selection });
  const used = t("{part} of {all}", { part: count(answer.clusters_used), all: count(total) }) +
    ` (${percent(answer.clusters_used / total)})`;
  return [
    panel(
      t("Header"),
      facts([
        [t("Game"), t(answer.game)],
        [t("Records"), count(answer.records)],
        [t("Bytes"), `${count(answer.bytes)} (${bytes(answer.bytes)})`],
        [t("Clusters used"), used],
        [t("Locks and counts"), yesOrNo(answer.columns)],
        [t("Mirrors are one position"), yesOrNo(answer.fold)],
        [t("Key scheme"), h("code", {}, String(answer.key_scheme))],
        [t("Format version"), String(answer.format_version)],
        [t("Place"), h("code", {}, source.path)],
      ]),
    ),
    panel(
      t("Cluster occupancy"),
      hint(t("A cluster is the records whose keys begin with the same 15 bits; a probe reads one cluster.")),
      bars(bins, { label: t("Clusters by number of records"), name: [t("records"), t("clusters")] }),
    ),
    panel(
      t("Recipe"),
      facts(choices.map(([name, value]) => [h("code", {}, name), wordOf(value)])),
      recipeText(recipe),
    ),
    verifyPanel(source),
    answer.edits?.length || answer.writable ? editsPanel(answer, source, update) : null,
    archivesPanel(source.archives),
  ].filter(Boolean);
}

function yesOrNo(value) {
  return value ? t("yes") : t("no");
}

/** Returns the text of an option, null if it is off. */
function wordOf(value) {
  if (value === null || value === false) return null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function recipeText(recipe) {
  const text = JSON.stringify(recipe, null, 1);
  return folded(
    t("The whole recipe"),
    button(t("Copy"), () => copy(text, t("Recipe"))),
    h("pre", { tabindex: 0 }, text),
  );
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

/** Returns the list of edits. On a writable server it has a button that undoes the last one. */
function editsPanel(answer, source, update) {
  const rows = (answer.edits ?? []).map((edit) => h("li", {}, h("code", {}, JSON.stringify(edit))));
  const undo = button(t("Take the last change back"), async () => {
    try {
      await send("POST", `/book/${encodeURIComponent(source.id)}/undo`, {});
      announce(t("The last change is taken back"));
    } catch (error) {
      announce(error.message);
    }
    update();
  }, { disabled: !rows.length });
  return panel(
    t("Changes by hand"),
    rows.length ? h("ol", { class: "plain" }, rows) : hint(t("None.")),
    answer.writable ? undo : null,
  );
}
