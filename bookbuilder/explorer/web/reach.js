// What a whole book is: the reach of each side, main replies, gaps, and what differs from another book.

import { sidesOf } from "./cells.js";
import { folded, h, hint, textTable } from "./dom.js";
import { count, percent } from "./format.js";
import { lineText } from "./lines.js";
import { addressOf } from "./state.js";
import { t } from "./words.js";

const GAPS = 6;
const REPLIES = 4;

function named(source, side) {
  return sidesOf(source)[side === "second" ? 1 : 0];
}

/** Returns a table of what a book is to each side. Replies count only against games. */
export function sideTable({ sides, min_played: least }, source) {
  const row = (name, text) => [name, ...sides.map(text)];
  const rows = [
    // Some formats do not say which side a move is of.
    ...(sides.every((side) => side.records === null) ? [] : [row(t("moves"), (side) => count(side.records))]),
    row(t("reachable from the start"), (side) => count(side.reachable)),
    row(t("plies in book, on average"), (side) => side.plies.toFixed(1)),
    ...(least === null ? [] : [
      row(t("frequent replies answered"), (side) => percent(side.answered_share)),
      row(t("without answer"), (side) => count(side.gaps)),
    ]),
  ];
  return textTable([t("book for"), ...sides.map((each) => named(source, each.side))], rows, { class: "sizes" });
}

/** Returns a table of the main replies, in a notation. */
export function replyTable({ branches, min_played: least }, notation) {
  const columns = [
    [t("after"), (each) => lineText(each.line_names, notation) || t("start")],
    ...(least === null ? [] : [[t("games"), (each) => count(each.games)]]),
    [t("book moves"), (each) => moveWords(each, notation)],
  ];
  const rows = branches.map((each) => columns.map(([, text]) => text(each)));
  return textTable(columns.map(([name]) => name), rows, { class: "sizes replies" });
}

function moveWords({ replies, more }, notation) {
  const shareText = (share) => share < 0.005 ? "<1 %" : percent(share, 0);
  const words = replies.slice(0, REPLIES).map(({ names, share }) => `${names[notation]} ${shareText(share)}`);
  const rest = more + replies.length - words.length;
  return [...words, ...(rest ? [t("{n} more", { n: rest })] : [])].join(", ") || t("none");
}

/** Returns a list for each side of the positions without an answer, the most games first, as links. */
export function gapLists({ sides, gaps }, source, { state, notation }) {
  const link = (gap) => {
    const place = { ...state, src: source.id, fen: "", play: gap.moves.join(","), next: "" };
    return h("li", {}, h("a", { href: addressOf("/", place) }, lineText(gap.line_names, notation) || t("the start")), ` ${t("{n} games", { n: count(gap.games) })}`);
  };
  return sides.filter((side) => side.gaps).map((side) => {
    const asked = { side: named(source, side.side), n: count(side.gaps) };
    const title = side.gaps === 1
      ? t("{side} has no answer to 1 frequent reply", asked)
      : t("{side} has no answer to {n} frequent replies", asked);
    const own = gaps.filter((each) => each.side === side.side).slice(0, GAPS);
    return h("div", {}, h("h3", {}, title), h("ol", { class: "plain gaps" }, own.map(link)));
  });
}

/** Returns how a book differs from another one, whose name is given, with the heaviest differences. */
export function changeList({ added, removed, changed, differences }, name, notation, isOpen = false) {
  const weights = ({ old_weight: old, new_weight: now }) => [old, now].map((each) => count(each)).join(" → ");
  const rows = differences.map((each) => [lineText(each.line_names, notation) || each.key, t(each.change), weights(each)]);
  const text = t("Since {name}: {added} moves added, {removed} removed, {changed} with another weight", {
    name,
    added: count(added),
    removed: count(removed),
    changed: count(changed),
  });
  if (!rows.length) return hint(text);
  const list = folded(text, textTable([t("move"), t("change"), t("weight")], rows, { class: "sizes" }));
  list.open = isOpen;
  return list;
}
