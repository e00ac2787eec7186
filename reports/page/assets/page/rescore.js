// Scores of some tasks alone, by the formulas of reports/rank/contributions.hpp: without ranks, which take
// thousands of redrawings, and with intervals over the tasks in the place of theirs.

import { ALL_BASELINES, isCorrect, scored } from "./data.js";
import { meanRange, rowsThatCount } from "./score.js";

const LEAST = Math.log(0.1);
const MOST = Math.log(100);
const MILESTONE = Math.log(1 / 0.95);

const isRanked = (task) => task.rows.some((row) => row.ranked);

// What rows of a task had, and so in which scores it counts: as counted() of reports/rank/ranking.cpp.
const neededOf = (task) => {
  const rows = task.rows.filter((row) => row.ranked);
  const submitted = rows.filter((row) => row.agent !== null);
  return {
    eager: rows.some((row) => row["time_ns.eager"] !== null),
    compiled: rows.some((row) => row["time_ns.compiled"] !== null),
    vendor: rows.some((row) => row["vendor.time_ns"] !== null),
    limit: rows.some((row) => row.limit_share !== null),
    failed: !submitted.some(isCorrect) && submitted.some((row) => row.fault === "submission"),
    untried: submitted.length === 0,
  };
};

// Whether a task is a call of a vendor's library is known of rows that got as far as asking.
const countedIn = (facts, anywhere) => (need) =>
  facts[need] || (need !== "vendor" && facts.failed && (need === "eager" || anywhere[need]))
  || (facts.untried && need === "limit" && anywhere[need]);

const logOf = (row, over) => {
  const speedup = row === null ? null : scored(row, over);
  return speedup ? Math.log(speedup.estimate) : NaN;
};

// What one row contributes; NaN: left out. Null: nothing submitted.
const contributions = (row) => {
  const correct = isCorrect(row);
  const [eager, compiled, vendor] = ALL_BASELINES.map((over) => logOf(row, over));
  const penalised = (log) =>
    (Number.isNaN(log) ? (correct ? NaN : LEAST) : Math.min(Math.max(log, LEAST), MOST));
  const limit = correct && !row.uncredited_reason && row.limit_share !== null
    ? row.limit_share : NaN;
  return {
    penalised_mean_eager: penalised(eager), mean_eager: eager,
    penalised_mean_compiled: penalised(compiled), mean_compiled: compiled,
    penalised_mean_vendor: penalised(vendor), mean_vendor: vendor,
    share_of_limit: Number.isNaN(limit) && !correct ? 0 : limit,
    milestone: !correct ? -1 : !(eager > MILESTONE) ? 1 : compiled > MILESTONE ? 3 : 2,
  };
};

const NEEDS = {
  penalised_mean_eager: "eager", mean_eager: "eager", penalised_mean_compiled: "compiled",
  mean_compiled: "compiled", penalised_mean_vendor: "vendor", mean_vendor: "vendor",
  share_of_limit: "limit", milestone: "eager",
};

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const middleOf = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};
const AGGREGATES = { share_of_limit: middleOf, milestone: meanOf };
const geometric = (values) => Math.exp(meanOf(values));

// The interval of a mean over other tasks like these; a median has none.
const meanRangeOf = (name, values) => {
  const range = AGGREGATES[name] === middleOf ? null : meanRange(values);
  if (!range) return { low: null, high: null };
  return AGGREGATES[name] ? range : { low: Math.exp(range.low), high: Math.exp(range.high) };
};

const scoreOf = (name, values) =>
  ({ value: (AGGREGATES[name] || geometric)(values), ...meanRangeOf(name, values), tasks: values.length });

// Scores in which a time of a solved task counts, and those in which one is left out; as
// Solved of reports/rank/ranking.cpp.
const makeSolved = () => ({ counts: new Set(), leftOut: new Set() });
const addSolved = (solved, row, counts) => {
  if (!isCorrect(row)) return;
  const parts = contributions(row);
  for (const [name, need] of Object.entries(NEEDS))
    if (counts(need)) (Number.isNaN(parts[name]) ? solved.leftOut : solved.counts).add(name);
};
const tellsNothing = ({ counts, leftOut }, name) => leftOut.has(name) && !counts.has(name);

// What holds for every agent, so that it is looked up once: the tasks that rank, what each counts in,
// and the scores that some time of anybody's counts in.
const fieldOfTasks = (tasks) => {
  const ranked = tasks.filter(isRanked).map((task) => [task, neededOf(task)]);
  const anywhere = Object.fromEntries([...ALL_BASELINES, "limit"].map((need) =>
    [need, ranked.some(([, facts]) => facts[need])]));
  const field = ranked.map(([task, facts]) => [task, countedIn(facts, anywhere)]);
  const byAnybody = makeSolved();
  for (const [task, counts] of field)
    for (const row of task.rows)
      if (row.ranked && row.agent !== null) addSolved(byAnybody, row, counts);
  return { field, byAnybody };
};

// Entries of a ranking over these tasks.
export const rescored = (board, entries, tasks) => {
  const { field, byAnybody } = fieldOfTasks(tasks);
  return entries.map((entry) => rescoredEntry(board, entry, field, byAnybody));
};

const rescoredEntry = (board, entry, field, byAnybody) => {
  const column = board.agents.indexOf(entry.agent);
  const own = makeSolved();
  const values = Object.fromEntries(Object.keys(NEEDS).map((name) => [name, []]));
  const found = { tasks: field.length, submitted: 0, correct: 0, tasksOver: Object.fromEntries(ALL_BASELINES.map((over) => [over, 0])) };
  for (const [task, counts] of field) {
    const rows = rowsThatCount(task, entry.agent, column).filter((row) => row !== null);
    const ranked = rows.filter((row) => row.ranked);
    if (rows.length > 0 && ranked.length === 0 && rows.every((row) => row.fault === "infrastructure")) {
      found.tasks -= 1; // nobody judged it
      continue;
    }
    found.submitted += ranked.length > 0;
    found.correct += ranked.some(isCorrect);
    const parts = (ranked.length ? ranked : [null]).map(contributions);
    for (const row of ranked) addSolved(own, row, counts);
    for (const over in found.tasksOver) found.tasksOver[over] += counts(over);
    for (const [name, need] of Object.entries(NEEDS)) {
      const there = parts.map((part) => part[name]).filter((value) => !Number.isNaN(value));
      if (there.length && counts(need)) values[name].push(meanOf(there));
    }
  }
  const isUnknown = (name) => tellsNothing(own, name) || (!own.counts.has(name) && tellsNothing(byAnybody, name));
  const scores = Object.fromEntries(Object.entries(values).map(([name, all]) =>
    [name, all.length && !isUnknown(name) ? scoreOf(name, all)
      : { value: null, low: null, high: null, tasks: all.length }]));
  return { ...entry, ...found, rank: null, scores };
};
