// Tasks by agents: filters, sorting by any column, ticks to compare. Only the rows in sight exist, so
// that 250 × 50 cells filter at once; on paper all of them do.

import { words } from "./words.js";
import { announce, h, taskName } from "./dom.js";
import { agentsShown, cellsOf, familiesOf, hiddenTasks, isLeftOut, isNarrowed, leftOutOf, noneWords, outWith, sortOf, statesShown, tasksCounted, tasksShown, unsolvedOf } from "./filters.js";
import { data } from "./data.js";
import { showMs } from "./format.js";
import { change, linkTo, view } from "./state.js";
import { tick } from "./ticks.js";
import { exportButtons } from "./exports.js";
import { paperFailures, paperTables } from "./paper.js";

const ROW = 34; // pixels; page.css has the same height
const BEYOND = 4; // rows kept above and below those in sight
const MOST_WITH_RANGE = 6; // agents whose intervals have room in their cells
const MOST_WITH_ALL_RANGES = 3; // agents beside whom that of the compiled baseline has room too
const FEW_AGENTS = 5; // are found without a search

const columnsOf = (board) => [
  { id: "task", name: words.task, number: false },
  { id: "eager", name: words.eagerMs, number: true, help: words.eagerHelp },
  { id: "compiled", name: words.compiledVsEager, number: true, help: words.compiledHelp },
  ...agentsShown(board, view).map((place) => board.agents[place])
    .map((agent) => ({ id: `@${agent}`, name: agent, number: true, agent })),
];

// A number is first sorted from the largest, a text from A.
const nextSort = (column) => {
  const sort = sortOf(view.sort);
  if (!sort || sort.column !== column.id) return `${column.number ? "desc" : "asc"}.${column.id}`;
  return `${sort.descending ? "asc" : "desc"}.${column.id}`;
};

// A box for each task where there is a score that it may count in.
const hasBoxes = (board) => data.onlyTask === null && board.agents.length > 0;

const countBox = (task) => {
  const ranks = task.rows.some((row) => row.ranked);
  return h("input", {
    type: "checkbox", class: "counts", disabled: !ranks, "aria-label": words.countTask(task.task),
    title: ranks ? words.countsHelp : task.rows[0]?.unranked_reason || words.notRanked,
    on: { change: ({ target }) => change({ out: outWith(view, task, target.checked) }) },
  });
};

const headCell = (column, board) => {
  const sort = sortOf(view.sort);
  const order = sort?.column === column.id ? (sort.descending ? "descending" : "ascending") : "none";
  return h("th", { scope: "col", class: column.number ? "number" : "", "aria-sort": order },
    h("div", { class: "head" },
      column.id === "task" && hasBoxes(board)
        ? h("span", { class: "counts", title: words.countsHelp }, words.counts) : null,
      column.agent === undefined ? null : tick(column.agent, board, words.tick(column.agent)),
      h("button", {
        type: "button", title: column.help || words.sortBy(column.name), "data-column": column.id,
        on: { click: () => change({ sort: nextSort(column) }) },
      }, column.name)));
};

// Glyphs of numbers stand in a column; that of a word stands before it, where nothing cuts it off.
const cellElement = (cell, ranged) => {
  const isWord = cell.sort === null && cell.text !== "" && !cell.range;
  const spoken = isWord ? undefined : words.glyphs[cell.glyph];
  const glyph = h("span", { class: "glyph", role: spoken && "img", "aria-label": spoken, "aria-hidden": isWord && "true" }, cell.glyph);
  const range = ranged && cell.range ? h("span", { class: "range" }, cell.range) : null;
  return h("td", { class: `cell ${cell.tone}`, title: cell.title },
    isWord ? [glyph, ` ${cell.text}`] : [cell.text, range, glyph]);
};

const rowElement = (task, cells, places, ranged, boxed) =>
  h("tr", null,
    h("th", { scope: "row", title: task.task }, boxed ? countBox(task) : null, h("a", null, taskName(task.task))),
    h("td", { class: "cell quiet" },
      showMs(task.baselines["time_ns.eager"])),
    cellElement(cells.get(task).compiled, ranged && places.length <= MOST_WITH_ALL_RANGES),
    places.map((place) => cellElement(cells.get(task).agents[place], ranged)));

const syncRow = (row, task) => {
  const out = isLeftOut(view, task);
  row.classList.toggle("left-out", out);
  row.querySelector("a").href = linkTo(task.task);
  const counts = row.querySelector("input.counts");
  if (counts) counts.checked = !out && !counts.disabled;
};

// A task's row is made once for what it shows; while somebody filters and sorts, it moves, and its
// link takes the view along.
class Rows {
  of(cells, places, ranged, boxed) {
    if (cells !== this.cells || view.who !== this.who) this.made = new Map();
    this.cells = cells;
    this.who = view.who;
    return (task, index) => {
      if (!this.made.has(task)) this.made.set(task, rowElement(task, cells, places, ranged, boxed));
      const row = this.made.get(task);
      row.setAttribute("aria-rowindex", String(index + 2));
      row.classList.toggle("odd", index % 2 === 1);
      syncRow(row, task);
      return row;
    };
  }

  // Those in sight, which keep the keyboard.
  sync() {
    for (const [task, row] of this.made || []) if (row.isConnected) syncRow(row, task);
  }
}

// The table as text, for Markdown.
const textTable = (board, tasks) => {
  const cells = cellsOf(board, view.over);
  const places = agentsShown(board, view);
  const text = (cell) => [cell.text, cell.range, cell.glyph].filter(Boolean).join(" ");
  return [
    columnsOf(board).map((column) => column.name),
    ...tasks.map((task) => [isLeftOut(view, task) ? words.leftOutMark(task.task) : task.task, showMs(task.baselines["time_ns.eager"]),
      text(cells.get(task).compiled), ...places.map((place) => text(cells.get(task).agents[place]))]),
  ];
};

const UNFILTERED = { q: "", who: "", show: "auto", level: "0", family: "all", out: "" };

// A named part of the view as a list to choose from.
const picker = (name, label, options) => {
  const select = h("select", {
    id: `filter-${name}`, on: { change: () => change({ [name]: select.value }) },
  }, options.map(([value, text]) => h("option", { value }, text)));
  const sync = (value = view[name]) => { select.value = value; };
  sync();
  return { element: h("label", { class: "field" }, h("span", null, label), select), sync };
};

const filterBar = (board, onExport) => {
  const search = h("input", {
    type: "search", id: "search", value: view.q, placeholder: words.search,
    "aria-label": words.search, on: { input: () => change({ q: search.value }, view.q === "") },
  });
  const agents = h("input", {
    type: "search", id: "search-agents", value: view.who, placeholder: words.searchAgents,
    "aria-label": words.searchAgents, on: { input: () => change({ who: agents.value }, view.who === "") },
  });
  const unsolved = unsolvedOf(board);
  const show = picker("show", words.show, Object.entries(words.filters)
    .map(([state, text]) => [state, state === "unsolved" ? words.numbered(text, unsolved) : text]));
  const level = picker("level", words.level, board.scopes.map((scope) =>
    [String(scope.level), scope.level === 0 ? words.allLevels : words.levelOf(scope.level)]));
  const families = familiesOf(board);
  const family = picker("family", words.family, [["all", words.allFamilies],
    ...families.map(([name, tasks]) => [name, words.numbered(name, tasks)])]);
  const reset = h("button", {
    type: "button", on: { click: () => change({ ...UNFILTERED, sort: "" }) },
  }, words.reset);
  const sync = () => {
    if (search.value !== view.q) search.value = view.q;
    if (agents.value !== view.who) agents.value = view.who;
    for (const one of [level, family]) one.sync();
    show.sync(statesShown(board, view));
    reset.hidden = view.sort === ""
      && Object.entries(UNFILTERED).every(([name, usual]) => view[name] === usual);
  };
  const element = h("div", { class: "filters" }, search,
    board.agents.length > FEW_AGENTS ? agents : null,
    board.scopes.length > 1 ? level.element : null,
    show.element,
    families.length > 1 ? family.element : null, reset, onExport);
  return { element, sync };
};

// The scrolled box and the rows in it.
class VirtualRows {
  constructor(scroller, body) {
    this.scroller = scroller;
    this.body = body;
    this.made = new Map(); // index → element; rows that stay in sight keep keyboard and pointer
    this.spacers = [h("tr", { class: "spacer", "aria-hidden": "true" }, h("td")),
      h("tr", { class: "spacer", "aria-hidden": "true" }, h("td"))];
    scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(scroller);
  }

  show(count, make) {
    this.count = count;
    this.make = make;
    this.made.clear();
    // At its full height, so that the box is as high as it will be when draw() looks at it.
    const [above, below] = this.spacers;
    above.firstChild.style.height = "0px";
    below.firstChild.style.height = `${count * ROW}px`;
    this.body.replaceChildren(above, below);
    this.draw();
  }

  draw() {
    if (!this.make) return;
    const height = this.scroller.clientHeight;
    const from = Math.max(0, Math.floor(this.scroller.scrollTop / ROW) - BEYOND);
    const to = Math.min(this.count, from + Math.ceil(height / ROW) + 2 * BEYOND);
    for (const [index, element] of this.made)
      if (index < from || index >= to) {
        element.remove();
        this.made.delete(index);
      }
    const [above, below] = this.spacers;
    above.firstChild.style.height = `${from * ROW}px`;
    below.firstChild.style.height = `${(this.count - to) * ROW}px`;
    let before = above;
    for (let index = from; index < to; ++index) {
      if (!this.made.has(index)) {
        this.made.set(index, this.make(index));
        before.after(this.made.get(index));
      }
      before = this.made.get(index);
    }
    if (before.nextSibling !== below) before.after(below);
  }
}

const columnWidths = (board) =>
  h("colgroup", null, h("col", { class: "col-task" }), h("col", { class: "col-eager" }),
    h("col", { class: "col-compiled" }),
    agentsShown(board, view).map(() => h("col", { class: "col-agent" })));

export const makeMatrix = () => {
  const caption = h("caption", { class: "unseen" });
  const headRow = h("tr");
  const body = h("tbody");
  const table = h("table", { class: "matrix" }, caption, h("thead", null, headRow), body);
  const scroller = h("div", {
    class: "matrix-box", tabindex: "0", role: "region", "aria-label": words.tasks,
  }, table);
  const status = h("p", { class: "status", id: "matrix-status" });
  const showAll = h("button", {
    type: "button", class: "show-all", on: { click: () => change({ show: "all" }) },
  });
  const undoState = h("button", {
    type: "button", class: "undo-state", hidden: true, on: {
      click: () => {
        change({ show: "all" });
        document.getElementById("filter-show").focus({ preventScroll: true }); // the button is gone
      },
    },
  }, words.undoState);
  const leftOut = h("span", { class: "status left-out-count" });
  const stateOnly = h("span", { class: "status state-only" }, words.stateOnly);
  const allAgain = h("button", {
    type: "button", class: "all-again", on: {
      click: () => {
        change({ out: "" });
        scroller.focus({ preventScroll: true }); // the button is gone
      },
    },
  }, words.allAgain);
  const bar = h("div");
  const rangesNote = h("p", { class: "note ranges-elsewhere" }, words.rangesElsewhere);
  const moreAgents = h("p", { class: "note more-agents", hidden: true });
  const paper = h("div", { class: "on-paper" });
  const element = h("section", { id: "tasks" }, h("h2", null, words.tasks), bar, h("div", { class: "status-line" }, status, stateOnly, undoState, leftOut, allAgain, showAll), moreAgents, scroller,
    rangesNote, h("ul", { class: "legend-list note" }, words.legend.map((text) => h("li", null, text))), paper);
  const virtual = new VirtualRows(scroller, body);
  const rows = new Rows();
  let filters = null;
  let now = null;

  const build = (board) => {
    now = board;
    const rowsOf = () => tasksShown(now, view).flatMap((task) => task.best).filter(Boolean);
    filters = filterBar(board, exportButtons(rowsOf,
      () => textTable(now, tasksShown(now, view))));
    bar.replaceChildren(filters.element);
  };

  // Whether there is more to the right than the box shows.
  const lookSideways = () => {
    const hidden = scroller.scrollWidth - scroller.clientWidth;
    moreAgents.hidden = hidden <= 1;
    scroller.classList.toggle("goes-on", hidden - scroller.scrollLeft > 1);
  };
  scroller.addEventListener("scroll", lookSideways, { passive: true });
  new ResizeObserver(lookSideways).observe(table);

  const hasRanges = (board) => agentsShown(board, view).length <= MOST_WITH_RANGE;

  // The columns that the board and the search for agents leave.
  const layOut = (board) => {
    const ranged = hasRanges(board);
    table.querySelector("colgroup")?.remove();
    caption.after(columnWidths(board));
    table.classList.toggle("ranged", ranged);
    table.classList.toggle("all-ranged", ranged && agentsShown(board, view).length <= MOST_WITH_ALL_RANGES);
    rangesNote.hidden = board.agents.length === 0 || ranged;
    moreAgents.textContent = words.moreAgents(agentsShown(board, view).length);
    table.style.setProperty("--agents", String(agentsShown(board, view).length));
  };

  const drawHead = (board) => {
    const focused = document.activeElement?.dataset?.column;
    headRow.replaceChildren(...columnsOf(board).map((column) => headCell(column, board)));
    if (focused !== undefined)
      [...headRow.querySelectorAll("button")].find((b) => b.dataset.column === focused)?.focus();
  };

  const drawLeftOut = (board) => {
    const n = hasBoxes(board) ? leftOutOf(board, view) : 0;
    for (const one of [leftOut, allAgain]) one.hidden = n === 0;
    leftOut.textContent = n ? words.tasksLeftOut(n, board.tasks.length) : "";
    return leftOut.textContent;
  };

  // What a reader who does not see the ranking change is told of it.
  let wasNarrowed = false;
  const scoredNow = (board) => {
    const narrowed = data.onlyTask === null && isNarrowed(board, view);
    const before = wasNarrowed;
    wasNarrowed = narrowed;
    if (!narrowed) return before ? words.wholeLevels : "";
    return words.rescored(tasksCounted(board, view).filter((task) => task.rows.some((row) => row.ranked)).length);
  };

  // A box was ticked, or a step back did it: the rows stay where they are.
  const sync = (board) => {
    filters.sync();
    rows.sync();
    announce([drawLeftOut(board) || words.noneLeftOut, scoredNow(board)].filter(Boolean).join(" "));
  };

  // The head stays where only its rows change: fifty headings take as long as thirty rows.
  const draw = (board, onlyRows = false) => {
    const isOther = now !== board;
    if (isOther) build(board);
    filters.sync();
    caption.textContent = words.matrixCaption(view.over);
    if (isOther || !onlyRows) {
      layOut(board);
      drawHead(board);
    }
    const tasks = tasksShown(board, view);
    const cells = cellsOf(board, view.over);
    table.setAttribute("aria-rowcount", String(tasks.length + 1));
    const rowOf = rows.of(cells, agentsShown(board, view), hasRanges(board), hasBoxes(board));
    virtual.show(tasks.length, (index) => rowOf(tasks[index], index));
    const sort = sortOf(view.sort);
    const by = sort && `${columnsOf(board).find((column) => column.id === sort.column)?.name} ${
      sort.descending ? words.descending : words.ascending}`;
    status.textContent = tasks.length ? words.shown(tasks.length, board.tasks.length, by)
      : noneWords(board, view);
    undoState.hidden = tasks.length > 0 || view.show === "auto" || view.show === "all"
      || status.textContent === words.noneShown; // other filters leave nothing either
    stateOnly.hidden = !hasBoxes(board) || statesShown(board, view) === "all";
    const hidden = hiddenTasks(board, view);
    showAll.hidden = hidden === 0;
    showAll.textContent = words.showHidden(hidden);
    announce([[status.textContent, drawLeftOut(board)].filter(Boolean).join(", "), scoredNow(board)].filter(Boolean).join(". "));
  };

  const toTop = () => { scroller.scrollTop = 0; };
  const forPaper = () => {
    const tasks = tasksShown(now, view);
    return [...paperTables(words.matrixCaption(view.over), textTable(now, tasks)), ...paperFailures(tasks)];
  };
  const print = (on) => paper.replaceChildren(...(on && now ? forPaper() : []));
  return { element, draw, sync, toTop, print };
};
