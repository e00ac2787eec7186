// Puts the live page in the place of the plain tables, and decides what a change of the view redraws.

import { words } from "./words.js";
import { data, fileOf } from "./data.js";
import { change, linkTo, linkToFile, onChange, view } from "./state.js";
import { themeSwitch } from "./theme.js";
import { makeRanking } from "./ranking.js";
import { makeMatrix } from "./matrix.js";
import { agentsToCompare, makeCompareBar, syncTicks } from "./ticks.js";
import { makeDots } from "./dots.js";
import { tasksShownCounted } from "./filters.js";
import { makeCompare } from "./compare.js";
import { makeTask } from "./task.js";
import { makeTrend } from "./trend.js";
import { makeEpisodes } from "./episodes.js";
import { h } from "./dom.js";

const SECTIONS = ["", "ranking", "dots", "tasks", "compare", "trend", "episodes", "understanding",
  "environment", "files", "main"];

const live = document.getElementById("live");
const parts = {
  ranking: makeRanking(), dots: makeDots(), matrix: makeMatrix(), compare: makeCompare(), bar: makeCompareBar(), trend: makeTrend(),
  episodes: makeEpisodes(), task: makeTask(),
};
// One submission ranks before nobody.
const overview = h("div", { id: "overview" },
  data.onlyTask === null ? parts.ranking.element : null, parts.dots.element,
  parts.matrix.element, parts.compare.element, parts.trend.element, parts.episodes.element,
  parts.bar.element);
parts.bar.giveWayTo(parts.compare.element);

// The page of one submission is its verdict card with the task's page below it.
const belowCard = data.site ? null : data.onlyTask;
// A task's file of a site has that task alone, on some of the boards.
const ownTask = data.site?.task ?? belowCard;
const isTask = () => ownTask !== null || !SECTIONS.includes(view.path);
const taskShown = () => ownTask ?? view.path;
const boardNow = () => {
  const board = data.boards[Number(view.board)];
  if (ownTask === null) return board || data.boards[0];
  return board?.tasks.length ? board : data.boards.find(({ tasks }) => tasks.length);
};

// From the index of a site an address of a task leads to its file.
const leaves = () => {
  const file = ownTask === null && data.site && fileOf(view.path);
  if (file) location.replace(linkToFile(file));
  return Boolean(file);
};

const NARROWEST = 640; // pixels; as in page.css
const NARROWING = ["sort", "show", "family", "q", "level"];
const RESCORING = ["q", "family", "out"];

// What the filters change beside the table: scores and the picture of all tasks. On a large board the
// table comes first, and these when nobody has typed for a moment.
const LARGE = 2000; // cells
const MOMENT = 120; // milliseconds
let waiting = 0;
const drawFiltered = (board, changed) => {
  const draw = () => {
    if (data.onlyTask === null && changed.some((name) => RESCORING.includes(name)))
      parts.ranking.draw(board, true);
    parts.dots.draw(board, tasksShownCounted(board, view));
  };
  clearTimeout(waiting);
  if (board.tasks.length * board.agents.length <= LARGE || !changed.includes("q") || changed.length > 1)
    draw();
  else waiting = setTimeout(draw, MOMENT);
};

const drawOverview = (changed) => {
  const board = boardNow();
  const only = (...names) => changed.length > 0 && changed.every((name) => names.includes(name));
  const moved = !changed.every((name) => name === "path");
  if (!moved) return undefined;
  if (only("trend")) return parts.trend.draw(board);
  if (!only("p", "metric", "sort", "cmp", "who")) drawFiltered(board, changed);
  if (only("of", "path")) return undefined;
  if (only("out")) return parts.matrix.sync(board);
  parts.bar.draw(board);
  syncTicks(parts.ranking.element);
  if (data.onlyTask === null && !only("sort", "show", "family", "q", "out", "cmp", "of")) parts.ranking.draw(board, !only("p"));
  if (!only("p", "metric")) {
    parts.matrix.draw(board, only("q", "show", "family", "out"));
    if (!only("q", "show", "family", "out", "sort", "who")) parts.compare.draw(board, agentsToCompare(board));
  }
  if (changed.some((name) => NARROWING.includes(name))) parts.matrix.toTop();
  if (changed.includes("board")) {
    parts.trend.draw(board);
    parts.episodes.draw(board);
  }
  return undefined;
};

const pageTitle = document.title;

const show = () => {
  const task = isTask();
  document.title = task && ownTask === null ? words.titleOf(taskShown(), pageTitle) : pageTitle;
  overview.hidden = task;
  for (const element of document.querySelectorAll("#headline, main > section"))
    element.hidden = task && belowCard === null;
  parts.task.element.hidden = !task;
};

const scrollToPath = () => {
  const target = view.path === "" ? document.documentElement
    : view.path === belowCard ? parts.task.element : document.getElementById(view.path);
  if (target) target.scrollIntoView();
};

// Where the reader was in the overview before a task was opened: how far down, in the boxes that scroll
// as well, and the element that opened it, as the how-manieth of its section that leads to the task. All of
// these are made anew.
const SCROLLED = [".matrix-box", ".dots-box"];
let left = { top: 0, boxes: [], opener: null };

const leadsTo = (task) => (element) => element.dataset.task === task
  || element.getAttribute("href")?.split("?")[0] === linkTo(task).split("?")[0];
const openersIn = (section, task) => [...section.querySelectorAll("a, [data-task]")].filter(leadsTo(task));

const leaveOverview = (task) => {
  const element = document.activeElement;
  const section = element?.closest("#overview > section");
  left = {
    top: scrollY, boxes: SCROLLED.map((box) => document.querySelector(box)?.scrollTop ?? 0),
    opener: section && { section, task, place: openersIn(section, task).indexOf(element) },
  };
};

const scrollBoxes = () => SCROLLED.forEach((box, i) => {
  const element = document.querySelector(box);
  if (element) element.scrollTop = left.boxes[i] ?? 0;
});

const returnToOverview = () => {
  scrollBoxes(); // the table makes the rows in sight
  drawOverview(["board"]);
  scrollBoxes();
  scrollTo(0, left.top);
  const { section, task, place } = left.opener ?? {};
  if (section) openersIn(section, task)[place]?.focus({ preventScroll: true });
};

const showChange = (changed) => {
  if (leaves()) return undefined;
  if (!changed.includes("path") && isTask()) return parts.task.draw(boardNow(), taskShown());
  const wasTask = overview.hidden;
  if (isTask() && !wasTask) leaveOverview(taskShown());
  show();
  if (isTask()) {
    parts.task.draw(boardNow(), taskShown());
    if (belowCard !== null) return scrollToPath();
    scrollTo(0, 0);
    parts.task.element.querySelector("h1")?.focus({ preventScroll: true });
    parts.task.toEpisode();
    return undefined;
  }
  if (wasTask) return returnToOverview();
  drawOverview(changed);
  if (changed.includes("path")) scrollToPath();
  return undefined;
};

// The address has the view in the place of a target, so the keyboard is led there without it.
const skipToResults = () => {
  const main = document.getElementById("main");
  main.scrollIntoView();
  main.focus({ preventScroll: true });
};

// Links within the page keep the rest of the view and need no reload of the fragment.
const followLink = (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return undefined;
  event.preventDefault();
  if (link.classList.contains("skip")) return skipToResults();
  const [address, query] = link.getAttribute("href").slice(1).split("?");
  const path = decodeURIComponent(address);
  if (path === view.path) scrollToPath();
  else change({ path, episode: new URLSearchParams(query).get("episode") ?? "" });
  return undefined;
};

const resized = () => {
  if (isTask()) parts.task.draw(boardNow(), taskShown());
  else {
    if (data.onlyTask === null) parts.ranking.draw(boardNow(), false);
    parts.dots.draw(boardNow(), tasksShownCounted(boardNow(), view));
    parts.trend.draw(boardNow());
  }
};

// The first screen is for the answer: of several cautions it shows how many, and what about. Beside a
// verdict card, which is the whole answer, a wide screen has room for their words.
const foldCautions = () => {
  const list = document.querySelector("#headline ul.cautions");
  if (!list || list.childElementCount < 2) return;
  if (data.onlyTask !== null && innerWidth > NARROWEST) return;
  const topics = new Map();
  for (const { textContent } of list.children) {
    const topic = textContent.split(":")[0];
    topics.set(topic, (topics.get(topic) ?? 0) + 1);
  }
  const details = h("details", { class: "cautions" },
    h("summary", null, words.cautions(list.childElementCount, [...topics])));
  const facts = list.previousElementSibling;
  list.replaceWith(details);
  list.classList.remove("cautions");
  details.append(list);
  if (facts?.matches("p.meta")) {
    const both = h("div", { class: "meta-line" });
    facts.replaceWith(both);
    both.append(facts, details);
  }
};

// Each section can be passed on.
const addPermalinks = () => {
  for (const heading of document.querySelectorAll("main section[id] > h2, .control-line > h2")) {
    const section = heading.closest("section");
    if (section !== parts.task.element)
      heading.append(" ", h("a", { class: "permalink", href: `#${section.id}`,
        "aria-label": words.linkTo(heading.textContent) }, "#"));
  }
};

const watchWidth = () => {
  let width = innerWidth;
  let timer = 0;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(timer);
    timer = setTimeout(resized, 80);
  });
};

const watchPrinter = () => {
  addEventListener("beforeprint", () => {
    parts.matrix.print(true);
    for (const details of document.querySelectorAll("main details")) {
      details.open = true;
      details.dispatchEvent(new Event("fill"));
    }
  });
  addEventListener("afterprint", () => parts.matrix.print(false));
};

const start = () => {
  document.getElementById("bar-tools").append(themeSwitch());
  if (data.boards.length === 0 || leaves()) return;
  document.getElementById("static").remove();
  foldCautions();
  live.hidden = false;
  live.append(...(belowCard === null ? [overview] : []), parts.task.element);
  for (const [there, section] of [[data.boards.some(({ trend }) => trend.length > 0), "trend"], [data.episodes.length, "episodes"]])
    if (there && belowCard === null)
      document.querySelector("nav a[href$='#understanding']")
        ?.before(h("a", { href: linkTo(section) }, words[section]));
  addPermalinks();
  document.addEventListener("click", followLink);
  onChange(showChange);
  show();
  if (isTask()) {
    parts.task.draw(boardNow(), taskShown());
    if (belowCard !== null && view.path) scrollToPath();
    parts.task.toEpisode();
  } else {
    drawOverview([...Object.keys(view)]);
    if (view.path) scrollToPath();
  }
  watchWidth();
  watchPrinter();
};

start();
