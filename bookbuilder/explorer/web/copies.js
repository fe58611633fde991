// Copies texts of a page. The server writes commands and Python, by its own options and filters.

import { ask } from "./api.js";
import { announce, button, copy, h } from "./dom.js";
import { questionOf } from "./state.js";
import { t } from "./words.js";

/** Returns the FEN of a position, with the buttons that copy it and the command that shows the position. */
export function positionCopies(fen, source, state) {
  const copyCommand = async () => {
    try {
      copy((await commandsOf("show", source, state)).command, t("Command"));
    } catch (error) {
      if (error.name !== "AbortError") announce(error.message);
    }
  };
  return h(
    "div",
    { class: "copies" },
    h("code", { class: "fen" }, fen),
    button(t("Copy FEN"), () => copy(fen, "FEN"), { class: "quiet" }),
    button(t("Copy as command"), copyCommand, { class: "quiet" }),
  );
}

/** Returns { command, python } for `what`: "show" a position, or "build" a book of a store. */
export function commandsOf(what, source, state) {
  return ask("/commands", { ...questionOf(state), src: source.id, what });
}
