// Scores that move with p. All others come with the data, from reports/score.

import { scored } from "./data.js";

const NO_VERDICT = "NO VERDICT";

export const scopeOf = (board, level) =>
  board.scopes.find((scope) => String(scope.level) === level) || board.scopes[0];

// Sorted ends and estimates of an agent's scored speed-ups in a scope. Without a verdict an interval
// does not hold what it promises: its low end makes nothing sure.
export const spreadOf = (board, agent, scope, over) => {
  const column = board.agents.indexOf(agent);
  const spread = { low: [], estimate: [], high: [], tasks: scope.ranked };
  for (const task of board.tasks) {
    if (scope.level !== 0 && task.level !== scope.level) continue;
    const speedup = scored(task.best[column], over);
    if (!speedup) continue;
    if (speedup.verdict !== NO_VERDICT) spread.low.push(speedup.low);
    for (const part of ["estimate", "high"]) spread[part].push(speedup[part]);
  }
  for (const part of ["low", "estimate", "high"]) spread[part].sort((a, b) => a - b);
  return spread;
};

// How many of the sorted values lie above p.
export const countAbove = (sorted, p) => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] > p) high = middle;
    else low = middle + 1;
  }
  return sorted.length - low;
};

// Shares of tasks faster than p: by the whole interval, by the estimate, by any of the interval.
export const sharesAt = (spread, p) => {
  const share = (part) => (spread.tasks ? countAbove(spread[part], p) / spread.tasks : 0);
  return { sure: share("low"), point: share("estimate"), possible: share("high") };
};
