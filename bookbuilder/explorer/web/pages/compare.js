// Two sources, or two thresholds, side by side at one position.

import { ask } from "../api.js";
import { Board } from "../board.js";
import { showCommand, showPython } from "../commands.js";
import { copyBar } from "../copies.js";
import { choice, empty, h } from "../dom.js";
import { filterBar } from "../filters.js";
import { count, percent } from "../format.js";
import { breadcrumb, remember, stepBack, stepForward, stepInto } from "../lines.js";
import { movesOf } from "../state.js";
import { keptMark, resultBar, sidesOf } from "../table.js";

const CHANGES = { "only-a": "only in A", "only-b": "only in B", changed: "changed", same: "same" };

/** Shows the page; `update` follows the state. */
export function show(view, app) {
  const compare = new Compare(view, app);
  return { update: (state) => compare.update(state), keys: compare.keys() };
}

class Compare {
  constructor(view, app) {
    this.app = app;
    this.boardBox = h("div", {});
    this.way = h("div", {});
    this.sides = {
      a: h("section", { class: "panel", "aria-label": "A" }),
      b: h("section", { class: "panel", "aria-label": "B" }),
    };
    this.only = h("div", { class: "changes", role: "group", "aria-label": "Rows shown" });
    this.rows = h("div", { class: "compare-table" });
    this.error = h("p", { class: "error", role: "alert" });
    const left = h("div", { class: "column-board" }, this.boardBox, this.way, this.error);
    const right = h(
      "div",
      { class: "column-moves" },
      h("div", { class: "two" }, this.sides.a, this.sides.b),
      this.only,
      this.rows,
    );
    view.replaceChildren(h("h1", {}, "Compare"), h("div", { class: "explorer narrow-board" }, left, right));
  }

  /** What A and B are: sources of one game; where none is named, the first source, and it with a higher threshold. */
  pair(state) {
    const a = this.app.source(state.a || state.src);
    const peers = this.app.sources.filter((source) => source.game === a.game);
    const b = peers.find((source) => source.id === state.b) ?? peers.find((source) => source !== a) ?? a;
    return { a, b, peers };
  }

  question(state) {
    const { a, b } = this.pair(state);
    const asked = {
      a: a.id,
      b: b.id,
      ...(state.fen ? { fen: state.fen } : {}),
      ...(state.play ? { play: state.play } : {}),
    };
    for (const side of ["a", "b"]) {
      asked[`${side}_p`] = state[`${side}_p`] || state.p;
      asked[`${side}_min_games`] = state[`${side}_min_games`] || state.min_games;
    }
    return asked;
  }

  async update(state) {
    const { a, b, peers } = this.pair(state);
    this.drawSide("a", a, peers, state);
    this.drawSide("b", b, peers, state);
    try {
      const answer = await ask("/compare", this.question(state));
      this.error.textContent = "";
      remember({ ...answer, moves: answer.rows }, state);
      this.place = answer;
      this.answer = answer;
      this.draw(state);
    } catch (error) {
      if (error.name !== "AbortError") this.error.textContent = error.message;
    }
  }

  drawSide(side, source, peers, state) {
    const node = this.sides[side];
    if (node.contains(document.activeElement)) return;
    const pick = choice(
      peers.map((each) => [each.id, each.name]),
      source.id,
      (id) => this.app.go({ [side]: id }),
      { "aria-label": `Source ${side.toUpperCase()}` },
    );
    const all = this.app.sources.map((each) => [each.id, each.name]);
    const first = side === "a"
      ? choice(
        all,
        source.id,
        (id) =>
          this.app.go(
            this.app.source(id).game === source.game
              ? { a: id }
              : { a: id, b: "", fen: "", play: "", next: "" },
          ),
        { "aria-label": "Source A" },
      )
      : pick;
    node.replaceChildren(
      h("div", { class: "panel-head" }, h("h2", {}, side.toUpperCase()), first),
      plain(source, state, side, (changes) => this.app.go(changes, { replace: true })),
    );
  }

  draw(state) {
    const { place, answer, app } = this;
    if (this.board?.game !== place.game) {
      this.board = new Board(place.game, { onMove: (move) => this.play(move) });
      this.boardBox.replaceChildren(this.board.node);
    }
    this.board.show({
      fen: place.fen,
      dests: place.dests,
      arrows: [],
      flip: app.flip,
      letters: app.letters,
      last: movesOf(state.play).at(-1) ?? "",
      check: place.check,
    });
    this.way.replaceChildren(breadcrumb(place.game, state, app.notation(place.game), (step) => app.go(step)));
    const shown = new Set(state.changes ? state.changes.split(",") : Object.keys(CHANGES));
    this.drawFilter(answer, shown);
    const rows = answer.rows.filter((row) => shown.has(row.change));
    this.rows.replaceChildren(
      rows.length ? this.table(rows) : empty(
        "Nothing to compare",
        answer.rows.length ? "All rows are of kinds that are not shown." : "Neither source has a move here.",
      ),
      this.copies(state),
    );
  }

  drawFilter(answer, shown) {
    const buttons = Object.entries(CHANGES).map(([kind, text]) => {
      const isOn = shown.has(kind);
      const turn = () => {
        const now = Object.keys(CHANGES).filter((each) => (each === kind ? !isOn : shown.has(each)));
        this.app.go({ changes: now.length === 4 ? "" : now.join(",") }, { replace: true });
        this.only.querySelector(`[data-kind=${kind}]`)?.focus();
      };
      const many = answer.rows.filter((row) => row.change === kind).length;
      return h("button", {
        type: "button",
        class: "chip",
        "data-kind": kind,
        "aria-pressed": String(isOn),
        on: { click: turn },
      }, `${text} ${count(many)}`);
    });
    const hadFocus = this.only.contains(document.activeElement) ? document.activeElement.dataset.kind : null;
    this.only.replaceChildren(...buttons);
    if (hadFocus) this.only.querySelector(`[data-kind=${hadFocus}]`)?.focus();
  }

  table(rows) {
    const heads = ["Move", "", "A", "B"].map((
      text,
      n,
    ) => (n < 2
      ? h("th", { scope: "col", rowspan: 2 }, text || "Change")
      : h("th", { scope: "colgroup", colspan: 4, class: "group" }, text))
    );
    const sub = ["played", "results", "P", "in book", "played", "results", "P", "in book"].map((text) =>
      h("th", { scope: "col" }, text)
    );
    return h(
      "table",
      { class: "compare", "aria-label": "Moves of A and B" },
      h("thead", {}, h("tr", {}, heads), h("tr", { class: "sub-heads" }, sub)),
      h("tbody", {}, rows.map((row) => this.row(row))),
    );
  }

  row(row) {
    const text = row.names?.[this.app.notation(this.place.game)] ?? row.move;
    return h(
      "tr",
      {
        class: row.change,
        on: {
          pointerenter: () => this.board.light(row.move),
          pointerleave: () => this.board.light(null),
          focusin: () => this.board.light(row.move),
          focusout: () => this.board.light(null),
        },
      },
      h(
        "th",
        { scope: "row" },
        h("button", {
          type: "button",
          class: "play",
          "data-play": row.move,
          on: { click: () => this.play(row.move) },
        }, text),
      ),
      h("td", { class: "change" }, h("span", { class: `tag ${row.change}` }, CHANGES[row.change])),
      this.cells(row.a, "A"),
      this.cells(row.b, "B"),
    );
  }

  cells(side, name) {
    if (!side) return h("td", { colspan: 4, class: `none side-${name}`, "data-side": name }, "not there");
    return [
      h("td", { class: `side-${name} number`, "data-side": name }, count(side.played ?? side.reached)),
      h("td", { class: "results" }, resultBar(side, sidesOf(this.place), 0.3)),
      h("td", { class: "number" }, percent(side.p)),
      h("td", {}, keptMark(side)),
    ];
  }

  /** Both sides as commands, and as Python. */
  copies(state) {
    const { a, b } = this.pair(state);
    const asked = this.question(state);
    const side = (name) => ({ ...state, p: asked[`${name}_p`], min_games: asked[`${name}_min_games`] });
    const both = (text) => [text(a, side("a")), text(b, side("b"))].join("\n");
    return copyBar([["Copy as commands", "Commands", both(showCommand)], [
      "Copy as Python",
      "Python",
      both(showPython),
    ]]);
  }

  play(move) {
    this.app.go(stepInto(this.app.state, move));
  }

  walk(step) {
    const rows = [...this.rows.querySelectorAll(".play")];
    const now = rows.indexOf(document.activeElement);
    rows[Math.max(0, Math.min(rows.length - 1, now < 0 ? 0 : now + step))]?.focus();
  }

  keys() {
    const go = (step) => step && this.app.go(step);
    return {
      ArrowLeft: () => go(stepBack(this.app.state)),
      ArrowRight: () => go(stepForward(this.app.state)),
      ArrowUp: () => this.walk(-1),
      ArrowDown: () => this.walk(1),
      f: () => {
        this.app.flip = !this.app.flip;
        this.board.show({ flip: this.app.flip });
      },
      n: () => this.app.nextNotation(this.place.game),
      x: () => this.app.prefer("letters", this.app.letters === "latin" ? "chinese" : "latin"),
    };
  }
}

/** The thresholds of one side: P and the minimum count. */
function plain(source, state, side, change) {
  const bar = filterBar(source, state, change, { prefix: side, withKept: false });
  return source.kind === "book"
    ? h("p", { class: "hint" }, `A book of ${count(source.records)} records.`)
    : bar;
}
