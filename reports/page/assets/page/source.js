// What was compiled: the files of a row, the task's own, and what two submissions differ in.

import { words } from "./words.js";
import { folded, h } from "./dom.js";
import { contestant, data } from "./data.js";
import { shortened } from "./format.js";
import { highlight } from "./highlight.js";
import { diffLines } from "./diff.js";
import { remember, view } from "./state.js";

const MOST_HIGHLIGHTED = 200000; // characters of a file: each part becomes an element
const AROUND = 3; // lines shown around what differs

// A submission's own files before the headers that its agent shares.
const ownFirst = (files) =>
  [...files].sort((a, b) => b.path.startsWith("src/") - a.path.startsWith("src/"));

const textOf = (file) => data.contents[file.hash];
const isKept = (file) => textOf(file) !== undefined;
const linesOf = (text) => (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");

const coloured = (text, path) =>
  highlight(text.endsWith("\n") ? text.slice(0, -1) : text, path).map((parts) =>
    h("span", { class: "line" }, parts.map(([kind, part]) =>
      (kind ? h("span", { class: `code-${kind}` }, part) : part)), "\n"));

const plain = (text) => linesOf(text).map((line) => h("span", { class: "line" }, line, "\n"));

export const codeOf = (text, path) =>
  h("pre", { class: "code", tabindex: "0", role: "region", "aria-label": path },
    h("code", null, text.length > MOST_HIGHLIGHTED ? plain(text) : coloured(text, path)));

const SOURCE = { class: "source" };

const fileView = (file) => {
  const name = file.path.replace(/^src\//, "");
  if (!isKept(file)) return h("p", { class: "note" }, words.leftOut(name, file.bytes));
  const text = textOf(file);
  return folded(SOURCE, words.sourceFile(name, linesOf(text).length), () => codeOf(text, name));
};

// Of one row, for its details.
export const sourcesOf = (row) => {
  if (row.agent === null) return [];
  const files = row.sources ? row.sources.files : [];
  const command = row.details.sources;
  return [
    h("h4", null, words.sources),
    files.length === 0 ? h("p", { class: "note" }, words.noSources) : null,
    ownFirst(files).map(fileView),
    command ? h("div", { class: "command" }, h("code", null, command)) : null,
  ];
};

// What the task is made of.
export const taskSource = (task) => {
  if (!task.source) return [];
  const text = data.contents[task.source];
  if (text === undefined) return [h("p", { class: "note" }, words.taskLeftOut)];
  return [folded(SOURCE, words.taskSource, () => codeOf(text, `${task.task}.py`))];
};

const MOST_LETTERS = 100; // of an option: names are somebody else's

const nameOfRow = (row) => shortened(`${contestant(row)} (${row.submission})`, MOST_LETTERS);

// Files of two rows that stand for each other: of one path, or what each has alone in src/.
const pairsOf = (a, b) => {
  const [left, right] = [a, b].map((row) =>
    new Map(ownFirst(row.sources.files).map((f) => [f.path, f])));
  const alone = (files, others) =>
    [...files.values()].filter((f) => !others.has(f.path) && f.path.startsWith("src/"));
  const [onlyLeft, onlyRight] = [alone(left, right), alone(right, left)];
  const pairs = [...left.values()].filter((f) => right.has(f.path))
    .map((f) => [f, right.get(f.path)]);
  if (onlyLeft.length === 1 && onlyRight.length === 1) pairs.push([onlyLeft[0], onlyRight[0]]);
  const paired = new Set(pairs.flat());
  const rest = (files, make) => [...files.values()].filter((f) => !paired.has(f)).map(make);
  return [...pairs, ...rest(left, (f) => [f, null]), ...rest(right, (f) => [null, f])];
};

// Lines far from any that differs are left out: their first index and how many there are.
const hunks = (lines) => {
  const near = new Uint8Array(lines.length);
  lines.forEach(([sign], i) => {
    if (sign !== " ") near.fill(1, Math.max(0, i - AROUND), i + AROUND + 1);
  });
  const made = [];
  for (let i = 0; i < lines.length; i += 1) {
    if (near[i]) made.push(lines[i]);
    else if (i > 0 && !near[i - 1]) made[made.length - 1].count += 1;
    else made.push({ count: 1 });
  }
  return made;
};

const SIGNS = { "-": "removed", "+": "added", " ": "same" };

const diffRow = (a, b) => (line) => {
  if (line.count)
    return h("tr", { class: "skipped" }, h("td", { colspan: "4" }, words.sameLines(line.count)));
  const [sign, i, j] = line;
  const number = (index) => h("td", { class: "number" }, index === null ? "" : String(index + 1));
  return h("tr", { class: SIGNS[sign] }, number(i), number(j), h("td", { class: "sign" }, sign),
    h("td", { class: "text" }, i === null ? b[j] : a[i]));
};

const diffOf = ([left, right]) => {
  const files = [left, right].filter(Boolean);
  const title = h("h4", null, [...new Set(files.map((f) => f.path))].join(" → "));
  const missing = files.find((file) => !isKept(file));
  if (missing) return [title, h("p", { class: "note" }, words.leftOut(missing.path, missing.bytes))];
  if (left && right && left.hash === right.hash)
    return [title, h("p", { class: "note" }, words.sameFile)];
  const [a, b] = [left, right].map((file) => (file ? linesOf(textOf(file)) : []));
  const lines = diffLines(a, b);
  const count = (sign) => lines.filter((line) => line[0] === sign).length;
  return [title,
    h("p", { class: "note" }, words.diffSummary(count("+"), count("-"))),
    h("div", { class: "scroll diff", tabindex: "0", role: "region", "aria-label": title.textContent },
      h("table", null, h("tbody", null, hunks(lines).map(diffRow(a, b)))))];
};

// Two of the task's submissions against each other; nothing where there are no two.
export const sourceComparison = (task) => {
  const rows = task.rows.filter((row) => row.sources);
  if (rows.length < 2) return [];
  const chosen = view.diff.split(".").map((index) => rows.find((r) => String(r.index) === index));
  const result = h("div", { "aria-live": "polite" });
  const pick = (text, start) => h("select", { "aria-label": text },
    start ? null : h("option", { value: "" }, words.pickOne),
    rows.map((row) => h("option", { value: String(row.index), selected: row === start },
      nameOfRow(row))));
  const before = pick(words.diffFrom, chosen[0] || rows[0]);
  const after = pick(words.diffTo, chosen[1]);
  // A file is not held against itself.
  const refuseTheSame = () => {
    if (after.value === before.value) after.value = "";
    for (const option of after.options) option.disabled = option.value === before.value;
  };
  const draw = () => {
    refuseTheSame();
    const [a, b] = [before, after].map((s) => rows.find((row) => String(row.index) === s.value));
    result.replaceChildren(...(a && b ? pairsOf(a, b).flatMap(diffOf) : []));
  };
  const changed = () => {
    draw();
    remember({ diff: after.value ? `${before.value}.${after.value}` : "" });
  };
  for (const select of [before, after]) select.addEventListener("change", changed);
  draw();
  return [h("h3", null, words.compareSources),
    h("div", { class: "filters diff-choice" }, h("label", null, `${words.diffFrom} `, before),
      h("label", null, `${words.diffTo} `, after)),
    result];
};
