// Share of tasks against p: a falling line for each agent, with the band that intervals allow.

import { words } from "./words.js";
import { chart, dot, label, line, linear, logarithmic, path, titled } from "./chart.js";
import { countAbove } from "./score.js";
import { svg } from "./dom.js";
import { data } from "./data.js";

export const P_FROM = 0.1;
export const P_TO = 10;

export const MOST_COLOURED = 6; // more colours cannot be told apart; the others are grey
const HEIGHT = 268;
const PAD = { left: 48, right: 16, top: 18, bottom: 40 };

// An agent's place among the colours. It keeps its colour from one board to the next, unless all boards
// together have more agents than there are colours.
const everybody = [...new Set(data.boards.flatMap(({ agents }) => agents))];
export const placeOf = (board, agent) =>
  (everybody.length <= MOST_COLOURED ? everybody : board.agents).indexOf(agent);

export const colourOf = (place) => (place < MOST_COLOURED ? `series-${place + 1}` : "series-rest");

// Corners of the staircase of one part ("low", "estimate", "high"), from left to right.
const stairs = (spread, part, x, y) => {
  const steps = [...new Set(spread[part].values.filter((v) => v > P_FROM && v < P_TO))];
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
    label(PAD.left - 6, y(share) + 4, share === 1 ? words.percent : `${100 * share}`, "end"),
  ]),
  [0.1, 0.2, 0.5, 1, 2, 5, 10].map((p) => [
    line(x(p), y(0), x(p), y(0) + 4, "axis"),
    label(x(p), y(0) + 17, `${p}×`, "middle"),
  ]),
  label((PAD.left + width - PAD.right) / 2, HEIGHT - 6, words.curveAxisX(over), "middle"),
];

// Names beside the line at p, each at its own line's height, pushed apart where they would overlap.
const names = (ends, at, width, y) => {
  const step = 14;
  const [top, bottom] = [PAD.top + 10, HEIGHT - PAD.bottom - 4];
  const ordered = ends.filter(({ place }) => place < MOST_COLOURED)
    .map((end) => ({ ...end, own: y(end.share), at: y(end.share) - 6 }))
    .sort((a, b) => a.at - b.at);
  ordered.forEach((name, i) => {
    name.at = Math.max(name.at, i ? ordered[i - 1].at + step : top);
  });
  for (let i = ordered.length - 1; i >= 0; --i)
    ordered[i].at = Math.min(ordered[i].at, i === ordered.length - 1 ? bottom
      : ordered[i + 1].at - step);
  const atRight = at < width * 0.7;
  const aside = atRight ? 1 : -1;
  return ordered.map(({ agent, place, own, at: height }) => {
    const short = agent.length > 18 ? `${agent.slice(0, 17)}…` : agent;
    return svg("g", { "data-agent": agent },
      line(at + 4 * aside, own, at + 16 * aside, height, `leader ${colourOf(place)}`),
      label(at + 18 * aside, height + 4, short, atRight ? "start" : "end",
        `name halo ${colourOf(place)}`));
  });
};

// `agents`: [{agent, place, spread}], best first. `part`: which end of the intervals the lines are of.
export const fastCurve = (agents, part, p, over, width) => {
  const x = logarithmic(P_FROM, P_TO, PAD.left, width - PAD.right);
  const y = linear(0, 1, HEIGHT - PAD.bottom, PAD.top);
  const lines = agents.map(({ agent, spread, place }) => {
    const upper = stairs(spread, "high", x, y);
    const lower = stairs(spread, "low", x, y);
    // Without a verdict no interval bounds anything.
    const bounded = place < MOST_COLOURED && spread.low.values.length > 0;
    const band = path([...upper, ...lower.reverse()], `band ${colourOf(place)}`);
    return titled(svg("g", { class: "curve-line", "data-agent": agent }, bounded ? band : null,
      path(stairs(spread, part, x, y), `curve ${colourOf(place)}`)), agent);
  }).reverse();
  const ends = agents.map(({ agent, place, spread }) =>
    ({ agent, place, share: spread.tasks ? countAbove(spread[part], p) / spread.tasks : 0 }));
  return chart(width, HEIGHT, words.curveTitle,
    axes(width, x, y, over),
    svg("g", null, lines),
    line(x(p), y(0), x(p), y(1), "now"),
    ends.map(({ place, share }) => dot(x(p), y(share), 3.5, `point ${colourOf(place)}`)),
    label(x(p), PAD.top - 6, `p = ${p}`, "middle", "now-label"),
    names(ends, x(p), width, y));
};
