// What may be taken along from a page: texts in, a row of buttons that copy them out.

import { showCommand, showPython } from "./commands.js";
import { copy, h } from "./dom.js";

/** Returns buttons for [text of the button, what is copied, the text]. */
export function copyBar(texts, ...before) {
  const buttons = texts.map(([label, what, text]) =>
    h("button", { type: "button", class: "quiet", on: { click: () => copy(text, what) } }, label)
  );
  return h("div", { class: "copies" }, before, buttons);
}

/** Returns the bar of a position: its FEN, and the command and the Python that show it. */
export function positionCopies(fen, source, state) {
  return copyBar(
    [["Copy FEN", "FEN", fen], ["Copy as command", "Command", showCommand(source, state)], [
      "Copy as Python",
      "Python",
      showPython(source, state),
    ]],
    h("code", { class: "fen" }, fen),
  );
}
