// Speed-ups over the runs of the device: a line for each agent with its intervals, the best so far
// as a staircase, and a mark where a run brought a change. Pointing shows the run.

import { words } from "./words.js";
import { h, svg, taskName } from "./dom.js";
import { chart, dot, label, line, linear, linearTicks, logarithmic, logTicks, path, titled } from "./chart.js";
import { data } from "./data.js";
import { colourOf, placeOf } from "./curve.js";
import { showRange, showRatio } from "./format.js";
import { change, linkTo, view } from "./state.js";

const TREND_HEIGHT = 260;
const EDGE = { left: 56, right: 16, top: 16, bottom: 44 };
const MOST_BANDS = 4; // agents whose intervals can be told apart
const FEWEST_TICKS = 4;
const MOST_CHANGES = 200;

const seriesOf = (board, task) => board.trend.filter((one) => one.task === task);

const dayOf = (run) => run.at.slice(0, 10);

// Under a tick: the day; or the time where the tick before is of the same day, with seconds where
// two are of one minute.
const tickLabels = (runs) => {
  const minute = (run) => run.at.slice(0, 16);
  const ofOneMinute = runs.some((run, i) => i > 0 && minute(run) === minute(runs[i - 1]));
  return runs.map((run, i) => (i > 0 && dayOf(run) === dayOf(runs[i - 1])
    ? run.at.slice(11, ofOneMinute ? 19 : 16) : dayOf(run)));
};

const scalesOf = (runs, series, width) => {
  const ends = series.flatMap(({ points }) =>
    points.flatMap(({ speedup }) => (speedup ? [speedup.low, speedup.high] : [])));
  const [least, most] = [Math.min(1, ...ends), Math.max(1, ...ends)];
  const room = (most / least) ** 0.06 * 1.02;
  const [from, to] = [least / room, most * room];
  const fine = logTicks(from, to);
  return {
    x: linear(0, Math.max(1, runs.length - 1), EDGE.left, width - EDGE.right),
    y: logarithmic(from, to, TREND_HEIGHT - EDGE.bottom, EDGE.top),
    ticks: fine.length >= FEWEST_TICKS ? fine : linearTicks(from, to),
  };
};

const trendAxes = (runs, { x, y, ticks }, width) => {
  const room = Math.max(1, Math.floor((width - EDGE.left - EDGE.right) / 110));
  const step = Math.max(1, Math.ceil((runs.length - 1) / room));
  const dated = runs.map((run, i) => [run, i])
    .filter(([, i]) => (runs.length - 1 - i) % step === 0);
  const labels = tickLabels(dated.map(([run]) => run));
  return [
    ticks.map((tick) => [
      line(EDGE.left, y(tick), width - EDGE.right, y(tick), tick === 1 ? "one" : "grid"),
      label(EDGE.left - 8, y(tick) + 4, `${tick}×`, "end"),
    ]),
    ticks.includes(1) ? null : line(EDGE.left, y(1), width - EDGE.right, y(1), "one"),
    dated.map(([, i], tick) => [
      line(x(i), TREND_HEIGHT - EDGE.bottom, x(i), TREND_HEIGHT - EDGE.bottom + 4, "axis"),
      label(x(i), TREND_HEIGHT - EDGE.bottom + 17, labels[tick],
        i === 0 ? "start" : i === runs.length - 1 ? "end" : "middle"),
    ]),
  ];
};

// Stretches of points with a speed-up: what failed interrupts a line.
const stretchesOf = (points) => {
  const stretches = [[]];
  for (const point of points) {
    if (point.speedup) stretches.at(-1).push(point);
    else if (stretches.at(-1).length) stretches.push([]);
  }
  return stretches.filter((stretch) => stretch.length);
};

const bandOf = (points, { x, y }, kind) =>
  path([...points.map(({ run, speedup }) => [x(run), y(speedup.high)]),
    ...points.map(({ run, speedup }) => [x(run), y(speedup.low)]).reverse()], `band ${kind}`);

const agentMarks = (one, place, scales, banded) => {
  const { x, y } = scales;
  const kind = colourOf(place);
  const at = ({ run, speedup }) => [x(run), y(speedup.estimate)];
  const stretches = stretchesOf(one.points);
  return [
    banded ? stretches.map((points) => bandOf(points, scales, kind)) : null,
    stretches.map((points) => path(points.map(at), `curve ${kind}`)),
    one.points.filter(({ speedup }) => speedup).map((point) =>
      dot(...at(point), point.unsure ? 2.5 : 3.5, `point ${kind}`)),
    one.points.filter(({ speedup }) => !speedup).map(({ run, state }) =>
      titled(label(x(run), TREND_HEIGHT - EDGE.bottom - 4 - 12 * Math.min(place, 3),
        data.states[state]?.glyph || "✗", "middle", `miss ${kind}`),
      `${one.agent}: ${data.states[state]?.words || state}`)),
  ];
};

// Where a level changed: a triangle above or below the first point of the new one.
const changeMarks = (one, place, { x, y }) => one.changes.map(({ run, before, after }) => {
  const up = after > before;
  const { speedup } = one.points.find((point) => point.run === run);
  const top = up ? y(speedup.high) - 6 : y(speedup.low) + 6;
  const away = up ? -10 : 10;
  return titled(svg("path", {
    class: `change ${colourOf(place)}`,
    d: `M${(x(run) - 7).toFixed(1)} ${top.toFixed(1)}h14l-7 ${away}z`,
  }), words.changeTitle(one.agent, showRatio(before), showRatio(after)));
});

// The largest speed-up that anybody has reached up to each run.
const bestSoFar = (runs, series) => {
  const best = [];
  runs.forEach((_, run) => {
    const reached = series.flatMap(({ points }) =>
      points.filter((point) => point.run === run && point.speedup)
        .map(({ speedup }) => speedup.estimate));
    const most = Math.max(best.at(-1)?.[1] ?? 0, ...reached);
    if (most > 0) best.push([run, most]);
  });
  return best;
};

const staircase = (best, { x, y }) =>
  path(best.flatMap(([run, value], i) =>
    (i ? [[x(run), y(best[i - 1][1])], [x(run), y(value)]] : [[x(run), y(value)]])), "best");

const legendOf = (series, board) => {
  const named = series.filter(({ agent }) => colourOf(placeOf(board, agent)) !== "series-rest");
  const chip = (kind, text) => h("li", null, h("span", { class: `swatch ${kind}` }), text);
  return h("ul", { class: "legend-list" },
    named.map(({ agent }) => chip(colourOf(placeOf(board, agent)), agent)),
    named.length < series.length ? chip("series-rest", words.others) : null,
    h("li", null, h("span", { class: "swatch dash" }), words.bestSoFar));
};

const valueText = ({ speedup, state, unsure, renewed }) => {
  const value = speedup
    ? `${showRatio(speedup.estimate)} ${showRange(speedup.low, speedup.high, speedup.estimate)}`
    : data.states[state]?.words || state;
  return [value, unsure && words.unsure, renewed && words.renewed].filter(Boolean).join(", ");
};

// What stands below the chart of the run that is pointed at.
const readoutOf = (run, series, board) => [
  h("p", { class: "strong" }, words.runTitle(board.trendOf.runs[run])),
  h("ul", null, series.map((one) => {
    const point = one.points.find((other) => other.run === run);
    if (!point) return null;
    const brought = one.changes.find((found) => found.run === run);
    const kind = colourOf(placeOf(board, one.agent));
    return h("li", null, h("span", { class: `swatch ${kind}` }), `${one.agent}: ${valueText(point)}`,
      brought ? h("b", null, ` ${brought.after > brought.before ? "▲" : "▼"} ${
        showRatio(brought.before)} → ${showRatio(brought.after)}`) : null);
  })),
];

// Moves a line with pointer or arrow keys; the newest run is shown at first.
const makeReadout = (picture, series, board, { x }) => {
  const readout = h("div", { class: "readout" });
  const cursor = line(0, EDGE.top, 0, TREND_HEIGHT - EDGE.bottom, "now");
  picture.append(cursor);
  const last = board.trendOf.runs.length - 1;
  let shown = null;
  const show = (run) => {
    const next = Math.min(Math.max(run, 0), last);
    if (next === shown) return;
    shown = next;
    cursor.setAttribute("x1", x(next).toFixed(1));
    cursor.setAttribute("x2", x(next).toFixed(1));
    readout.replaceChildren(...readoutOf(next, series, board));
  };
  picture.addEventListener("pointermove", (event) => {
    const { left, width } = picture.getBoundingClientRect();
    const inside = (event.clientX - left) * (picture.viewBox.baseVal.width / width);
    show(Math.round(last * ((inside - x(0)) / (x(last) - x(0)))));
  });
  picture.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last }[event.key];
    if (move === undefined) return;
    event.preventDefault();
    show(shown + move);
  });
  show(last);
  return readout;
};

// Null where fewer than two runs have the task.
export const trendFigure = (board, task, width) => {
  const series = seriesOf(board, task);
  if (series.length === 0) return null;
  const { runs } = board.trendOf;
  const scales = scalesOf(runs, series, width);
  const banded = series.length <= MOST_BANDS;
  const place = ({ agent }) => board.agents.indexOf(agent);
  const picture = chart(width, TREND_HEIGHT, words.trendOf(task.task),
    trendAxes(runs, scales, width), staircase(bestSoFar(runs, series), scales),
    series.map((one) => agentMarks(one, place(one), scales, banded)).reverse(),
    series.map((one) => changeMarks(one, place(one), scales)));
  picture.setAttribute("tabindex", "0");
  return h("figure", { class: "trend", style: { "max-width": `${width}px` } }, legendOf(series, board), picture,
    makeReadout(picture, series, board, scales), h("figcaption", null, words.trendHelp));
};

const MOST_SMALL = 12;
const SMALL = { width: 212, height: 90, pad: 8, bottom: 22 };

// Small pictures of the tasks that changed last, each on a log axis of its own with the 1× line: which
// one is worth a large picture.
const smallTrend = (board, task, chosen) => {
  const series = seriesOf(board, task);
  const ends = series.flatMap(({ points }) => points.flatMap(({ speedup }) =>
    (speedup ? [speedup.estimate] : [])));
  const x = linear(0, Math.max(1, board.trendOf.runs.length - 1), SMALL.pad, SMALL.width - SMALL.pad);
  const y = logarithmic(Math.min(0.9, ...ends), Math.max(1.1, ...ends), SMALL.height - SMALL.bottom, SMALL.pad);
  const latest = Math.max(...series.map(({ points }) => points.at(-1).speedup?.estimate ?? 0));
  return h("button", {
    type: "button", class: "panel", "aria-pressed": String(chosen), "data-trend": task.task,
    on: { click: () => change({ trend: task.task }) },
  }, h("span", { class: "panel-name" }, taskName(task.task)),
  chart(SMALL.width, SMALL.height, words.trendOf(task.task),
    line(SMALL.pad, y(1), SMALL.width - SMALL.pad, y(1), "one strong-one"),
    series.map((one) => stretchesOf(one.points).map((points) =>
      path(points.map(({ run, speedup }) => [x(run), y(speedup.estimate)]),
        `curve ${colourOf(placeOf(board, one.agent))}`))),
    label(SMALL.pad, SMALL.height - 3, latest ? words.smallTrend(showRatio(latest)) : "", "start")));
};

const smallTrends = (board, changes, chosen) => {
  const changed = [...new Set(changes.map(({ task }) => task))];
  const rest = board.tasks.filter((task) => !changed.includes(task) && seriesOf(board, task).length > 0);
  const shown = [...changed, ...rest].slice(0, MOST_SMALL);
  return shown.length < 2 ? "" : h("div", { class: "panels", role: "group", "aria-label": words.smallTrends },
    shown.map((task) => smallTrend(board, task, task === chosen)));
};

// Every change of a board, the newest first, and within a run the largest.
const changesOf = (board) => board.trend.flatMap((one) =>
  one.changes.map((found) => ({ ...found, task: one.task, agent: one.agent })))
  .sort((a, b) => b.run - a.run
    || Math.abs(Math.log(b.after / b.before)) - Math.abs(Math.log(a.after / a.before)))
  .slice(0, MOST_CHANGES);

const changeRow = (runs) => ({ run, task, agent, before, after }) => {
  const kind = after > before ? "faster" : "slower";
  return h("tr", null,
    h("th", { scope: "row", title: task.task }, h("a", { href: linkTo(task.task) }, taskName(task.task))),
    h("td", { class: "name" }, agent),
    h("td", { class: `number text-${kind}` },
      `${kind === "faster" ? "▲" : "▼"} ${showRatio(after / before)}`),
    h("td", { class: "number" }, showRatio(before)),
    h("td", { class: "number" }, showRatio(after)),
    h("td", { title: words.runTitle(runs[run]) }, dayOf(runs[run])),
    h("td", null, h("code", null, runs[run].id)));
};

const changeTable = (runs, changes) =>
  h("div", { class: changes.length > 12 ? "scroll tall" : "scroll", tabindex: "0", role: "region",
    "aria-label": words.changes },
  h("table", { class: "changes" },
    h("caption", { class: "unseen" }, words.changes),
    h("thead", null, h("tr", null,
      h("th", { scope: "col" }, words.task), h("th", { scope: "col" }, words.agent),
      h("th", { scope: "col", class: "number" }, words.change),
      h("th", { scope: "col", class: "number" }, words.before),
      h("th", { scope: "col", class: "number" }, words.after),
      h("th", { scope: "col" }, words.since), h("th", { scope: "col" }, words.run))),
    h("tbody", null, changes.map(changeRow(runs)))));

// The task that was chosen, else the one that changed last, else the first of all.
const trendTask = (board, changes) => {
  const known = [...new Set(board.trend.map(({ task }) => task))];
  return known.find((task) => task.task === view.trend) || changes[0]?.task || known[0];
};

const taskPicker = (board, chosen) => {
  const known = board.tasks.filter((task) => seriesOf(board, task).length > 0);
  const select = h("select", {
    id: "trend-task", on: { change: () => change({ trend: select.value }) },
  }, known.map((task) =>
    h("option", { value: task.task, selected: task === chosen }, task.task)));
  return h("div", { class: "filters" },
    h("label", { class: "field" }, h("span", null, words.trendTask), select));
};

export const makeTrend = () => {
  const slot = h("div");
  const element = h("section", { id: "trend", hidden: true }, h("h2", null, words.trend), slot);
  const draw = (board) => {
    element.hidden = board.trend.length === 0;
    if (element.hidden) return;
    const changes = changesOf(board);
    const task = trendTask(board, changes);
    const focused = document.activeElement?.id;
    const small = document.activeElement?.dataset?.trend;
    slot.replaceChildren(
      h("p", { class: "note" }, words.trendText(board.trendOf.runs.length, board.trendOf.older)),
      smallTrends(board, changes, task),
      taskPicker(board, task),
      trendFigure(board, task, Math.max(280, Math.min(element.clientWidth, 1100))),
      h("h3", null, words.changes),
      changes.length ? changeTable(board.trendOf.runs, changes) : h("p", null, words.noChanges));
    if (small) [...slot.querySelectorAll("[data-trend]")].find((one) => one.dataset.trend === small)?.focus();
    if (focused === "trend-task") document.getElementById("trend-task").focus();
  };
  return { element, draw };
};
