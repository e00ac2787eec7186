// Makes elements. Text always becomes a text node: nothing in the data can become markup.

const SPACES = { svg: "http://www.w3.org/2000/svg", math: "http://www.w3.org/1998/Math/MathML" };

const setProperty = (element, name, value) => {
  if (value === undefined || value === null || value === false) return;
  if (name === "on") {
    for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
  } else if (name === "style") {
    // By property: the page's policy forbids style attributes.
    for (const [property, text] of Object.entries(value)) element.style.setProperty(property, text);
  } else {
    element.setAttribute(name, value === true ? "" : value);
  }
};

const make = (element, properties, children) => {
  for (const [name, value] of Object.entries(properties || {})) setProperty(element, name, value);
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
  return element;
};

export const h = (tag, properties, ...children) =>
  make(document.createElement(tag), properties, children);

// The name of a task; its folder apart, for which a phone has no room.
export const taskName = (name) => {
  const slash = name.indexOf("/") + 1;
  return [slash ? h("span", { class: "level" }, name.slice(0, slash)) : null, name.slice(slash)];
};

// Words between backticks are code; one backtick alone stands as it is.
export const withCode = (text) => {
  const parts = text.split("`");
  if (parts.length % 2 === 0) parts.push(parts.splice(-2).join("`"));
  return parts.map((part, i) => (i % 2 ? h("code", null, part) : part));
};

// A name that may break behind each "_", and not within a word.
export const breakable = (name) =>
  name.split("_").flatMap((part, i) => (i ? ["_", h("wbr"), part] : [part]));

export const svg = (tag, properties, ...children) =>
  make(document.createElementNS(SPACES.svg, tag), properties, children);

export const math = (tag, properties, ...children) =>
  make(document.createElementNS(SPACES.math, tag), properties, children);

// A part that is made when it is first opened: a page may hold thousands of them.
export const folded = (properties, summary, makeBody, open = false) => {
  const details = h("details", properties, h("summary", null, summary));
  const fill = () => {
    if (details.open && details.childElementCount === 1) details.append(makeBody());
  };
  details.addEventListener("toggle", fill);
  details.addEventListener("fill", fill); // for the printer, which does not wait
  if (open) {
    details.open = true;
    fill();
  }
  return details;
};

const region = h("p", { role: "status", "aria-live": "polite", class: "unseen" });

// Says something to a screen reader.
export const announce = (text) => {
  if (!region.isConnected) document.body.append(region);
  region.textContent = text;
};

// One of several, as radio buttons that look like a segmented control: one stop of the tab key.
// `kind`: a further class of it.
export const choice = (legend, name, options, chosen, pick, kind = "") =>
  h("fieldset", { class: `choice ${kind}`.trim() },
    h("legend", null, legend),
    h("div", { class: "segments" }, options.map(([value, text]) =>
      h("label", { class: "segment" },
        h("input", {
          type: "radio", name, value, checked: value === chosen,
          on: { change: () => pick(value) },
        }),
        h("span", null, text)))));
