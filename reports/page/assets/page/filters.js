// Which tasks are shown, and in which order. Pure functions of the view.

import { words } from "./words.js";
import { cellOf, compiledCell } from "./cells.js";
import { isCorrect } from "./data.js";
import { scopeOf } from "./score.js";

// "desc.@agent-a" → {column: "@agent-a", descending: true}
export const sortOf = (text) => {
  const dot = text.indexOf(".");
  if (dot < 0) return null;
  return { column: text.slice(dot + 1), descending: text.slice(0, dot) === "desc" };
};

// [family, number of its tasks], the most common first.
export const familiesOf = (board) => {
  const counts = new Map();
  for (const family of board.tasks.flatMap((task) => task.families))
    counts.set(family, (counts.get(family) || 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
};

// All cells of a board, made once for each baseline: filtering then only looks.
const known = new Map();
export const cellsOf = (board, over) => {
  const name = `${over} ${board.run ?? ""} ${board.device} ${board.size} ${board.precision} ${board.profile} ${board.protocol}`;
  if (!known.has(name))
    known.set(name, new Map(board.tasks.map((task) =>
      [task, { compiled: compiledCell(task), agents: task.best.map((row) => cellOf(row, over)) }])));
  return known.get(name);
};

// The places of the agents that are looked for: those with one of the words in their name; without a word
// all. Neither ranks nor scores change.
export const agentsShown = (board, view) => {
  const wanted = view.who.toLowerCase().split(/[\s,]+/).filter(Boolean);
  return [...board.agents.keys()].filter((place) =>
    wanted.length === 0 || wanted.some((word) => board.agents[place].toLowerCase().includes(word)));
};

const isSubmitted = (task) => task.best.some((row) => row !== null);

// Whether it was tried, and nobody solved it.
const isUnsolved = (task) => isSubmitted(task) && !task.best.some(isCorrect);

export const unsolvedOf = (board) => board.tasks.filter(isUnsolved).length;

// Where most tasks have no submission, those that have one are what is looked for.
const mostlyEmpty = new Map();
const isMostlyEmpty = (board) => {
  if (!mostlyEmpty.has(board)) {
    const there = board.tasks.filter(isSubmitted).length;
    mostlyEmpty.set(board, there > 0 && 2 * there < board.tasks.length);
  }
  return mostlyEmpty.get(board);
};

// The state that is shown: what was chosen, or what is usual for the board.
export const statesShown = (board, view) =>
  (view.show !== "auto" ? view.show : isMostlyEmpty(board) ? "submitted" : "all");

// Tasks whose box is not ticked: the reader's choice, by name, so that an address holds for a later page.
let leftOutText = "";
let leftOutNames = new Set();
export const isLeftOut = (view, task) => {
  if (view.out !== leftOutText) {
    leftOutText = view.out;
    leftOutNames = new Set(view.out.split("\n").filter(Boolean));
  }
  return leftOutNames.has(task.task);
};

// How many of a board's tasks are left out.
export const leftOutOf = (board, view) =>
  (view.out === "" ? 0 : board.tasks.filter((task) => isLeftOut(view, task)).length);

export const namesLeftOut = (board, view) =>
  (view.out === "" ? [] : board.tasks.filter((task) => isLeftOut(view, task)).map(({ task }) => task));

// What `out` is once a task counts, or does not.
export const outWith = (view, task, counts) => {
  const others = view.out.split("\n").filter((name) => name && name !== task.task);
  return (counts ? others : [...others, task.task].sort()).join("\n");
};

// What a task is, whatever became of its submissions: by these filters scores may be taken anew.
const isAbout = (view, scope) => (task) =>
  (scope.level === 0 || task.level === scope.level)
  && (view.family === "all" || task.families.includes(view.family))
  && (!view.q || task.task.toLowerCase().includes(view.q.toLowerCase()));

export const isNarrowed = (board, view) =>
  view.q !== "" || view.family !== "all" || leftOutOf(board, view) > 0;

const tasksAbout = (board, view) =>
  board.tasks.filter(isAbout(view, scopeOf(board, view.level)));

// The tasks that scores are of.
export const tasksCounted = (board, view) =>
  tasksAbout(board, view).filter((task) => !isLeftOut(view, task));

const matches = (state, cells) => (task) => {
  if (state === "all") return true;
  if (state === "submitted") return isSubmitted(task);
  if (state === "unsolved") return isUnsolved(task);
  return cells.get(task).agents.some((cell) => cell.kind === state);
};

// Why no task is shown: the state alone may leave none. A picture of the scores has none either where all
// that are shown are left out of them.
export const noneWords = (board, view) => {
  if (tasksShown(board, view).length > 0) return words.noneCounts;
  const state = statesShown(board, view);
  if (state === "all" || tasksAbout(board, view).length === 0) return words.noneShown;
  return words.noneOfState(words.filters[state] ?? state, isNarrowed(board, view) || view.level !== "0");
};

// How many tasks nobody asked to leave out.
export const hiddenTasks = (board, view) =>
  (view.show === "auto" && isMostlyEmpty(board)
    ? tasksAbout(board, view).filter((task) => !isSubmitted(task)).length : 0);

const keyOf = (sort, board, cells) => {
  if (sort.column === "task") return (task) => task.task;
  if (sort.column === "eager") return (task) => task.baselines["time_ns.eager"];
  if (sort.column === "compiled") return (task) => cells.get(task).compiled.sort;
  const column = board.agents.indexOf(sort.column.slice(1));
  return column < 0 ? null : (task) => cells.get(task).agents[column].sort;
};

const collator = new Intl.Collator("en", { numeric: true });

// What has no value stays at the end in both directions.
const sorted = (tasks, key, descending) => {
  const sign = descending ? -1 : 1;
  const keyed = tasks.map((task) => [key(task), task]);
  keyed.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "string" ? collator.compare(a, b) : a - b);
  });
  return keyed.map(([, task]) => task);
};

export const tasksShown = (board, view) => {
  const cells = cellsOf(board, view.over);
  const tasks = tasksAbout(board, view).filter(matches(statesShown(board, view), cells));
  const sort = sortOf(view.sort);
  const key = sort && keyOf(sort, board, cells);
  return key ? sorted(tasks, key, sort.descending) : tasks;
};

// Of those shown, the tasks that scores are of.
export const tasksShownCounted = (board, view) =>
  tasksShown(board, view).filter((task) => !isLeftOut(view, task));
