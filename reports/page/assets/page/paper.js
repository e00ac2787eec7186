// Tables for the printer alone: every task shown, and what went wrong.

import { words } from "./words.js";
import { h } from "./dom.js";
import { shortened } from "./format.js";
import { faultText, nameOf, stateText } from "./data.js";

const ON_PAPER = 5; // agents in one table
const LONGEST_MESSAGE = 300; // letters

// A column on paper is narrow: it breaks before an interval, never within one.
const paperCell = (text) => {
  const at = text.indexOf("[");
  return h("td", null, at < 0 ? text : [text.slice(0, at), h("span", { class: "whole" }, text.slice(at))]);
};

const paperTable = (caption, heads, rows) => h("table", { class: "paper" },
  h("caption", null, caption),
  h("thead", null, h("tr", null, heads.map((text) => h("th", { scope: "col" }, text)))),
  h("tbody", null, rows));

// A table of text whose first three columns are the task's and whose others are agents, a few agents at
// a time.
export const paperTables = (caption, table) => {
  const groups = Math.max(1, Math.ceil((table[0].length - 3) / ON_PAPER));
  return Array.from({ length: groups }, (_, group) => {
    const from = 3 + group * ON_PAPER;
    const [heads, ...lines] = table.map((line) => [...line.slice(0, 3), ...line.slice(from, from + ON_PAPER)]);
    return paperTable(caption, heads, lines.map((line) => h("tr", null, line.map(paperCell))));
  });
};

const firstLine = (text) => shortened(text.split("\n", 1)[0], LONGEST_MESSAGE);

const failureRow = (row) => h("tr", null,
  ...[row.task, nameOf(row), stateText(row), faultText(row)].map((text) => h("td", null, text)),
  h("td", { class: "first-line" }, firstLine(row.message || ""), row.hint ? h("small", null, `→ ${row.hint}`) : null));

// The rows of these tasks that failed; nothing where none did. On the screen a task's own page has them.
export const paperFailures = (tasks) => {
  const failed = tasks.flatMap((task) => task.rows).filter((row) => faultText(row) !== "");
  return failed.length === 0 ? [] : [paperTable(words.whatFailed, words.failureHeads, failed.map(failureRow))];
};
