// A book, looked at as a file: its header, how full its clusters are, the recipe it was made by, and whether it is sound.
// Of a store: what was counted.

import { ask, send } from "../api.js";
import { bars } from "../chart.js";
import { infoCommand, infoPython } from "../commands.js";
import { copyBar } from "../copies.js";
import { announce, copy, h, panel } from "../dom.js";
import { bytes, count, percent } from "../format.js";

/** Shows the page; `update` follows the state. */
export function show(view, app) {
  const box = h("div", { class: "book" });
  const error = h("p", { class: "error", role: "alert" });
  const title = h("h1", {}, "Book");
  view.replaceChildren(title, error, box);

  async function update() {
    const source = app.source();
    title.textContent = source.name;
    error.textContent = "";
    if (source.kind === "store") {
      box.replaceChildren(...storePanels(source, app), copiesOf(source));
      return;
    }
    try {
      const answer = await ask("/book", { src: source.id });
      box.replaceChildren(...bookPanels(answer, source, update), copiesOf(source));
    } catch (failure) {
      if (failure.name !== "AbortError") error.textContent = failure.message;
    }
  }

  return { update, keys: {} };
}

function facts(pairs) {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h(
    "dl",
    { class: "facts-list" },
    shown.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

function copiesOf(source) {
  const texts = [["Copy as command", "Command", infoCommand(source)], [
    "Copy as Python",
    "Python",
    infoPython(source),
  ]];
  return copyBar(texts);
}

function storePanels(source, app) {
  const books = app.sources.filter((each) => each.kind === "book");
  const links = books.map((each) => h("a", { href: `/book?src=${encodeURIComponent(each.id)}` }, each.name));
  return [
    panel(
      "Tally store",
      facts([
        ["Game", source.game],
        ["Games counted", count(source.games)],
        ["Rows", count(source.rows)],
        ["Counted up to ply", source.max_ply === null ? "the end" : count(source.max_ply)],
        ["Newest year", source.newest_year && String(source.newest_year)],
        ["Mirrors are one position", source.fold ? "yes" : "no"],
        ["Place", h("code", {}, source.path)],
      ]),
    ),
    archivesPanel(source.archives),
    panel(
      "Books",
      links.length
        ? h("ul", { class: "plain" }, links.map((link) => h("li", {}, link)))
        : h("p", { class: "hint" }, "None is served: bookbuilder serve STORE BOOK shows both."),
    ),
  ];
}

function archivesPanel(archives) {
  const most = 12;
  const row = (each) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, String(each.name ?? each.source)),
      h("td", {}, count(each.games)),
      h("td", {}, count(each.rejects)),
    );
  const head = h(
    "thead",
    {},
    h(
      "tr",
      {},
      h("th", { scope: "col" }, "archive"),
      h("th", { scope: "col" }, "games"),
      h("th", { scope: "col" }, "rejected"),
    ),
  );
  const table = (rows) =>
    h("table", { class: "sizes archives" }, head.cloneNode(true), h("tbody", {}, rows.map(row)));
  const rest = archives.length > most
    ? h(
      "details",
      { class: "numbers" },
      h("summary", {}, `${count(archives.length - most)} more`),
      table(archives.slice(most)),
    )
    : null;
  return panel(
    `Archives (${count(archives.length)})`,
    archives.length ? table(archives.slice(0, most)) : h("p", { class: "hint" }, "None is named."),
    rest,
  );
}

function bookPanels(answer, source, update) {
  const bins = answer.cluster_histogram.map((
    { from, to, clusters },
  ) => [from === to ? String(from) : `${from}–${to}`, clusters, count(clusters)]);
  const total = answer.cluster_histogram.reduce((sum, bin) => sum + bin.clusters, 0);
  const recipe = answer.recipe ?? {};
  const chosen = recipe.selection ?? {};
  return [
    panel(
      "Header",
      facts([
        ["Game", answer.game],
        ["Records", count(answer.records)],
        ["Bytes", `${count(answer.bytes)} (${bytes(answer.bytes)})`],
        [
          "Clusters used",
          `${count(answer.clusters_used)} of ${count(total)} (${percent(answer.clusters_used / total)})`,
        ],
        ["Locks and counts", answer.columns ? "yes" : "no"],
        ["Mirrors are one position", answer.fold ? "yes" : "no"],
        ["Key scheme", h("code", {}, String(answer.key_scheme))],
        ["Format version", String(answer.format_version)],
        ["Place", h("code", {}, source.path)],
      ]),
    ),
    panel(
      "Cluster occupancy",
      h(
        "p",
        { class: "hint" },
        "A cluster is the records whose keys begin with the same 15 bits; a probe reads one cluster.",
      ),
      bars(bins, { label: "Clusters by number of records", name: ["records", "clusters"] }),
    ),
    panel(
      "Recipe",
      facts(
        Object.entries({ program: recipe.program, ...chosen }).map((
          [name, value],
        ) => [
          name.replaceAll("_", " "),
          value === null || value === false
            ? null
            : typeof value === "object"
            ? JSON.stringify(value)
            : String(value),
        ]),
      ),
      recipeText(recipe),
    ),
    verifyPanel(source),
    answer.edits?.length || answer.writable ? editsPanel(answer, source, update) : null,
    archivesPanel(source.archives),
  ].filter(Boolean);
}

function recipeText(recipe) {
  const text = JSON.stringify(recipe, null, 1);
  return h(
    "details",
    { class: "numbers" },
    h("summary", {}, "The whole recipe"),
    h("button", { type: "button", on: { click: () => copy(text, "Recipe") } }, "Copy"),
    h("pre", { tabindex: 0 }, text),
  );
}

function verifyPanel(source) {
  const told = h(
    "div",
    { role: "status" },
    h(
      "p",
      { class: "hint" },
      "Checks every record's place, order and size, and walks the book from the start position.",
    ),
  );
  const button = h("button", { type: "button", class: "primary" }, "Verify");
  button.addEventListener("click", async () => {
    button.disabled = true;
    told.replaceChildren(h("p", { class: "hint" }, "reading …"));
    try {
      const { verify } = await ask("/book", { src: source.id, verify: 1 }, { kind: "verify" });
      const walk = Object.entries(verify.walk ?? {}).map((
        [name, value],
      ) => [name.replaceAll("_", " "), typeof value === "number" ? count(value) : String(value)]);
      told.replaceChildren(
        h(
          "p",
          {},
          h("strong", {}, verify.sound ? "✓ The book is sound." : "✕ The book is damaged. "),
          verify.fault ?? "",
        ),
        facts(walk),
      );
    } catch (error) {
      told.replaceChildren(h("p", { class: "error" }, error.message));
    }
    button.disabled = false;
  });
  return panel("Verify", told, button);
}

/** What was changed by hand; on a server for writing, with a button that takes the last change back. */
function editsPanel(answer, source, update) {
  const rows = (answer.edits ?? []).map((edit) => h("li", {}, h("code", {}, JSON.stringify(edit))));
  const undo = h("button", { type: "button", disabled: !rows.length }, "Take the last change back");
  undo.addEventListener("click", async () => {
    try {
      await send("POST", `/book/${encodeURIComponent(source.id)}/undo`, {});
      announce("The last change is taken back");
    } catch (error) {
      announce(error.message);
    }
    update();
  });
  return panel(
    "Changes by hand",
    rows.length ? h("ol", { class: "plain" }, rows) : h("p", { class: "hint" }, "None."),
    answer.writable ? undo : null,
  );
}
