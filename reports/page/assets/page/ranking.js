// Who is ahead: a score to choose, bars with intervals, and for the scores that depend on p a slider
// with its curve.

import { words } from "./words.js";
import { choice, h } from "./dom.js";
import { box, chart, dot, label, line, linear, logarithmic, titled } from "./chart.js";
import { outcomeBar, outcomeLegend, outcomesOf } from "./outcomes.js";
import { agentsShown, isNarrowed, namesLeftOut, tasksCounted } from "./filters.js";
import { rescored } from "./rescore.js";
import { tick } from "./ticks.js";
import { colourOf, fastCurve, MOST_COLOURED, P_FROM, P_TO, placeOf } from "./curve.js";
import { formula } from "./formula.js";
import { BASELINES, data } from "./data.js";
import { tableButtons } from "./exports.js";
import { pictureButton } from "./picture.js";
import { isCalibrated, isEstimated, leftOutOfMean, scopeOf, sharesAt, spreadOf, wilson } from "./score.js";
import { showRange, showRatio, showShare } from "./format.js";
import { change, defaults, view } from "./state.js";

const BAR_WIDTH = 168;
const CARD_EDGES = 26; // pixels beside the bar of a card
const CARDS = 608; // pixels, of the ranking, below which rows are cards; as in page.css
const BAR_HEIGHT = 22;
const MANY = 20; // agents; a longer table scrolls in its own box
const MEAN_FROM = 0.1;
const MEAN_TO = 10;
const POINTS = { from: -1, to: 3 }; // of milestones

// Of each score: what it is of an agent as {value, low, high}, whether it moves with p, and whether
// it is a share, a ratio, or points. A score that the data lacks is not offered.
const stored = (nameOver) => (entry, over) => {
  const score = entry.scores[nameOver(over)];
  return score ? { low: null, high: null, ...score } : null;
};

// An end where none was computed is the value itself, which an interval of 95 % is not.
const bounded = (score) =>
  (score && score.low === score.high ? { ...score, low: null, high: null } : score);

// Beside p = 1 nothing was redrawn: the interval over other tasks, widened by what the intervals of these
// leave open.
const shareAt = (entry, part, p) => {
  const shares = sharesAt(entry.spread, p);
  if (!entry.spread.tasks) return { value: null, low: null, high: null };
  const { tasks } = entry.spread;
  const { low, high } = wilson(shares[part], tasks);
  return { value: shares[part], low: Math.min(low, shares.sure), high: Math.max(high, shares.possible), tasks };
};

const METRICS = {
  sure: {
    kind: "share", part: "low", moves: true,
    of: (entry, over, p) => {
      const known = p === 1 && entry.rank !== null && entry.scores[`sure_fast_1_${over}`];
      return { ...shareAt(entry, "sure", p), ...known };
    },
  },
  fast: {
    kind: "share", part: "estimate", moves: true,
    of: (entry, over, p) => {
      const known = p === 1 && entry.rank !== null && entry.scores[`fast_1_${over}`];
      return { ...shareAt(entry, "point", p), ...known };
    },
  },
  penalised: { kind: "ratio", moves: false, of: stored((over) => `penalised_mean_${over}`) },
  mean: { kind: "ratio", moves: false, of: stored((over) => `mean_${over}`) },
  limit: { kind: "share", moves: false, alone: true, of: stored(() => "share_of_limit") },
  milestone: { kind: "points", moves: false, alone: true, of: stored(() => "milestone") },
  correct: {
    kind: "share", moves: false, alone: true, always: true,
    of: (entry) => (entry.tasks ? { value: entry.correct / entry.tasks, ...wilson(entry.correct / entry.tasks, entry.tasks), rank: entry.scores.correctness?.rank }
      : { value: null, low: null, high: null }),
  },
};

const usualMetric = (board, name) =>
  (name in METRICS ? name : isEstimated(board) ? "fast" : "sure");

const offered = (scope) =>
  Object.keys(METRICS).filter((name) => METRICS[name].moves || METRICS[name].always
    || scope.ranking.some((entry) => (METRICS[name].of(entry, "eager", 1)?.value ?? null) !== null));

// What is ranked: the level that was chosen; of it what the filters of the tasks leave, with scores
// taken anew; without ranks where there are only estimates, or where nothing counts.
const scopeNow = (board) => {
  const scope = scopeOf(board, view.level);
  if (isNarrowed(board, view)) {
    const tasks = tasksCounted(board, view);
    const ranked = tasks.filter((task) => task.rows.some((row) => row.ranked)).length;
    return { ...scope, ranked, only: new Set(tasks), tasksNow: tasks,
      ranking: rescored(board, scope.ranking, tasks) };
  }
  const tasksNow = board.tasks.filter(({ level }) => scope.level === 0 || level === scope.level);
  return { ...scope, tasksNow, ranking: scope.ranking.map((entry) =>
    (isEstimated(board) || entry.tasks === 0 ? { ...entry, rank: null } : entry)) };
};

// The agents of a scope with their score, best first; those ranked apart behind all others.
export const rankingOf = (board, scope, metric, over, p) => {
  const of = (entry, ...at) => {
    const score = METRICS[metric].of(entry, ...at);
    // Ends of intervals without a verdict bound nothing. What is correct needs no time.
    const unbounded = isEstimated(board) && metric !== "correct";
    return score && unbounded ? { ...score, low: null, high: null } : bounded(score);
  };
  const entries = scope.ranking.map((entry) => {
    const whole = { ...entry, spread: spreadOf(board, entry, scope, over) };
    const score = of(whole, over, p);
    return { ...whole, place: placeOf(board, entry.agent), score,
      rank: entry.rank === null ? null : score?.rank ?? null };
  });
  const key = (entry) => entry.score?.value ?? -2; // below all points
  const [first, last] = [0, 1].map((end) => (entry) => entry.rank?.[end] ?? 0);
  return entries.sort((a, b) => Number(a.apart) - Number(b.apart) || key(b) - key(a)
    || first(a) - first(b) || last(a) - last(b));
};

const showScore = (metric, value) =>
  (value === null ? "–" : ({ share: showShare, ratio: showRatio, points: (x) => x.toFixed(2) })[METRICS[metric].kind](value));

// "[43–75]", in the unit of the score.
const showScoreRange = (metric, score) => {
  const { value, low, high } = score || {};
  if (value === null || value === undefined || low === null || low === undefined) return "";
  switch (METRICS[metric].kind) {
    case "share": return `[${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)}]`;
    case "points": return `[${low.toFixed(2)}–${high.toFixed(2)}]`;
    default: return showRange(low, high, value);
  }
};

const barScale = (metric, width) => ({
  share: linear(0, 1, 4, width - 4), points: linear(POINTS.from, POINTS.to, 4, width - 4),
  ratio: logarithmic(MEAN_FROM, MEAN_TO, 4, width - 4),
})[METRICS[metric].kind];

// The scale of the bars, above them.
const barAxis = (metric, width) => {
  const x = barScale(metric, width);
  const ticks = {
    share: [[0, "0"], [0.5, "50"], [1, words.percent]], points: [[-1, "−1"], [1, "1"], [3, "3"]],
    ratio: [[0.1, "0.1×"], [1, "1×"], [10, "10×"]],
  }[METRICS[metric].kind];
  const room = width >= BAR_WIDTH ? ticks : [ticks[0], ticks[2]];
  return chart(width, 14, words.barScale, room.map(([value, text]) =>
    label(x(value), 11, text, value === ticks[0][0] ? "start" : value === ticks[1][0] ? "middle" : "end")));
};

// A bar for a share, a point for a ratio; the interval over both.
const scoreBar = (metric, entry, width) => {
  const { value, low, high } = entry.score || { value: null };
  if (value === null) return null;
  const share = METRICS[metric].kind === "share";
  const x = barScale(metric, width);
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

// The tasks that a score is of, beside it: "21 of 37" are fast, "29 of 33" solved ones have a time that
// counts, "33 of 37" tasks count. Empty where the column of the correct ones says it, or nothing counts.
const countsOf = (metric, entry) => {
  const { value, tasks } = entry.score ?? {};
  if (metric === "correct" || value === null || value === undefined || !tasks) return "";
  if (!METRICS[metric].moves) return words.ofTasks(tasks, metric === "mean" ? entry.correct : entry.tasks);
  return words.ofTasks(Number((value * tasks).toFixed(1)), tasks); // variants count in parts
};

// Why a score is of fewer tasks than there are, or than are correct; empty where it is of all.
const whyFewer = (board, scope, metric, over) => (entry) => {
  const { value, tasks } = entry.score ?? {};
  if (value === null || value === undefined || !tasks) return "";
  const isMean = metric === "mean" || metric === "penalised";
  const leftOut = isMean ? leftOutOfMean(board, entry.agent, scope, over) : {};
  const solved = Object.values(leftOut).reduce((sum, n) => sum + n, 0);
  const others = metric === "mean" ? 0 : entry.tasks - tasks - solved;
  const why = words.whyFewer(leftOut, METRICS[metric].alone ? metric : over, others);
  return why && words.fewer(entry.agent, why);
};

// What ranks are by, or why there are none; nothing beside one agent, and where a notice above says why.
const ranksNote = (board, scope, metric, over, p, entries) => {
  if (entries.length < 2 || scope.only || isEstimated(board) || !entries.some(({ tasks }) => tasks > 0)) return null;
  const name = words.scores[metric].name + (METRICS[metric].alone ? "" : ` ${words.overSide(words[over])}`);
  return h("p", { class: "note ranks-by" }, entries.some(({ rank }) => rank !== null)
    ? [words.ranksBy(name), words.equalScores[metric]].filter(Boolean).join(" ")
    : METRICS[metric].moves && p !== 1 ? words.noRanksAtP : words.noRanks(name));
};

// Beside a bar of all tasks stand counts of those that rank, and beside the verdicts those of another rule.
const outcomeNote = (board, scope, metric, p, kinds) => {
  const fast = METRICS[metric].moves && kinds.has("faster") ? words.fastBy[metric](p, words[view.over]) : null;
  const text = words.outcomeNote(scope.tasksNow.length, scope.ranked, words[view.over], board.same_margin, fast);
  return text ? h("p", { class: "note outcome-note" }, text) : null;
};

const MOST_FEWER = 6; // agents whose reasons are told in full

const fewerNote = (board, scope, metric, over, entries) => {
  const all = entries.map(whyFewer(board, scope, metric, over)).filter(Boolean);
  return all.length === 0 ? null
    : h("p", { class: "note fewer" }, words.fewerTasks(words.scores[metric].name, all.slice(0, MOST_FEWER), all.length - MOST_FEWER));
};

const showRank = (rank) =>
  (rank === null ? "–" : rank[0] === rank[1] ? String(rank[0]) : `${rank[0]}–${rank[1]}`);

// An agent's name leads to the picture of its tasks.
const agentLink = (agent) => h("a", {
  href: "#dots", on: {
    click: (event) => {
      event.preventDefault();
      event.stopPropagation();
      change({ path: "dots", of: agent });
      document.getElementById("dots").scrollIntoView();
    },
  },
}, agent);

// On a phone each row is a card, which CSS lays out as a grid: the roles keep it a table for readers.
const cell = (name, attributes, ...children) => h(name, { role: "cell", ...attributes }, ...children);

const rankRow = (board, scope, metric, barWidth) => (entry) =>
  h("tr", { "data-agent": entry.agent, role: "row" },
    cell("td", { class: "number rank", "data-label": words.rank }, showRank(entry.rank)),
    cell("th", { scope: "row", role: "rowheader" },
      board.agents.length > 1 ? tick(entry.agent, board, words.tickRank(entry.agent)) : null,
      h("span", { class: `swatch ${colourOf(entry.place)}` }), agentLink(entry.agent)),
    cell("td", { class: "number strong" }, showScore(metric, entry.score?.value ?? null)),
    cell("td", { class: "number score-range" }, showScoreRange(metric, entry.score)),
    cell("td", { class: "number score-tasks", "data-label": words.scoreTasks(metric) }, countsOf(metric, entry)),
    cell("td", { class: "bar-cell" }, scoreBar(metric, entry, barWidth)),
    cell("td", { class: "outcome-cell" }, outcomeBar(entry.outcomes)),
    cell("td", { class: "number correct-cell", "data-label": words.correct }, entry.tasks ? words.ofTasks(entry.correct, entry.tasks) : "–"),
    cell("td", { class: "number wide-only" }, entry.tasks ? String(entry.submitted) : "–"),
    cell("td", { class: "number wide-only" }, String(entry.variants)));

const head = (attributes, text) => h("th", { scope: "col", role: "columnheader", ...attributes }, text);

const rankTable = (board, scope, entries, metric, barWidth) =>
  h("div", { class: entries.length > MANY ? "scroll tall" : "scroll", tabindex: "0", role: "region",
    "aria-label": words.rankingCaption },
    h("table", { class: "ranking", role: "table" },
      h("caption", { class: "unseen" }, words.rankingCaption),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" },
        head({ class: "number", title: words.rankHelp }, words.rank),
        head({}, entries.length > 1 ? words.agents(entries.length) : words.agent),
        head({ class: "number" }, words.scores[metric].name),
        entries.some(({ score }) => showScoreRange(metric, score))
          ? head({ class: "number score-range", title: words.rangeHelp(metric, currentP(), scope.only) }, words.range)
          : cell("td", { class: "score-range" }),
        entries.some((entry) => countsOf(metric, entry))
          ? head({ class: "number score-tasks", title: words.scoreTasksHelp }, words.scoreTasks(metric))
          : cell("td", { class: "score-tasks" }),
        cell("td", { class: "bar-cell" }, barAxis(metric, barWidth)),
        head({ title: words.outcomeHelp(scope.tasksNow.length, scope.ranked) }, words.outcome(scope.tasksNow.length)),
        head({ class: "number" }, words.correct),
        head({ class: "number wide-only" }, words.submitted),
        head({ class: "number wide-only", title: words.variantsHelp }, words.variants))),
      h("tbody", { role: "rowgroup" }, entries.map(rankRow(board, scope, metric, barWidth)))));

// What boards differ in: nobody needs to read what all have.
const boardName = (board) => {
  const differs = (field) => data.boards.some((other) => other[field] !== board[field]);
  const more = ["size", "precision", "profile"].filter(differs).map((field) => board[field]);
  return [board.run_name || board.device, ...more,
    ...(differs("protocol") ? [words.protocol(board.protocol)] : [])].join(" · ");
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
        change({ p }, view.p === defaults.p);
      },
    },
  });
  return h("div", { class: "slider" }, h("label", { for: "p" }, words.p), input, shown);
};

const levelChoice = (board) =>
  board.scopes.length > 1 && choice(words.level, "level",
    board.scopes.map(({ level }) =>
      [String(level), level === 0 ? words.allLevels : words.levelOf(level)]),
    String(scopeOf(board, view.level).level), (level) => change({ level }), "plain");

const boardChoice = () =>
  data.boards.length > 1 && choice(words.board, "board",
    data.boards.map((board, i) => [String(i), boardName(board)]), view.board,
    (board) => change({ board, level: "0", cmp: "", sort: "" }));

const controls = (board, scope, metric) =>
  h("div", { class: "controls" },
    levelChoice(board) || null,
    choice(words.metric, "metric",
      offered(scope).map((name) => [name, words.scores[name].name]), metric,
      (name) => change({ metric: name }), "plain"),
    METRICS[metric].alone ? null : choice(words.over, "over",
      BASELINES.map((side) => [side, words[side]]), view.over, (over) => change({ over })));

// What the folded choices come to.
const chosenWords = (board, scope, metric) =>
  words.choose(words.scores[metric].name,
    METRICS[metric].alone ? "" : words.overSide(words[view.over]),
    METRICS[metric].moves && currentP() !== 1 ? `p = ${currentP()}` : "",
    board.scopes.length < 2 ? "" : scope.level === 0 ? words.allLevels : words.levelOf(scope.level));

// Of the ranking as a file: numbers as they are stored, and as they are shown.
// Scores that were taken anew are marked by what narrowed them.
const rankNumbers = (board, scope, entries, metric, over, p) => [
  ["level", "rescored", "search", "operators", "left_out_of_scores", "agent", "rank.first", "rank.last", "score", "over", "p", "value", "low", "high", "tasks_of_score",
    "correct", "tasks", "submitted", "variants"],
  ...entries.map(({ agent, rank, score, correct, tasks, submitted, variants }) => [
    scope.level === 0 ? "all" : scope.level, scope.only !== undefined, view.q, view.family === "all" ? "" : view.family,
    namesLeftOut(board, view).join(" "), agent, rank?.[0], rank?.[1], words.scores[metric].name, METRICS[metric].alone ? null : over,
    METRICS[metric].moves ? p : null, score?.value, score?.low, score?.high, score?.tasks,
    correct, tasks, submitted, variants]),
];
const rankTexts = (entries, metric) => [
  [words.rank, words.agent, words.scores[metric].name, words.range, words.scoreTasks(metric), words.correct],
  ...entries.map((entry) => [showRank(entry.rank), entry.agent, showScore(metric, entry.score?.value ?? null),
    showScoreRange(metric, entry.score), countsOf(metric, entry), words.ofTasks(entry.correct, entry.tasks)]),
];

const rankParts = (board, scope, metric) => [
  chosenWords(board, scope, metric),
  scope.only && words.rescored(scope.ranked),
  view.q && words.exportSearch(view.q),
  view.who && words.exportAgents(view.who),
  view.family !== "all" && words.exportOperators(view.family),
  namesLeftOut(board, view).length > 0 && words.exportLeftOut(namesLeftOut(board, view)),
].filter(Boolean);

// What moves with p: table, formula's sentence and curve.
const results = (board, scope, metric, width) => {
  const p = currentP();
  const shown = new Set(agentsShown(board, view).map((place) => board.agents[place]));
  const entries = rankingOf(board, scope, metric, view.over, p).filter(({ agent }) => shown.has(agent))
    .map((entry) => ({ ...entry, outcomes: outcomesOf(board, scope.tasksNow, entry.agent, view.over) }));
  const kinds = new Set(entries.flatMap(({ outcomes }) => outcomes.map(([kind]) => kind)));
  // Drawn once its figure has its width, which is what the table leaves.
  const curve = METRICS[metric].moves ? h("figure", { class: "curve" },
    h("figcaption", null, words.curveText(view.over, METRICS[metric].part, !isEstimated(board)), " ",
      board.agents.length > MOST_COLOURED ? `${words.curveNamed(MOST_COLOURED, board.agents.length)} ` : null,
      pictureButton("kbench-curve.svg"))) : null;
  const drawCurve = () =>
    curve?.prepend(fastCurve(entries, METRICS[metric].part, p, view.over, curve.clientWidth));
  const parts = [
    scope.only ? h("p", { class: "notice rescored" }, words.rescored(scope.ranked),
      " ", h("button", { type: "button", on: { click: () => change({ q: "", family: "all", out: "" }) } },
        words.rescoreAll)) : null,
    shown.size < board.agents.length ? h("p", { class: "notice someone" }, words.someAgents(shown.size, board.agents.length),
      " ", h("button", { type: "button", on: { click: () => change({ who: "" }) } }, words.allAgents)) : null,
    isEstimated(board) ? h("p", { class: "notice" }, ...(isCalibrated(board)
      ? [h("b", null, words.noVerdicts), ` ${words.estimatesOfCalibrated}`]
      : [h("b", null, words.notCalibrated), ` ${words.estimatesOnly}`]),
    words.withoutVerdicts[metric] ? ` ${words.withoutVerdicts[metric]}` : null) : null,
    h("div", { class: "ranking-grid" },
      h("div", { class: "ranks" },
        rankTable(board, scope, entries, metric, width <= CARDS ? width - CARD_EDGES : BAR_WIDTH),
        tableButtons(words.exportRanking, "kbench-ranking", () => rankNumbers(board, scope, entries, metric, view.over, p),
          () => rankTexts(entries, metric), () => rankParts(board, scope, metric)),
        outcomeLegend(kinds),
        outcomeNote(board, scope, metric, p, kinds),
        ranksNote(board, scope, metric, view.over, p, entries),
        fewerNote(board, scope, metric, view.over, entries),
        h("p", { class: "formula" }, formula(metric),
          h("span", null, words.scores[metric].text(p, view.over),
            view.over === "vendor" && !METRICS[metric].alone ? ` ${words.vendorTasks}` : null)),
        h("p", { class: "note" }, data.variants.help,
          view.over !== "eager" && data.variants.rule !== "first" ? ` ${words.chosenByEager}` : null),
        unrankedNote(scope.tasksNow)), curve),
  ];
  return { parts: parts.filter(Boolean), drawCurve };
};

// Why N is not the number of tasks: those that count in no score, by their reason.
const unrankedNote = (tasks) => {
  const reasons = new Map();
  for (const task of tasks.filter(({ rows }) => !rows.some((row) => row.ranked))) {
    const why = task.rows[0].unranked_reason || words.notRanked;
    reasons.set(why, [...(reasons.get(why) || []), task.task]);
  }
  const n = [...reasons.values()].reduce((sum, names) => sum + names.length, 0);
  return n === 0 ? null : h("div", { class: "note unranked" }, words.unrankedTasks(n, tasks.length),
    h("ul", null, [...reasons].map(([why, names]) =>
      h("li", { title: names.join(", ") }, words.unrankedWhy(why, names.length)))));
};

// Redrawn as a whole but for the slider, which keeps the pointer and the keyboard.
export const makeRanking = () => {
  const boards = h("div", { class: "boards", hidden: data.boards.length < 2 }); // on a phone as well: it says which device this is
  const choices = h("div", { class: "choices" });
  const moving = h("div", { class: "moving" });
  const slot = h("div", { class: "choices" });
  // Where the choices would take the first screen, a button with what is chosen stands for them.
  const unfold = h("button", {
    type: "button", class: "unfold", "aria-expanded": "false",
    on: {
      click: () => unfold.setAttribute("aria-expanded",
        String(controlLine.classList.toggle("unfolded"))),
    },
  });
  const howMany = h("span", { class: "status how-many" });
  const controlLine = h("div", { class: "control-line" }, h("h2", null, words.ranking), howMany, boards, unfold, choices, slot);
  const element = h("section", { id: "ranking" }, controlLine, moving);
  const draw = (board, everything) => {
    const scope = scopeNow(board);
    howMany.textContent = scope.ranking.length > 1 ? words.agents(scope.ranking.length) : "";
    if (scope.ranking.length === 0) {
      unfold.remove();
      choices.replaceChildren(h("p", null, words.nobody));
      return;
    }
    const metric = usualMetric(board, view.metric);
    if (everything) {
      const focused = document.activeElement;
      const kept = [boards, choices].some((one) => one.contains(focused)) && [focused.name, focused.value];
      boards.replaceChildren(boardChoice() || "");
      choices.replaceChildren(controls(board, scope, metric));
      if (kept) controlLine.querySelector(`[name="${kept[0]}"]:checked`)?.focus();
      slot.replaceChildren(METRICS[metric].moves ? slider() : "");
    }
    unfold.textContent = chosenWords(board, scope, metric);
    const { parts, drawCurve } = results(board, scope, metric, element.clientWidth);
    moving.replaceChildren(...parts);
    drawCurve();
  };
  // An agent that is pointed at, or whose box has the keyboard, stands out in the table and the curve.
  const light = (event) => {
    const agent = event.target.closest("[data-agent]")?.dataset.agent;
    moving.classList.toggle("lit-one", agent !== undefined);
    for (const one of moving.querySelectorAll("[data-agent]"))
      one.classList.toggle("lit", one.dataset.agent === agent);
  };
  for (const event of ["pointerover", "pointerleave", "focusin"]) moving.addEventListener(event, light);
  return { element, draw };
};
