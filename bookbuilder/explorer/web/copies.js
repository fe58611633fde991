// Buttons that copy texts of a page.

import { commandsOf } from "./commands.js";
import { announce, button, copy, h } from "./dom.js";
import { isExport } from "./exported.js";
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

/** Returns the buttons that copy a command and Python; `texts` gives both. */
export function commandCopies(texts, names = [t("Copy as command"), t("Command")]) {
  return [
    [...names, async () => (await texts()).command],
    [t("Copy as Python"), "Python", async () => (await texts()).python],
  ];
}

/** Returns the buttons of a position: its FEN, and the command and the Python that show it. */
export function positionCopies(fen, source, state) {
  const texts = [
    [t("Copy FEN"), "FEN", fen],
    ...(isExport ? [] : commandCopies(() => commandsOf("show", source, state))),
  ];
  return copyBar(texts, h("code", { class: "fen" }, fen));
}
