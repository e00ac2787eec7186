// Charts as files: SVG that looks the same outside of the page, whose style is written into it.

import { words } from "./words.js";
import { announce, h } from "./dom.js";
import { save } from "./exports.js";

const STYLE = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray",
  "stroke-linecap", "font-size", "font-family", "font-weight", "opacity", "paint-order"];

const withStyle = (picture) => {
  const copy = picture.cloneNode(true);
  const originals = [picture, ...picture.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of STYLE) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute("class");
  });
  copy.setAttribute("xmlns", picture.namespaceURI);
  return new XMLSerializer().serializeToString(copy);
};

// Saves the last picture of the figure, or other box, that it stands in.
export const pictureButton = (name) => h("button", {
  type: "button", class: "picture", on: {
    click: ({ target }) => {
      const picture = [...target.closest("figure, section").querySelectorAll("svg.chart")].at(-1);
      save(name, "image/svg+xml", withStyle(picture));
      announce(words.exported(name));
    },
  },
}, words.picture);
