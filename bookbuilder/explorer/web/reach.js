// What a whole book is: the reach of each side, main replies, gaps, and what differs from another book.

import { folded, h, hint, textTable } from "./dom.js";
import { count, percent } from "./format.js";
import { addressOf } from "./state.js";

const GAPS = 6;
const REPLIES = 4;

function named(source, side) {
  return source.sides[side === "second" ? 1 : 0];
}

/** Returns a table of what a book is to each side. */
export function sideTable({ sides }, source) {
  const row = (name, text) => [name, ...sides.map(text)];
  const rows = [
    // Some formats do not say which side a move is of.
    ...(sides.every((side) => side.records === null) ? [] : [row("moves", (side) => count(side.records))]),
    row("reachable from the start", (side) => count(side.reachable)),
    row("plies in book, on average", (side) => side.plies.toFixed(1)),
    row("frequent replies answered", (side) => percent(side.answered_share)),
    row("without answer", (side) => count(side.gaps)),
  ];
  return textTable(["book for", ...sides.map((each) => named(source, each.side))], rows, { class: "sizes" });
}

/** Returns a table of the main replies. */
export function replyTable({ branches }) {
  const rows = branches.map((each) => [each.line || "start", count(each.games || null), moveWords(each)]);
  return textTable(["after", "games", "book moves"], rows, { class: "sizes replies" });
}

function moveWords({ replies, more }) {
  const words = replies.slice(0, REPLIES).map(({ san, share }) => `${san} ${share < 0.005 ? "<1 %" : percent(share, 0)}`);
  const rest = more + replies.length - words.length;
  return [...words, ...(rest ? [`${rest} more`] : [])].join(", ") || "none";
}

/** Returns a list for each side of the positions without an answer, the most games first, as links. */
export function gapLists({ sides, gaps }, source, state) {
  const link = (gap) => {
    const place = { ...state, src: source.id, fen: "", play: gap.moves.join(","), next: "" };
    return h("li", {}, h("a", { href: addressOf("/", place) }, gap.line || "the start"), ` ${count(gap.games)} games`);
  };
  return sides.filter((side) => side.gaps).map((side) => {
    const replies = side.gaps === 1 ? "1 frequent reply" : `${count(side.gaps)} frequent replies`;
    const title = `${named(source, side.side)} has no answer to ${replies}`;
    const own = gaps.filter((each) => each.side === side.side).slice(0, GAPS);
    return h("div", {}, h("h3", {}, title), h("ol", { class: "plain gaps" }, own.map(link)));
  });
}

/** Returns how a book differs from another one, whose name is given, with the heaviest differences. */
export function changeList({ added, removed, changed, differences }, name, isOpen = false) {
  const weights = ({ old_weight: old, new_weight: now }) => [old, now].map((each) => count(each)).join(" → ");
  const rows = differences.map((each) => [each.line || each.key, each.change, weights(each)]);
  const text = `Since ${name}: ${count(added)} moves added, ${count(removed)} removed, ${count(changed)} with another weight`;
  if (!rows.length) return hint(text);
  const list = folded(text, textTable(["move", "change", "weight"], rows, { class: "sizes" }));
  list.open = isOpen;
  return list;
}
