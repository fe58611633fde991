// The answers of an export: files in a folder, without a server. A position is found by its moves from the start.

import { t } from "./words.js";

const meta = document.querySelector("meta[name=bookbuilder-export]");

/** Whether this page belongs to an export. */
export const isExport = meta !== null;

/** The path of the explorer's page; an export may lie anywhere on its host. */
export const HOME = isExport ? location.pathname : "/";

const files = new Map();

async function read(name) {
  if (!files.has(name)) {
    const response = await fetch(new URL(`${meta.content}/${name}.json`, document.baseURI));
    if (!response.ok) throw new Error(t("{name} is missing from this export ({status})", { name, status: response.status }));
    files.set(name, await response.json());
  }
  return files.get(name);
}

/** Returns the answer to a request that an export can answer: `/sources`, `/position`, `/games` and `/line`. */
export async function askExport(path, asked) {
  const sources = await read("sources");
  if (path === "/sources") return sources;
  const source = sources.sources.find((each) => each.id === asked.src) ?? sources.sources[0];
  if (path === "/position") return positionAt(source, asked);
  if (path === "/games") return { games: (await positionAt(source, asked)).games };
  if (path === "/line") return lineOf(source, asked);
  throw new Error(t("An export shows positions only; start the explorer with bookbuilder serve."));
}

async function positionAt(source, { fen, play }) {
  if (fen) throw new Error(t("An export begins at the start position; it has no other set-ups."));
  let name = source.start;
  let answer = await read(`${source.id}/${name}`);
  const walked = { path: [], opening: answer.opening };
  const moves = play ? play.split(",") : [];
  for (const [ply, text] of moves.entries()) {
    const move = answer.moves.find((each) => each.move === text);
    if (!move?.after) {
      const about = { move: move?.san ?? text, n: ply + 1 };
      throw new Error(t("The export ends before {move}, move {n} of the line.", about));
    }
    name = move.after;
    answer = await read(`${source.id}/${name}`);
    walked.path.push({ move: text, names: move.names });
    walked.opening = answer.opening ?? walked.opening;
  }
  return { ...answer, ...walked, plies: moves.length, dests: destsOf(answer) };
}

/** Returns the destinations of the moves that the export has. */
function destsOf({ moves }) {
  const found = {};
  for (const { move, after } of moves) {
    if (after) (found[move.slice(0, 2)] ??= []).push(move.slice(2, 4));
  }
  return found;
}

/** Returns the line of moves that was typed, in any notation of the page. */
async function lineOf(source, { play, text }) {
  const words = text.replaceAll(/\d+\s*\.+/g, " ").trim().split(/\s+/);
  let line = /^\s*1\s*\./.test(text) ? [] : play ? play.split(",") : [];
  for (const word of words) {
    const { moves } = await positionAt(source, { play: line.join(",") });
    const found = moves.find(({ move, names }) => move === word || Object.values(names).includes(word));
    if (!found) throw new Error(t("{word} is not a move that this export has here.", { word }));
    line = [...line, found.move];
  }
  return { fen: "", play: line.join(",") };
}
