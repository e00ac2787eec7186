// What a cell of the task by agent table says of a row: text, glyph, tone, and by what it sorts.

import { words } from "./words.js";
import { data, isCorrect, speedupOf } from "./data.js";
import { showRange, showRatio, showSpeedup } from "./format.js";

const kindOfVerdict = {
  FASTER: "faster", SLOWER: "slower", SAME: "same", UNDECIDED: "undecided",
  "NO VERDICT": "none",
};

// How far from 1, in three steps: up to 1.25, up to 2, beyond; either way.
const strength = (ratio) => {
  const distance = Math.abs(Math.log(ratio));
  return distance > Math.log(2) ? 3 : distance > Math.log(1.25) ? 2 : 1;
};

const failed = (row) => {
  const state = data.states[row.state];
  const kind = row.state === "suspect" ? "suspect" : state.tone === "bad" ? "failed" : "other";
  return {
    kind, glyph: state.glyph, text: state.words, range: "", sort: null,
    tone: kind === "other" ? "quiet" : kind, title: row.message || state.help,
  };
};

const measured = (row, speedup) => {
  const verdict = data.verdicts[speedup.verdict];
  const kind = kindOfVerdict[speedup.verdict] || "none";
  const tinted = kind === "faster" || kind === "slower";
  return {
    kind, glyph: verdict.glyph, text: showRatio(speedup.estimate),
    range: showRange(speedup.low, speedup.high, speedup.estimate), sort: speedup.estimate,
    tone: tinted ? `${kind} step-${strength(speedup.estimate)}` : kind,
    title: `${showSpeedup(speedup)} ${speedup.verdict}`,
  };
};

export const cellOf = (row, over) => {
  if (row === null)
    return { kind: "missing", glyph: "·", text: "", range: "", sort: null, tone: "quiet",
      title: words.noSubmission };
  if (row.below_floor)
    return { kind: "suspect", glyph: "⚑", text: words.belowFloor, range: "", sort: null,
      tone: "suspect", title: row.uncredited_reason };
  if (!isCorrect(row)) return failed(row);
  const speedup = speedupOf(row, over);
  if (!speedup)
    return { kind: "none", glyph: "✓", text: words.correctUntimed, range: "", sort: null,
      tone: "quiet", title: words.untimedHelp };
  if (!row.ranked)
    return { ...measured(row, speedup), kind: "unranked", glyph: "∅", sort: null, tone: "quiet",
      range: words.notRanked, title: row.unranked_reason };
  return measured(row, speedup);
};

// Eager over compiled, of the row that tells most; a bare ratio where there is no interval.
export const compiledCell = (task) => {
  const speedup = task.baselines.baseline_speedup;
  if (speedup) {
    const cell = measured(task.baselines, speedup);
    return { ...cell, tone: "quiet" };
  }
  if (task.compiled_ratio !== undefined)
    return { glyph: words.approximately, text: showRatio(task.compiled_ratio), range: "",
      sort: task.compiled_ratio, tone: "quiet", title: words.compiledHelp };
  const reasons = task.baselines["time_ns.reason"] || {};
  return { glyph: "–", text: "", range: "", sort: null, tone: "quiet",
    title: words.notTimed(words.compiled, reasons.compiled || "") };
};
