// The page's data, unpacked once: rows become objects by field name, and what refers to a row by its
// position refers to the object. reports/page/page_data.hpp says how it is packed.

import { words } from "./words.js";

const raw = JSON.parse(document.getElementById("data").textContent);

const unpack = (field, value) =>
  field.unit === "speedup" && value !== null
    ? Object.fromEntries(raw.speedup_parts.map((part, i) => [part, value[i]]))
    : value;

const rows = raw.rows.map((values, index) => {
  const row = { index, details: raw.details[index] };
  raw.fields.forEach((field, i) => { row[field.name] = unpack(field, values[i]); });
  return row;
});

const rowAt = (index) => (index === null ? null : rows[index]);

// Of a run; where a series has no point, the agent was not there.
const unpackSeries = (tasks, agents) => (series) => ({
  task: tasks[series.task],
  agent: agents[series.agent],
  points: series.points.map(([run, first, low, high], i) => ({
    run,
    speedup: typeof first === "number" ? { estimate: first, low, high } : null,
    state: typeof first === "number" ? "ok" : first,
    unsure: series.unsure.includes(i),
    renewed: series.renewed.includes(i),
  })),
  changes: series.changes.map(([point, before, after]) =>
    ({ run: series.points[point][0], before, after })),
});

// The runs that a board's trend is of; on a page of several runs each has its own.
const unpackTrend = (trend) => trend && {
  ...trend, runs: trend.runs.map(([id, at, tags, commit]) => ({ id, at, tags, commit })),
};

const unpackTask = (task) => ({
  ...task,
  rows: rows.slice(task.rows[0], task.rows[0] + task.rows[1]),
  best: task.best.map(rowAt),
  baselines: rowAt(task.baselines),
});

const unpackEpisode = (episode) => ({
  ...episode,
  row: rowAt(episode.row),
  turns: episode.turns.map((turn) => ({
    ...turn,
    calls: turn.calls.map((call) => ({ ...call, row: rowAt(call.row) })),
  })),
});

export const data = {
  fields: raw.fields,
  speedupParts: raw.speedup_parts,
  states: raw.states,
  verdicts: raw.verdicts,
  run: raw.run,
  schema: raw.report_schema,
  variants: raw.variants,
  site: raw.site || null,
  onlyTask: raw.only_task ?? null,
  contents: raw.contents,
  episodes: raw.episodes.map(unpackEpisode),
  boards: raw.boards.map((board) => {
    const tasks = board.tasks.map(unpackTask);
    return { ...board, tasks, trend: (board.trend || []).map(unpackSeries(tasks, board.agents)),
      trendOf: unpackTrend(board.trend_of ?? raw.trend) };
  }),
};

// Where a site has the page of a task.
const files = new Map(data.boards.flatMap(({ tasks }) => tasks.map(({ task, file }) => [task, file])));
export const fileOf = (task) => files.get(task);

export const fieldOf = (name) => data.fields.find((field) => field.name === name);

// What scores count as solved.
export const isCorrect = (row) =>
  row !== null && row.state === "ok" && row.correct === true && !row.below_floor;

const SPEEDUPS = { eager: "speedup.eager", compiled: "speedup.compiled", vendor: "vendor.speedup" };

// Over a baseline, whatever became of the row; null where either was not timed.
export const speedupOf = (row, over) => row[SPEEDUPS[over]];

// The interval of a time that stands in a speed-up over eager: eager's time over the ends of that interval.
// The median of all blocks need not lie among the ratios within blocks. As limit_share_words of
// reports/formats/verdict_card.cpp.
export const timeRange = (time, eager, speedup) =>
  (speedup && eager && speedup.low > 0
    ? { low: Math.min(eager / speedup.high, time), high: Math.max(eager / speedup.low, time), confidence: speedup.confidence }
    : null);

// All that a speed-up may be over.
export const ALL_BASELINES = Object.keys(SPEEDUPS);

// Those to choose from. A vendor's library is timed only where somebody asks for it.
export const BASELINES = ALL_BASELINES.filter((over) =>
  over !== "vendor" || rows.some((row) => speedupOf(row, over)));

// The speed-up that scores count; null unless correct, measured, ranked and credited.
export const scored = (row, over) =>
  isCorrect(row) && row.ranked && !row.uncredited_reason ? speedupOf(row, over) : null;

// The agent, or what stands for it beside the agents because its rows are ranked apart.
export const rankedAs = (row) => row.details.ranked_as ?? row.agent;

export const contestant = (row) =>
  row.agent === null ? null : row.variant ? `${row.agent}@${row.variant}` : row.agent;

// Stands behind a contestant that has two files for a task, as ResultRow::file; else empty.
export const fileMark = (row) => (row.details.file ? ` (${row.details.file})` : "");

export const nameOf = (row) => (row.agent === null ? words.baselinesOnly : contestant(row) + fileMark(row));

export const stateText = (row) => `${data.states[row.state].glyph} ${data.states[row.state].words}`;

// Whose fault it is; empty where nothing failed.
export const faultText = (row) => words.faults[row.fault] ?? "";
