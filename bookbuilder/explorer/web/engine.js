// Lines of the engine, as it finds them. Closing the stream stops the search.

import { route } from "./api.js";
import { button, h, hint } from "./dom.js";
import { count, verdict } from "./format.js";

export class EngineLine {
  /** Makes the panel, switched off. `placeNow` returns the parameters of the position. */
  constructor(placeNow, notationNow) {
    this.placeNow = placeNow;
    this.notationNow = notationNow;
    this.stream = null;
    this.isOn = false;
    this.lines = new Map();
    this.toggle = button("Engine", () => this.turn(), {
      "aria-pressed": "false",
      title: "Let the bundled engine think (e)",
    });
    this.output = h("ol", { class: "engine-lines", "aria-live": "off" });
    this.note = hint();
    this.node = h("div", { class: "engine" }, this.toggle, this.note, this.output);
  }

  /** Turns it on or off. */
  turn() {
    this.isOn = !this.isOn;
    this.toggle.setAttribute("aria-pressed", String(this.isOn));
    this.toggle.textContent = this.isOn ? "Stop the engine" : "Engine";
    if (this.isOn) this.search();
    else this.stop();
  }

  /** Searches the position that is shown now. */
  search() {
    this.stop();
    if (!this.isOn) return;
    this.lines.clear();
    this.output.replaceChildren();
    this.note.textContent = "thinking …";
    const stream = new EventSource(
      route("/search", { ...this.placeNow(), depth: 12, movetime: 10000, multipv: 3 }),
    );
    this.stream = stream;
    stream.addEventListener("line", (event) => this.draw(JSON.parse(event.data)));
    stream.addEventListener("done", () => {
      this.stop();
      if (!this.lines.size) this.note.textContent = "no move to think about";
    });
    stream.addEventListener("failed", (event) => {
      this.stop();
      this.note.textContent = JSON.parse(event.data).message;
    });
    // A stream of events does not show the message of an error response.
    stream.addEventListener("error", () => {
      this.stop();
      if (!this.lines.size) this.note.textContent = "the engine does not answer here";
    });
  }

  stop() {
    this.stream?.close();
    this.stream = null;
    if (!this.isOn) {
      this.note.textContent = "";
      this.output.replaceChildren();
    }
  }

  draw(line) {
    this.lines.set(line.multipv ?? 1, line);
    const sorted = [...this.lines.entries()].sort(([one], [other]) => one - other).map(([, each]) => each);
    const notation = this.notationNow();
    this.output.replaceChildren(
      ...sorted.map((each) => {
        const moves = each.pv.map((move, place) => each.names[place]?.[notation] ?? move);
        return h("li", {}, h("strong", {}, verdict(each)), " ", h("span", {}, moves.join(" ")));
      }),
    );
    this.note.textContent = `depth ${line.depth} · ${count(line.nodes)} nodes · ${
      count(Math.round((line.nps ?? 0) / 1000))
    } k nodes/s`;
  }
}
