// Agents that are ticked to be compared, wherever their boxes stand, and the bar that says so while
// the comparison itself is out of sight.

import { words } from "./words.js";
import { h } from "./dom.js";
import { change, view } from "./state.js";

const chosenAgents = () => (view.cmp ? view.cmp.split("\n") : []);

export const agentsToCompare = (board) =>
  chosenAgents().filter((agent) => board.agents.includes(agent));

export const tick = (agent, board, name) =>
  h("input", {
    type: "checkbox", "aria-label": name, title: words.tickHelp, "data-ticks": agent,
    checked: chosenAgents().includes(agent),
    on: {
      change: ({ target }) => {
        const kept = agentsToCompare(board).filter((other) => other !== agent);
        change({ cmp: (target.checked ? [...kept, agent] : kept).join("\n") });
      },
    },
  });

// All boxes of an agent say the same.
export const syncTicks = (root) => {
  for (const input of root.querySelectorAll("input[data-ticks]"))
    input.checked = chosenAgents().includes(input.dataset.ticks);
};

export const makeCompareBar = () => {
  const element = h("div", { class: "compare-bar", role: "region", "aria-label": words.compare, hidden: true });
  const draw = (board) => {
    const agents = agentsToCompare(board);
    element.hidden = agents.length === 0;
    element.replaceChildren(
      h("span", { class: "names" }, words.ticked(agents)),
      agents.length < 2 ? "" : h("button", {
        type: "button", class: "go", on: { click: () => {
          if (view.path === "compare") document.getElementById("compare").scrollIntoView();
          else change({ path: "compare" });
        } },
      }, words.goCompare(agents.length)),
      h("button", { type: "button", on: { click: () => change({ cmp: "" }) } }, words.untick));
  };
  // Hidden while the comparison is in sight: it would cover its last lines.
  const giveWayTo = (comparison) =>
    new IntersectionObserver(([seen]) => element.classList.toggle("gives-way", seen.isIntersecting)).observe(comparison);
  return { element, draw, giveWayTo };
};
