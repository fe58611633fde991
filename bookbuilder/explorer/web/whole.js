// What a whole book is: the reach of each side, main replies, gaps, what differs from another book, and how far games
// follow it.

import { ask } from "./api.js";
import { sidesOf } from "./cells.js";
import { choice, field, folded, h, hint, textTable } from "./dom.js";
import { count, percent } from "./format.js";
import { lineText } from "./lines.js";
import { addressOf } from "./state.js";
import { t } from "./words.js";

const GAPS = 6;
const REPLIES = 4;

function named(source, side) {
  return sidesOf(source)[side === "second" ? 1 : 0];
}

/** Returns a share that is 100 % only if nothing is missing. */
function almost(share, missing) {
  return missing && share > 0.999 ? "99.9 %" : percent(share);
}

/** Returns a table of what a book is to each side. Replies count only against games. */
export function sideTable({ sides, has_archive: isCounted }, source) {
  const row = (name, text) => [name, ...sides.map(text)];
  const rows = [
    !isCounted
      ? row(t("plies in book, both play the book"), (side) => side.plies.toFixed(1))
      : row(t("plies in book, the opponent plays as in the games"), (side) => side.plies.toFixed(1)),
    ...(!isCounted ? [] : [
      row(t("frequent replies answered"), (side) => almost(side.answered_share, side.gaps)),
      row(t("without answer"), (side) => count(side.gaps)),
    ]),
  ];
  return textTable([t("book for"), ...sides.map((each) => named(source, each.side))], rows, { class: "sizes" });
}

/** Returns a table of the main replies, in a notation. */
export function replyTable({ branches, has_archive: isCounted }, notation) {
  const columns = [
    [t("after"), (each) => lineText(each.line_names, notation) || t("start")],
    ...(!isCounted ? [] : [[t("games"), (each) => count(each.games)]]),
    [t("book moves"), (each) => moveWords(each, notation)],
  ];
  const rows = branches.map((each) => columns.map(([, text]) => text(each)));
  return textTable(columns.map(([name]) => name), rows, { class: "sizes replies" });
}

function moveWords({ replies, more }, notation) {
  const shareText = (share) => share < 0.005 ? "<1 %" : percent(share, 0);
  const words = replies.slice(0, REPLIES).map(({ names, share }) => `${names[notation]} ${shareText(share)}`);
  const rest = more + replies.length - words.length;
  const all = [...words, ...(rest ? [t("{n} more", { n: rest })] : [])];
  return all.length ? all.map((each, n) => [n ? ", " : "", h("span", { class: "whole" }, each)]) : t("none");
}

/** Returns a list for each side of the positions without an answer, the most games first, as links. */
export function gapLists({ sides, gaps }, source, { state, notation }) {
  const link = (gap) => {
    const place = { ...state, src: source.id, fen: "", play: gap.moves.join(","), next: "" };
    return h("li", {}, h("a", { href: addressOf("/", place) }, lineText(gap.line_names, notation) || t("the start")), ` ${t("{n} games", { n: count(gap.games) })}`);
  };
  return sides.filter((side) => side.gaps).map((side) => {
    const asked = { side: named(source, side.side), n: count(side.gaps) };
    const title = t("Frequent replies without an answer by {side}: {n}", asked);
    const own = gaps.filter((each) => each.side === side.side).slice(0, GAPS);
    return h("div", {}, h("h3", {}, title), h("ol", { class: "plain gaps" }, own.map(link)));
  });
}

/** Returns the main moves of the games that the book lacks, as links to the positions before them. */
export function lackingList({ lacking }, source, { state, notation }) {
  if (!lacking.length) return [];
  const link = ({ line_names: names, games, share }) => {
    const play = names.slice(0, -1).map((each) => each.iccs ?? each.uci).join(",");
    const href = addressOf("/", { ...state, src: source.id, fen: "", play, next: "" });
    return h("li", {}, h("a", { href }, lineText(names, notation)), ` ${t("{n} games", { n: count(games) })}, ${percent(share, 0)}`);
  };
  const list = h("ol", { class: "plain gaps" }, lacking.slice(0, GAPS).map(link));
  return [h("div", {}, h("h3", {}, t("Main moves that the book lacks")), list)];
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

/** Returns a choice of games and how far they follow a book; `asked` names the book: { src } or { build }. */
export function follower(app, game, asked) {
  const stores = app.sources.filter((source) => source.kind === "store" && source.game === game);
  const result = h("div", { class: "stack", role: "status" });
  const show = async (games) => {
    result.replaceChildren(...(games ? [hint(t("reading the games …"))] : []));
    if (!games) return;
    try {
      result.replaceChildren(...followed(await ask("/follow", { ...asked, games })));
    } catch (error) {
      if (error.name !== "AbortError") result.replaceChildren(h("p", { class: "error" }, error.message));
    }
  };
  const pairs = [["", t("choose games")], ...stores.map((source) => [source.id, source.name])];
  const pick = choice(pairs, "", show, { class: "followed" });
  return h("div", { class: "stack" }, field(t("How far do games follow it?"), pick), result);
}

function followed(answer) {
  const rows = answer.plies.filter((each) => each.inside)
    .map((each) => [count(each.ply), percent(each.inside_share), count(each.left)]);
  const words = t("{n} games: they leave the book after {plies} plies on average, {share} of their plies are in it.", {
    n: count(answer.games),
    plies: answer.mean_exit_ply.toFixed(1),
    share: percent(answer.plies_share),
  });
  return [
    h("p", {}, words),
    folded(t("All numbers"), textTable([t("ply"), t("still in the book"), t("leave it here")], rows)),
  ];
}
