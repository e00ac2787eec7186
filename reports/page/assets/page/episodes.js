// What agents did: a line for each episode, and on the page of a task each of its turns: what was
// said and tried, what came back, and how the speed-up went.

import { words } from "./words.js";
import { folded, h, taskName } from "./dom.js";
import { chart, dot, label, line, linear, linearTicks, logarithmic, logTicks, titled } from "./chart.js";
import { data } from "./data.js";
import { showRatio, showSpeedup } from "./format.js";
import { linkTo, view } from "./state.js";
import { codeOf } from "./source.js";

const STEPS_HEIGHT = 180;
const MARGIN = { left: 56, right: 16, top: 16, bottom: 40 };

const ofBoard = (board) => data.episodes.filter((episode) =>
  episode.run === board.run && episode.device === board.device && episode.size === board.size
  && board.tasks.some(({ task }) => task === episode.task));

const stateOf = (call) => (call.row ? call.row.state : call.state);

const judgedText = (row) => {
  const speedup = row["speedup.eager"];
  const state = `${data.states[row.state].glyph} ${data.states[row.state].words}`;
  return speedup ? `${state}, ${showSpeedup(speedup)}` : state;
};

const outcomeText = (call) => {
  if (call.error) return words.callErrors[call.error] || call.error;
  if (call.row) return judgedText(call.row);
  return call.state ? `${data.states[call.state].glyph} ${data.states[call.state].words}` : "";
};

const toneOf = (call) => {
  if (call.error) return "caution";
  const state = stateOf(call);
  return state ? data.states[state].tone : "neutral";
};

// By turn: a dot where a submission was timed, else a glyph of what became of the kernels.
const stepMarks = (episode, x, y) => episode.turns.map((turn, i) => turn.calls.map((call) => {
  const speedup = call.row && call.row["speedup.eager"];
  const title = words.stepTitle(i + 1, call.tool, outcomeText(call));
  if (speedup)
    return [line(x(i + 1), y(speedup.low), x(i + 1), y(speedup.high), "whisker"),
      titled(dot(x(i + 1), y(speedup.estimate), 4, "point series-1"), title)];
  const state = stateOf(call);
  return state
    ? titled(label(x(i + 1), STEPS_HEIGHT - MARGIN.bottom - 5, data.states[state].glyph, "middle",
      `miss tone-${data.states[state].tone}`), title)
    : null;
}));

const stepAxes = (episode, x, y, ticks, width) => {
  const turns = episode.turns.length;
  const step = Math.max(1, Math.ceil(turns / Math.max(1, Math.floor(width / 60))));
  return [
    ticks.map((tick) => [
      line(MARGIN.left, y(tick), width - MARGIN.right, y(tick), tick === 1 ? "one" : "grid"),
      label(MARGIN.left - 8, y(tick) + 4, `${tick}×`, "end"),
    ]),
    episode.turns.map((_, i) => (i % step ? null
      : label(x(i + 1), STEPS_HEIGHT - MARGIN.bottom + 16, String(i + 1), "middle"))),
    label((MARGIN.left + width - MARGIN.right) / 2, STEPS_HEIGHT - 4, words.turnAxis, "middle"),
  ];
};

// Null where nothing was ever judged.
const stepFigure = (episode, width) => {
  const calls = episode.turns.flatMap((turn) => turn.calls);
  if (!calls.some(stateOf)) return null;
  const ends = calls.flatMap(({ row }) => {
    const speedup = row && row["speedup.eager"];
    return speedup ? [speedup.low, speedup.high] : [];
  });
  const from = Math.min(1, ...ends) / 1.1;
  const to = Math.max(1, ...ends) * 1.1;
  const fine = logTicks(from, to);
  const x = linear(1, Math.max(2, episode.turns.length), MARGIN.left + 12, width - MARGIN.right - 12);
  const y = logarithmic(from, to, STEPS_HEIGHT - MARGIN.bottom - 18, MARGIN.top);
  return h("figure", null,
    chart(width, STEPS_HEIGHT, words.stepsOf(episode.id),
      stepAxes(episode, x, y, fine.length >= 2 ? fine : linearTicks(from, to), width),
      stepMarks(episode, x, y)),
    h("figcaption", null, words.stepsHelp));
};

const textBlock = (text, kind) =>
  (text === null ? h("p", { class: "note" }, words.textLeftOut)
    : text === "" ? null : h("pre", { class: kind, tabindex: "0" }, text));

// The parts of an answer in Markdown: text, and between fences code of a language.
const FENCE = /^```(\w*)[^\n]*\n([\s\S]*?)^```\s*$/gm;
const saidBlocks = (text) => {
  if (!text) return textBlock(text, "said");
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(FENCE)) {
    parts.push(textBlock(text.slice(end, found.index).trim(), "said"),
      codeOf(found[2], `code.${found[1] || "txt"}`));
    end = found.index + found[0].length;
  }
  return [...parts, textBlock(text.slice(end).trim(), "said")];
};

const objectOf = (text) => {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
};

const isLong = (value) => typeof value === "string" && value.includes("\n");

// An object of JSON: its short members as they are, a text of several lines as lines, by the language
// that its file's name says.
const objectBlocks = (text, kind) => {
  const object = text ? objectOf(text) : null;
  const members = object === null ? [] : Object.entries(object);
  if (!members.some(([, value]) => isLong(value))) return textBlock(text, kind);
  const short = members.filter(([, value]) => !isLong(value));
  const file = typeof object.path === "string" ? object.path : "";
  return h("div", { class: `object ${kind}` },
    short.length ? h("p", { class: "call" }, short.map(([name, value], i) =>
      [i ? ", " : "", `${name}: `, h("code", null, typeof value === "string" ? value : JSON.stringify(value))])) : null,
    members.filter(([, value]) => isLong(value)).map(([name, value]) =>
      [h("p", { class: "note" }, file && name === "content" ? file : name), codeOf(value, file || name)]));
};

const callBlock = (call) => [
  h("p", { class: "call" }, h("code", null, call.tool),
    call.tree ? h("span", { class: "meta" }, ` ${words.treeNow(call.tree)}`) : null,
    h("span", { class: `tone-${toneOf(call)}` }, ` ${outcomeText(call)}`)),
  objectBlocks(call.arguments, "tried"),
  objectBlocks(call.result, "answer"),
];

const turnTitle = (turn, i) => [
  words.turn(i + 1),
  turn.calls.map(({ tool }) => tool).join(", ") || words.onlySaid,
  ...turn.calls.map(outcomeText),
].filter(Boolean).join(" · ");

const turnEntry = (turn, i) =>
  folded({ class: "entry turn" }, turnTitle(turn, i), () =>
    h("div", { class: "entry-body" },
      h("p", { class: "meta" }, words.turnCosts(turn)),
      saidBlocks(turn.said),
      turn.calls.map(callBlock)));

const episodeTitle = (episode) => [
  episode.model,
  words.endedBy(episode.stop, episode.count),
  episode.row ? judgedText(episode.row) : words.nothingJudged,
].join(" · ");

const episodeEntry = (episode, open, width) =>
  folded({ class: "entry episode", "data-episode": episode.id }, episodeTitle(episode), () =>
    h("div", { class: "entry-body" },
      h("p", { class: "meta" }, words.episodeMeta(episode)),
      stepFigure(episode, width),
      episode.turns.map(turnEntry),
      h("div", { class: "command" }, h("code", null, episode.command))), open);

// Of one task, for its page.
export const episodesOfTask = (board, task, width) => {
  const own = ofBoard(board).filter((episode) => episode.task === task.task);
  if (own.length === 0) return [];
  return [h("h3", null, words.episodes),
    ...own.map((episode) => episodeEntry(episode, own.length === 1 || episode.id === view.episode, width))];
};

// On a phone each is a card, which CSS lays out: the roles keep it a table for readers.
const episodeCell = (properties, ...children) => h("td", { role: "cell", ...properties }, ...children);

const episodeRow = (episode) =>
  h("tr", { role: "row" },
    h("th", { scope: "row", role: "rowheader", title: episode.task },
      h("a", { href: linkTo(episode.task, { episode: episode.id }) }, taskName(episode.task))),
    episodeCell({ class: "name" }, episode.model),
    episodeCell({ class: "number", "data-label": words.turns }, String(episode.count)),
    episodeCell({ "data-label": words.ended }, words.stops[episode.stop] || episode.stop),
    episodeCell({ class: `state tone-${episode.row ? data.states[episode.row.state].tone : "neutral"}` },
      episode.row ? `${data.states[episode.row.state].glyph} ${data.states[episode.row.state].words}`
        : words.nothingJudged),
    episodeCell({ class: "number", "data-label": words.overEager }, episode.row && episode.row["speedup.eager"]
      ? showRatio(episode.row["speedup.eager"].estimate) : "–"),
    episodeCell({ class: "number", "data-label": words.reward }, episode.reward === null ? "–" : String(episode.reward)));

const episodeHead = (text, properties) => h("th", { scope: "col", role: "columnheader", ...properties }, text);

const episodeTable = (episodes) =>
  h("div", { class: episodes.length > 12 ? "scroll tall" : "scroll", tabindex: "0", role: "region",
    "aria-label": words.episodes },
  h("table", { class: "changes episodes", role: "table" },
    h("caption", { class: "unseen" }, words.episodesCaption),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" },
      episodeHead(words.task), episodeHead(words.model), episodeHead(words.turns, { class: "number" }),
      episodeHead(words.ended), episodeHead(words.show), episodeHead(words.overEager, { class: "number" }),
      episodeHead(words.reward, { class: "number" }))),
    h("tbody", { role: "rowgroup" }, episodes.map(episodeRow))));

export const makeEpisodes = () => {
  const slot = h("div");
  const element = h("section", { id: "episodes", hidden: true }, h("h2", null, words.episodes), slot);
  const draw = (board) => {
    const own = ofBoard(board);
    element.hidden = own.length === 0;
    if (!element.hidden)
      slot.replaceChildren(h("p", { class: "note" }, words.episodesText(own.length)), episodeTable(own));
  };
  return { element, draw };
};
