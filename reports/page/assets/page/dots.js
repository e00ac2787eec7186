// All tasks of one agent in one picture: a line for each task, the fastest first, on a log axis with
// the 1× line. Above it, where there are several agents, a small picture of each on the same axis: it
// shows whose tasks are fast, and chooses whose are shown.

import { words } from "./words.js";
import { h, svg } from "./dom.js";
import { chart, dot, label, line, logarithmic, logTicks, titled } from "./chart.js";
import { data, fileOf, isCorrect, speedupOf } from "./data.js";
import { cellOf } from "./cells.js";
import { colourOf, placeOf } from "./curve.js";
import { noneWords } from "./filters.js";
import { shortened, showRange, showRatio } from "./format.js";
import { pictureButton } from "./picture.js";
import { change, linkTo, view } from "./state.js";

const DOT_ROW = 18;
const AXIS_HEIGHT = 22;
const FAILED_AT = 12; // pixels right of the names, where failures stand
const FIRST_AT = 36; // and where the axis begins
const VALUE_ROOM = 64;
const MOST_PANELS = 12;
const LABEL_HEIGHT = 12;
const PANEL = { width: 212, height: 102, left: 34, right: 8, top: 8, bottom: 24 };
const PANEL_TICKS = [0.1, 0.5, 1, 2, 10];
const WIDEST_RATIO = 100; // a failed measurement shall not squeeze all others together

const agentShown = (board) => (board.agents.includes(view.of) ? view.of : board.agents[0]);

const compiledOf = (task) => task.baselines.baseline_speedup?.estimate ?? task.compiled_ratio ?? null;

// A line of the picture. A row that is correct and timed has a speed-up, whether it counts or not.
const lineOf = (board, agent, over) => (task) => {
  const row = task.best[board.agents.indexOf(agent)];
  return {
    task, row, cell: cellOf(row, over),
    speedup: row && isCorrect(row) ? speedupOf(row, over) : null,
    compiled: over === "eager" ? compiledOf(task) : null,
  };
};

const clamped = (x) => Math.min(Math.max(x, 1 / WIDEST_RATIO), WIDEST_RATIO);

// The ends of the axis, the same for every agent of the board.
const reachOfDots = (board, tasks, over) => {
  const values = tasks.flatMap((task) => [
    ...task.best.flatMap((row) => {
      const speedup = row && isCorrect(row) ? speedupOf(row, over) : null;
      return speedup ? [clamped(speedup.low), clamped(speedup.high)] : [];
    }),
    over === "eager" ? compiledOf(task) : null]).filter((x) => x !== null);
  const from = values.reduce((a, b) => Math.min(a, b), 0.8);
  const to = values.reduce((a, b) => Math.max(a, b), 1.25);
  return [from / 1.08, to * 1.08];
};

// The fastest first; what has no time at the end, and what was not submitted not at all.
const dotLinesOf = (board, tasks, agent, over) =>
  tasks.map(lineOf(board, agent, over)).filter(({ row }) => row !== null)
    .sort((a, b) => (b.speedup?.estimate ?? 0) - (a.speedup?.estimate ?? 0));

const shortName = (task, letters) => shortened(task.task.slice(task.task.indexOf("/") + 1), letters);

const titleOf = ({ task, speedup, cell, compiled }) => [
  `${task.task}: ${speedup
    ? `${showRatio(speedup.estimate)} ${showRange(speedup.low, speedup.high, speedup.estimate)}`
    : `${cell.glyph} ${cell.text}`}`,
  compiled === null ? "" : words.dotsCompiled(showRatio(compiled)),
].filter(Boolean).join(", ");

const dotLine = (one, i, x, left, width, kind) => {
  const y = i * DOT_ROW + DOT_ROW / 2;
  const { speedup, compiled, cell } = one;
  const at = (ratio) => x(clamped(ratio));
  return titled(svg("g", { class: "dot-line", "data-task": one.task.task, role: "link", tabindex: "-1", "aria-label": titleOf(one) },
    svg("rect", { x: 0, y: i * DOT_ROW, width, height: DOT_ROW, class: "hit" }),
    label(left - 8, y + 4, shortName(one.task, Math.floor(left / 7.2)), "end", "name"),
    compiled === null ? null : dot(at(compiled), y, 3.5, "hollow"),
    speedup ? [line(at(speedup.low), y, at(speedup.high), y, `reach ${kind}`),
      speedup.high > clamped(speedup.high) ? label(at(speedup.high), y + 4, "›", "start", "value") : null,
      speedup.low < clamped(speedup.low) ? label(at(speedup.low), y + 4, "‹", "end", "value") : null,
      dot(at(speedup.estimate), y, 4, `point ${kind}`),
      label(width, y + 4, showRatio(speedup.estimate), "end", "value")]
      : [label(left + FAILED_AT, y + 4, cell.glyph, "middle", `miss-glyph ${cell.tone}`),
        label(width, y + 4, cell.text.length > 12 ? "" : cell.text, "end", "label")]), titleOf(one));
};

const gridLines = (x, ticks, top, bottom) =>
  [ticks.filter((tick) => tick !== 1).map((tick) => line(x(tick), top, x(tick), bottom, "grid")),
    line(x(1), top, x(1), bottom, "one strong-one")];

const openTask = (event) => {
  const task = event.target.closest("[data-task]")?.getAttribute("data-task");
  if (!task) return;
  if (data.site && fileOf(task)) location.assign(linkTo(task));
  else change({ path: task });
};

// One stop of the tab key for all lines: the arrows lead from one to the next, and Enter opens its task.
let atTask = "";
const rove = (box) => {
  const lines = [...box.querySelectorAll(".dot-line")];
  const stopAt = (line) => {
    for (const other of lines) other.setAttribute("tabindex", other === line ? "0" : "-1");
  };
  stopAt(lines.find(({ dataset }) => dataset.task === atTask) ?? lines[0]);
  // At the box: an image that listens for the keyboard is a stop of its own.
  box.addEventListener("focusin", ({ target }) => {
    if (!lines.includes(target)) return;
    atTask = target.dataset.task;
    stopAt(target);
  });
  box.addEventListener("keydown", (event) => {
    const at = lines.indexOf(event.target);
    if (at < 0) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: lines.length - 1 }[event.key];
    if (to === undefined && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (to === undefined) openTask(event);
    else lines[to]?.focus();
  });
};

const plot = (board, tasks, agent, reach, width) => {
  const lines = dotLinesOf(board, tasks, agent, view.over);
  if (lines.length === 0) return h("p", { class: "note" }, words.dotsNone(agent));
  const left = Math.min(300, width * 0.34);
  const x = logarithmic(...reach, left + FIRST_AT, width - VALUE_ROOM);
  const ticks = logTicks(...reach, width < 500 ? 5 : 9);
  const kind = colourOf(placeOf(board, agent));
  const height = lines.length * DOT_ROW;
  const axis = chart(width, AXIS_HEIGHT, words.dotsAxis(view.over),
    ticks.map((tick) => label(x(tick), AXIS_HEIGHT - 6, `${tick}×`, "middle", tick === 1 ? "value" : "label")));
  const body = chart(width, height, words.dotsOf(agent, view.over), gridLines(x, ticks, 0, height),
    lines.map((one, i) => dotLine(one, i, x, left, width, kind)));
  body.setAttribute("role", "group"); // an image would have no links
  body.addEventListener("click", openTask);
  const box = h("div", { class: "dots-box", role: "region", "aria-label": words.dotsOf(agent, view.over) },
    h("div", { class: "dots-axis" }, axis), body);
  rove(box);
  return box;
};

// Speed-ups of an agent, from the slowest to the fastest, on the axis of all.
const panel = (board, tasks, agent, reach, chosen) => {
  const kind = colourOf(placeOf(board, agent));
  const lines = dotLinesOf(board, tasks, agent, view.over);
  const timed = lines.filter(({ speedup }) => speedup).reverse();
  const { width, height, left, right, top, bottom } = PANEL;
  const y = logarithmic(...reach, height - bottom, top);
  const step = (width - left - right) / Math.max(1, tasks.length);
  // Unsolved tasks take their room at the left, so that equal widths are equal numbers of tasks.
  const begin = left + (tasks.length - timed.length) * step;
  const picture = chart(width, height, words.dotsOf(agent, view.over),
    PANEL_TICKS.filter((ratio) => ratio >= reach[0] && ratio <= reach[1]).map((ratio) => [
      line(left, y(ratio), width - right, y(ratio), ratio === 1 ? "one strong-one" : "grid"),
      ratio === 1 || Math.abs(y(ratio) - y(1)) > LABEL_HEIGHT ? label(left - 4, y(ratio) + 4, `${ratio}×`, "end") : null]),
    timed.map(({ speedup }, i) =>
      dot(begin + (i + 0.5) * step, y(clamped(speedup.estimate)), 1.8, `speck ${kind}`)),
    label(8, height - 4, words.panelText(timed.length, tasks.length), "start"));
  return h("button", {
    type: "button", class: "panel", "aria-pressed": String(chosen), "data-agent": agent,
    on: { click: () => change({ of: agent }) },
  }, h("span", { class: "panel-name" }, h("span", { class: `swatch ${kind}` }), agent), picture);
};

export const makeDots = () => {
  const slot = h("div");
  const element = h("section", { id: "dots" }, h("h2", null, words.dots), slot);
  const draw = (board, tasks) => {
    element.hidden = board.agents.length === 0;
    if (element.hidden) return;
    if (tasks.length === 0) {
      slot.replaceChildren(h("p", { class: "note" }, noneWords(board, view)));
      return;
    }
    const focused = document.activeElement?.dataset?.agent;
    const onLine = document.activeElement?.matches(".dot-line") ?? false;
    const agent = agentShown(board);
    const reach = reachOfDots(board, tasks, view.over);
    const width = Math.max(280, Math.min(element.clientWidth, 1100));
    const panels = board.agents.length < 2 ? [] : board.agents.slice(0, MOST_PANELS);
    const isBest = panels.includes(agent);
    if (panels.length && !isBest) panels[panels.length - 1] = agent;
    slot.replaceChildren(
      h("p", { class: "note" }, words.dotsText(agent, view.over), " ", pictureButton("kbench-tasks.svg")),
      panels.length ? h("p", { class: "note panels-of" },
        words.panelsOf(panels.length - (isBest ? 0 : 1), board.agents.length, isBest ? "" : agent)) : "",
      panels.length ? h("div", { class: "panels", role: "group", "aria-label": words.dotsPick },
        panels.map((one) => panel(board, tasks, one, reach, one === agent))) : "",
      plot(board, tasks, agent, reach, width));
    if (focused !== undefined)
      [...slot.querySelectorAll(".panel")].find((one) => one.dataset.agent === focused)?.focus();
    if (onLine) slot.querySelector('.dot-line[tabindex="0"]')?.focus({ preventScroll: true });
  };
  return { element, draw };
};
