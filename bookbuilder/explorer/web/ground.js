// Draws the empty boards as SVG. Chess: squares. Xiangqi: lines, river, palaces, and the marks where cannons and soldiers
// start.

import { s } from "./dom.js";
import { BOARDS, cornerOf } from "./geometry.js";

/** Returns the nodes of an empty board, with the coordinates of a notation. */
export function groundOf(game, flip, notation) {
  const isByFile = ["wxf", "chinese", "chinese-traditional"].includes(notation);
  const coordinates = isByFile ? filesOf(flip, notation !== "wxf") : coordinatesOf(game, flip);
  return [...(game === "chess" ? chessSquares() : xiangqiLines()), ...coordinates];
}

function chessSquares() {
  let dark = "";
  for (let n = 0; n < 64; n += 1) {
    const [column, row] = [n % 8, n >> 3];
    if ((column + row) % 2) dark += `M${column * 100} ${row * 100}h100v100h-100z`;
  }
  return [s("rect", { class: "light", width: 800, height: 800 }), s("path", { class: "dark", d: dark })];
}

function xiangqiLines() {
  const near = 80;
  let lines = "";
  for (let row = 0; row < 10; row += 1) lines += `M${near} ${near + row * 100}h800`;
  for (let column = 1; column < 8; column += 1) lines += `M${near + column * 100} ${near}v400m0 100v400`;
  for (const top of [near, near + 700]) {
    lines += `M${near + 300} ${top}l200 200M${near + 500} ${top}l-200 200`;
  }
  return [
    s("rect", { class: "wood", width: 960, height: 1060, rx: 10 }),
    s("rect", { class: "river", x: near, y: near + 400, width: 800, height: 100 }),
    s("path", { class: "lines", d: lines + startMarks(near) }),
    s("rect", { class: "lines edge", x: near, y: near, width: 800, height: 900 }),
    s("rect", { class: "lines", x: near - 9, y: near - 9, width: 818, height: 918 }),
  ];
}

function startMarks(near) {
  const points = [[1, 2], [7, 2], [1, 7], [7, 7]];
  for (let file = 0; file < 9; file += 2) points.push([file, 3], [file, 6]);
  let path = "";
  for (const [file, row] of points) {
    for (const right of [-1, 1]) {
      for (const up of [-1, 1]) {
        if ((file === 0 && right < 0) || (file === 8 && right > 0)) continue;
        path += `M${near + file * 100 + 8 * right} ${near + row * 100 + 24 * up}v${-16 * up}h${16 * right}`;
      }
    }
  }
  return path;
}

const NUMERALS = "一二三四五六七八九";

/** Returns the files as both sides count them, each from its right: Red's in Chinese numerals for a Chinese notation. */
function filesOf(flip, isChinese) {
  const texts = [];
  for (let file = 0; file < 9; file += 1) {
    const name = String.fromCharCode(97 + file);
    const [x] = cornerOf("xiangqi", `${name}0`, flip);
    const [red, black] = [9 - file, file + 1];
    const [below, above] = flip ? [1049, 26] : [26, 1049];
    const place = (y) => ({ class: "coordinate", x: x + 50, y, "text-anchor": "middle" });
    texts.push(s("text", place(above), isChinese ? NUMERALS[red - 1] : String(red)));
    texts.push(s("text", place(below), String(black)));
  }
  return texts;
}

function coordinatesOf(game, flip) {
  const { files, ranks, base } = BOARDS[game];
  const texts = [];
  const isChess = game === "chess";
  for (let file = 0; file < files; file += 1) {
    const name = String.fromCharCode(97 + file);
    const [x] = cornerOf(game, `${name}${base}`, flip);
    const place = isChess
      ? { x: x + 94, y: 793, "text-anchor": "end" }
      : { x: x + 50, y: 1049, "text-anchor": "middle" };
    texts.push(s("text", { class: "coordinate", ...place }, name));
  }
  for (let rank = 0; rank < ranks; rank += 1) {
    const [, y] = cornerOf(game, `a${rank + base}`, flip);
    texts.push(
      s("text", { class: "coordinate", x: isChess ? 6 : 8, y: y + (isChess ? 23 : 58) }, String(rank + base)),
    );
  }
  return texts;
}
