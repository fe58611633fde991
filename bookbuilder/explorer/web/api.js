// Requests to the server. Answers are cached, and a newer request of the same kind cancels the older one.

import { messageOf, t } from "./words.js";

const CACHED = 300;
const cached = new Map();
const running = new Map();

/** Returns an error with the code that the server gave it. */
function refusal(message, code) {
  return Object.assign(new Error(message), { code });
}

/** Returns the address of a route of the API. */
export function route(path, parameters = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== "" && value !== null && value !== undefined) search.set(name, value);
  }
  return `/api/v1${path}${search.size ? `?${search}` : ""}`;
}

/**
 * Returns an answer. Of two requests of the same kind the older one throws an AbortError. A fresh answer is not from
 * the cache.
 */
export async function ask(path, parameters = {}, { kind = path, isFresh = false } = {}) {
  const address = route(path, parameters);
  running.get(kind)?.abort();
  if (cached.has(address) && !isFresh) return cached.get(address);
  const control = new AbortController();
  running.set(kind, control);
  const answer = await fetched(address, { signal: control.signal });
  cached.set(address, answer);
  if (cached.size > CACHED) cached.delete(cached.keys().next().value);
  return answer;
}

/** Runs a request and what draws its answer; `fail` is called with an error. A replaced request is ignored. */
export async function attempt(work, fail) {
  try {
    await work();
  } catch (error) {
    if (error.name !== "AbortError") fail(error);
  }
}

/** Changes something on the server and empties the cache. A body that is a text or a file is sent as it is. */
export async function send(path, body = {}, parameters = {}) {
  const { token } = await fetched(route("/write-token"), {});
  const isFile = typeof body === "string" || body instanceof Blob;
  const kind = isFile ? "application/octet-stream" : "application/json";
  const headers = { "content-type": kind, "x-bookbuilder-write": token };
  const content = isFile ? body : JSON.stringify(body);
  const answer = await fetched(route(path, parameters), { method: "POST", headers, body: content });
  cached.clear();
  return answer;
}

async function fetched(address, options) {
  let response;
  try {
    response = await fetch(address, { headers: { accept: "application/json" }, ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw refusal(t("the server does not answer; is `bookbuilder serve` still running?"), "unreachable");
  }
  const type = response.headers.get("content-type") ?? "";
  const answer = type.includes("json") ? await response.json() : {};
  if (response.ok) return answer;
  const { code, message = `the server answered ${response.status}` } = answer.error ?? {};
  throw refusal(messageOf({ code, message }), code);
}
