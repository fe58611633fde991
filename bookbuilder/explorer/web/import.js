// Imports archives: a file that is chosen, dropped on the page or pasted is counted by the server and shown as a store.

import { send, sendFile } from "./api.js";
import { announce, button, h, hint, textTable } from "./dom.js";
import { count } from "./format.js";
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
  const input = h("input", {
    type: "file",
    class: "offscreen",
    tabindex: -1,
    "aria-label": t("Archive to import"),
    on: {
      change: () => {
        const [file] = input.files;
        if (file) importFile(file.name, file, done);
        input.value = "";
      },
    },
  });
  const title = t("Import games: PGN, XQF, CBL, zip … (or drop a file on the page)");
  return h("span", { class: "import" }, button(t("Import"), () => input.click(), { class: "quiet", id: "import", title }), input);
}

/** Sends an archive, shows what was counted, and calls `done` with the id of its store. */
export async function importFile(name, content, done) {
  announce(t("Counting {name} …", { name }));
  try {
    const answer = await sendFile("/imports", content, { name });
    if (answer.source) await done(answer.source);
    announce(t("{name}: {n} games", { name: answer.name, n: count(answer.games_used) }));
    const lost = answer.games_read - answer.games_used + answer.unreadable.length;
    if (!answer.source || lost) showReport(answer);
  } catch (error) {
    showReport({ name, games_read: 0, games_used: 0, first_rejects: [], unreadable: [error.message] });
  }
}

/** Shows which games of an archive could not be counted, and why. */
function showReport({ name, games_read: read, games_used: used, filtered, first_rejects: rejects, unreadable }) {
  const rows = rejects.map((each) => [
    count(each.game),
    count(each.line),
    count(each.ply),
    each.message,
  ]);
  const skipped = Object.entries(filtered ?? {}).map(([reason, many]) => `${count(many)} ${t(reason.replaceAll("-", " "))}`);
  const dialog = h(
    "dialog",
    { class: "report", "aria-labelledby": "report-title" },
    h("h2", { id: "report-title" }, t("{name}: {used} of {read} games counted", { name, used: count(used), read: count(read) })),
    ...unreadable.map((reason) => h("p", { class: "error" }, reason)),
    skipped.length ? hint(t("Skipped: {list}.", { list: skipped.join(", ") })) : "",
    rows.length ? textTable([t("game"), t("line"), t("ply"), t("what is wrong")], rows, { class: "sizes rejects" }) : "",
    h("form", { method: "dialog" }, h("button", {}, t("Close"))),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Returns the button that keeps an imported store. */
export function keepButton(source) {
  return button(t("Keep this import"), async () => {
    try {
      const { path } = await send("POST", `/imports/${encodeURIComponent(source.id)}/keep`, {});
      announce(t("Kept as {path}", { path }));
    } catch (error) {
      announce(error.message);
    }
  }, { class: "quiet", title: t("Copy the store to the folder that the server was started in") });
}
