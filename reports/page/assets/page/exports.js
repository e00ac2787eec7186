// The current view as a file. Numbers are those that are stored, not those that are shown.

import { words } from "./words.js";
import { announce, h } from "./dom.js";
import { data } from "./data.js";
import { isLeftOut } from "./filters.js";
import { view } from "./state.js";

// A row as `kbench report json` writes it: dotted names become nested objects.
const nested = (row) => {
  const made = {};
  for (const { name } of data.fields) {
    const [outer, inner] = name.split(".");
    if (inner === undefined) made[outer] = row[name];
    else (made[outer] ||= {})[inner] = row[name];
  }
  return made;
};

// The run that rows in view are of: on a page of several runs each board has its own.
const runNow = () => {
  const board = data.boards[Number(view.board)];
  return board?.run ? { id: board.run, started_at: board.started_at } : data.run;
};

// Names of tasks whose boxes are not ticked stand beside the rows, which stay as they are stored.
export const toJson = (rows) => {
  const out = [...new Set(rows.map(({ task }) => task))].filter((task) => isLeftOut(view, { task }));
  return `${JSON.stringify({
    schema_version: data.schema, run_id: runNow().id, started_at: runNow().started_at,
    ...(out.length > 0 ? { left_out_of_scores: out } : {}), results: rows.map(nested),
  }, null, 2)}\n`;
};

// One column for each number: a speed-up becomes several. The first two are those of `kbench report csv`; the
// last is the reader's choice.
const flat = (row) => [["run_id", runNow().id], ["started_at", runNow().started_at], ...fieldsOf(row),
  ["left_out_of_scores", isLeftOut(view, row)]];

const fieldsOf = (row) => data.fields.flatMap(({ name, unit }) => {
  const value = row[name];
  if (unit !== "speedup")
    return [[name, unit === "object" && value ? JSON.stringify(value) : value]];
  return data.speedupParts.map((part) => [`${name}.${part}`, value ? value[part] : null]);
});

// A spreadsheet takes a text that begins like this for a formula and runs it.
const csvCell = (value) => {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const toCsv = (rows) => {
  if (rows.length === 0) return "";
  const head = flat(rows[0]).map(([name]) => name);
  const lines = rows.map((row) => flat(row).map(([, value]) => csvCell(value)).join(","));
  return `${[head.join(","), ...lines].join("\r\n")}\r\n`;
};

// Lines of any table, the heading first.
export const tableToCsv = (table) =>
  `${table.map((line) => line.map(csvCell).join(",")).join("\r\n")}\r\n`;

const markdownCell = (text) => String(text).replace(/[\\|<>*_`[\]]/g, "\\$&").replaceAll("\n", " ");

// `table` is a list of lines, the heading first.
export const toMarkdown = (table) => {
  const lines = table.map((cells) => `| ${cells.map(markdownCell).join(" | ")} |`);
  lines.splice(1, 0, `|${table[0].map((_, i) => (i === 0 ? " --- " : " ---: ")).join("|")}|`);
  return `${lines.join("\n")}\n`;
};

export const save = (name, type, text) => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
};

// `kinds`: the name of a button and what it saves, for each.
const saveButtons = (label, legend, kinds) => h("div", { class: "exports", role: "group", "aria-label": label },
  h("span", { class: "legend" }, legend),
  kinds.map(([name, act]) => h("button", {
    type: "button", on: { click: () => { act(); announce(words.exported(name)); } },
  }, name)));

// `rowsOf` gives the rows in view, `tableOf` its text, when somebody asks.
export const exportButtons = (rowsOf, tableOf) => saveButtons(words.exportView, words.exportView, [
  ["CSV", () => save("kbench.csv", "text/csv", toCsv(rowsOf()))],
  ["JSON", () => save("kbench-view.json", "application/json", toJson(rowsOf()))],
  ["Markdown", () => save("kbench.md", "text/markdown", toMarkdown(tableOf()))],
]);

// Each line with the run that it is of, as the first columns of any CSV.
const withRun = ([heading, ...lines]) => [["run_id", "started_at", ...heading],
  ...lines.map((cells) => [runNow().id, runNow().started_at, ...cells])];

// The same for a table that is no list of rows: `numbersOf` gives numbers as they are stored, for a spreadsheet.
// `partsOf` gives the choices behind the numbers, which stand above a Markdown table.
export const tableButtons = (label, name, numbersOf, tableOf, partsOf) => saveButtons(label, words.export, [
  ["CSV", () => save(`${name}.csv`, "text/csv", tableToCsv(withRun(numbersOf())))],
  ["Markdown", () => save(`${name}.md`, "text/markdown",
    `${markdownCell(words.exportOf(runNow().id, runNow().started_at, partsOf()))}\n\n${toMarkdown(tableOf())}`)],
]);
