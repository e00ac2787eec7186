// Numbers as reports/facts/fields.cpp writes them: about three digits, the same everywhere.

const ratioDecimals = (x) => (x >= 100 ? 0 : x >= 10 ? 1 : x < 1 ? 3 : 2);

export const showRatio = (x) => `${x.toFixed(ratioDecimals(x))}×`;

// A verdict near 1 turns on one percent or three: a narrow interval there has a digit more. So has
// one whose ends would look alike.
const intervalDecimals = (low, high, estimate) => {
  const decimals = ratioDecimals(estimate);
  const isNear = estimate >= 1 && estimate < 1.1 && high - low < 0.05;
  const looksEmpty = low < high && low.toFixed(decimals) === high.toFixed(decimals);
  return decimals + (isNear || looksEmpty ? 1 : 0);
};

export const showRange = (low, high, estimate) => {
  const decimals = intervalDecimals(low, high, estimate);
  return `[${low.toFixed(decimals)}–${high.toFixed(decimals)}]`;
};

// Where it is not what a reader expects.
const showConfidence = (confidence) => (confidence < 0.95 ? ` at ${(100 * confidence).toFixed(0)} %` : "");

export const showSpeedup = (s) => {
  if (!s) return "–";
  const estimate = s.estimate.toFixed(intervalDecimals(s.low, s.high, s.estimate));
  return `${estimate}× ${showRange(s.low, s.high, s.estimate)}${showConfidence(s.confidence)}`;
};

export const showMs = (ns) => {
  if (ns === null || ns === undefined) return "–";
  const ms = ns / 1e6;
  return ms.toFixed(ms >= 1000 ? 0 : ms >= 100 ? 1 : ms >= 10 ? 2 : ms >= 1 ? 3 : 4);
};

// The blank does not break, so that no line begins with a sign.
export const showShare = (x) => `${(100 * x).toFixed(0)}\u00a0%`;

// Of a limit in a time, with what the time's interval leaves open: "39 % [34–44]",
// "38.5 % [38.2–38.8]", "39 %".
// As limit_share_words of reports/formats/verdict_card.cpp.
export const showLimitShare = (limit, time, range) => {
  const isNarrow = range && limit / range.low - limit / range.high < 0.02;
  const decimals = isNarrow || limit / time < 0.1 ? 1 : 0;
  const percent = (of) => (100 * limit / of).toFixed(decimals);
  return `${percent(time)}\u00a0%${range ? ` [${percent(range.high)}–${percent(range.low)}]${showConfidence(range.confidence)}` : ""}`;
};

export const showError = (x) => {
  if (x === null || x === undefined) return "–";
  if (x === 0) return "0";
  return Math.abs(x) >= 0.001 && Math.abs(x) < 1000 ? String(Number(x.toPrecision(2)))
    : x.toExponential(1);
};

// A value of a row by the unit of its field.
export const showValue = (unit, value) => {
  if (value === null || value === undefined) return "–";
  switch (unit) {
    case "flag": return value ? "yes" : "no";
    case "ns": return showMs(value);
    case "s": return value.toFixed(1);
    case "error": return showError(value);
    case "speedup": return showSpeedup(value);
    case "object": return JSON.stringify(value);
    default: return String(value);
  }
};

// A name or message of at most so many letters.
export const shortened = (text, letters) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);
