// Who is ahead: a score to choose, bars with intervals, and for the scores that depend on p a slider
// with its curve.

import { words } from "./words.js";
import { choice, h } from "./dom.js";
import { box, chart, dot, line, linear, logarithmic, titled } from "./chart.js";
import { colourOf, fastCurve, P_FROM, P_TO } from "./curve.js";
import { formula } from "./formula.js";
import { data } from "./data.js";
import { scopeOf, sharesAt, spreadOf } from "./score.js";
import { showRatio, showShare } from "./format.js";
import { change, view } from "./state.js";

const BAR_WIDTH = 220;
const NARROW_BAR = 96;
const NARROW = 600; // a page that has no room for the long ones
const BAR_HEIGHT = 22;
const MANY = 20; // agents; a longer table scrolls in its own box
const MEAN_FROM = 0.1;
const MEAN_TO = 10;

// Of each score: what it is of an agent as {value, low, high}, whether it moves with p, and whether
// it is a share or a ratio. A score that the data lacks is not offered.
const stored = (name) => (entry, over) => {
  const score = entry.scores[`${name}_${over}`];
  return score ? { low: null, high: null, ...score } : null;
};

const METRICS = {
  sure: {
    share: true, moves: true,
    of: (entry, over, p) => {
      const known = p === 1 && entry.scores[`sure_fast_1_${over}`];
      const { sure, possible } = sharesAt(entry.spread, p);
      return { value: sure, low: sure, high: possible, ...known };
    },
  },
  fast: {
    share: true, moves: true,
    of: (entry, over, p) => {
      const known = p === 1 && entry.scores[`fast_1_${over}`];
      const { sure, point, possible } = sharesAt(entry.spread, p);
      return { value: point, low: sure, high: possible, ...known };
    },
  },
  penalised: { share: false, moves: false, of: stored("penalised_mean") },
  mean: { share: false, moves: false, of: stored("mean") },
  correct: {
    share: true, moves: false,
    of: (entry) => ({ value: entry.tasks ? entry.correct / entry.tasks : 0, low: null, high: null }),
  },
};

const usualMetric = (name) => (name in METRICS ? name : "sure");

const offered = (scope) =>
  Object.keys(METRICS).filter((name) =>
    METRICS[name].moves || scope.ranking.some((entry) => METRICS[name].of(entry, "eager", 1)));

// The agents of a scope with their score, best first; those ranked apart behind all others.
export const rankingOf = (board, scope, metric, over, p) => {
  const { of } = METRICS[usualMetric(metric)];
  const entries = scope.ranking.map((entry) => {
    const whole = { ...entry, spread: spreadOf(board, entry.agent, scope, over) };
    return { ...whole, place: board.agents.indexOf(entry.agent), score: of(whole, over, p) };
  });
  const key = (entry) => entry.score?.value ?? -1;
  return entries.sort((a, b) => Number(a.apart) - Number(b.apart) || key(b) - key(a));
};

const showScore = (metric, value) =>
  (value === null ? "–" : METRICS[metric].share ? showShare(value) : showRatio(value));

// A bar for a share, a point for a ratio; the interval over both.
const scoreBar = (metric, entry, width) => {
  const { value, low, high } = entry.score || { value: null };
  if (value === null) return null;
  const { share } = METRICS[metric];
  const x = share ? linear(0, 1, 4, width - 4)
    : logarithmic(MEAN_FROM, MEAN_TO, 4, width - 4);
  const middle = BAR_HEIGHT / 2;
  const shown = (v) => (v === null || v === undefined ? null : showScore(metric, v));
  const interval = low !== null && low !== undefined ? [
    box(x(low), middle - 4, x(high) - x(low), 8, `interval ${colourOf(entry.place)}`, 2),
  ] : [];
  return titled(chart(width, BAR_HEIGHT, shown(value),
    share ? box(x(0), middle - 8, x(1) - x(0), 16, "track", 2)
      : line(x(1), 1, x(1), BAR_HEIGHT - 1, "one"),
    share ? box(x(0), middle - 8, x(value) - x(0), 16, `fill ${colourOf(entry.place)}`, 2) : null,
    interval,
    dot(x(value), middle, 4, `point ${colourOf(entry.place)}`)),
  words.barTitle(shown(value), shown(low), shown(high)));
};

const showRank = ([first, last]) => (first === last ? String(first) : `${first}–${last}`);

const rankRow = (metric, barWidth) => (entry) =>
  h("tr", null,
    h("td", { class: "number rank" }, showRank(entry.rank)),
    h("th", { scope: "row" }, h("span", { class: `swatch ${colourOf(entry.place)}` }), entry.agent),
    h("td", { class: "number strong" }, showScore(metric, entry.score?.value ?? null)),
    h("td", { class: "bar-cell" }, scoreBar(metric, entry, barWidth)),
    h("td", { class: "number" }, words.ofTasks(entry.correct, entry.tasks)),
    h("td", { class: "number" }, String(entry.submitted)),
    h("td", { class: "number" }, String(entry.variants)));

const rankTable = (entries, metric, barWidth) =>
  h("div", { class: entries.length > MANY ? "scroll tall" : "scroll", tabindex: "0", role: "region",
    "aria-label": words.rankingCaption },
    h("table", { class: "ranking" },
      h("caption", { class: "unseen" }, words.rankingCaption),
      h("thead", null, h("tr", null,
        h("th", { scope: "col", class: "number", title: words.rankHelp }, words.rank),
        h("th", { scope: "col" }, words.agent),
        h("th", { scope: "col", class: "number" }, words.scores[metric].name),
        h("td", null),
        h("th", { scope: "col", class: "number" }, words.correct),
        h("th", { scope: "col", class: "number" }, words.submitted),
        h("th", { scope: "col", class: "number", title: words.variantsHelp }, words.variants))),
      h("tbody", null, entries.map(rankRow(metric, barWidth)))));

// The protocol where boards differ in it: nobody else needs to know that there are several.
const boardName = (board) => {
  const name = [board.device, board.size, board.precision, board.profile];
  const several = data.boards.some(({ protocol }) => protocol !== board.protocol);
  return [...name, ...(several ? [words.protocol(board.protocol)] : [])].join(" · ");
};

const pOf = (position) => Number((10 ** (position / 40)).toPrecision(2));
const positionOf = (p) => Math.round(40 * Math.log10(p));

export const currentP = () => {
  const p = Number(view.p);
  return p >= P_FROM && p <= P_TO ? p : 1;
};

const slider = () => {
  const shown = h("output", { class: "p-shown" }, `${currentP()}×`);
  const input = h("input", {
    type: "range", id: "p", min: "-40", max: "40", step: "1", value: String(positionOf(currentP())),
    title: words.pHelp, "aria-valuetext": `${currentP()}×`,
    on: {
      input: () => {
        const p = String(pOf(Number(input.value)));
        shown.textContent = `${p}×`;
        input.setAttribute("aria-valuetext", `${p}×`);
        change({ p }, false);
      },
    },
  });
  return h("div", { class: "slider" }, h("label", { for: "p" }, words.p), input, shown);
};

const levelChoice = (board) =>
  board.scopes.length > 1 && choice(words.level, "level",
    board.scopes.map(({ level }) =>
      [String(level), level === 0 ? words.allLevels : words.levelOf(level)]),
    String(scopeOf(board, view.level).level), (level) => change({ level }));

const boardChoice = () =>
  data.boards.length > 1 && choice(words.board, "board",
    data.boards.map((board, i) => [String(i), boardName(board)]), view.board,
    (board) => change({ board, level: "0", cmp: "", sort: "" }));

const controls = (board, scope, metric) =>
  h("div", { class: "controls" },
    boardChoice() || null,
    levelChoice(board) || null,
    choice(words.metric, "metric",
      offered(scope).map((name) => [name, words.scores[name].name]), metric,
      (name) => change({ metric: name })),
    choice(words.over, "over", [["eager", words.eager], ["compiled", words.compiled]], view.over,
      (over) => change({ over })));

// What moves with p: table, formula's sentence and curve.
const results = (board, scope, metric, width) => {
  const p = currentP();
  const entries = rankingOf(board, scope, metric, view.over, p);
  const wide = width >= 1000;
  const curve = METRICS[metric].moves ? h("figure", { class: "curve" },
    fastCurve(entries, p, view.over, wide ? Math.min(0.42 * width, 620) : Math.min(width, 720)),
    h("figcaption", null, words.curveText(view.over))) : null;
  return [
    h("p", { class: "formula" }, formula(metric),
      h("span", null, words.scores[metric].text(p, view.over))),
    h("div", { class: "ranking-grid" },
      h("div", { class: "ranks" },
        rankTable(entries, metric, width < NARROW ? NARROW_BAR : BAR_WIDTH),
        h("p", { class: "note" }, data.variants.help)), curve),
  ];
};

// Redrawn as a whole but for the slider, which keeps the pointer and the keyboard.
export const makeRanking = () => {
  const head = h("div");
  const moving = h("div", { class: "moving" });
  const slot = h("div");
  const element = h("section", { id: "ranking" }, h("h2", null, words.ranking), head, slot, moving);
  const draw = (board, everything) => {
    const scope = scopeOf(board, view.level);
    if (scope.ranking.length === 0) {
      head.replaceChildren(h("p", null, words.nobody));
      return;
    }
    const metric = usualMetric(view.metric);
    if (everything) {
      const focused = document.activeElement;
      const kept = head.contains(focused) && [focused.name, focused.value];
      head.replaceChildren(controls(board, scope, metric));
      if (kept) head.querySelector(`[name="${kept[0]}"]:checked`)?.focus();
      slot.replaceChildren(METRICS[metric].moves ? slider() : "");
    }
    moving.replaceChildren(...results(board, scope, metric, element.clientWidth));
  };
  return { element, draw };
};
