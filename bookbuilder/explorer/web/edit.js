// Changes by hand of a store's book: an editor for each move, and the list of all changes. The server keeps them in a
// file that `bookbuilder build --edits` reads.

import { ask, attempt, send } from "./api.js";
import { nameOfOpening } from "./cells.js";
import { announce, button, choice, field, folded, h } from "./dom.js";
import { moveNumber, pliesBefore } from "./lines.js";
import { addressOf, movesOf } from "./state.js";
import { language, t } from "./words.js";

const MARKS = ["", "!", "?", "!!", "??", "!?", "?!"];
const HEAVIEST = 31;
// A move that no game played is not the best one, unless the reader says so.
const NOVELTY = 4;

function weightField(value, change = null) {
  const changed = ({ target }) => target.value && target.reportValidity() && change(Number(target.value));
  const range = { type: "number", min: 0, max: HEAVIEST };
  const box = h("input", { ...range, value, placeholder: t("auto"), on: change && { change: changed } });
  return [box, field(t("Weight, 0 … 31"), box, t("31: played as often as the best move; 0: never played"))];
}

/** Returns the controls of a move; `change` is called with what changes. */
export function moveEditor(move, change) {
  const { keep, quality, mark, comment } = move.edit ?? {};
  const verdict = (value, text) =>
    button(text, () => change({ keep: value }), { "aria-pressed": String((keep ?? "rules") === value), class: "chip" });
  const [, weight] = weightField(quality ?? "", (value) => change({ quality: value }));
  const marks = MARKS.map((each) => [each, each || t("none")]);
  const commented = ({ target }) => change({ comment: target.value.trim() });
  const text = h("input", { type: "text", maxlength: 500, value: comment ?? "", on: { change: commented } });
  return h(
    "div",
    { class: "move-editor", role: "group", "aria-label": t("Change {move} by hand", { move: move.text }) },
    h("span", { class: "verdicts" }, verdict(true, t("Keep")), verdict(false, t("Drop")), verdict("rules", t("By the rules"))),
    weight,
    field(t("Mark"), choice(marks, mark ?? "", (value) => change({ mark: value }))),
    field(t("Comment"), text),
  );
}

/** The changes of a store: they are listed with an undo each, and a move without games can be added. */
export class EditList {
  /** Makes the list; `changed` is called after each change. */
  constructor(app, changed) {
    this.app = app;
    this.changed = changed;
    this.node = h("div", { class: "edits", hidden: true });
  }

  /** Returns whether the book of a source can be changed. */
  canEdit(source) {
    return Boolean(this.app.facts.writable) && source.kind === "store";
  }

  /** Draws the list; `answer` is that of the position, for the move that can be added. */
  async update(source, answer = null) {
    this.node.hidden = !this.canEdit(source);
    if (this.node.hidden) return;
    const { edits } = await ask("/edits", { src: source.id }, { isFresh: true });
    const notation = this.app.notation(source.game);
    const rows = edits.map((each, number) => this.row(each, number, source.id, notation)).reverse();
    const title = t("Changes by hand: {n}", { n: edits.length });
    const isOpen = this.node.querySelector("details")?.open ?? false;
    const list = folded(title, h("ul", { class: "plain" }, rows));
    list.open = isOpen;
    this.node.replaceChildren(answer ? this.lastMove(answer) ?? "" : "", edits.length ? list : "");
  }

  row({ edit, fen, line_names: [names], opening }, number, source, notation) {
    const what = [
      edit.keep === true && t("kept"),
      edit.keep === false && t("dropped"),
      edit.keep === "rules" && t("by the rules again"),
      edit.quality !== undefined && t("weight {n}", { n: edit.quality }),
      edit.mark !== undefined && t("mark {mark}", { mark: edit.mark || t("none") }),
      edit.comment !== undefined && `“${edit.comment}”`,
      edit.time && new Date(edit.time).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }),
    ].filter(Boolean).join(", ");
    const ply = pliesBefore(fen);
    const line = moveNumber(ply).textContent + names[notation];
    const link = addressOf("/", { ...this.app.state, src: source, fen: ply ? fen : "", play: "", next: "" });
    const undo = button(t("Undo"), () => this.sent("/edits/undo", { number, edit }, t("The change is taken back")), {
      class: "quiet undo",
      "aria-label": t("Undo: {line}, {what}", { line, what }),
    });
    return h("li", {}, h("a", { href: link }, line), ` ${opening ? `(${nameOfOpening(opening, notation)}) ` : ""}${what} `, undo);
  }

  /** Returns the controls that add the last move of the line, where no game played it. */
  lastMove(answer) {
    const last = answer.path.at(-1);
    if (!last || answer.state !== "never_seen") return null;
    const name = last.names[this.app.notation(answer.game)] ?? last.move;
    const [box, weight] = weightField(NOVELTY);
    const add = () => box.reportValidity() && this.change(last.move, { keep: true, quality: Number(box.value) }, -1);
    const label = t("Add {move} to the book", { move: name });
    return h("div", { class: "filters add-last" }, weight, button(label, add, { class: "primary", id: "add-last" }));
  }

  /** Changes a move of the position that is shown, or of the one before it. */
  change(move, changes, last = undefined) {
    const { fen, play } = this.app.state;
    const moves = movesOf(play).slice(0, last);
    const position = `${fen || "startpos"}${moves.length ? ` moves ${moves.join(" ")}` : ""}`;
    return this.sent("/edits", { fen: position, move, ...changes }, t("The change is saved"));
  }

  async sent(path, body, done) {
    await attempt(async () => {
      await send(path, body, { src: this.app.source().id });
      announce(done);
    }, (error) => announce(error.message));
    this.changed();
  }
}
