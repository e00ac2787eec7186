// What became of an agent's tasks, as one thin bar: how many were faster, not faster, wrong, and so on.

import { words } from "./words.js";
import { box, chart, titled } from "./chart.js";
import { isCorrect, scored, speedupOf } from "./data.js";
import { h } from "./dom.js";

const BAR = { width: 120, height: 14 };
const BAR_GAP = 1; // parts stand in the order of the legend, and are told apart without their colour

// By state; what is in none of these is "other".
const KINDS = {
  wrong_result: "wrong", compile_error: "build", missing_symbol: "build", load_error: "build",
  import_error: "build", crash: "crash", timeout: "late", over_budget: "late", suspect: "suspect",
};

// From the best to the worst, as the bar has them.
const ORDER = ["faster", "correct", "unjudged", "suspect", "wrong", "build", "crash", "late", "other", "missing"];

const kindOf = (row, over) => {
  if (row === null) return "missing";
  if (row.below_floor) return "suspect";
  if (!isCorrect(row)) return KINDS[row.state] || "other";
  if (speedupOf(row, over)?.verdict === "NO VERDICT") return "unjudged";
  return scored(row, over)?.verdict === "FASTER" ? "faster" : "correct";
};

// [kind, number of tasks], in that order.
export const outcomesOf = (board, tasks, agent, over) => {
  const column = board.agents.indexOf(agent);
  const counts = new Map(ORDER.map((kind) => [kind, 0]));
  for (const task of tasks) {
    const kind = kindOf(task.best[column], over);
    counts.set(kind, counts.get(kind) + 1);
  }
  return [...counts].filter(([, n]) => n > 0);
};

export const outcomeBar = (found) => {
  const total = found.reduce((sum, [, n]) => sum + n, 0);
  const text = found.map(([kind, n]) => `${n} ${words.outcomes[kind]}`).join(", ");
  let x = 0;
  return titled(chart(BAR.width, BAR.height, text, found.map(([kind, n]) => {
    const width = (BAR.width * n) / total;
    x += width;
    return box(x - width, 2, Math.max(width - BAR_GAP, width / 2), BAR.height - 4, `outcome ${kind}`);
  })), text);
};

export const outcomeLegend = (kinds) =>
  h("ul", { class: "legend-list note outcome-legend" }, ORDER.filter((kind) => kinds.has(kind)).map((kind) =>
    h("li", null, h("span", { class: `swatch outcome ${kind}` }), words.outcomes[kind])));
