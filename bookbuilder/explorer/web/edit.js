// Changes by hand of a store's book: an editor for each move, and a bar that adds moves and takes changes back. The
// server keeps them in a file that `bookbuilder build --edits` reads.

import { ask, route, send } from "./api.js";
import { announce, button, choice, field, h } from "./dom.js";
import { movesOf } from "./state.js";
import { t } from "./words.js";

const MARKS = ["", "!", "?", "!!", "??", "!?", "?!"];

/** Returns the controls of a move; `change` is called with what changes. */
export function moveEditor(move, change) {
  const { keep, quality, mark, comment } = move.edit ?? {};
  const verdict = (value, text) =>
    button(text, () => change({ keep: value }), { "aria-pressed": String((keep ?? "rules") === value), class: "chip" });
  const number = h("input", {
    type: "number",
    min: 0,
    max: 31,
    value: quality ?? "",
    placeholder: t("auto"),
    on: {
      change: ({ target }) => target.value && target.reportValidity() && change({ quality: Number(target.value) }),
    },
  });
  const marks = MARKS.map((each) => [each, each || t("none")]);
  const text = h("input", {
    type: "text",
    maxlength: 500,
    value: comment ?? "",
    on: { change: (event) => change({ comment: event.target.value.trim() }) },
  });
  return h(
    "div",
    { class: "move-editor", role: "group", "aria-label": t("Change {move} by hand", { move: move.text }) },
    h("span", { class: "verdicts" }, verdict(true, t("Keep")), verdict(false, t("Drop")), verdict("rules", t("By the rules"))),
    field(t("Quality"), number),
    field(t("Mark"), choice(marks, mark ?? "", (value) => change({ mark: value }))),
    field(t("Comment"), text),
  );
}

/** The bar of a store's changes: it adds a move, counts the changes, takes the last one back, and downloads them. */
export class EditBar {
  /** Makes the bar; `changed` is called after each change. */
  constructor(app, changed) {
    this.app = app;
    this.changed = changed;
    this.node = h("div", { class: "edit-bar", hidden: true });
    this.listed = null;
  }

  /** Returns whether the book of a source can be changed. */
  canEdit(source) {
    return Boolean(this.app.facts.writable) && source.kind === "store";
  }

  /** Draws the bar for a position. */
  async update(source, answer) {
    this.node.hidden = !this.canEdit(source);
    if (this.node.hidden) return;
    if (this.listed?.source !== source.id) this.listed = await ask("/edits", { src: source.id }, { isFresh: true });
    this.draw(source, answer);
  }

  draw(source, answer) {
    const entry = h("input", { type: "text", size: 8, id: "novelty", autocomplete: "off", spellcheck: "false" });
    const add = (event) => {
      event.preventDefault();
      if (entry.value.trim()) this.change(answer.fen, entry.value.trim(), { keep: true });
    };
    const many = this.listed.edits.length;
    const list = many
      ? [
        h("span", {}, many === 1 ? t("1 change by hand") : t("{n} changes by hand", { n: many })),
        button(t("Take the last change back"), () => this.undo(), { class: "quiet", id: "undo" }),
        h("a", { href: route("/edits/file", { src: source.id }), download: "" }, t("Download")),
      ]
      : [];
    this.node.replaceChildren(
      this.lastMove(answer) ?? "",
      h("form", { on: { submit: add } }, field(t("Add a move"), entry), h("button", {}, t("Add"))),
      ...list,
    );
  }

  /** Returns the button that adds the last move of the line, where no game played it. */
  lastMove(answer) {
    const last = answer.path.at(-1);
    if (!last || answer.state !== "never_seen") return null;
    const { fen, play } = this.app.state;
    const before = `${fen || "startpos"} moves ${movesOf(play).slice(0, -1).join(" ")}`;
    const position = movesOf(play).length > 1 ? before : fen || "startpos";
    const name = last.names[this.app.notation(answer.game)] ?? last.move;
    const text = t("Add {move} to the book", { move: name });
    return button(text, () => this.change(position, last.move, { keep: true }), { class: "primary", id: "add-last" });
  }

  /** Changes a move. */
  change(fen, move, changes) {
    return this.sent(() => this.post("/edits", { fen, move, ...changes }), t("The change is saved"));
  }

  undo() {
    return this.sent(() => this.post("/edits/undo"), t("The last change is taken back"));
  }

  async post(path, body) {
    this.listed = await send("POST", path, body, { src: this.app.source().id });
  }

  async sent(work, done) {
    try {
      await work();
      announce(done);
    } catch (error) {
      announce(error.message);
    }
    this.changed();
  }
}
