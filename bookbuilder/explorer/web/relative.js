// P of a position, and how the P of its moves compares.

/** Returns the wins and losses of the side to move at a position. */
export function winsAndLosses({ turn, first_wins: first, second_wins: second }) {
  return turn === "first" ? [first ?? 0, second ?? 0] : [second ?? 0, first ?? 0];
}

/** Returns the P of a position for the side to move, null without a win or a loss. */
export function ownP(answer) {
  const [wins, losses] = winsAndLosses(answer);
  return wins + losses ? wins / (wins + losses) : null;
}

const BANDS = [-0.08, -0.025, 0.025, 0.08];

/** Returns the colour of a P less the P of the moves beside it, in five bands. */
export function band(difference) {
  if (!Number.isFinite(difference ?? NaN)) return "p-none";
  return ["p-0", "p-1", "p-2", "p-3", "p-4"][BANDS.filter((bound) => difference >= bound).length];
}
