// What is shown, kept in the fragment of the address so that a view can be passed on as a link and
// the back button works: "#level1/019_relu?size=full" or "#tasks?level=1&sort=desc.@agent-a".

import { BASELINES, data, fileOf } from "./data.js";

export const defaults = {
  board: "0", level: "0", metric: "auto", over: "eager", p: "1", sort: "", show: "auto",
  family: "all", q: "", who: "", cmp: "", out: "", trend: "", diff: "", of: "", row: "",
  episode: "",
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

// Parts of the view that mean something within one task alone: the sources compared, the row opened, the
// episode opened.
const OF_A_TASK = ["diff", "row", "episode"];

// What the address keeps of the view beside its path, with what `other` has in the place of it.
const kept = (path, other = {}) => {
  const query = new URLSearchParams();
  for (const [name, usual] of Object.entries(defaults)) {
    const value = other[name] ?? (!OF_A_TASK.includes(name) || path === view.path ? view[name] : usual);
    if (value !== usual) query.set(name, value);
  }
  const text = query.toString();
  return text && `?${text}`;
};

const addressOf = (path, other) =>
  `#${encodeURIComponent(path).replaceAll("%2F", "/").replaceAll("%40", "@")}${kept(path, other)}`;

const listeners = [];

// act(changed names) after every change.
export const onChange = (act) => { listeners.push(act); };

const tell = (changed) => { for (const act of listeners) act(changed); };

// `step`: whether the back button stops here. What moves while one types or drags does not, but where
// it begins: the step before would be lost with it.
export const change = (given, step = true) => {
  const patch = "path" in given ? { diff: "", row: "", episode: "", ...given } : given;
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
export const linkToFile = (file, other) => {
  const query = kept(undefined, other);
  return query ? `${file}#${query}` : file;
};

// The address of another view, for links; `other`: what it has beside its path that this one has not. In a
// site each task has a file of its own.
export const linkTo = (path, other) => {
  const file = data.site && fileOf(path);
  if (file) return linkToFile(file, other);
  return `${data.site ? data.site.home : ""}${addressOf(path, other)}`;
};

const follow = () => {
  const next = read();
  const changed = Object.keys(next).filter((name) => view[name] !== next[name]);
  Object.assign(view, next);
  if (changed.length > 0) tell(changed);
};

addEventListener("popstate", follow);
addEventListener("hashchange", follow);
