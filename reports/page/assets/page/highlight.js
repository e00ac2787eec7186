// Which part of a source is a comment, a keyword, a string, a number: enough to read by. The libraries
// that are packaged for this take and give markup, and hundreds of kilobytes; here text stays text.
// Every pattern takes time in proportion to the text, whatever it holds.

const LANGUAGES = {
  c: {
    keywords: `alignas alignof asm auto bool break case catch char class concept const consteval constexpr
      const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern
      false float for friend goto half if inline int long mutable namespace new noexcept nullptr operator
      private protected public register reinterpret_cast requires return short signed sizeof size_t
      static static_assert static_cast struct switch template this thread_local throw true try typedef
      typeid typename union unsigned using virtual void volatile while __constant__ __device__ __forceinline__
      __global__ __host__ __launch_bounds__ __managed__ __noinline__ __restrict__ __shared__`,
    parts: [
      ["comment", String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|(?![^]))`],
      ["string", String.raw`\bR"(?<mark>[^\s()\\"]{0,16})\([^]*?(?:\)\k<mark>"|(?![^]))|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?`],
      ["macro", String.raw`^[ ]*#[ ]*[a-z]+`],
    ],
  },
  python: {
    keywords: `False None True and as assert async await break class continue def del elif else except
      finally for from global if import in is lambda nonlocal not or pass raise return try while with yield
      self super`,
    parts: [
      ["comment", String.raw`#[^\n]*`],
      ["string", String.raw`(?<mark>"""|''')[^]*?(?:\k<mark>|(?![^]))|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?`],
      ["macro", String.raw`^[ ]*@[A-Za-z_.]+`],
    ],
  },
};

const COMMON = [["number", String.raw`\b\d(?:[eEpP][+-]|[\w.'])*`], ["word", String.raw`[A-Za-z_]\w*`]];

const languageOf = (path) =>
  path.endsWith(".py") ? LANGUAGES.python : path.endsWith(".json") ? null : LANGUAGES.c;

const patternOf = ({ parts }) => new RegExp(
  [...parts, ...COMMON].map(([kind, pattern]) => `(?<${kind}>${pattern})`).join("|"), "gm");

// Lines of [kind, text]; the kind is empty for what is nothing in particular.
export const highlight = (text, path) => {
  const lines = [[]];
  const put = (kind, part) => part.split("\n").forEach((piece, i) => {
    if (i > 0) lines.push([]);
    if (piece) lines[lines.length - 1].push([kind, piece]);
  });
  const language = languageOf(path);
  if (!language) {
    put("", text);
    return lines;
  }
  const keywords = new Set(language.keywords.split(/\s+/));
  let at = 0;
  for (const found of text.matchAll(patternOf(language))) {
    if (found.index > at) put("", text.slice(at, found.index));
    const [kind] = Object.entries(found.groups).find(([, part]) => part !== undefined);
    put(kind !== "word" ? kind : keywords.has(found[0]) ? "keyword" : "", found[0]);
    at = found.index + found[0].length;
  }
  put("", text.slice(at));
  return lines;
};
