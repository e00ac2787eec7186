// The page's data, unpacked once: rows become objects by field name, and what refers to a row by its
// position refers to the object. reports/page_data.hpp says how it is packed.

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

const unpackTask = (task) => ({
  ...task,
  rows: rows.slice(task.rows[0], task.rows[0] + task.rows[1]),
  best: task.best.map(rowAt),
  baselines: rowAt(task.baselines),
});

export const data = {
  fields: raw.fields,
  states: raw.states,
  verdicts: raw.verdicts,
  run: raw.run,
  schema: raw.report_schema,
  trend: raw.trend || null,
  contents: raw.contents,
  boards: raw.boards.map((board) => ({ ...board, tasks: board.tasks.map(unpackTask) })),
};

export const fieldOf = (name) => data.fields.find((field) => field.name === name);

export const isCorrect = (row) => row !== null && row.state === "ok" && row.correct === true;

// The speed-up that scores count; null unless correct, measured and ranked.
export const scored = (row, over) =>
  isCorrect(row) && row.ranked ? row[`speedup.${over}`] : null;

export const contestant = (row) =>
  row.agent === null ? null : row.variant ? `${row.agent}@${row.variant}` : row.agent;
