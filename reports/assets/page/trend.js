// Scores over the runs of a device. Drawn only where the data has them:
// trend = [{"agent", "runs": [{"run", "at", "value"[, "low", "high"]}]}], runs oldest first.

import { words } from "./words.js";
import { h } from "./dom.js";
import { chart, dot, label, line, linear, path, titled } from "./chart.js";
import { data } from "./data.js";
import { colourOf } from "./curve.js";
import { showShare } from "./format.js";

const TREND_HEIGHT = 220;

const trendChart = (trend, width) => {
  const dates = [...new Set(trend.flatMap(({ runs }) => runs.map(({ at }) => at)))].sort();
  const x = linear(0, Math.max(1, dates.length - 1), 40, width - 120);
  const y = linear(0, 1, TREND_HEIGHT - 28, 12);
  return chart(width, TREND_HEIGHT, words.trend,
    [0, 0.5, 1].map((share) => [line(40, y(share), width - 120, y(share), "grid"),
      label(34, y(share) + 4, showShare(share), "end")]),
    trend.map(({ agent, runs }, place) => {
      const points = runs.map(({ at, value }) => [x(dates.indexOf(at)), y(value)]);
      return [path(points, `curve ${colourOf(place)}`),
        runs.map(({ run, value }, i) => titled(dot(...points[i], 4, `point ${colourOf(place)}`),
          `${run}: ${showShare(value)}`)),
        label(width - 112, points.at(-1)[1] + 4, agent, "start", `name ${colourOf(place)}`)];
    }),
    label(40, TREND_HEIGHT - 6, dates[0]),
    label(width - 120, TREND_HEIGHT - 6, dates.at(-1), "end"));
};

export const makeTrend = () => {
  const slot = h("div");
  const element = h("section", { id: "trend", hidden: !data.trend },
    h("h2", null, words.trend), slot, h("p", { class: "note" }, words.trendText));
  const draw = () => {
    if (data.trend) slot.replaceChildren(trendChart(data.trend, Math.min(element.clientWidth, 900)));
  };
  return { element, draw };
};
