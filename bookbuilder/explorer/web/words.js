// The words of the page in the reader's language: the one that the reader chose, else that of the browser. The English
// text is the key of the table of translations, so that the code can be read. What the server says is in English.

import { MESSAGES, TRANSLATIONS } from "./translations.js";

/** Preferences of the reader, which the browser stores. */
export const preferences = {
  read(name, otherwise) {
    try {
      return localStorage.getItem(`bookbuilder.${name}`) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  write(name, value) {
    try {
      localStorage.setItem(`bookbuilder.${name}`, value);
    } catch {
      // A browser that stores nothing still shows everything.
    }
  },
};

/** The languages of the page: [tag, short name, name], in the order of the table of translations. */
export const LANGUAGES = [["en", "EN", "English"], ["zh-Hans", "简", "简体中文"], ["zh-Hant", "繁", "繁體中文"]];

/** The language of the page. It holds until the page is loaded again. */
export const language = LANGUAGES.map(([tag]) => tag).find((tag) => tag === preferences.read("language", "")) ??
  ofBrowser(navigator.languages);

/** Returns the first of the browser's languages that the page has. Chinese names its script, or its region tells it. */
function ofBrowser(tags) {
  const known = tags.map((tag) => tag.toLowerCase()).find((tag) => /^(en|zh)\b/.test(tag)) ?? "en";
  if (!known.startsWith("zh")) return "en";
  return /\b(hant|tw|hk|mo)\b/.test(known) ? "zh-Hant" : "zh-Hans";
}

const column = LANGUAGES.findIndex(([tag]) => tag === language);
const table = new Map(TRANSLATIONS.map((row) => [row[0], row[column]]));

/** Short names of the notations of moves. */
export const NOTATION_NAMES = {
  san: "SAN",
  uci: "UCI",
  wxf: "WXF",
  iccs: "ICCS",
  chinese: "简体",
  "chinese-traditional": "繁體",
};

/** Returns the sentence for an error of the server in the reader's language; it speaks English. */
export function messageOf({ code, message }) {
  return (column && MESSAGES.find(([each]) => each === code)?.[column]) || message;
}

/** Returns a text in the reader's language, with `{name}` replaced by values; in English if the table lacks it. */
export function t(text, values = {}) {
  const found = table.get(text) ?? text;
  return found.replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
