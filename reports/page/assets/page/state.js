// What is shown, kept in the fragment of the address so that a view can be passed on as a link and
// the back button works: "#level1/019_relu?size=full" or "#tasks?level=1&sort=desc.@agent-a".

import { BASELINES, data, fileOf } from "./data.js";

export const defaults = {
  board: "0", level: "0", metric: "auto", over: "eager", p: "1", sort: "", show: "auto",
  family: "all", q: "", cmp: "", trend: "", diff: "", of: "", row: "",
};

const decode = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const read = () => {
  const [path, query] = location.hash.slice(1).split(/\?(.*)/s);
  const view = { path: decode(path), ...defaults };
  for (const [name, value] of new URLSearchParams(query || ""))
    if (name in defaults) view[name] = value;
  if (!BASELINES.includes(view.over)) view.over = defaults.over;
  return view;
};

export const view = read();

// Parts of the view that mean something within one task alone: the sources compared, the row opened.
const OF_A_TASK = ["diff", "row"];

// What the address keeps of the view beside its path.
const kept = (path) => {
  const query = new URLSearchParams();
  for (const [name, usual] of Object.entries(defaults))
    if (view[name] !== usual && (!OF_A_TASK.includes(name) || path === view.path)) query.set(name, view[name]);
  const text = query.toString();
  return text && `?${text}`;
};

const addressOf = (path) =>
  `#${encodeURIComponent(path).replaceAll("%2F", "/").replaceAll("%40", "@")}${kept(path)}`;

const listeners = [];

// act(changed names) after every change.
export const onChange = (act) => { listeners.push(act); };

const tell = (changed) => { for (const act of listeners) act(changed); };

// `step`: whether the back button stops here. What moves while one types or drags does not, but where
// it begins: the step before would be lost with it.
export const change = (given, step = true) => {
  const patch = "path" in given ? { diff: "", row: "", ...given } : given;
  const changed = Object.keys(patch).filter((name) => view[name] !== patch[name]);
  if (changed.length === 0) return;
  Object.assign(view, patch);
  const act = step ? "pushState" : "replaceState";
  history[act](null, "", addressOf(view.path));
  tell(changed);
};

// Keeps in the address what is shown already.
export const remember = (patch) => {
  Object.assign(view, patch);
  history.replaceState(null, "", addressOf(view.path));
};

// A file of the site, in the same view.
export const linkToFile = (file) => (kept() ? `${file}#${kept()}` : file);

// The address of another view, for links. In a site each task has a file of its own.
export const linkTo = (path) => {
  const file = data.site && fileOf(path);
  if (file) return linkToFile(file);
  return `${data.site ? data.site.home : ""}${addressOf(path)}`;
};

const follow = () => {
  const next = read();
  const changed = Object.keys(next).filter((name) => view[name] !== next[name]);
  Object.assign(view, next);
  if (changed.length > 0) tell(changed);
};

addEventListener("popstate", follow);
addEventListener("hashchange", follow);
