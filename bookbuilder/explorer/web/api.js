// Questions to the server: a route and its parameters in, its answer out. Answers about positions are remembered, and
// a question that a newer one of its kind overtakes is given up.

const REMEMBERED = 300;
const known = new Map();
const running = new Map();

/** What the server refused, in its own words. */
export class Refusal extends Error {
  constructor(message, code, status) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Returns the address of a route of the server's interface. */
export function route(path, parameters = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== "" && value !== null && value !== undefined) search.set(name, value);
  }
  return `/api/v1${path}${search.size ? `?${search}` : ""}`;
}

/** Returns an answer. Of two questions of the same kind only the newer one is answered: the older throws an AbortError. */
export async function ask(path, parameters = {}, { kind = path } = {}) {
  const address = route(path, parameters);
  running.get(kind)?.abort();
  if (known.has(address)) return known.get(address);
  const control = new AbortController();
  running.set(kind, control);
  const answer = await fetched(address, { signal: control.signal });
  known.set(address, answer);
  if (known.size > REMEMBERED) known.delete(known.keys().next().value);
  return answer;
}

/** Changes something on the server; what was remembered may then be wrong, and is forgotten. */
export async function send(method, path, body) {
  const { token } = await fetched(route("/write-token"), {});
  const headers = { "content-type": "application/json", "x-bookbuilder-write": token };
  const answer = await fetched(route(path), { method, headers, body: JSON.stringify(body) });
  known.clear();
  return answer;
}

async function fetched(address, options) {
  let response;
  try {
    response = await fetch(address, { headers: { accept: "application/json" }, ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("the server does not answer; is `bookbuilder serve` still running?", "unreachable", 0);
  }
  const type = response.headers.get("content-type") ?? "";
  const answer = type.includes("json") ? await response.json() : {};
  if (response.ok) return answer;
  throw new Refusal(
    answer.error?.message ?? `the server answered ${response.status}`,
    answer.error?.code,
    response.status,
  );
}
