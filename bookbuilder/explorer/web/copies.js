// Buttons that copy texts of a page. The server writes commands and Python, by its own options and filters.

import { ask } from "./api.js";
import { announce, button, copy, h } from "./dom.js";
import { questionOf } from "./state.js";
import { t } from "./words.js";

/** Returns buttons for [text of the button, name of the copied text, the text or a function that gives it]. */
export function copyBar(texts, ...before) {
  const buttons = texts.map(([label, what, text]) =>
    button(label, () => copied(text, what), { class: "quiet" })
  );
  return h("div", { class: "copies" }, before, buttons);
}

async function copied(text, what) {
  try {
    copy(typeof text === "function" ? await text() : text, what);
  } catch (error) {
    if (error.name !== "AbortError") announce(error.message);
  }
}

/** Returns the buttons of a position: its FEN, and the command that shows it. */
export function positionCopies(fen, source, state) {
  const command = async () => (await commandsOf("show", source, state)).command;
  const texts = [[t("Copy FEN"), "FEN", fen], [t("Copy as command"), t("Command"), command]];
  return copyBar(texts, h("code", { class: "fen" }, fen));
}

/** Returns { command, python } for `what`: "show" a position, "build" a book of a store, or "info" of a source. */
export function commandsOf(what, source, state) {
  const asked = { ...questionOf(state), src: source.id, what };
  return ask("/commands", asked, { kind: `/commands ${what} ${source.id}` });
}
