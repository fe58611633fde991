// The board of either game. A piece is moved by two clicks or taps, or by dragging it with mouse, pen or finger. The
// module does not know the rules: the server sends the legal destinations of each piece.

import { sidesOf } from "./cells.js";
import { announce, h, s } from "./dom.js";
import { arrowPath, BOARDS, cornerOf, groundOf, LOOKS, pieceName, pieceNode, piecesOf, squareAt } from "./ground.js";
import { t } from "./words.js";

const DRAG_PIXELS = 5;
// Arrows begin at the rim of a piece.
const RIM = { chess: 26, xiangqi: 45 };
// Arrows in one direction from one square are drawn side by side.
const LANE = 17;
const GLIDE_MS = 140;
// A move changes the place of one piece, castling of two. More are another position.
const MOST_GLIDING = 2;

export class Board {
  /** Makes a board; `onMove` is called with a move's coordinates. */
  constructor(game, { onMove = null, small = false } = {}) {
    const { files, ranks, margin } = BOARDS[game];
    this.game = game;
    this.onMove = onMove;
    const layers = ["ground", "marks", "dots", "pieces", "arrows", "dragged"];
    this.layers = Object.fromEntries(layers.map((name) => [name, s("g", { class: `layer-${name}` })]));
    const attributes = {
      class: `board ${game}${small ? " small" : ""}`,
      viewBox: `0 0 ${files * 100 + 2 * margin} ${ranks * 100 + 2 * margin}`,
    };
    const on = {
      pointerdown: (event) => this.press(event),
      pointermove: (event) => this.pull(event),
      pointerup: (event) => this.release(event),
      pointercancel: () => this.drop(),
      contextmenu: (event) => this.drag && event.preventDefault(),
      keydown: (event) => this.key(event),
      focusout: () => this.point(null),
    };
    const use = onMove ? { role: "application", tabindex: 0, on } : { role: "img" };
    this.svg = s("svg", { ...attributes, ...use }, Object.values(this.layers));
    // A finger on a piece that can move drags it; elsewhere it scrolls the page.
    this.svg.addEventListener("touchstart", (event) => this.drag && event.preventDefault(), { passive: false });
    this.node = h("div", { class: `board-frame ${game}` }, this.svg);
    this.view = { fen: "", dests: {}, flip: false, last: "", arrows: [], look: LOOKS[0], lit: null, check: false };
    this.selected = this.cursor = this.drag = null;
  }

  show(changes) {
    const [before, stood] = [this.view, this.pieces];
    this.view = { ...before, ...changes };
    if (changes.fen !== undefined || changes.dests !== undefined) this.selected = null;
    const { flip, notation } = this.view;
    if (before.flip !== flip || before.notation !== notation) {
      this.layers.ground.replaceChildren(...groundOf(this.game, flip, notation));
    }
    this.drawPieces();
    if (before.flip === this.view.flip && stood) this.glide(stood);
    this.isDropped = false;
    this.drawMarks();
    this.drawArrows();
  }

  /** Lets the pieces that changed their place glide there, unless the reader dragged one. */
  glide(stood) {
    if (this.isDropped || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const moved = movedPieces(stood, this.pieces);
    if (!moved.length || moved.length > MOST_GLIDING) return;
    for (const [from, to] of moved) {
      const frames = [from, to].map((square) => {
        const [x, y] = this.corner(square);
        return { transform: `translate(${x}px, ${y}px)` };
      });
      this.nodes.get(to).animate(frames, { duration: GLIDE_MS, easing: "ease-out" });
    }
  }

  /** Highlights the arrow of one move, null = of none. */
  light(move) {
    if (this.view.lit === move) return;
    this.view.lit = move;
    this.drawArrows();
  }

  /** Returns the top left corner of a square. */
  corner(square) {
    return cornerOf(this.game, square, this.view.flip);
  }

  centre(square) {
    return this.corner(square).map((each) => each + 50);
  }

  drawPieces() {
    const { fen, look, dests } = this.view;
    for (const each of LOOKS) this.svg.classList.toggle(each, each === look);
    this.pieces = piecesOf(this.game, fen);
    const stood = this.nodes;
    this.nodes = new Map();
    for (const [square, letter] of this.pieces) {
      // A piece that stays keeps its drawing, since most pieces stay.
      const name = letter + look;
      const old = stood?.get(square);
      const node = old?.dataset.name === name ? old : pieceNode(this.game, letter, look);
      node.dataset.name = name;
      node.setAttribute("transform", `translate(${this.corner(square).join(" ")})`);
      node.classList.toggle("movable", Boolean(this.onMove && dests[square]));
      this.nodes.set(square, node);
      // A piece that moves is drawn above the others.
      if (node.parentNode !== this.layers.pieces) this.layers.pieces.append(node);
    }
    for (const [square, node] of stood ?? []) if (this.nodes.get(square) !== node) node.remove();
    this.svg.setAttribute("aria-label", wordsOf(this.game, fen, this.pieces));
  }

  drawMarks() {
    const { last, dests, check, fen } = this.view;
    const marks = last ? [this.mark(last.slice(0, 2), "last from"), this.mark(last.slice(2, 4), "last")] : [];
    if (check) {
      const king = fen.split(" ")[1] === "b" ? "k" : "K";
      for (const [square, letter] of this.pieces) if (letter === king) marks.push(this.mark(square, "check"));
    }
    if (this.selected) marks.push(this.mark(this.selected, "selected"));
    if (this.cursor) marks.push(this.mark(this.cursor, "cursor"));
    this.layers.marks.replaceChildren(...marks);
    const dots = (this.selected ? dests[this.selected] ?? [] : []).map((square) => {
      const [cx, cy] = this.centre(square);
      const taken = this.pieces.has(square);
      return s("circle", { class: taken ? "dest taken" : "dest", cx, cy, r: taken ? 46 : 15 });
    });
    this.layers.dots.replaceChildren(...dots);
  }

  mark(square, kind) {
    const [[x, y], [cx, cy]] = [this.corner(square), this.centre(square)];
    if (this.game === "chess") return s("rect", { class: `mark ${kind}`, x, y, width: 100, height: 100 });
    return s("circle", { class: `mark ${kind}`, cx, cy, r: kind === "last from" ? 34 : 48 });
  }

  drawArrows() {
    const { arrows, lit } = this.view;
    const own = arrows.find((each) => each.move === lit) ?? { move: lit, share: 0.3, kept: true };
    const lanes = lanesOf(arrows.map((each) => each.move));
    const nodes = arrows.filter((each) => each.move !== lit).map((each) => this.arrow(each, lit ? " faint" : "", lanes));
    this.layers.arrows.replaceChildren(...nodes, lit ? this.arrow(own, " lit", lanes) : "");
  }

  arrow({ move, share, kept }, more, lanes) {
    const ends = [move.slice(0, 2), move.slice(2, 4)].map((square) => this.centre(square));
    const width = 7 + 19 * Math.min(1, share);
    return s("path", {
      class: `arrow${kept ? " kept" : " dropped"}${more}`,
      "data-move": move,
      d: arrowPath(...ends, width, RIM[this.game], (lanes.get(move) ?? 0) * LANE),
    });
  }

  /** Moves a cursor by the arrow keys; Enter takes the piece there, and puts it on another square. */
  key(event) {
    const steps = { ArrowLeft: [-50, 50], ArrowRight: [150, 50], ArrowUp: [50, -50], ArrowDown: [50, 150] };
    const step = steps[event.key];
    if (event.altKey || !(step || (this.cursor && ["Enter", " ", "Escape"].includes(event.key)))) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") {
      this.selected = null;
      this.point(null);
    } else if (step) {
      const { ranks, margin } = BOARDS[this.game];
      // The cursor begins in the corner at the bottom left.
      const [x, y] = this.cursor ? this.corner(this.cursor) : [margin - step[0] + 50, margin + 100 * ranks - step[1] - 50];
      this.point(squareAt(this.game, x + step[0], y + step[1], this.view.flip) ?? this.cursor);
    } else if (this.selected && this.reaches(this.selected, this.cursor)) {
      this.move(this.selected, this.cursor);
    } else {
      this.selected = this.view.dests[this.cursor] ? this.cursor : null;
      this.drawMarks();
    }
  }

  /** Puts the cursor on a square, and says what stands there; null takes it away. */
  point(square) {
    this.cursor = square;
    this.drawMarks();
    if (!square) return;
    const letter = this.pieces.get(square);
    announce(letter ? `${square}: ${pieceName(this.game, letter)}` : square);
  }

  place(event) {
    const box = this.svg.getBoundingClientRect();
    const view = this.svg.viewBox.baseVal;
    return [
      ((event.clientX - box.left) / box.width) * view.width,
      ((event.clientY - box.top) / box.height) * view.height,
    ];
  }

  press(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    const square = squareAt(this.game, ...this.place(event), this.view.flip);
    if (!square) return;
    if (this.selected && this.reaches(this.selected, square)) {
      event.preventDefault(); // else the press takes the focus from the choice of a promotion
      return this.move(this.selected, square);
    }
    const isMovable = Boolean(this.view.dests[square]);
    const again = this.selected === square;
    this.selected = isMovable ? square : null;
    this.drawMarks();
    if (!isMovable) return;
    this.drag = { square, again, from: [event.clientX, event.clientY], moves: false };
    this.svg.setPointerCapture(event.pointerId);
    event.preventDefault();
  }

  pull(event) {
    if (!this.drag) return;
    const [x, y] = this.drag.from;
    if (!this.drag.moves && Math.hypot(event.clientX - x, event.clientY - y) < DRAG_PIXELS) return;
    const node = this.nodes.get(this.drag.square);
    if (!this.drag.moves) this.layers.dragged.append(node);
    this.drag.moves = true;
    const [left, top] = this.place(event);
    node.setAttribute("transform", `translate(${left - 50} ${top - 50})`);
  }

  release(event) {
    const drag = this.drag;
    if (!drag) return;
    const square = squareAt(this.game, ...this.place(event), this.view.flip);
    const isMove = drag.moves && square && this.reaches(drag.square, square);
    this.isDropped = Boolean(isMove);
    this.drop();
    if (isMove) this.move(drag.square, square);
    else if (drag.moves || drag.again) {
      this.selected = null;
      this.drawMarks();
    }
  }

  /** Puts a dragged piece back on its square. */
  drop() {
    const drag = this.drag;
    this.drag = null;
    if (drag?.moves) this.drawPieces();
  }

  reaches(from, to) {
    return (this.view.dests[from] ?? []).includes(to);
  }

  async move(from, to) {
    this.selected = null;
    this.drawMarks();
    const letter = this.pieces.get(from);
    const promotes = this.game === "chess" && letter.toUpperCase() === "P" && "18".includes(to[1]);
    const promoted = promotes ? await this.askPromotion(letter) : "";
    if (promoted !== null) this.onMove(from + to + promoted);
  }

  /** Asks for the piece that a pawn becomes. Resolves to its letter, or null if the move is cancelled. */
  askPromotion(pawn) {
    return new Promise((resolve) => {
      const pieces = ["q", "r", "b", "n"].map((kind) => {
        const letter = pawn === "P" ? kind.toUpperCase() : kind;
        const picture = s("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, pieceNode("chess", letter, this.view.look));
        return h("button", { value: kind, "aria-label": pieceName("chess", kind) }, picture);
      });
      const form = h("form", { method: "dialog" }, pieces);
      const dialog = h("dialog", { class: "promotion", "aria-label": t("The pawn becomes") }, form);
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(dialog.returnValue || null);
      });
      this.node.append(dialog);
      dialog.showModal();
    });
  }
}

/** Returns the lane of each move, beside those before it that begin in the same direction: 0, 1, -1, 2 … */
function lanesOf(moves) {
  const counts = new Map();
  return new Map(moves.map((move) => {
    const [x, y] = [move.charCodeAt(2) - move.charCodeAt(0), Number(move[3]) - Number(move[1])];
    const key = `${move.slice(0, 2)} ${Math.atan2(y, x).toFixed(3)}`;
    const n = counts.get(key) ?? 0;
    counts.set(key, n + 1);
    return [move, n % 2 ? (n + 1) / 2 : -n / 2];
  }));
}

/** Returns [from, to] of the pieces that stand elsewhere than before. */
function movedPieces(before, after) {
  const left = [...before].filter(([square, letter]) => after.get(square) !== letter);
  const moved = [];
  for (const [to, letter] of after) {
    if (before.get(to) === letter) continue;
    const place = left.findIndex(([, each]) => each === letter);
    if (place >= 0) moved.push([left.splice(place, 1)[0][0], to]);
  }
  return moved;
}

/** Returns the position in words: the side to move, and the squares of each side's pieces. */
function wordsOf(game, fen, pieces) {
  const sides = sidesOf({ game });
  const placed = sides.map((name, n) => {
    const own = [...pieces].filter(([, letter]) => (letter === letter.toUpperCase()) === (n === 0));
    return `${name}: ${own.map(([square, letter]) => `${pieceName(game, letter)} ${square}`).join(", ")}`;
  });
  const turn = sides[fen.split(" ")[1] === "b" ? 1 : 0];
  const board = game === "chess" ? t("Chess board") : t("Xiangqi board");
  return `${board}, ${t("{side} to move", { side: turn })}. ${placed.join(". ")}.`;
}
