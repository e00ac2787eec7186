// One task: how long everybody took against the limit, and for each row what its author needs.

import { words } from "./words.js";
import { announce, breakable, folded, h, withCode } from "./dom.js";
import { box, chart, label, line, linear, linearTicks, titled } from "./chart.js";
import { BASELINES, data, faultText, fieldOf, fileMark, isCorrect, nameOf, rankedAs, speedupOf, stateText, timeRange } from "./data.js";
import { colourOf, placeOf } from "./curve.js";
import { cellOf } from "./cells.js";
import { medianOf, samplePlot } from "./samples.js";
import { trendFigure } from "./trend.js";
import { episodesOfTask } from "./episodes.js";
import { showError, showLimitShare, showMs, showSpeedup, showValue } from "./format.js";
import { exportButtons } from "./exports.js";
import { linkTo, linkToFile, remember, view } from "./state.js";
import { sourceComparison, sourcesOf, taskSource } from "./source.js";

// The page of one submission: its verdict card, above, has the failure, and there is no other task.
const hasCard = data.onlyTask !== null && !data.site;

const MOST_OPEN = 5;
const TIME_ROW = 26;

// Facts that neither the table nor the headings show.
const FACTS = [
  "submission", "worker_kind", "torch_operators", "lint", "profile", "precision",
  "submission_precision", "vendor_library", "prepare_ns", "copy_ns", "samples.kept",
  "samples.dropped", "samples.blocks", "samples.placements", "sandbox", "labels", "device_uuid", "limit_share",
  "limit_share_eager", "limit_ns", "unfused_limit_ns", "limit_basis", "floor_ns", "vendor.reason", "vendor.algorithm", "vendor.over_eager",
  "repeats",
  "calibrated_at", "no_verdict_reason", "seed", "build_seconds", "wall_seconds",
];

const rangeOf = (row) => timeRange(row["time_ns.submission"], row["time_ns.eager"], row["speedup.eager"]);

// A baseline is timed anew beside each submission: the median of these times, and their range.
const baselineTime = (task, name, kind) => {
  const times = task.rows.map((row) => row[`time_ns.${kind}`]).filter((time) => time !== null);
  if (times.length === 0) return [];
  const range = times.length > 1 ? { low: Math.min(...times), high: Math.max(...times) } : null;
  return [{ name, kind, time: medianOf(times), range, isBaseline: true }];
};

// Lines of the chart: the baselines, then every timed submission.
const timesOf = (board, task) => {
  const made = [...baselineTime(task, words.eager, "eager"), ...baselineTime(task, words.compiled, "compiled")];
  for (const row of task.rows) {
    if (row["time_ns.submission"] === null || row.agent === null) continue;
    made.push({
      name: nameOf(row),
      mark: fileMark(row),
      kind: isCorrect(row) ? `own ${colourOf(placeOf(board, rankedAs(row)))}` : "rejected",
      time: row["time_ns.submission"],
      range: rangeOf(row),
    });
  }
  return made.sort((a, b) => a.time - b.time);
};

// Of rows from before there were limits, the floor: as ResultRow::share_of_limit.
const limitOf = (task) => {
  const limits = task.rows.map((row) => (row.limit_basis ? row.limit_ns : row.floor_ns))
    .filter((limit) => limit !== null && limit > 0);
  return limits.length ? Math.max(...limits) : null;
};

// Where the limit comes from, "bytes, calibrated …" or "products, measured beside it".
const limitBasisOf = (task, limit) =>
  task.rows.find((row) => row.limit_ns === limit && row.limit_basis)?.limit_basis ?? "";

const timeBars = (board, task, width) => {
  const times = timesOf(board, task);
  if (times.length === 0) return null;
  const limit = limitOf(task);
  // On a phone names and times stand above the bars, which have all of the width.
  const isNarrow = width < 500;
  const rowHeight = isNarrow ? TIME_ROW + 16 : TIME_ROW;
  const left = isNarrow ? 4 : Math.min(170, width * 0.3);
  const valueText = ({ time, range, isBaseline }) => {
    if (limit === null) return showMs(time);
    const share = showLimitShare(limit, time, isBaseline ? null : range);
    return `${showMs(time)} · ${isNarrow ? share : words.shareOfLimit(share)}`;
  };
  // As wide as a letter on average, so that no words end beyond the picture.
  const room = 16 + 6.6 * Math.max(...times.map((one) => valueText(one).length));
  const right = isNarrow ? width - 12 : Math.max(left + 60, width - room);
  const most = Math.max(limit || 0, ...times.map(({ time, range }) => Math.max(time, range?.high ?? 0)));
  const x = linear(0, most, left, right);
  const bottom = times.length * rowHeight + 18;
  // The mark of a file is what two rows of an agent differ by, and stays.
  const short = (name, mark = "") => {
    const letters = Math.floor((isNarrow ? width - room : left) / 7.6);
    if (name.length <= letters) return name;
    const end = mark.slice(-Math.floor(letters / 2));
    return `${name.slice(0, letters - 1 - end.length)}…${end}`;
  };
  const bars = times.map((one, i) => {
    const { name, mark, kind, time, range } = one;
    const y = 18 + i * rowHeight + (isNarrow ? 16 : 0);
    const middle = y + TIME_ROW / 2 - 2;
    return [
      titled(isNarrow ? label(left, y, short(name, mark), "start", "name")
        : label(left - 8, middle + 4, short(name, mark), "end", "name"), name),
      titled(box(left, y + 3, x(time) - left, TIME_ROW - 10, `time ${kind}`, 2),
        `${name}: ${showMs(time)} ms`),
      range && [line(x(range.low), middle, x(range.high), middle, "whisker"),
        [range.low, range.high].map((end) => line(x(end), middle - 4, x(end), middle + 4, "whisker"))],
      isNarrow ? label(width - 4, y, valueText(one), "end", "value")
        : label(x(range?.high ?? time) + 6, middle + 4, valueText(one), "start", "value"),
    ];
  });
  // On a phone the names stand between the bars, and no line goes through them.
  const limitLines = (at) => (isNarrow
    ? times.map((_, i) => line(at, 18 + i * rowHeight + 18, at, 18 + (i + 1) * rowHeight - 5, "limit"))
    : line(at, 10, at, bottom, "limit"));
  const ticks = linearTicks(0, most, isNarrow ? 3 : 6).map((tick) => [
    line(x(tick), 18, x(tick), bottom, "grid"),
    label(x(tick), bottom + 14, `${Number(showMs(tick))} ms`, "middle"),
  ]);
  return h("figure", null,
    chart(width, bottom + 20, words.times, ticks, bars,
      limit === null ? null : [limitLines(x(limit)),
        label(x(limit) + (x(limit) > (left + right) / 2 ? -4 : 4), 10, words.limit,
          x(limit) > (left + right) / 2 ? "end" : "start", "limit-label")]),
    h("figcaption", null, words.timesText, times.some(({ isBaseline }) => isBaseline)
      ? ` ${words.baselineTimes(task.rows.length)}` : null,
      limit === null ? null : ` ${words.limitText(showMs(limit), limitBasisOf(task, limit))}`,
      limit !== null && times.some(({ time, range }) => limit > (range?.low ?? time)) ? ` ${words.aboveLimit}` : null));
};

// The answer first: on a phone only two columns of numbers are in sight.
const COLUMNS = ["speedup.eager", "speedup.compiled", "time_ns.submission", "time_ns.eager",
  "time_ns.compiled", "max_error", "tolerance"];

// More where one call of a vendor's library was timed.
const VENDOR_COLUMNS = ["vendor.time_ns", "vendor.speedup"];
const resultColumns = (task) =>
  (task.rows.some((row) => row["vendor.time_ns"] !== null)
    ? [...COLUMNS.slice(0, 5), ...VENDOR_COLUMNS, ...COLUMNS.slice(5)] : COLUMNS);

const resultRow = (columns) => (row) =>
  h("tr", null,
    h("th", { scope: "row", title: row.submission || "" },
      h("a", { href: "", "data-row": String(row.index) }, nameOf(row))),
    h("td", { class: `state tone-${data.states[row.state].tone}`,
      title: data.states[row.state].help }, stateText(row),
    faultText(row) && h("small", { class: "fault" }, faultText(row))),
    columns.map((name) => {
      const speedup = name.startsWith("speedup.");
      const cell = speedup && isCorrect(row) ? cellOf(row, name.slice(8)) : null;
      const text = speedup
        ? cell && row[name] ? `${showSpeedup(row[name])} ${cell.glyph}` : "–"
        : name === "vendor.speedup" && !isCorrect(row) ? "–"
        : showValue(fieldOf(name).unit, row[name]);
      return h("td", { class: `number ${cell ? `text-${cell.kind}` : ""}` }, text);
    }));

const resultTable = (task) =>
  h("div", { class: "scroll", tabindex: "0", role: "region",
    "aria-label": words.resultsCaption(task.task) },
  h("table", { class: "results" },
    h("caption", { class: "unseen" }, words.resultsCaption(task.task)),
    h("thead", null, h("tr", null,
      h("th", { scope: "col" }, words.whose),
      h("th", { scope: "col" }, fieldOf("state").heading),
      resultColumns(task).map((name) => h("th", { scope: "col", class: "number", title: fieldOf(name).help },
        fieldOf(name).heading)))),
    h("tbody", null, task.rows.map(resultRow(resultColumns(task))))));

// The glyphs behind the speed-ups of a task, in words; of rows without a verdict also why.
const verdictLegend = (task) => {
  const cells = task.rows.flatMap((row) => BASELINES.map((over) => isCorrect(row) && speedupOf(row, over) && cellOf(row, over)));
  const glyphs = [...new Set(cells.filter(Boolean).map(({ glyph }) => glyph))].filter((glyph) => words.glyphs[glyph]);
  const reasons = [...new Set(task.rows.filter(isCorrect).map((row) => row.details.no_verdict).filter(Boolean))];
  const textOf = (glyph) => `${glyph} ${words.glyphs[glyph]}${
    glyph === "–" && reasons.length ? `: ${reasons.join("; ")}` : ""}`;
  return glyphs.length === 0 ? "" : h("p", { class: "note verdict-legend" }, glyphs.map(textOf).join(" · "));
};

// The largest error as a length against its tolerance; at twice that the bar ends.
const errorBar = (error, tolerance) => {
  const width = 320;
  const x = linear(0, 2 * tolerance, 0, width - 10);
  const beyond = error === null || error > 2 * tolerance;
  return chart(width, 22, words.error,
    box(0, 5, width - 10, 12, "track", 2),
    box(0, 5, beyond ? width - 10 : x(error), 12, error !== null && error <= tolerance
      ? "within" : "outside", 2),
    line(x(tolerance), 1, x(tolerance), 21, "limit"));
};

const errorBlock = (row) => {
  if (row.tolerance === null) return null;
  const error = row.max_error === null ? words.notANumber : showError(row.max_error);
  const draws = row.details.failed_checks || [];
  return h("div", { class: "error-block" },
    h("h4", null, words.error),
    row.tolerance > 0 ? errorBar(row.max_error, row.tolerance) : null,
    h("p", null, words.errorText(error, showError(row.tolerance))),
    draws.length ? h("ul", null, draws.map((check) => h("li", null,
      `${words.draw(check)}${check.max_error === null ? `, ${words.notANumber}` : ""}${
        check.message && !(row.message || "").includes(check.message) ? `. ${check.message}` : ""}`))) : null);
};

const copyButton = (text) => {
  const button = h("button", {
    type: "button", class: "copy",
    on: {
      click: async () => {
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = words.copied;
        } catch {
          getSelection().selectAllChildren(button.previousSibling);
        }
      },
    },
  }, words.copy);
  return button;
};

// A share of the limit is in per cent, the submission's with its interval and eager's.
const limitShareOf = (row, name) => {
  const [time, range] = name === "limit_share" ? [row["time_ns.submission"], rangeOf(row)]
    : [row["time_ns.eager"], null];
  return showLimitShare(row[name] * time, time, range);
};
const LIMIT_SHARES = ["limit_share", "limit_share_eager"];

const factsOf = (row) => {
  const own = FACTS.filter((name) => row[name] !== null && row[name] !== undefined)
    .map((name) => [fieldOf(name).heading, LIMIT_SHARES.includes(name) ? limitShareOf(row, name)
      : showValue(fieldOf(name).unit, row[name])]);
  const stored = Object.entries(row.details.facts)
    .map(([name, value]) => [words.facts[name] || name, value]);
  return [...own, ...stored];
};

const reasonsOf = (row) =>
  Object.entries(row["time_ns.reason"] || {})
    .filter(([side, why]) => why && !(side === "submission" && row.message))
    .map(([side, why]) => h("p", { class: "note" }, words.notTimed(side, why)));

const entryBody = (row, width) => h("div", { class: "entry-body" },
  row.message && !hasCard ? h("pre", { class: "message", tabindex: "0" }, row.message) : null,
  row.hint && !hasCard ? h("p", { class: "hint" }, "→ ", ...withCode(row.hint)) : null,
  row.below_floor && !hasCard ? h("p", { class: "hint" }, row.uncredited_reason) : null,
  row.no_verdict_reason && isCorrect(row) && !hasCard
    ? h("p", { class: "notice no-verdict" }, h("b", null, words.noVerdict), ` ${words.because(row.no_verdict_reason)}`) : null,
  reasonsOf(row),
  errorBlock(row),
  sourcesOf(row),
  h("h4", null, words.reproduce),
  row.details.reproduce.includes(" --db ") ? h("p", { class: "note" }, words.reproduceWhere) : null,
  h("div", { class: "command" }, h("code", null, row.details.reproduce),
    copyButton(row.details.reproduce)),
  row.details.samples ? h("h4", null, words.samples) : null,
  samplePlot(row.details.samples, width),
  h("h4", null, words.details),
  h("dl", { class: "facts" }, factsOf(row).map(([name, value]) =>
    [h("dt", null, name), h("dd", null, value)])));

// What the address names a row by.
const rowName = (row) => row.submission || words.baselinesOnly;

const permalink = (row) => h("p", { class: "note" }, h("a", {
  href: "#", class: "permalink", on: {
    click: (event) => {
      event.preventDefault();
      event.stopPropagation();
      remember({ row: rowName(row) });
      announce(words.linked);
    },
  },
}, words.permalink));

const entryOf = (row, open, width) =>
  folded({ class: "entry", id: `row-${row.index}` },
    [h("span", { class: `glyph tone-${data.states[row.state].tone}` }, data.states[row.state].glyph),
      ` ${[`${nameOf(row)}: ${data.states[row.state].words}`, faultText(row)].filter(Boolean).join(", ")}`],
    () => h("div", null, entryBody(row, width), permalink(row)), open);

// A suspect row has a reason as a failed one has.
const isFailure = (row) => data.states[row.state].tone === "bad" || row.state === "suspect" || row.below_floor;

// Open at first: what failed, else the first row; never more than a reader can take in.
const entries = (task, width) => {
  const failures = task.rows.filter(isFailure);
  const named = task.rows.find((row) => view.row !== "" && rowName(row) === view.row);
  const open = new Set(named ? [named] : failures.length ? failures.slice(0, MOST_OPEN) : [task.rows.find((row) => row.agent !== null) || task.rows[0]]);
  return task.rows.map((row) => entryOf(row, open.has(row), width));
};

// The task before or after: in a site its file is all that is known of it.
const neighbour = (board, task, after) => {
  if (data.site) {
    const found = data.site.steps[data.boards.indexOf(board)][after ? 1 : 0];
    return found && { task: found[0], href: linkToFile(found[1]) };
  }
  const other = board.tasks[board.tasks.indexOf(task) + (after ? 1 : -1)];
  return other && { task: other.task, href: linkTo(other.task) };
};

const steps = (board, task) => {
  if (hasCard) return "";
  const link = (other, text, rel) =>
    (other ? h("a", { href: other.href, rel, title: other.task }, `${text}: ${other.task.slice(other.task.indexOf("/") + 1)}`) : null);
  return h("nav", { class: "steps", "aria-label": words.task },
    h("a", { href: linkTo("tasks") }, `← ${words.back}`),
    link(neighbour(board, task, false), words.previous, "prev"),
    link(neighbour(board, task, true), words.next, "next"));
};

const shapesOf = (task) =>
  task.shapes ? [h("h3", null, words.shapes), h("pre", null, task.shapes)] : [];

const trendOfTask = (board, task, width) => {
  const figure = trendFigure(board, task, width);
  return figure ? [h("h3", null, words.trend), figure] : [];
};

// The table's names lead to their details, without touching the address.
const openRow = (element) => (event) => {
  const link = event.target.closest("a[data-row]");
  if (!link) return;
  event.preventDefault();
  const details = element.querySelector(`#row-${link.dataset.row}`);
  details.open = true;
  details.querySelector("summary").focus();
  details.scrollIntoView({ block: "start" });
};

const taskText = (task) => [
  [words.whose, fieldOf("state").heading, ...resultColumns(task).map((name) => fieldOf(name).heading)],
  ...task.rows.map((row) => [nameOf(row), [stateText(row), faultText(row)].filter(Boolean).join(", "),
    ...resultColumns(task).map((name) => showValue(fieldOf(name).unit, row[name]))]),
];

export const makeTask = () => {
  const element = h("section", { id: "task", hidden: true });
  element.addEventListener("click", openRow(element));
  const draw = (board, name) => {
    const task = board.tasks.find((one) => one.task === name);
    element.hidden = false;
    if (!task) {
      element.replaceChildren(h("p", null, h("a", { href: linkTo("tasks") }, `← ${words.back}`)),
        h("h1", { tabindex: "-1" }, words.noTask(name)));
      return;
    }
    const width = Math.max(300, Math.min(element.clientWidth, 900));
    const why = task.rows[0].unranked_reason;
    element.replaceChildren(steps(board, task), h("h1", { tabindex: "-1" }, ...breakable(task.task)),
      h("p", { class: "meta" }, words.taskMeta(task.level, task.size)),
      board.environment ? h("p", { class: "meta measured-with" }, board.environment) : "",
      why ? h("p", { class: "notice" }, words.unranked(why)) : "",
      ...taskSource(task), ...shapesOf(task),
      h("h3", null, words.times), timeBars(board, task, width) || h("p", null, "–"),
      ...trendOfTask(board, task, width),
      h("div", { class: "title-line" }, h("h3", null, words.results),
        exportButtons(() => task.rows, () => taskText(task))),
      resultTable(task), verdictLegend(task), ...entries(task, width), ...episodesOfTask(board, task, width),
      ...sourceComparison(task));
    if (view.row !== "") element.querySelector("details.entry[open]")?.scrollIntoView();
  };
  // The episode that the address names, once the page's parts have their places.
  const toEpisode = () => {
    const named = [...element.querySelectorAll("details.episode")].find((one) => one.dataset.episode === view.episode);
    named?.scrollIntoView();
    named?.querySelector("summary").focus({ preventScroll: true });
  };
  return { element, draw, toEpisode };
};
