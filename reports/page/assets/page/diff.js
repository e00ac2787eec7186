// The shortest way from one list of lines to another: Myers, "An O(ND) difference algorithm and its
// variations" (1986), forwards, with a bound on the steps so that no two files keep a reader waiting.

// What the ends have in common, which most of two versions is.
const trimmed = (a, b) => {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head
    && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return [head, tail];
};

// For each number of steps how far each diagonal gets; null where it takes more than `most`.
const search = (a, b, most) => {
  const limit = Math.min(a.length + b.length, most);
  const at = limit + 1;
  const reach = new Int32Array(2 * limit + 3);
  const history = [];
  for (let steps = 0; steps <= limit; steps += 1) {
    history.push(reach.slice(at - steps - 1, at + steps + 2));
    for (let k = -steps; k <= steps; k += 2) {
      const down = k === -steps || (k !== steps && reach[at + k - 1] < reach[at + k + 1]);
      let x = down ? reach[at + k + 1] : reach[at + k - 1] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach[at + k] = x;
      if (x >= a.length && x - k >= b.length) return history;
    }
  }
  return null;
};

// From the end back to the beginning.
const walkBack = (a, b, history) => {
  const made = [];
  let x = a.length;
  let y = b.length;
  for (let steps = history.length - 1; steps >= 0; steps -= 1) {
    const reach = (k) => history[steps][k + steps + 1];
    const k = x - y;
    const down = k === -steps || (k !== steps && reach(k - 1) < reach(k + 1));
    const before = steps === 0 ? 0 : down ? reach(k + 1) : reach(k - 1);
    const start = steps === 0 ? 0 : down ? before : before + 1;
    while (x > start) made.push([" ", (x -= 1), (y -= 1)]);
    if (steps === 0) break;
    made.push(down ? ["+", null, (y -= 1)] : ["-", (x -= 1), null]);
  }
  return made.reverse();
};

// [sign, index in a, index in b] for each line: "-" only in a, "+" only in b, " " in both. Where the
// two differ in more than `most` lines, all of one follows all of the other.
export const diffLines = (a, b, most = 2000) => {
  const [head, tail] = trimmed(a, b);
  const left = a.slice(head, a.length - tail);
  const right = b.slice(head, b.length - tail);
  const history = search(left, right, most);
  const middle = history
    ? walkBack(left, right, history)
    : [...left.map((_, i) => ["-", i, null]), ...right.map((_, i) => ["+", null, i])];
  const moved = (index) => (index === null ? null : index + head);
  return [
    ...a.slice(0, head).map((_, i) => [" ", i, i]),
    ...middle.map(([sign, i, j]) => [sign, moved(i), moved(j)]),
    ...a.slice(a.length - tail).map((_, i) => [" ", a.length - tail + i, b.length - tail + i]),
  ];
};
