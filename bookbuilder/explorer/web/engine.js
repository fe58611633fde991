// What an engine says of a position: lines as it finds them, and the value of each move. Closing the streams stops it.

import { route } from "./api.js";
import { button, h, hint } from "./dom.js";
import { count, verdict } from "./format.js";
import { t } from "./words.js";

// A value beyond this is a mate.
const MATE = 30_000;
const SHOWN = 3;
const MOVETIME_MS = 10000;

export class EngineLine {
  /**
   * Makes the panel of a page with a board, switched off. `values` has the values by move, in centipawns for the side to
   * move; the value of the position itself has the name "". The page draws them.
   */
  constructor(page) {
    this.page = page;
    this.streams = [];
    this.isOn = false;
    this.lines = new Map();
    this.values = new Map();
    this.deep = new Set();
    this.toggle = button(t("Engine"), () => this.turn(), {
      "aria-pressed": "false",
      title: t("Let the engine value each move and show its lines (e)"),
    });
    this.output = h("ol", { class: "engine-lines", "aria-live": "off" });
    this.note = hint();
    this.node = h("div", { class: "engine" }, this.toggle, this.note, this.output);
  }

  turn() {
    this.isOn = !this.isOn;
    this.toggle.setAttribute("aria-pressed", String(this.isOn));
    this.toggle.textContent = this.isOn ? t("Stop the engine") : t("Engine");
    if (this.isOn) this.search();
    else this.stop();
  }

  /** Searches the position that is shown now. */
  search() {
    this.stop();
    if (!this.isOn) return;
    this.lines.clear();
    this.output.replaceChildren();
    this.note.textContent = t("thinking …");
    const place = this.page.place();
    this.listen(route("/values", place), { value: ({ move, score_cp: score }) => this.take([move ?? ""], score, false) });
    const limits = { movetime: MOVETIME_MS, multipv: SHOWN };
    this.listen(route("/search", { ...place, ...limits }), {
      line: (line) => this.draw(line),
      done: () => this.lines.size || (this.note.textContent = t("no move to think about")),
    });
  }

  /** Opens a stream of events; `handlers` are called with the data of their events. */
  listen(address, handlers) {
    const stream = new EventSource(address);
    this.streams.push(stream);
    const fail = (text) => {
      stream.close();
      if (!this.lines.size) this.note.textContent = text;
    };
    for (const [name, handler] of Object.entries(handlers)) {
      stream.addEventListener(name, (event) => handler(JSON.parse(event.data)));
    }
    stream.addEventListener("done", () => stream.close());
    stream.addEventListener("failed", (event) => fail(JSON.parse(event.data).message));
    // A stream of events does not show the message of an error response.
    stream.addEventListener("error", () => fail(t("the engine does not answer here")));
  }

  stop() {
    for (const stream of this.streams) stream.close();
    this.streams = [];
    const hadValues = this.values.size > 0;
    this.values.clear();
    this.deep.clear();
    if (!this.isOn) {
      this.note.textContent = "";
      this.output.replaceChildren();
      if (hadValues) this.page.drawValues();
    }
  }

  /** Takes the value of moves. That of a line is kept, so that table and lines agree. */
  take(names, value, isOfLine) {
    for (const name of names) {
      if (isOfLine) this.deep.add(name);
      if (isOfLine || !this.deep.has(name)) this.values.set(name, value);
    }
    this.page.drawValues();
  }

  draw(line) {
    this.lines.set(line.multipv, line);
    const value = line.score_cp ?? Math.sign(line.mate_in) * MATE - line.mate_in;
    this.take(line.multipv === 1 ? ["", line.pv[0]] : [line.pv[0]], value, true);
    const sorted = [...this.lines.values()].sort((one, other) => one.multipv - other.multipv);
    this.output.replaceChildren(...sorted.map(({ pv, names, ...score }) => {
      const play = (place) => () => this.page.play(...pv.slice(0, place + 1));
      const moves = names.map((each, place) => button(this.page.nameOf({ names: each }), play(place), { class: "step" }));
      return h("li", {}, h("strong", {}, verdict(score)), " ", moves);
    }));
    this.note.textContent = t("depth {depth} · {nodes} nodes · {speed} k nodes/s", {
      depth: line.depth,
      nodes: count(line.nodes),
      speed: count(Math.round((line.nps ?? 0) / 1000)),
    });
  }
}
