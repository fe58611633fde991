// What a whole book is: the reach of each side, main replies, gaps, what differs from another book, and how far games
// follow it.

import { ask, attempt } from "./api.js";
import { sideOf } from "./cells.js";
import { choice, field, folded, h, hint, showError, textTable } from "./dom.js";
import { count, percent } from "./format.js";
import { lineText } from "./lines.js";
import { addressOf } from "./state.js";
import { t } from "./words.js";

const GAPS = 6;
const REPLIES = 4;

/** Returns a share that is 100 % only if nothing is missing. */
function almost(share, missing) {
  return missing && share > 0.999 ? "99.9 %" : percent(share);
}

/** Returns a table of what a book is to each side. Replies count only against games. */
export function sideTable({ sides, has_archive: isCounted }, source) {
  const row = (name, text) => [name, ...sides.map(text)];
  const plies = (side) => side.plies.toFixed(1);
  const rows = isCounted
    ? [
      row(t("plies in book, the opponent plays as in the games"), plies),
      row(t("frequent replies answered"), (side) => almost(side.answered_share, side.gaps)),
      row(t("without answer"), (side) => count(side.gaps)),
    ]
    : [row(t("plies in book, both play the book"), plies)];
  return textTable([t("book for"), ...sides.map((each) => sideOf(source, each.side))], rows, { class: "sizes" });
}

/** Returns the main replies of a book and what it lacks; `shown` has the state for links, and the notation. */
export function replyLists(reach, source, shown) {
  return [replyTable(reach, shown.notation), ...missingLists(reach, source, shown)];
}

function replyTable({ branches, has_archive: isCounted }, notation) {
  const columns = [
    [t("after"), (each) => lineText(each.line_names, notation) || t("start")],
    ...(isCounted ? [[t("games"), (each) => count(each.games)]] : []),
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

/** Returns lists of links to positions: for each side those without an answer, then those whose main move is not there. */
function missingLists({ sides, gaps, lacking }, source, { state, notation }) {
  const item = (play, names, words) => {
    const href = addressOf("/", { ...state, src: source.id, fen: "", play: play.join(","), next: "" });
    return h("li", {}, h("a", { href }, lineText(names, notation) || t("the start")), ` ${words}`);
  };
  const games = (n) => t("{n} games", { n: count(n) });
  const list = (title, items) => h("div", {}, h("h3", {}, title), h("ol", { class: "plain gaps" }, items.slice(0, GAPS)));
  const unanswered = sides.filter((each) => each.gaps).map(({ side, gaps: n }) => {
    const title = t("Frequent replies without an answer by {side}: {n}", { side: sideOf(source, side), n: count(n) });
    const own = gaps.filter((each) => each.side === side);
    return list(title, own.map((each) => item(each.moves, each.line_names, games(each.games))));
  });
  const moves = lacking.map(({ line_names: names, games: n, share }) => {
    const before = names.slice(0, -1).map((each) => each.iccs ?? each.uci);
    return item(before, names, `${games(n)}, ${percent(share, 0)}`);
  });
  return moves.length ? [...unanswered, list(t("Main moves that the book lacks"), moves)] : unanswered;
}

/** Returns how a book differs from another one, whose name is given, with the heaviest differences. */
export function changeList({ added, removed, changed, differences }, name, notation, isOpen = false) {
  const weights = ({ old_weight: old, new_weight: now }) => [old, now].map((each) => count(each)).join(" → ");
  const rows = differences.map((each) => [lineText(each.line_names, notation) || each.key, t(each.change), weights(each)]);
  const counts = { added: count(added), removed: count(removed), changed: count(changed) };
  const text = t("Since {name}: {added} moves added, {removed} removed, {changed} with another weight", { name, ...counts });
  if (!rows.length) return hint(text);
  const list = folded(text, textTable([t("move"), t("change"), t("weight")], rows, { class: "sizes" }));
  list.open = isOpen;
  return list;
}

/** Returns a choice of the stores of a game, or of none; `change` is called with the id. */
export function gamesChoice(app, game, none, change, look, nameOf = ({ name }) => name) {
  const stores = app.sources.filter((source) => source.kind === "store" && source.game === game);
  return choice([["", none], ...stores.map((source) => [source.id, nameOf(source)])], "", change, { class: look });
}

/** Returns a choice of games and how far they follow the book `src`. */
export function follower(app, game, src) {
  const result = h("div", { class: "stack", role: "status" });
  const show = (games) => {
    result.replaceChildren(...(games ? [hint(t("reading the games …"))] : []));
    if (games) attempt(async () => result.replaceChildren(...followed(await ask("/follow", { src, games }))), showError(result));
  };
  const pick = gamesChoice(app, game, t("choose games"), show, "followed");
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
