// Puts the live page in the place of the plain tables, and decides what a change of the view redraws.

import { words } from "./words.js";
import { data, fileOf } from "./data.js";
import { change, linkTo, linkToFile, onChange, view } from "./state.js";
import { themeSwitch } from "./theme.js";
import { makeRanking } from "./ranking.js";
import { agentsToCompare, makeMatrix } from "./matrix.js";
import { makeDots } from "./dots.js";
import { tasksShown } from "./filters.js";
import { makeCompare } from "./compare.js";
import { makeTask } from "./task.js";
import { makeTrend } from "./trend.js";
import { makeEpisodes } from "./episodes.js";
import { h } from "./dom.js";

const SECTIONS = ["", "ranking", "dots", "tasks", "compare", "trend", "episodes", "understanding",
  "environment", "files", "main"];

const live = document.getElementById("live");
const parts = {
  ranking: makeRanking(), dots: makeDots(), matrix: makeMatrix(), compare: makeCompare(), trend: makeTrend(),
  episodes: makeEpisodes(), task: makeTask(),
};
// One submission ranks before nobody.
const overview = h("div", { id: "overview" },
  data.onlyTask === null ? parts.ranking.element : null, parts.dots.element,
  parts.matrix.element, parts.compare.element, parts.trend.element, parts.episodes.element);

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

const NARROWING = ["sort", "show", "family", "q", "level"];

const drawOverview = (changed) => {
  const board = boardNow();
  const only = (...names) => changed.length > 0 && changed.every((name) => names.includes(name));
  const moved = !changed.every((name) => name === "path");
  if (!moved) return undefined;
  if (only("trend")) return parts.trend.draw(board);
  if (!only("p", "metric", "sort", "cmp")) parts.dots.draw(board, tasksShown(board, view));
  if (only("of")) return undefined;
  if (data.onlyTask === null && !only("sort", "show", "family", "q", "cmp")) parts.ranking.draw(board, !only("p"));
  if (!only("p", "metric")) {
    parts.matrix.draw(board, only("q", "show", "family"));
    if (!only("q", "show", "family", "sort")) parts.compare.draw(board, agentsToCompare(board));
  }
  if (changed.some((name) => NARROWING.includes(name))) parts.matrix.toTop();
  if (changed.includes("board")) {
    parts.trend.draw(board);
    parts.episodes.draw(board);
  }
  return undefined;
};

const show = () => {
  const task = isTask();
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

// Where the reader was in the overview before a task was opened.
let left = 0;

const showChange = (changed) => {
  if (leaves()) return undefined;
  if (!changed.includes("path") && isTask()) return parts.task.draw(boardNow(), taskShown());
  const wasTask = overview.hidden;
  if (isTask() && !wasTask) left = scrollY;
  show();
  if (isTask()) {
    parts.task.draw(boardNow(), taskShown());
    if (belowCard !== null) return scrollToPath();
    scrollTo(0, 0);
    parts.task.element.querySelector("h2")?.focus({ preventScroll: true });
    return undefined;
  }
  drawOverview(wasTask ? ["board"] : changed);
  if (wasTask) scrollTo(0, left);
  else if (changed.includes("path")) scrollToPath();
  return undefined;
};

// Links within the page keep the rest of the view and need no reload of the fragment.
const followLink = (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  if (link.classList.contains("skip")) return;
  event.preventDefault();
  const path = decodeURIComponent(link.getAttribute("href").slice(1).split("?")[0]);
  if (path === view.path) scrollToPath();
  else change({ path });
};

const resized = () => {
  if (isTask()) parts.task.draw(boardNow(), taskShown());
  else {
    if (data.onlyTask === null) parts.ranking.draw(boardNow(), false);
    parts.dots.draw(boardNow(), tasksShown(boardNow(), view));
    parts.trend.draw(boardNow());
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
  live.hidden = false;
  live.append(...(belowCard === null ? [overview] : []), parts.task.element);
  for (const [there, section] of [[data.trend, "trend"], [data.episodes.length, "episodes"]])
    if (there && belowCard === null)
      document.querySelector("nav a[href$='#understanding']")
        ?.before(h("a", { href: linkTo(section) }, words[section]));
  document.addEventListener("click", followLink);
  onChange(showChange);
  show();
  if (isTask()) {
    parts.task.draw(boardNow(), taskShown());
    if (belowCard !== null && view.path) scrollToPath();
  } else {
    drawOverview([...Object.keys(view)]);
    if (view.path) scrollToPath();
  }
  watchWidth();
  watchPrinter();
};

start();
