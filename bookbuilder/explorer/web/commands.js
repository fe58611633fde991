// Commands and Python that give the same result as the page. The server writes them, by its own options and filters.

import { ask } from "./api.js";
import { questionOf } from "./state.js";

/** Returns { command, python } for `what`: "show" a position, "build" a book of a store, or "info" of a source. */
export function commandsOf(what, source, state) {
  const asked = { ...questionOf(state), src: source.id, what };
  return ask("/commands", asked, { kind: `/commands ${what} ${source.id}` });
}
