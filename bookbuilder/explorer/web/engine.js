// The engine's thoughts on demand: a position in, its lines as they come out. Closing the stream stops the search.

import { route } from "./api.js";
import { h } from "./dom.js";
import { count, verdict } from "./format.js";

export class EngineLine {
  /** Makes the panel, at rest; `placeNow` returns the parameters of the position. */
  constructor(placeNow, notationNow) {
    this.placeNow = placeNow;
    this.notationNow = notationNow;
    this.stream = null;
    this.isOn = false;
    this.lines = new Map();
    this.toggle = h("button", {
      type: "button",
      "aria-pressed": "false",
      title: "Let the bundled engine think (e)",
      on: { click: () => this.turn() },
    }, "Engine");
    this.output = h("ol", { class: "engine-lines", "aria-live": "off" });
    this.told = h("p", { class: "hint" });
    this.node = h("div", { class: "engine" }, this.toggle, this.told, this.output);
  }

  /** Turns it on or off. */
  turn() {
    this.isOn = !this.isOn;
    this.toggle.setAttribute("aria-pressed", String(this.isOn));
    this.toggle.textContent = this.isOn ? "Stop the engine" : "Engine";
    if (this.isOn) this.look();
    else this.stop();
  }

  /** Looks at the position that is shown now. */
  look() {
    this.stop();
    if (!this.isOn) return;
    this.lines.clear();
    this.output.replaceChildren();
    this.told.textContent = "thinking …";
    const stream = new EventSource(
      route("/search", { ...this.placeNow(), depth: 12, movetime: 10000, multipv: 3 }),
    );
    this.stream = stream;
    stream.addEventListener("line", (event) => this.tell(JSON.parse(event.data)));
    stream.addEventListener("done", () => {
      this.stop();
      if (!this.lines.size) this.told.textContent = "no move to think about";
    });
    stream.addEventListener("failed", (event) => {
      this.stop();
      this.told.textContent = JSON.parse(event.data).message;
    });
    // The server refuses with a sentence of its own, which a stream of events does not show.
    stream.addEventListener("error", () => {
      this.stop();
      if (!this.lines.size) this.told.textContent = "the engine does not answer here";
    });
  }

  stop() {
    this.stream?.close();
    this.stream = null;
    if (!this.isOn) {
      this.told.textContent = "";
      this.output.replaceChildren();
    }
  }

  tell(line) {
    this.lines.set(line.multipv ?? 1, line);
    const sorted = [...this.lines.entries()].sort(([one], [other]) => one - other).map(([, each]) => each);
    const notation = this.notationNow();
    this.output.replaceChildren(
      ...sorted.map((each) => {
        const moves = each.pv.map((move, place) => each.names[place]?.[notation] ?? move);
        return h("li", {}, h("strong", {}, verdict(each)), " ", h("span", {}, moves.join(" ")));
      }),
    );
    this.told.textContent = `depth ${line.depth} · ${count(line.nodes)} nodes · ${
      count(Math.round((line.nps ?? 0) / 1000))
    } k nodes/s`;
  }
}
