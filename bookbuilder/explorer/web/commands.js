// Commands and Python that give the same result as the page.

import { changedOptions, movesOf, SELECTION } from "./state.js";

// The options that `show` takes too.
const SHOWN = ["p", "min_games", "margin"];
// More plies than a game has.
const MOST_PLIES = 65_535;

/** Returns the options of selection to name in a command or a call: those that differ from the defaults. */
function chosenOptions(state) {
  return changedOptions(state).map((name) => ({
    option: name,
    name: name === "p" ? "min_win_rate" : name,
    kind: SELECTION[name],
    value: state[name],
  }));
}

/** Returns a word as a shell takes it. */
function quoted(word) {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Returns the flags of changed options; `known` are those of the command, all if it is not given. */
function flagsOf(source, state, known = Object.keys(SELECTION)) {
  const offered = chosenOptions(state).filter(({ option }) => known.includes(option));
  return offered.flatMap(({ name, kind, value }) => {
    const flag = `--${name.replaceAll("_", "-")}`;
    if (kind === "flag") return [flag];
    return [flag, name === "max_ply" ? depthOf(source, value) : value];
  });
}

/** Returns plies as the command takes them: a number, and no more than the store has. */
function depthOf(source, plies) {
  const most = source.max_ply ?? MOST_PLIES;
  return String(plies === "all" ? most : Math.min(Number(plies), most));
}

/** Returns the command that shows the position. */
export function showCommand(source, state) {
  const words = ["bookbuilder", "show", source.path ?? source.name];
  if (state.fen) words.push("--fen", state.fen);
  if (state.play) words.push("--moves", movesOf(state.play).join(" "));
  if (source.kind !== "book") words.push(...flagsOf(source, state, SHOWN));
  return words.map(quoted).join(" ");
}

/** Returns the command that builds a book with the thresholds. */
export function buildCommand(source, state) {
  const words = ["bookbuilder", "build", source.path ?? source.name, "-o", `${source.game}.book`];
  words.push(...flagsOf(source, state));
  return words.map(quoted).join(" ");
}

function text(value) {
  return JSON.stringify(value);
}

function selectCall(state) {
  const number = (value) => (/^\d+$/.test(value) ? value : text(value));
  const written = { flag: () => "True", number, share: text, word: text };
  const given = chosenOptions(state).map(({ name, kind, value }) => `, ${name}=${written[kind](value)}`);
  return `bb.select(tally${given.join("")})`;
}

function positionLines(source, state) {
  const start = state.fen
    ? `bb.Position(${text(source.game)}, ${text(state.fen)})`
    : `bb.Position(${text(source.game)})`;
  const lines = [`position = ${start}`];
  if (state.play) {
    lines.push(
      `for move in ${text(movesOf(state.play).join(" "))}.split():`,
      "    position = position.play(position.parse_move(move))",
    );
  }
  return lines;
}

/** Returns Python that shows the position. */
export function showPython(source, state) {
  const path = text(source.path ?? source.name);
  if (source.kind === "book") {
    return [
      "import bookbuilder as bb",
      "",
      `book = ${source.format ? "bb.open_book" : "bb.Book.open"}(${path})`,
      ...positionLines(source, state),
      "print(book.moves(position))",
      "",
    ].join("\n");
  }
  const lines = [
    "import bookbuilder as bb",
    "from bookbuilder.selection.explain import explain",
    "",
    `tally = bb.Tally.open(${path})`,
  ];
  return [
    ...lines,
    ...positionLines(source, state),
    `chosen = ${selectCall(state)}`,
    "print(explain(tally, chosen, position).to_string())",
    "",
  ].join("\n");
}

/** Returns Python that builds a book with the thresholds. */
export function buildPython(source, state) {
  const path = text(source.path ?? source.name);
  const lines = [
    "import bookbuilder as bb",
    "",
    `tally = bb.Tally.open(${path})`,
    `chosen = ${selectCall(state)}`,
  ];
  return [...lines, `book = bb.Book.write(${text(`${source.game}.book`)}, chosen)`, "print(book)", ""].join(
    "\n",
  );
}

/** Returns the command that describes a source. */
export function infoCommand(source) {
  const path = quoted(source.path ?? source.name);
  return source.kind === "book" ? `bookbuilder book info ${path}` : `bookbuilder threshold ${path}`;
}

/** Returns Python that describes a source. */
export function infoPython(source) {
  const path = text(source.path ?? source.name);
  const book = source.format ? `bb.open_book(${path})` : `bb.Book.open(${path}).info`;
  const described = source.kind === "book" ? book : `bb.Tally.open(${path})`;
  return `import bookbuilder as bb\n\nprint(${described})\n`;
}
