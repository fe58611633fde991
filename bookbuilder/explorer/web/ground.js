// Draws boards and pieces as SVG, and converts names of squares, as in UCI (chess) and ICCS (xiangqi), to coordinates of
// the drawing and back. A field has a side of 100. Xiangqi pieces stand in the middle of fields.

import { s } from "./dom.js";
import { t } from "./words.js";

/** Sizes of the boards: files, ranks, number of the first rank, margin around the fields. */
export const BOARDS = {
  chess: { files: 8, ranks: 8, base: 1, margin: 0 },
  xiangqi: { files: 9, ranks: 10, base: 0, margin: 30 },
};

function fileName(file) {
  return String.fromCharCode(97 + file);
}

/** Returns the top left corner of a square's field. */
export function cornerOf(game, square, flip) {
  const { files, ranks, base, margin } = BOARDS[game];
  const file = square.charCodeAt(0) - 97;
  const rank = Number(square.slice(1)) - base;
  const column = flip ? files - 1 - file : file;
  const row = flip ? rank : ranks - 1 - rank;
  return [margin + column * 100, margin + row * 100];
}

/** Returns the square at a point of the drawing, null outside the board. */
export function squareAt(game, x, y, flip) {
  const { files, ranks, base, margin } = BOARDS[game];
  const column = Math.floor((x - margin) / 100);
  const row = Math.floor((y - margin) / 100);
  if (column < 0 || column >= files || row < 0 || row >= ranks) return null;
  const file = flip ? files - 1 - column : column;
  const rank = flip ? row : ranks - 1 - row;
  return fileName(file) + (rank + base);
}

/** Returns the pieces of a FEN by their squares. */
export function piecesOf(game, fen) {
  const { ranks, base } = BOARDS[game];
  const pieces = new Map();
  fen.split(" ")[0].split("/").forEach((row, below) => {
    let file = 0;
    for (const letter of row) {
      // An unknown letter is a fault of the FEN, which the server reports.
      if (letter.toUpperCase() in NAMES[game]) pieces.set(fileName(file) + (ranks - 1 - below + base), letter);
      file += Number(letter) || 1;
    }
  });
  return pieces;
}

/** Returns the path of an arrow between two points, as wide as `width`, which begins `rim` after the first one and `lane` beside it. */
export function arrowPath([x1, y1], [x2, y2], width, rim, lane) {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const at = (along, across) =>
    `${(x1 + along * cos - (across + lane) * sin).toFixed(1)} ${(y1 + along * sin + (across + lane) * cos).toFixed(1)}`;
  const tip = Math.hypot(x2 - x1, y2 - y1) - 8;
  const head = Math.max(14, 1.5 * width);
  // The head of a short arrow is flat, not small: its width says the frequency.
  const shaft = tip - Math.min(1.3 * head, 0.6 * (tip - rim));
  const half = width / 2;
  const ends = [[rim, half], [shaft, half], [shaft, head], [tip, 0], [shaft, -head], [shaft, -half], [rim, -half]];
  return `M${ends.map((end) => at(...end)).join("L")}z`;
}

/** Returns the nodes of an empty board, with the coordinates of a notation. */
export function groundOf(game, flip, notation) {
  const isByFile = ["wxf", "chinese", "chinese-traditional"].includes(notation);
  const coordinates = isByFile ? filesOf(flip, notation !== "wxf") : coordinatesOf(game, flip);
  return [...(game === "chess" ? chessSquares() : xiangqiLines()), ...coordinates];
}

function chessSquares() {
  const fields = Array.from({ length: 64 }, (_, n) => [n % 8, n >> 3]).filter(([column, row]) => (column + row) % 2);
  const dark = fields.map(([column, row]) => `M${column * 100} ${row * 100}h100v100h-100z`).join("");
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
  const points = [[1, 2], [7, 2], [1, 7], [7, 7], ...[0, 2, 4, 6, 8].flatMap((file) => [[file, 3], [file, 6]])];
  return points.flatMap(([file, row]) =>
    [-1, 1].filter((right) => file + right >= 0 && file + right <= 8).flatMap((right) =>
      [-1, 1].map((up) => `M${near + file * 100 + 8 * right} ${near + row * 100 + 24 * up}v${-16 * up}h${16 * right}`)
    )
  ).join("");
}

const NUMERALS = "一二三四五六七八九";

/** Returns the files as both sides count them, each from its right: Red's in Chinese numerals for a Chinese notation. */
function filesOf(flip, isChinese) {
  const [below, above] = flip ? [1049, 26] : [26, 1049];
  return Array.from({ length: 9 }, (_, file) => {
    const [x] = cornerOf("xiangqi", `${fileName(file)}0`, flip);
    const place = (y) => ({ class: "coordinate", x: x + 50, y, "text-anchor": "middle" });
    return [s("text", place(above), isChinese ? NUMERALS[8 - file] : 9 - file), s("text", place(below), file + 1)];
  }).flat();
}

function coordinatesOf(game, flip) {
  const { files, ranks, base } = BOARDS[game];
  // Offsets of the names of files and of ranks, and where the names of files are anchored.
  const [right, bottom, left, down, anchor] = game === "chess" ? [94, 793, 6, 23, "end"] : [50, 1049, 8, 58, "middle"];
  const text = (place, name) => s("text", { class: "coordinate", ...place }, name);
  const named = Array.from({ length: files }, (_, file) => {
    const [x] = cornerOf(game, `${fileName(file)}${base}`, flip);
    return text({ x: x + right, y: bottom, "text-anchor": anchor }, fileName(file));
  });
  const numbered = Array.from({ length: ranks }, (_, rank) => {
    const [, y] = cornerOf(game, `a${rank + base}`, flip);
    return text({ x: left, y: y + down }, rank + base);
  });
  return [...named, ...numbered];
}

let outlines = null;

/** Loads the outlines. Must be called before a board is drawn. */
export async function loadPieces() {
  const response = await fetch(new URL("pieces.json", import.meta.url));
  outlines = await response.json();
}

/** The looks of boards and pieces. The style sheet has their colours. */
export const LOOKS = ["slate", "wood", "paper"];
// The sets of pieces of each look.
const SETS = {
  chess: { slate: "chess", wood: "turned", paper: "cut" },
  xiangqi: { slate: "chinese", wood: "chinese", paper: "latin" },
};

/** Returns the drawing of a piece in a field of 100 × 100. */
export function pieceNode(game, letter, look) {
  const side = letter === letter.toUpperCase() ? "first" : "second";
  const set = outlines[SETS[game][look]];
  if (game === "chess") {
    const parts = set[letter.toUpperCase()];
    return s("g", { class: `piece chess ${side}` }, parts.map(([kind, path]) => s("path", { class: kind, d: path })));
  }
  const [[, path]] = set[letter] ?? set[letter.toUpperCase()];
  return s(
    "g",
    { class: `piece xiangqi ${side}` },
    s("circle", { class: "disc", cx: 50, cy: 50, r: 44 }),
    s("circle", { class: "ring", cx: 50, cy: 50, r: 37.5 }),
    s("path", { class: "glyph", d: path, transform: "translate(22.5 22.5) scale(.55)" }),
  );
}

const NAMES = {
  chess: { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" },
  xiangqi: { K: "general", A: "advisor", B: "elephant", R: "chariot", N: "horse", C: "cannon", P: "soldier" },
};

export function pieceName(game, letter) {
  return t(NAMES[game][letter.toUpperCase()]);
}
