// What the cells of tables of moves show: the move, its games, results, P with its interval, and the verdict.

import { button, h, isKnown, s } from "./dom.js";
import { count, DASH, pawns, percent, points, reasonWords } from "./format.js";
import { t } from "./words.js";

/** Returns the button that plays a move of a table. */
export function playButton(move, text, play) {
  return button(text, play, { class: "play", "data-play": move });
}

/** Returns the button that shows more about a move, or less. */
export function unfoldButton(isOpen, move, unfold, properties = {}) {
  const labels = { "aria-expanded": String(isOpen), "aria-label": t("More about {move}", { move }) };
  return button(isOpen ? "▾" : "▸", unfold, { class: "unfold", ...properties, ...labels });
}

export function shareCell(number, share) {
  return [h("span", { class: "n" }, number), " ", h("span", { class: "sub" }, share)];
}

export function countCell(games, total) {
  return shareCell(count(games), games === null ? "" : percent(total ? games / total : null));
}

// The characters of names of xiangqi openings that have another traditional form.
const TRADITIONAL = Object.fromEntries(["两兩", "后後", "头頭", "宫宮", "对對", "单單", "双雙", "开開", "横橫", "红紅", "缓緩", "补補", "车車", "转轉", "边邊", "过過", "进進", "钩鉤", "顺順", "风風", "飞飛", "马馬", "鸯鴦", "鸳鴛", "龟龜", "冲衝", "兑兌", "盘盤"].map((each) => [...each]));

/** Returns the name of an opening, in Chinese with a Chinese notation where there is one. */
export function nameOfOpening(opening, notation) {
  if (!notation.startsWith("chinese") || !opening.chinese) return opening.name;
  return notation === "chinese" ? opening.chinese : [...opening.chinese].map((each) => TRADITIONAL[each] ?? each).join("");
}

/** Returns an opening's code and name, without the part that the name of the position has already. */
export function openingName(opening, notation, known = null) {
  const [name, before] = [opening, known].map((each) => (each ? nameOfOpening(each, notation) : ""));
  const rest = before && name.startsWith(before) ? name.slice(before.length).replace(/^[:,;：]?\s*/, "") : "";
  return h(
    "span",
    { class: "opening", title: `${opening.code} ${name}` },
    known?.code !== opening.code && h("span", { class: "code" }, opening.code),
    ` ${rest || name}`,
  );
}

/** Returns whether a book keeps a move and the reason if not, as a sign and words: colour alone is not enough. */
export function keptMark(move) {
  const words = move.kept ? t("kept") : reasonWords(move.reason || "not in it");
  return h(
    "span",
    { class: `verdict ${move.kept ? "kept" : "dropped"}` },
    h("span", { "aria-hidden": "true" }, move.kept ? "✓" : "✕"),
    h("span", { class: "words" }, ` ${words}`),
    isKnown(move.edit?.keep) && move.edit.keep !== "rules" && h("span", { class: "hand", title: t("by hand") }, " ✎"),
  );
}

/** Returns why a book keeps a move or not, as a sentence; `look` has the rules. */
export function reasonSentence(move, { margin, threshold, minGames, minShare }, base) {
  const [p, games] = [move.judged?.p, move.judged?.reached ?? move.reached];
  const asked = { p: percent(p), least: percent(threshold), points: points(p - base).slice(1), base: percent(base) };
  if (move.reason === "below-games") return t("{n} games reached it, {least} are needed.", { n: count(games), least: count(Math.max(minGames, games + 1)) });
  if (move.reason === "below-share") {
    return t("{p} of the moves here, {least} are needed.", { p: percent(move.share), least: percent(minShare) });
  }
  if (move.reason === "below-p") return t("It wins {p} of the decided games, {least} are needed.", asked);
  if (!isKnown(p) || !isKnown(base) || margin === null || !["", "proved-worse"].includes(move.reason)) {
    return move.kept ? t("kept") : reasonWords(move.reason);
  }
  if (p >= base) return t("It wins {p} of the decided games, the position {base}.", asked);
  return move.kept
    ? t("It wins {p} of the decided games, {points} points less than the position's {base}; it may be chance or within {most} points.", { ...asked, most: 100 * margin })
    : t("It wins {p} of the decided games, {points} points less than the position's {base}; at most {most} are allowed.", { ...asked, most: 100 * margin });
}

// What a move may lose before a book should not have it, and what is too little to matter.
const LOSS = 60;
const TRIFLE = 15;

/** Returns the value of a move by an engine, with a sign where the engine and the statistics disagree. */
export function valueCell(move, best) {
  const loss = isKnown(best) && isKnown(move.value) ? best - move.value : 0;
  const words = disagreement(move, loss);
  const sign = words && h("span", { class: "sign", role: "img", "aria-label": words, title: words }, "⚠");
  return [h("span", { class: "n" }, pawns(move.value)), " ", sign || h("span", { class: "sign" })];
}

function disagreement(move, loss) {
  if (!isKnown(move.value)) return "";
  if (move.kept && loss >= LOSS) {
    const n = pawns(loss).slice(1);
    return t("The statistics keep this move, but by the engine it loses {n} against the best one", { n });
  }
  const isWeak = ["below-p", "proved-worse", "below-score"].includes(move.reason);
  return isWeak && loss <= TRIFLE ? t("The engine likes this move, its results are weak") : "";
}

/** Returns the bar of results. Parts are as wide as their share, which is written in per cent where there is room. */
export function resultBar(counts, sides) {
  const parts = [counts.first_wins, counts.draws, counts.second_wins];
  const sum = parts.reduce((one, other) => one + (other ?? 0), 0);
  if (!sum) return h("span", { class: "sub" }, DASH);
  const names = [t("{side} wins", { side: sides[0] }), t("draws"), t("{side} wins", { side: sides[1] })];
  const spoken = parts.map((part, n) => `${names[n]} ${count(part)}`).join(", ");
  const red = sides[0] === t("Red") ? " red" : "";
  return h(
    "span",
    { class: `bar${red}`, role: "img", "aria-label": spoken, title: spoken },
    parts.map((part, n) => {
      const share = h("span", { class: "share" }, String(Math.round((100 * part) / sum)));
      return h("span", { class: ["first", "draw", "second"][n], style: { "flex-grow": String(part) } }, share);
    }),
  );
}

/**
 * Returns P's 95 % interval on a scale from 0 to 1. The tick is what a book asks for, the part of the interval above it
 * has the colour of kept moves. A ring marks the P of the verdict where that used more games.
 */
export function whisker(move, asked) {
  const x = (share) => 3 + share * 90;
  const line = (name, from, to) => s("path", { class: name, d: `M${x(from)} 8H${x(to)}` });
  const node = s("svg", { class: "whisker", viewBox: "0 0 96 16", "aria-hidden": "true" });
  node.append(s("path", { class: "axis", d: `M3 8h90M${x(0.5)} 5v6` }));
  if (isKnown(move.p)) {
    const [low, high] = [move.p_low, move.p_high];
    const split = Math.min(Math.max(asked ?? 0, low), high);
    node.append(line("interval below", low, split), line("interval", split, high));
    const judged = move.judged?.p;
    if (isKnown(judged) && Math.abs(judged - move.p) > 1e-9) {
      node.append(s("circle", { class: "judged", cx: x(judged), cy: 8, r: 4 }));
    }
    node.append(s("circle", { class: "estimate", cx: x(move.p), cy: 8, r: 3 }));
  }
  if (asked > 0) node.append(s("path", { class: "threshold", d: `M${x(asked)} 1v14` }));
  return node;
}

export function sidesOf(answer) {
  return answer.game === "xiangqi" ? [t("Red"), t("Black")] : [t("White"), t("Black")];
}

/** Returns the name of a side, "first" or "second". */
export function sideOf(answer, side) {
  return sidesOf(answer)[side === "second" ? 1 : 0];
}
