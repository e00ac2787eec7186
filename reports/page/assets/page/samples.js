// Every timed visit of a row: blocks from left to right, a lane for each side, sessions apart, what
// was dropped as a cross with its reason.

import { words } from "./words.js";
import { folded, svg, h } from "./dom.js";
import { box, chart, label, line, linear, logarithmic, marks, titled } from "./chart.js";
import { showMs } from "./format.js";

const LANE = 84;
const GAP = 26; // room for the name of a side

const SIDES = ["eager", "compiled", "vendor", "submission"];

// [{position, time, dropped}] of one side.
const visitsOf = (samples, side) => {
  const reasons = new Map((samples.dropped || []).filter(([of]) => of === side)
    .map(([, position, visit, reason]) => [`${position} ${visit}`, samples.reasons[reason]]));
  return samples[side].flatMap((visits, position) =>
    (visits === null ? [] : [visits].flat()).map((time, visit) =>
      ({ position, visit, time, reason: reasons.get(`${position} ${visit}`) })));
};

export const medianOf = (times) => {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const crosses = (points) =>
  svg("path", { class: "dropped", d: points.map(([x, y]) =>
    `M${(x - 3).toFixed(1)} ${(y - 3).toFixed(1)}l6 6m0 -6l-6 6`).join("") });

const sessionLines = (samples, x, top) =>
  samples.session.flatMap((session, position) =>
    (position > 0 && samples.session[position - 1] !== session
      ? [line((x(position) + x(position - 1)) / 2, top, (x(position) + x(position - 1)) / 2,
        top + LANE, "session")] : []));

// Each lane has its own time axis: sides may differ a hundredfold, and what matters is their spread.
const lane = (samples, side, top, width, left) => {
  const visits = visitsOf(samples, side).filter(({ time }) => time > 0);
  if (visits.length === 0) return null;
  const times = visits.map(({ time }) => time);
  const [least, most] = [Math.min(...times) / 1.01, Math.max(...times) * 1.01];
  const x = linear(-0.5, samples.session.length - 0.5, left, width - 8);
  const y = logarithmic(least, most, top + LANE - 8, top + 8);
  const at = ({ position, visit, time }) => [x(position + (visit ? 0.18 : -0.18)), y(time)];
  const kept = visits.filter(({ reason }) => reason === undefined);
  const dropped = visits.filter(({ reason }) => reason !== undefined);
  const median = medianOf(kept.map(({ time }) => time));
  const ticks = [...new Set([Math.min(...times), median ?? least, Math.max(...times)])]
    .filter((tick, i, all) => all.slice(0, i).every((other) => Math.abs(y(other) - y(tick)) > 11));
  return svg("g", null,
    box(left, top, width - 8 - left, LANE, "lane", 2),
    label(left, top - 6, `${words[side]}, ${words.samplesAxis}`, "start", `side ${side}`),
    ticks.map((tick) => label(left - 6, y(tick) + 4, showMs(tick), "end")),
    sessionLines(samples, x, top),
    median === null ? null : line(left, y(median), width - 8, y(median), "median"),
    marks(kept.map(at), `marks ${side}`),
    dropped.length ? titled(crosses(dropped.map(at)),
      words.dropped(dropped.length, [...new Set(dropped.map(({ reason }) => reason))].join(", ")))
      : null);
};

// One number of a reason as a range of all of its kind: "took 40 to 240 % longer".
const NUMBER = /\d+(\.\d+)?/;
const inOneLine = (reasons) => {
  const numbers = reasons.map((reason) => Number((reason.match(NUMBER) || [NaN])[0]));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return low < high ? reasons[0].replace(NUMBER, `${low} to ${high}`) : reasons[0];
};

// A line for all reasons that differ in a number alone.
const droppedNotes = (samples) => {
  const kinds = new Map();
  for (const [, , , index] of samples.dropped || []) {
    const reason = samples.reasons[index] || "";
    const kind = reason.replace(NUMBER, "");
    kinds.set(kind, [...(kinds.get(kind) || []), reason]);
  }
  return [...kinds.values()].map((reasons) =>
    h("li", null, words.dropped(reasons.length, inOneLine(reasons))));
};

// The values as a table: a line for each block, with both visits of each side; what was dropped is struck out.
const valuesTable = (samples, sides) => {
  const visits = sides.map((side) => visitsOf(samples, side));
  const cell = (found) => h("td", { class: "number" }, found.map(({ time, reason }, i) =>
    [i ? " " : null, reason === undefined ? showMs(time) : h("s", { title: reason }, showMs(time))]));
  return h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": words.sampleValues },
    h("table", { class: "sample-values" },
      h("caption", { class: "unseen" }, words.sampleValues),
      h("thead", null, h("tr", null, h("th", { scope: "col" }, words.block),
        sides.map((side) => h("th", { scope: "col", class: "number" }, `${words[side]} (ms)`)))),
      h("tbody", null, samples.session.map((session, position) =>
        h("tr", null, h("th", { scope: "row" }, words.blockOf(position + 1, session)),
          visits.map((all) => cell(all.filter((one) => one.position === position))))))));
};

export const samplePlot = (samples, width) => {
  if (!samples) return null;
  const sides = SIDES.filter((side) => samples[side]);
  const left = 64;
  const notes = droppedNotes(samples);
  return h("figure", { class: "samples" },
    chart(width, sides.length * (LANE + GAP) + 4, words.samples,
      sides.map((side, i) => lane(samples, side, GAP - 4 + i * (LANE + GAP), width, left))),
    h("figcaption", null, words.samplesText, notes.length ? h("ul", null, notes) : null),
    folded({ class: "values" }, words.sampleValues, () => valuesTable(samples, sides)));
};
