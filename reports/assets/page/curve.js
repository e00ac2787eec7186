// Share of tasks against p: a falling line for each agent, with the band that intervals allow.

import { words } from "./words.js";
import { chart, dot, label, line, linear, logarithmic, path } from "./chart.js";
import { countAbove } from "./score.js";
import { svg } from "./dom.js";

export const P_FROM = 0.1;
export const P_TO = 10;

const MOST_COLOURED = 6; // more colours cannot be told apart; the others are grey
const HEIGHT = 268;
const PAD = { left: 40, right: 116, top: 12, bottom: 40 };

export const colourOf = (place) => (place < MOST_COLOURED ? `series-${place + 1}` : "series-rest");

// Corners of the staircase of one part ("low", "estimate", "high"), from left to right.
const stairs = (spread, part, x, y) => {
  const steps = [...new Set(spread[part].filter((v) => v > P_FROM && v < P_TO))];
  const share = (p) => (spread.tasks ? countAbove(spread[part], p) / spread.tasks : 0);
  const points = [[x(P_FROM), y(share(P_FROM))]];
  for (const step of steps) {
    points.push([x(step), points.at(-1)[1]], [x(step), y(share(step))]);
  }
  points.push([x(P_TO), points.at(-1)[1]]);
  return points;
};

const axes = (width, x, y, over) => [
  [0, 0.25, 0.5, 0.75, 1].map((share) => [
    line(PAD.left, y(share), width - PAD.right, y(share), "grid"),
    label(PAD.left - 6, y(share) + 4, `${100 * share}`, "end"),
  ]),
  [0.1, 0.2, 0.5, 1, 2, 5, 10].map((p) => [
    line(x(p), y(0), x(p), y(0) + 4, "axis"),
    label(x(p), y(0) + 17, `${p}×`, "middle"),
  ]),
  label((PAD.left + width - PAD.right) / 2, HEIGHT - 6, words.curveAxisX(over), "middle"),
  label(6, PAD.top, "%", "start"),
];

// Names at the right end of their lines, pushed apart where they would overlap.
const names = (entries, width, y) => {
  const ordered = entries.filter((entry) => entry.place < MOST_COLOURED)
    .map((entry) => ({ ...entry, at: y(entry.right) }))
    .sort((a, b) => a.at - b.at);
  const step = 14;
  for (let i = 1; i < ordered.length; ++i)
    ordered[i].at = Math.max(ordered[i].at, ordered[i - 1].at + step);
  const excess = ordered.length ? ordered.at(-1).at - (HEIGHT - PAD.bottom + 4) : 0;
  for (let i = ordered.length - 1; excess > 0 && i >= 0; --i) {
    const most = i === ordered.length - 1 ? HEIGHT - PAD.bottom + 4 : ordered[i + 1].at - step;
    ordered[i].at = Math.min(ordered[i].at, most);
  }
  return ordered.map(({ agent, place, at }) => {
    const short = agent.length > 14 ? `${agent.slice(0, 13)}…` : agent;
    return label(width - PAD.right + 8, at + 4, short, "start", `name ${colourOf(place)}`);
  });
};

// `agents`: [{agent, place, spread}], best first.
export const fastCurve = (agents, p, over, width) => {
  const x = logarithmic(P_FROM, P_TO, PAD.left, width - PAD.right);
  const y = linear(0, 1, HEIGHT - PAD.bottom, PAD.top);
  const lines = agents.map(({ spread, place }) => {
    const upper = stairs(spread, "high", x, y);
    const lower = stairs(spread, "low", x, y);
    const band = path([...upper, ...lower.reverse()], `band ${colourOf(place)}`);
    return [place < MOST_COLOURED ? band : null,
      path(stairs(spread, "estimate", x, y), `curve ${colourOf(place)}`)];
  }).reverse();
  // Where the lines leave at the right all are near 0; a name stands where its line is at p.
  const ends = agents.map(({ agent, place, spread }) =>
    ({ agent, place, right: spread.tasks ? countAbove(spread.estimate, p) / spread.tasks : 0 }));
  return chart(width, HEIGHT, words.curveTitle,
    axes(width, x, y, over),
    svg("g", null, lines),
    line(x(p), y(0), x(p), y(1), "now"),
    ends.map(({ place, right }) => dot(x(p), y(right), 3.5, `point ${colourOf(place)}`)),
    label(x(p), PAD.top - 2, `p = ${p}`, "middle", "now-label"),
    names(ends, width, y));
};
