// Imports archives and books: a file that is chosen, dropped on the page or pasted is counted by the server and shown.

import { attempt, send } from "./api.js";
import { announce, button, h, hint, showDialog, textTable } from "./dom.js";
import { count } from "./format.js";
import { noFilters } from "./state.js";
import { t } from "./words.js";

/** Lets the whole page take dropped files; `done` is called with the answer to each. */
export function listenForFiles(done) {
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    importFile(file.name, file, done);
  });
}

/** Returns the button that chooses a file. */
export function importButton(done) {
  const change = () => {
    const [file] = input.files;
    if (file) importFile(file.name, file, done);
    input.value = "";
  };
  const label = t("Archive to import");
  const input = h("input", { type: "file", class: "offscreen", tabindex: -1, "aria-label": label, on: { change } });
  const title = t("Import games: PGN, XQF, CBL, zip … (or drop a file on the page)");
  return h("span", { class: "import" }, button(t("Import"), () => input.click(), { class: "quiet", id: "import", title }), input);
}

/** Sends an archive, shows what was counted, and calls `done` with the id of its store. */
export function importFile(name, content, done) {
  return counted(name, () => send("/imports", content, { name }), done);
}

/** Counts the games of a store by a player or with codes of openings, and calls `done` with the id of their store. */
export function filterGames(src, player, eco, done) {
  return counted(`${player} ${eco}`.trim(), () => send("/imports/filter", {}, { src, player, eco }), done);
}

async function counted(name, ask, done) {
  announce(t("Counting {name} …", { name }));
  try {
    const answer = await ask();
    if (answer.source) await done(answer.source);
    if (answer.kind === "book") {
      return announce(t("{name}: a book of {game}, now a new source", { name: answer.name, game: t(answer.game) }));
    }
    announce(t("{name}: {n} games", { name: answer.name, n: count(answer.games_used) }));
    const lost = answer.games_read - answer.games_used + answer.unreadable.length;
    if (!answer.source || lost) showReport(answer);
  } catch (error) {
    showReport({ name, games_read: 0, games_used: 0, first_rejects: [], unreadable: [error.message] });
  }
}

/** Shows which games of an archive could not be counted, and why. */
function showReport({ name, games_read: read, games_used: used, filtered, first_rejects: rejects, unreadable }) {
  const rows = rejects.map((each) => [count(each.game), count(each.line), count(each.ply), each.message]);
  const skipped = Object.entries(filtered ?? {}).map(([reason, many]) => `${count(many)} ${t(reason.replaceAll("-", " "))}`);
  showDialog(
    "report",
    t("{name}: {used} of {read} games counted", { name, used: count(used), read: count(read) }),
    ...unreadable.map((reason) => h("p", { class: "error" }, reason)),
    skipped.length ? hint(t("Skipped: {list}.", { list: skipped.join(", ") })) : "",
    rows.length ? textTable([t("game"), t("line"), t("ply"), t("what is wrong")], rows, { class: "sizes rejects" }) : "",
  );
}

/** Returns the buttons that keep and remove an imported source. */
export function importedButtons(app, source) {
  const act = (what, done) =>
    attempt(
      async () => done(await send(`/imports/${encodeURIComponent(source.id)}/${what}`)),
      (error) => announce(error.message),
    );
  const keep = () => act("keep", ({ path }) => announce(t("Kept as {path}", { path })));
  const remove = () =>
    act("remove", () => {
      announce(t("{name} is removed", { name: source.name }));
      app.go({ src: "", fen: "", play: "", next: "", ...noFilters() }, { replace: true });
      return app.learnSources();
    });
  return [
    button(t("Keep this import"), keep, { class: "quiet", title: t("Copy it to the folder that the server was started in") }),
    button(t("Remove this import"), remove, { class: "quiet" }),
  ];
}
