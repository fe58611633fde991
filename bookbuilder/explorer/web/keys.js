// Keys of the pages, and the help that lists them.

import { h, showDialog } from "./dom.js";
import { t } from "./words.js";

// The keys, what they do, and a key whose handler a page has if it has them all.
const KEYS = [
  ["← →", t("back, forward"), "ArrowLeft"],
  ["Home End", t("start, end of the line"), "Home"],
  ["↑ ↓", t("the move above, below in the table"), "ArrowDown"],
  ["Enter", t("play the selected move"), "1"],
  ["1 … 9", t("play that move of the table"), "1"],
  ["[ ]", t("minimum win share down, up by 0.01"), "["],
  ["k", t("kept moves only"), "k"],
  ["n", t("next notation"), "n"],
  ["x", t("next board and pieces"), "x"],
  ["f", t("flip the board"), "f"],
  ["e", t("engine on, off"), "e"],
  ["/", t("enter a move or a FEN"), "/"],
  ["?", t("this help"), "?"],
];

/** Calls the handler of a key. `handlersNow` returns functions by the names of keys. Keys typed in a field are ignored. */
export function listenForKeys(handlersNow) {
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const isTyping = target.matches("input:not([type=checkbox]):not([type=range]), textarea, select");
    const isSlider = target.matches("input[type=range]") && key.startsWith("Arrow");
    if (isTyping && key === "Escape") target.blur();
    const handler = handlersNow()[key];
    if (!handler || isTyping || isSlider || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    handler();
  });
}

/** Shows the help: the keys that have handlers, and the meaning of the columns. */
export function showHelp(handlers) {
  const rows = KEYS.filter(([, , name]) => name in handlers).map(([key, does]) =>
    h("tr", {}, h("th", { scope: "row" }, key.split(" ").map((each) => h("kbd", {}, each))), h("td", {}, does))
  );
  showDialog(
    "help",
    t("Keys and numbers"),
    h("table", { class: "keys" }, h("tbody", {}, rows)),
    h("p", {}, t("Games counts the games in which a move was made here, Reached those that came to the position after it by any order of moves. A book is keyed by positions, so it judges by the second.")),
    h("p", {}, t("Win share is W / (W + L) of the side to move: draws are ignored. Score is (W + D/2) / N. A ring in an unfolded row is the win share that the verdict saw, where other orders of moves add games.")),
  );
}
