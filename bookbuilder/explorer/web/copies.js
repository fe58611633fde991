// Buttons that copy texts of a page.

import { showCommand, showPython } from "./commands.js";
import { button, copy, h } from "./dom.js";

/** Returns buttons for [text of the button, name of the copied text, the text]. */
export function copyBar(texts, ...before) {
  const buttons = texts.map(([label, what, text]) =>
    button(label, () => copy(text, what), { class: "quiet" })
  );
  return h("div", { class: "copies" }, before, buttons);
}

/** Returns the buttons of a position: its FEN, and the command and the Python that show it. */
export function positionCopies(fen, source, state) {
  const texts = [
    ["Copy FEN", "FEN", fen],
    ["Copy as command", "Command", showCommand(source, state)],
    ["Copy as Python", "Python", showPython(source, state)],
  ];
  return copyBar(texts, h("code", { class: "fen" }, fen));
}
