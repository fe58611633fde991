// Converts names of squares, as in UCI (chess) and ICCS (xiangqi), to coordinates of the drawing and back. A field has a
// side of 100. Xiangqi pieces stand in the middle of fields.

/** Sizes of the boards: files, ranks, number of the first rank, margin around the fields. */
export const BOARDS = {
  chess: { files: 8, ranks: 8, base: 1, margin: 0 },
  xiangqi: { files: 9, ranks: 10, base: 0, margin: 30 },
};

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
  return String.fromCharCode(97 + file) + String(rank + base);
}

/** Returns the pieces of a FEN by their squares. */
export function piecesOf(game, fen) {
  const { ranks, base } = BOARDS[game];
  const pieces = new Map();
  fen.split(" ")[0].split("/").forEach((row, below) => {
    let file = 0;
    for (const letter of row) {
      if (letter >= "0" && letter <= "9") {
        file += Number(letter);
      } else {
        pieces.set(String.fromCharCode(97 + file) + String(ranks - 1 - below + base), letter);
        file += 1;
      }
    }
  });
  return pieces;
}

/** Returns the path of an arrow between two points, as wide as `width`, which begins `rim` after the first one. */
export function arrowPath([x1, y1], [x2, y2], width, rim) {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const at = (along, across) =>
    `${(x1 + along * cos - across * sin).toFixed(1)} ${(y1 + along * sin + across * cos).toFixed(1)}`;
  const tip = Math.hypot(x2 - x1, y2 - y1) - 8;
  const head = Math.max(14, 1.5 * width);
  // The head of a short arrow is flat, not small: its width says the frequency.
  const shaft = tip - Math.min(1.3 * head, 0.6 * (tip - rim));
  const half = width / 2;
  const points = [
    at(rim, half),
    at(shaft, half),
    at(shaft, head),
    at(tip, 0),
    at(shaft, -head),
    at(shaft, -half),
    at(rim, -half),
  ];
  return `M${points.join("L")}z`;
}
