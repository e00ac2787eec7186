// The scores as formulas, in MathML.

import { math } from "./dom.js";

const mi = (text) => math("mi", null, text);
const mn = (text) => math("mn", null, text);
const mo = (text) => math("mo", { stretchy: "false" }, text);
const mtext = (text) => math("mtext", null, text);
const row = (...children) => math("mrow", null, ...children);
const sub = (base, index) => math("msub", null, base, index);
const fraction = (top, bottom) => math("mfrac", null, top, bottom);

const x = () => sub(mi("x"), mi("i"));
const c = () => sub(mi("c"), mi("i"));
const low = () => sub(math("munder", { accentunder: "true" }, mi("x"), mo("_")), mi("i"));

const counted = (condition) =>
  fraction(row(mo("#"), mo("{"), mi("i"), mo(":"), condition, mo("}")), mi("N"));

const mean = (inner, over, bottom) =>
  row(mi("exp"), mo("("), fraction(row(math("munder", null, mo("∑"), over), mi("ln"), inner), bottom),
    mo(")"));

const FORMULAS = {
  sure: () => counted(row(c(), mo("∧"), low(), mo(">"), mi("p"))),
  fast: () => counted(row(c(), mo("∧"), x(), mo(">"), mi("p"))),
  penalised: () => mean(math("msubsup", null, mi("x"), mi("i"), mo("′")), mi("i"), mi("N")),
  mean: () => mean(x(), c(), row(mo("#"), c())),
  limit: () => row(mtext("median"), mo("("), fraction(sub(mi("l"), mi("i")), sub(mi("t"), mi("i"))), mo(")")),
  milestone: () => fraction(row(math("munder", null, mo("∑"), mi("i")), sub(mi("r"), mi("i"))), mi("N")),
  correct: () => counted(c()),
};

export const formula = (metric) => math("math", { display: "inline", displaystyle: "true" }, FORMULAS[metric]());
