// Light, dark, or as the system has it. Remembered where the browser lets a file remember.

import { words } from "./words.js";
import { choice } from "./dom.js";

const NAME = "kbench-theme";

const remembered = () => {
  try {
    return localStorage.getItem(NAME) || "auto";
  } catch {
    return "auto";
  }
};

const setTheme = (theme) => {
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
  try {
    localStorage.setItem(NAME, theme);
  } catch {
    // A page without storage forgets, that is all.
  }
};

export const themeSwitch = () => {
  const theme = remembered() in words.themes ? remembered() : "auto";
  setTheme(theme);
  const made = choice(words.theme, "theme", Object.entries(words.themes), theme, setTheme);
  made.classList.add("quiet");
  return made;
};
