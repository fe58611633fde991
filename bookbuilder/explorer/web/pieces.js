// Draws pieces as SVG, from the outlines in pieces.json.

import { s } from "./dom.js";
import { t } from "./words.js";

let outlines = null;

/** Loads the outlines. Must be called before a board is drawn. */
export async function loadPieces() {
  const response = await fetch(new URL("pieces.json", import.meta.url));
  outlines = await response.json();
}

/** Returns the drawing of a piece in a field of 100 × 100. `letters` is chinese or latin, for xiangqi. */
export function pieceNode(game, letter, letters) {
  const side = letter === letter.toUpperCase() ? "first" : "second";
  if (game === "chess") {
    const parts = outlines.chess[letter.toUpperCase()];
    return s(
      "g",
      { class: `piece chess ${side}` },
      parts.map(([kind, path]) => s("path", { class: kind, d: path })),
    );
  }
  const set = outlines[letters] ?? outlines.chinese;
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

/** Returns the name of a piece. */
export function pieceName(game, letter) {
  return t(NAMES[game][letter.toUpperCase()]);
}
