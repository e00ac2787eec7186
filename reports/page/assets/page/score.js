// Scores that move with p. All others come with the data, from reports/score.

import { data, isCorrect, rankedAs, scored, speedupOf } from "./data.js";

const NO_VERDICT = "NO VERDICT";
const NORMAL_95 = 1.96; // standard deviations on either side that hold 95 %

export const scopeOf = (board, level) =>
  board.scopes.find((scope) => String(scope.level) === level) || board.scopes[0];

const PARTS = ["low", "estimate", "high"];

// The rows that count for an agent on a task: by the rule "mean" all of its variants.
export const rowsThatCount = (task, agent, column) =>
  (data.variants?.rule === "mean" ? task.rows.filter((row) => rankedAs(row) === agent)
    : [task.best[column]]);

// Values from small to large, and what those from each one on weigh.
const weighed = (values) => {
  const sorted = values.sort(([a], [b]) => a - b);
  const from = sorted.map(([, weight]) => weight);
  for (let i = from.length - 2; i >= 0; --i) from[i] += from[i + 1];
  return { values: sorted.map(([value]) => value), from };
};

// The low end of a speed-up that was chosen from several, as reports/rank/best_of.hpp lowers it.
const lowOfChosen = (speedup, task, agent) => {
  // For none and one; with no more nobody chose.
  if (data.variants?.rule !== "best" || !(data.variants.widening?.length > 2)) return speedup.low;
  const tries = task.rows.filter((row) => rankedAs(row) === agent && scored(row, "eager")).length;
  const deviation = Math.log(speedup.high / speedup.low) / (2 * NORMAL_95);
  return speedup.low * Math.exp(-data.variants.widening[tries] * deviation);
};

const measuredSpeedup = (row, over) => (isCorrect(row) && row.ranked ? speedupOf(row, over) : null);

// Whether no row of a board has a verdict, as on a device that was never calibrated: scores would all
// be 0, and what there is to show are estimates, which rank nobody.
const estimated = new Map();
export const isEstimated = (board) => {
  if (!estimated.has(board)) {
    const found = board.tasks.flatMap((task) => task.rows)
      .map((row) => measuredSpeedup(row, "eager")).filter(Boolean);
    estimated.set(board, found.length > 0 && found.every(({ verdict }) => verdict === NO_VERDICT));
  }
  return estimated.get(board);
};

// Whether the device was calibrated when one of a board's rows was measured. Then something else, such as
// a busy machine, took the verdicts of a board of estimates.
export const isCalibrated = (board) => board.tasks.some((task) =>
  task.rows.some((row) => measuredSpeedup(row, "eager")?.calibrated));

// Why the ratio of a solved row counts in no mean; null where it does.
const whyLeftOut = (row, over) => {
  if (scored(row, over)) return null;
  if (!row.uncredited_reason || !speedupOf(row, over)) return "untimed";
  return speedupOf(row, over).verdict === NO_VERDICT ? "noVerdict" : "uncounted";
};

const isInScope = (scope) => (task) =>
  (scope.only ? scope.only.has(task) : scope.level === 0 || task.level === scope.level);

// An agent's solved tasks that a mean over a baseline leaves out, {reason: number}; as LeftOut of
// reports/rank/ranking.hpp.
export const leftOutOfMean = (board, agent, scope, over) => {
  const column = board.agents.indexOf(agent);
  const found = { noVerdict: 0, untimed: 0, uncounted: 0 };
  for (const task of board.tasks.filter(isInScope(scope))) {
    const solved = rowsThatCount(task, agent, column).filter((row) => isCorrect(row) && row.ranked);
    const reasons = solved.map((row) => whyLeftOut(row, over));
    if (solved.length > 0 && !reasons.includes(null)) ++found[reasons[reasons.length - 1]];
  }
  return found;
};

// Ends and estimates of an agent's scored speed-ups in a scope. Without a verdict an interval does
// not hold what it promises: its low end makes nothing sure.
export const spreadOf = (board, entry, scope, over) => {
  const { agent } = entry;
  const column = board.agents.indexOf(agent);
  const found = { low: [], estimate: [], high: [] };
  for (const task of board.tasks) {
    if (!isInScope(scope)(task)) continue;
    const rows = rowsThatCount(task, agent, column);
    for (const row of rows) {
      const speedup = isEstimated(board) ? measuredSpeedup(row, over) : scored(row, over);
      if (!speedup) continue;
      if (speedup.verdict !== NO_VERDICT)
        found.low.push([lowOfChosen(speedup, task, agent), 1 / rows.length]);
      for (const part of ["estimate", "high"]) found[part].push([speedup[part], 1 / rows.length]);
    }
  }
  const spread = { tasks: entry.tasksOver?.[over] ?? entry.scores[`fast_1_${over}`]?.tasks ?? scope.ranked };
  for (const part of PARTS) spread[part] = weighed(found[part]);
  return spread;
};

// What the values above p weigh: their number, where each has a task to itself.
export const countAbove = ({ values, from }, p) => {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > p) high = middle;
    else low = middle + 1;
  }
  return low < values.length ? from[low] : 0;
};

// Wilson's score interval of a share of so many tasks: what another draw of tasks might say (E. B. Wilson,
// "Probable inference, the law of succession, and statistical inference", 1927).
export const wilson = (share, tasks) => {
  const z = NORMAL_95 ** 2 / tasks;
  const middle = (share + z / 2) / (1 + z);
  const half = Math.sqrt(z * share * (1 - share) + (z * z) / 4) / (1 + z);
  return { low: middle - half, high: middle + half };
};

// The quantile of Student's t for 95 %, by Cornish and Fisher's expansion: right to 0.003 from five degrees of
// freedom on.
export const studentT = (freedom) => {
  const z = 1.959964;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
    + (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3);
};

const FEWEST_FOR_RANGE = 6; // values

// The 95 % interval of a mean of values that other tasks like these might have; null for too few.
export const meanRange = (values) => {
  const n = values.length;
  if (n < FEWEST_FOR_RANGE) return null;
  const mean = values.reduce((sum, one) => sum + one, 0) / n;
  const deviation = Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (n - 1));
  const half = (studentT(n - 1) * deviation) / Math.sqrt(n);
  return { low: mean - half, high: mean + half };
};

// Shares of tasks faster than p: by the whole interval, by the estimate, by any of the interval.
export const sharesAt = (spread, p) => {
  const share = (part) => (spread.tasks ? countAbove(spread[part], p) / spread.tasks : 0);
  return { sure: share("low"), point: share("estimate"), possible: share("high") };
};
