// Keys of the pages, and the help that lists them.

import { h, showDialog } from "./dom.js";
import { t } from "./words.js";

// The keys, what they do, and a key whose handler a page has if it has them all.
const KEYS = [
  ["← →", t("back, forward"), "ArrowLeft"],
  ["Home End", t("start, end of the line"), "Home"],
  ["↑ ↓", t("the move above, below in the table"), "ArrowDown"],
  ["Alt ↑ ↓", t("the move played more, less often in its place"), "Alt+ArrowUp"],
  ["Enter", t("play the selected move"), "1"],
  ["Shift Space", t("play the first move"), "Shift+ "],
  ["1 … 9", t("play that move of the table"), "1"],
  ["[ ]", t("minimum win share down, up by 0.01"), "["],
  ["k", t("kept moves only"), "k"],
  ["s", t("sort by the next column"), "s"],
  ["v", t("score of the mover or of the first side"), "v"],
  ["n", t("next notation"), "n"],
  ["x", t("characters or letters on xiangqi pieces"), "x"],
  ["f", t("flip the board"), "f"],
  ["e", t("engine on, off"), "e"],
  ["c", t("compare"), "c"],
  ["y", t("copy the FEN"), "y"],
  ["/", t("enter a move or a FEN"), "/"],
  ["?", t("this help"), "?"],
];

/** Calls the handler of a key. `handlersNow` returns functions by the names of keys. Keys typed in a field are ignored. */
export function listenForKeys(handlersNow) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const target = event.target;
    const isTyping = target.matches("input:not([type=checkbox]):not([type=range]), textarea, select");
    const isSlider = target.matches("input[type=range], [role=slider], [role=treeitem]") &&
      event.key.startsWith("Arrow");
    if (isTyping && event.key === "Escape") target.blur();
    if (isTyping || isSlider || document.querySelector("dialog[open]")) return;
    const name = `${event.altKey ? "Alt+" : ""}${
      event.shiftKey && event.key === " " ? "Shift+" : ""
    }${event.key}`;
    const handler = handlersNow()[name];
    if (!handler) return;
    event.preventDefault();
    handler(event);
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
    h(
      "p",
      {},
      h("strong", {}, t("Games")),
      t(" counts the games in which a move was made in this position; "),
      h("strong", {}, t("Reached")),
      t(" those that came to the position after it, by any order of moves. A book is keyed by positions, so it judges by the second."),
    ),
    h(
      "p",
      {},
      h("strong", {}, t("Win share")),
      t(" is W / (W + L) of the side to move: draws are left out. The "),
      h("strong", {}, t("score")),
      t(" is (W + D/2) / N. A ring beside the dot of an unfolded row is the win share that the verdict saw, where other orders of moves add games."),
    ),
  );
}
