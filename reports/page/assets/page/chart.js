// Marks in static SVG: scales, ticks and the few shapes that all charts of the page are made of.

import { svg } from "./dom.js";

export const linear = (from, to, start, end) => (x) =>
  start + ((x - from) / (to - from || 1)) * (end - start);

export const logarithmic = (from, to, start, end) => {
  const scale = linear(Math.log(from), Math.log(to), start, end);
  return (x) => scale(Math.log(Math.min(Math.max(x, from), to)));
};

// 1, 2, 5 of every decade in a range; coarser where those are too many, even where too few.
export const logTicks = (from, to, most = 8) => {
  const made = (steps) => {
    const ticks = [];
    for (let e = Math.floor(Math.log10(from)); 10 ** e <= to; ++e)
      for (const step of steps) {
        const tick = Number((step * 10 ** e).toPrecision(3));
        if (tick >= from && tick <= to) ticks.push(tick);
      }
    return ticks;
  };
  const fine = made([1, 2, 5]);
  if (fine.length > most) return made([1]);
  return fine.length >= 2 ? fine : linearTicks(from, to);
};

export const linearTicks = (from, to, about = 5) => {
  const rough = (to - from) / about || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const ticks = [];
  for (let x = Math.ceil(from / step) * step; x <= to + step * 1e-9; x += step)
    ticks.push(Number(x.toPrecision(6)));
  return ticks;
};

const n = (x) => Number(x.toFixed(1));

export const line = (x1, y1, x2, y2, kind) =>
  svg("line", { x1: n(x1), y1: n(y1), x2: n(x2), y2: n(y2), class: kind });

export const box = (x, y, width, height, kind, round = 0) =>
  svg("rect", {
    x: n(x), y: n(y), width: n(Math.max(width, 0)), height: n(height), rx: round, class: kind,
  });

export const dot = (x, y, r, kind) => svg("circle", { cx: n(x), cy: n(y), r, class: kind });

export const label = (x, y, text, anchor = "start", kind = "label") =>
  svg("text", { x: n(x), y: n(y), "text-anchor": anchor, class: kind }, text);

export const titled = (element, text) => {
  element.prepend(svg("title", null, text));
  return element;
};

export const path = (points, kind) =>
  svg("path", { d: points.map(([x, y], i) => `${i ? "L" : "M"}${n(x)} ${n(y)}`).join(""), class: kind });

// Many marks in one element, so that thousands of samples stay small.
export const marks = (points, kind) =>
  svg("path", { d: points.map(([x, y]) => `M${n(x)} ${n(y)}h0`).join(""), class: kind });

export const chart = (width, height, name, ...children) =>
  svg("svg", {
    viewBox: `0 0 ${n(width)} ${n(height)}`, width: n(width), height: n(height), role: "img", "aria-label": name,
    class: "chart",
  }, ...children);
