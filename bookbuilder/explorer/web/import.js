// Imports archives: a file that is chosen, dropped on the page or pasted is counted by the server and shown as a store.

import { send, sendFile } from "./api.js";
import { announce, button, h, hint, textTable } from "./dom.js";
import { count } from "./format.js";

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
    "aria-label": "Archive to import",
    on: {
      change: () => {
        const [file] = input.files;
        if (file) importFile(file.name, file, done);
        input.value = "";
      },
    },
  });
  const title = "Import games: PGN, XQF, CBL, zip … (or drop a file on the page)";
  return h("span", { class: "import" }, button("Import", () => input.click(), { class: "quiet", id: "import", title }), input);
}

/** Sends an archive, shows what was counted, and calls `done` with the id of its store. */
export async function importFile(name, content, done) {
  announce(`Counting ${name} …`);
  try {
    const answer = await sendFile("/imports", content, { name });
    if (answer.source) await done(answer.source);
    announce(`${answer.name}: ${count(answer.games_used)} games`);
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
  const skipped = Object.entries(filtered ?? {}).map(([reason, many]) => `${count(many)} ${reason.replaceAll("-", " ")}`);
  const dialog = h(
    "dialog",
    { class: "report", "aria-labelledby": "report-title" },
    h("h2", { id: "report-title" }, `${name}: ${count(used)} of ${count(read)} games counted`),
    ...unreadable.map((reason) => h("p", { class: "error" }, reason)),
    skipped.length ? hint(`Skipped: ${skipped.join(", ")}.`) : "",
    rows.length ? textTable(["game", "line", "ply", "what is wrong"], rows, { class: "sizes rejects" }) : "",
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Returns the button that keeps an imported store. */
export function keepButton(source) {
  return button("Keep this import", async () => {
    try {
      const { path } = await send("POST", `/imports/${encodeURIComponent(source.id)}/keep`, {});
      announce(`Kept as ${path}`);
    } catch (error) {
      announce(error.message);
    }
  }, { class: "quiet", title: "Copy the store to the folder that the server was started in" });
}
