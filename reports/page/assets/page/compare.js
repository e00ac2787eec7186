// Two or more agents, task by task, in pairs.

import { words } from "./words.js";
import { folded, h, taskName } from "./dom.js";
import { box, chart, dot, line, logarithmic, titled } from "./chart.js";
import { isCorrect, scored, speedupOf } from "./data.js";
import { isLeftOut, namesLeftOut } from "./filters.js";
import { isEstimated, meanRange, scopeOf } from "./score.js";
import { showRange, showRatio, showSpeedup } from "./format.js";
import { change, linkTo, view } from "./state.js";
import { tableButtons } from "./exports.js";

const WIDTH = 180;
const LINE_HEIGHT = 20;

// Ratio of two speed-ups over the same baseline. Half-widths add in quadrature, on the log scale.
export const ratioOf = (a, b) => {
  const half = (s) => Math.log(s.high / s.low) / 2;
  const estimate = a.estimate / b.estimate;
  const spread = Math.exp(Math.hypot(half(a), half(b)));
  return { estimate, low: estimate / spread, high: estimate * spread };
};

// By the margin that a verdict of a row has as well.
const verdictOf = ({ low, high }, margin) => {
  const [least, most] = [1 / (1 + margin), 1 + margin];
  if (low > most) return "faster";
  if (high < least) return "slower";
  return low >= least && high <= most ? "same" : "undecided";
};

// Where no row has a verdict the estimates are compared, and no ratio has one.
const comparedSpeedup = (board, row, over) =>
  (isEstimated(board) ? speedupOf(row, over) : scored(row, over));

export const compareAgents = (board, a, b, over) => {
  const scope = scopeOf(board, view.level);
  const [first, second] = [board.agents.indexOf(a), board.agents.indexOf(b)];
  const found = { both: 0, lines: [], faster: 0, slower: 0, same: 0, undecided: 0, none: 0, onlyA: [], onlyB: [] };
  const isSolved = (row) => isCorrect(row) && row.ranked;
  for (const task of board.tasks) {
    if (scope.level !== 0 && task.level !== scope.level) continue;
    const rows = [task.best[first], task.best[second]];
    const [solvedA, solvedB] = rows.map(isSolved);
    if (solvedA && !solvedB) found.onlyA.push(task);
    if (solvedB && !solvedA) found.onlyB.push(task);
    if (!solvedA || !solvedB) continue;
    ++found.both;
    const [x, y] = rows.map((row) => comparedSpeedup(board, row, over));
    if (x && y) {
      const ratio = ratioOf(x, y);
      const verdict = isEstimated(board) ? "none" : verdictOf(ratio, board.same_margin);
      ++found[verdict];
      found.lines.push({ task, x, y, ratio, verdict });
    }
  }
  found.lines.sort((p, q) => q.ratio.estimate - p.ratio.estimate);
  return found;
};

// Geometric mean of the ratios, with the interval that other tasks like these leave open.
export const meanRatio = (lines) => {
  const logs = lines.map(({ ratio }) => Math.log(ratio.estimate));
  const mean = logs.reduce((sum, one) => sum + one, 0) / logs.length;
  const range = meanRange(logs);
  return { estimate: Math.exp(mean), low: range && Math.exp(range.low), high: range && Math.exp(range.high) };
};

const showMean = ({ estimate, low, high }) =>
  `${showRatio(estimate)}${low === null ? "" : ` ${showRange(low, high, estimate)}`}`;

const reachOf = (lines) => {
  const far = Math.max(1.2, ...lines.map(({ ratio }) => Math.max(ratio.high, 1 / ratio.low)));
  return Math.min(far, 100);
};

const ratioBar = ({ ratio, verdict }, reach) => {
  const x = logarithmic(1 / reach, reach, 4, WIDTH - 4);
  const middle = LINE_HEIGHT / 2;
  const [left, right] = [Math.min(x(1), x(ratio.estimate)), Math.max(x(1), x(ratio.estimate))];
  return titled(chart(WIDTH, LINE_HEIGHT, showRatio(ratio.estimate),
    box(left, middle - 6, right - left, 12, `bar ${verdict}`, 1),
    line(x(1), 0, x(1), LINE_HEIGHT, "one"),
    line(x(ratio.low), middle, x(ratio.high), middle, "whisker"),
    dot(x(ratio.estimate), middle, 2.5, "middle")),
  `${showRatio(ratio.estimate)} ${showRange(ratio.low, ratio.high, ratio.estimate)}`);
};

const GLYPHS = { faster: "▲", slower: "▼", same: "=", undecided: "?", none: "–" };

const compareRow = (entry, reach) =>
  h("tr", null,
    h("th", { scope: "row", title: entry.task.task },
      h("a", { href: linkTo(entry.task.task) }, taskName(entry.task.task))),
    h("td", { class: "number strong" }, showRatio(entry.ratio.estimate)),
    h("td", { class: "number score-range" }, showRange(entry.ratio.low, entry.ratio.high, entry.ratio.estimate)),
    h("td", { class: `glyph-cell ${entry.verdict}` },
      h("span", { role: "img", "aria-label": words.ratioVerdicts[entry.verdict] }, GLYPHS[entry.verdict])),
    h("td", { class: "bar-cell wide-only" }, ratioBar(entry, reach)),
    h("td", { class: "number wide-only" }, showSpeedup(entry.x)),
    h("td", { class: "number wide-only" }, showSpeedup(entry.y)));

// Numbers as they are stored, for a spreadsheet; and as they are shown. A task that scores leave out is
// compared all the same, and marked.
const numbersOf = (a, b, { lines }) => [
  ["over", "left_out_of_scores", "task", "ratio", "ratio.low", "ratio.high", "verdict",
    ...[a, b].flatMap((agent) => ["", ".low", ".high"].map((part) => `${agent}${part}`))],
  ...lines.map(({ task, ratio, verdict, x, y }) => [view.over, isLeftOut(view, task), task.task,
    ratio.estimate, ratio.low, ratio.high, verdict, ...[x, y].flatMap(({ estimate, low, high }) => [estimate, low, high])]),
];
const textsOf = (a, b, { lines }) => [
  [words.task, words.ratioOf(a, b), words.range, words.verdict, a, b],
  ...lines.map(({ task, ratio, verdict, x, y }) => [task.task, showRatio(ratio.estimate),
    showRange(ratio.low, ratio.high, ratio.estimate), words.ratioVerdicts[verdict], showSpeedup(x), showSpeedup(y)]),
];

const partsOf = (board, a, b) => {
  const { level } = scopeOf(board, view.level);
  const out = namesLeftOut(board, view);
  return [words.compareTitle(a, b), words.overSide(words[view.over]), level > 0 && words.levelOf(level),
    out.length > 0 && words.exportLeftOut(out)].filter(Boolean);
};

const onlyList = (agent, tasks) => (tasks.length === 0 ? "" : folded({ class: "only-one" },
  words.onlySolved(agent, tasks.length),
  () => h("ul", null, tasks.map(({ task }) => h("li", null, h("a", { href: linkTo(task) }, taskName(task)))))));

const pair = (board, a, b) => {
  const found = compareAgents(board, a, b, view.over);
  const title = words.compareTitle(a, b);
  const only = [onlyList(a, found.onlyA), onlyList(b, found.onlyB)];
  if (found.lines.length === 0)
    return [h("h3", null, title), h("p", null, found.both === 0 ? words.noCommon : words.compareSummary(a, b, found)), ...only];
  const reach = reachOf(found.lines);
  const mean = meanRatio(found.lines);
  const columns = [words.task, words.ratioOf(a, b), words.range, words.verdict, words.compareAxis(a, b), a, b];
  return [
    h("div", { class: "title-line" }, h("h3", null, title), tableButtons(words.exportPair(a, b), "kbench-compare",
      () => numbersOf(a, b, found), () => textsOf(a, b, found), () => partsOf(board, a, b))),
    h("p", null, words.compareSummary(a, b, found)),
    h("p", { class: "mean-ratio" }, words.meanRatio(showMean(mean), found.lines.length, mean.low !== null)),
    h("p", { class: "note" }, words.compareText(a, b, view.over), " ", words.compareRule(board.same_margin)),
    h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": title },
      h("table", { class: "compare" },
        h("caption", { class: "unseen" }, title),
        h("thead", null, h("tr", null, columns.map((name, i) =>
          h("th", { scope: "col", class: ["", "number", "number", "", "middle wide-only", "number wide-only", "number wide-only"][i] }, name)))),
        h("tbody", null, found.lines.map((entry) => compareRow(entry, reach))))),
    ...only,
  ];
};

const MOST_IN_PAIRS = 4; // agents of whom each pair is shown

// Of more agents one is compared with all others; which one, is to be chosen.
const firstChoice = (agents) => {
  const select = h("select", {
    id: "compare-first",
    on: { change: () => change({ cmp: [select.value, ...agents.filter((one) => one !== select.value)].join("\n") }) },
  }, agents.map((agent) => h("option", { value: agent }, agent)));
  return h("label", { class: "field" }, h("span", null, words.compareFirst), select);
};

export const makeCompare = () => {
  const element = h("section", { id: "compare", hidden: true });
  const draw = (board, agents) => {
    element.hidden = agents.length < 2;
    if (element.hidden) return element.replaceChildren();
    const [a, ...others] = agents;
    const pairs = agents.length <= MOST_IN_PAIRS
      ? agents.flatMap((one, i) => agents.slice(i + 1).map((other) => [one, other]))
      : others.map((b) => [a, b]);
    return element.replaceChildren(
      h("div", { class: "title-line" }, h("h2", null, words.compare),
        h("button", { type: "button", on: { click: () => change({ cmp: "" }) } }, words.close)),
      agents.length <= MOST_IN_PAIRS ? "" : firstChoice(agents),
      ...pairs.flatMap(([one, other]) => pair(board, one, other)));
  };
  return { element, draw };
};
