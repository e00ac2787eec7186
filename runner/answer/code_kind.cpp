#include "runner/answer/code_kind.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "runner/answer/code_lexer.hpp"
#include "runner/answer/words.hpp"
#include "runner/core/lines.hpp"

namespace kbench {
namespace {

using std::string_view;

constexpr std::array kCppWords{"cpp", "c++", "cc", "cxx", "c", "h", "hpp", "cplusplus", "c/c++"};
constexpr std::array kCudaWords{"cuda",     "cu",       "cuh",     "cuda-c++", "cuda_c++",
                                "cuda-cpp", "cuda_cpp", "cudacpp", "cuda-c",   "cuda_c",
                                "cuda/c++", "c++/cuda", "nvcc"};
constexpr std::array kPythonWords{"python",  "py",      "python3",       "py3",          "triton",
                                  "pytorch", "ipython", "python-triton", "python_triton"};
constexpr std::array kMarkdownWords{"markdown", "md"};
constexpr std::array kDiffWords{"diff", "patch", "udiff"};
constexpr std::array kOtherWords{
    "bash",       "sh",         "shell",         "zsh",          "fish",
    "console",    "terminal",   "shell-session", "shellsession", "powershell",
    "ps1",        "cmd",        "bat",           "batch",        "text",
    "txt",        "plaintext",  "plain",         "output",       "out",
    "stdout",     "stderr",     "result",        "results",      "log",
    "logs",       "json",       "jsonl",         "json5",        "yaml",
    "yml",        "toml",       "ini",           "xml",          "html",
    "css",        "math",       "latex",         "tex",          "katex",
    "csv",        "tsv",        "makefile",      "make",         "cmake",
    "dockerfile", "mermaid",    "dot",           "sql",          "rust",
    "rs",         "go",         "java",          "javascript",   "js",
    "typescript", "ts",         "julia",         "matlab",       "ptx",
    "sass",       "asm",        "assembly",      "nasm",         "llvm",
    "mlir",       "pseudocode", "pseudo",        "pycon",        "traceback",
    "error",      "none",       "ascii",         "gitignore",    "env",
    "think",      "thinking",   "thought",       "thoughts"};
constexpr std::array<string_view, 7> kEndings{".cu", ".cuh", ".cpp", ".hpp", ".h", ".py", ".json"};

template <std::size_t N>
bool is_among(string_view word, const std::array<const char*, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string lower(string_view text) {
  std::string low(text);
  std::transform(low.begin(), low.end(), low.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return low;
}

bool contains(string_view text, string_view part) { return text.find(part) != string_view::npos; }

Language language_called(string_view word) {
  if (is_among(word, kCppWords)) return Language::kCpp;
  if (is_among(word, kCudaWords)) return Language::kCuda;
  if (is_among(word, kPythonWords)) return Language::kPython;
  if (is_among(word, kMarkdownWords)) return Language::kMarkdown;
  if (is_among(word, kDiffWords)) return Language::kDiff;
  if (is_among(word, kOtherWords)) return Language::kOther;
  return Language::kUnknown;
}

// "python", ".cpp", "{.cuda", "language-py", "lang=cpp"
Language language_of(string_view words) {
  words.remove_prefix(std::min(words.find_first_not_of("{[(. "), words.size()));
  std::string word =
      lower(words.substr(0, std::min(words.find_first_of(" \t:,;{}()[]"), words.size())));
  for (const string_view prefix : {"language=", "language-", "lang=", "lang-"})
    if (word.starts_with(prefix)) word.erase(0, prefix.size());
  std::erase(word, '"');
  return language_called(word);
}

bool ends_like_a_file(string_view word) {
  return std::any_of(kEndings.begin(), kEndings.end(), [&](string_view ending) {
    return word.size() > ending.size() && word.ends_with(ending);
  });
}

bool is_plain_part(string_view part) {
  return !part.empty() && part.front() != '.' && part.front() != '-' && part.front() != '@' &&
         std::all_of(part.begin(), part.end(), [](char c) {
           return is_word_character(c) || contains(".+-@", string_view(&c, 1));
         });
}

// A path of plain parts as it is, of any other its last part, where that is plain.
std::string plain_path(string_view path) {
  bool plain = true;
  string_view last = path;
  for (string_view rest = path; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("/\\"), rest.size());
    last = rest.substr(0, end);
    plain = plain && is_plain_part(last) && (end == rest.size() || rest[end] == '/');
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (plain) return std::string(path);
  return is_plain_part(last) ? std::string(last) : "";
}

// "cuda relu.cu", "cuda:relu.cu", "relu.cu", "python title=\"relu.py\""
std::string file_among(string_view words) {
  constexpr string_view kBetween = " \t:,;=()[]{}\"'`*<>#";
  while (!words.empty()) {
    const std::size_t end = std::min(words.find_first_of(kBetween), words.size());
    if (const string_view word = words.substr(0, end); ends_like_a_file(word))
      if (std::string path = plain_path(word); ends_like_a_file(path)) return path;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return "";
}

// `word` where a line begins, apart from blanks, and no longer word.
bool begins_with_word(string_view line, string_view word) {
  line = trimmed(line);
  return line.starts_with(word) &&
         (line.size() == word.size() || !is_word_character(line[word.size()]));
}

bool is_import(string_view line) {
  if (begins_with_word(line, "from")) return contains(line, " import ");
  if (!begins_with_word(line, "import")) return false;
  line = trimmed(trimmed(line).substr(std::string_view("import").size()));
  line = trimmed(line.substr(0, std::min(line.find('#'), line.size())));
  // "import torch" is code, and "import torch and go on" is not.
  const std::size_t name = std::min(line.find_first_of(" ,"), line.size());
  const string_view rest = trimmed(line.substr(name));
  return name > 0 && (rest.empty() || rest.front() == ',' || rest.starts_with("as "));
}

bool begins_code(string_view words) {
  return is_import(words) || words.starts_with("#include") || words.starts_with("extern \"C\"") ||
         words.starts_with("#pragma") || words.starts_with("class ") || words.starts_with("@");
}

std::string code_on_the_line(string_view words) {
  const std::size_t blank = std::min(words.find_first_of(" \t"), words.size());
  const string_view rest = trimmed(words.substr(blank));
  return begins_code(rest) ? std::string(rest) : "";
}

// Longest list of parameters that is searched, and longest text before a name on a line: nobody
// pays for a search that an answer repeats without end.
constexpr std::size_t kLongestHead = 4096;

std::size_t behind_parentheses(string_view text, std::size_t at) {
  int depth = 0;
  const std::size_t end = std::min(text.size(), at + kLongestHead);
  for (; at < end; ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
    if (text[at] == ';' || text[at] == '{') break;
  }
  return string_view::npos;
}

bool is_comment_until(string_view text, std::size_t at) {
  const string_view near = text.substr(at - std::min(at, kLongestHead), std::min(at, kLongestHead));
  const string_view before = trimmed(near.substr(near.rfind('\n') + 1));
  return contains(before, "//") || before.starts_with('*') || before.starts_with("/*") ||
         before.starts_with('#') || before.starts_with('+') || before.starts_with('-');
}

bool is_native_definition(string_view text, std::size_t name) {
  constexpr string_view kName = "kbench_forward";
  if (name > 0 && is_word_character(text[name - 1])) return false;
  std::size_t at = name + kName.size();
  at = text.find_first_not_of(" \t\r\n", at);
  if (at == string_view::npos || text[at] != '(') return false;
  at = behind_parentheses(text, at);
  if (at == string_view::npos) return false;
  at = text.find_first_not_of(" \t\r\n", at);
  if (at == string_view::npos || is_comment_until(text, name)) return false;
  const string_view behind = text.substr(at);
  return behind.starts_with('{') || behind.starts_with("noexcept") || behind.starts_with("->");
}

bool defines_class(string_view line, string_view name) {
  line = trimmed(line);
  if (!line.starts_with("class ")) return false;
  line = trimmed(line.substr(std::string_view("class").size()));
  if (!begins_with_word(line, name)) return false;
  line = trimmed(line.substr(name.size()));
  return line.starts_with('(') || line.starts_with(':');
}

// "ModelNew = torch.compile(Model)"
bool assigns(string_view line, string_view name) {
  if (!line.starts_with(name)) return false;
  line = trimmed(line.substr(name.size()));
  return line.starts_with('=') && !line.starts_with("==");
}

// "...", "# ... the rest as before"
bool leaves_out(string_view line) {
  line = trimmed(line);
  while (!line.empty() && contains("#/* ", line.substr(0, 1))) line.remove_prefix(1);
  return line.starts_with("...") || line.starts_with("\u2026");
}

// --- code without a fence ---

bool begins_python(string_view line) {
  if (line.empty() || line.front() == ' ' || line.front() == '\t') return false;
  return is_import(line) || line.starts_with('@') ||
         (begins_with_word(line, "class") && contains(line, ":")) ||
         (begins_with_word(line, "def") && contains(line, "("));
}

// A line that is not indented and goes on with Python.
bool goes_on_in_python(string_view line) {
  if (begins_python(line)) return true;
  constexpr std::array kWords{"if",     "for",     "while", "with",  "try",
                              "except", "finally", "else",  "elif",  "return",
                              "assert", "del",     "pass",  "raise", "async"};
  const std::size_t name = std::min(line.find_first_of(" \t:(=.[,"), line.size());
  if (is_among(line.substr(0, name), kWords)) return true;
  if (contains("#)]}\"'", line.substr(0, 1))) return true;
  const bool is_name = std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(name),
                                   is_word_character);
  if (!is_name || name == 0 || name == line.size()) return false;
  const string_view rest = trimmed(line.substr(name));
  return contains("=([.", rest.substr(0, 1)) || line[name] == '(' ||
         (rest.starts_with(':') && contains(rest, "="));
}

bool begins_cpp(string_view line) {
  constexpr std::array<string_view, 15> kBegins{
      "#include",   "#pragma", "#define",    "#if",        "extern \"C\"",
      "//",         "/*",      "namespace ", "template<",  "template <",
      "constexpr ", "struct ", "typedef ",   "__global__", "int kbench_forward"};
  if (line.starts_with("using ") || line.starts_with("static "))
    return contains(line, ";") || contains(line, "(");
  return std::any_of(kBegins.begin(), kBegins.end(),
                     [&](string_view word) { return line.starts_with(word); });
}

bool ends_cpp(string_view line) {
  line = trimmed(line);
  return line.ends_with('}') || line.ends_with(';') || line.ends_with("*/") ||
         line.starts_with("//") || line.starts_with("#endif") || line.starts_with("#undef");
}

std::string joined(const std::vector<string_view>& lines, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text.append(lines[i]).append("\n");
  return text;
}

std::string python_in(const std::vector<string_view>& lines) {
  std::size_t begin = 0;
  while (begin < lines.size() && !begins_python(lines[begin])) ++begin;
  CodeLexer lexer(Syntax::kPython);
  std::size_t end = begin;
  for (std::size_t i = begin; i < lines.size(); ++i) {
    const string_view line = lines[i];
    const bool blank = trimmed(line).empty();
    const bool inner = lexer.inside_literal() || lexer.depth() > 0 || line.starts_with(' ') ||
                       line.starts_with('\t');
    if (!blank && !inner && !goes_on_in_python(line)) break;
    lexer.feed(line);
    // Quotes that are never closed are a fence of the model's own.
    if (!blank && !lexer.inside_literal()) end = i + 1;
  }
  return joined(lines, begin, end);
}

std::string cpp_in(const std::vector<string_view>& lines) {
  std::size_t begin = 0;
  while (begin < lines.size() && !begins_cpp(lines[begin])) ++begin;
  CodeLexer lexer(Syntax::kCpp);
  std::size_t end = begin;
  for (; end < lines.size(); ++end) {
    if (!lexer.inside_literal() && trimmed(lines[end]).starts_with("```")) break;
    lexer.feed(lines[end]);
  }
  while (end > begin && !ends_cpp(lines[end - 1])) --end;
  return joined(lines, begin, end);
}

// Code that is indented instead of fenced: the lines around the definition that share its
// indentation, without it.
std::string indented_block(const std::vector<string_view>& lines) {
  const auto defines = [](string_view line) {
    return defines_class(line, "ModelNew") ||
           (contains(line, "kbench_forward(") && trimmed(line).starts_with("extern \"C\""));
  };
  const auto found = std::find_if(lines.begin(), lines.end(), defines);
  if (found == lines.end()) return "";
  const string_view indent = found->substr(0, found->find_first_not_of(" \t"));
  if (indent.empty()) return "";
  const auto belongs = [&](string_view line) {
    return trimmed(line).empty() || line.starts_with(indent);
  };
  auto begin = found;
  while (begin != lines.begin() && belongs(*(begin - 1))) --begin;
  const auto end = std::find_if_not(found, lines.end(), belongs);
  std::string text;
  for (auto line = begin; line != end; ++line)
    text.append(line->substr(std::min(indent.size(), line->size()))).append("\n");
  return text;
}

}  // namespace

FenceWords read_fence_words(string_view words) {
  FenceWords read;
  words = trimmed(words);
  read.language = language_of(words);
  read.code = code_on_the_line(words);
  if (read.code.empty()) read.file = file_among(words);
  if (read.language != Language::kUnknown || read.file.empty()) return read;
  if (read.file.ends_with(".py"))
    read.language = Language::kPython;
  else if (read.file.ends_with(".json"))
    read.language = Language::kOther;
  else
    read.language = read.file.find(".cu") != std::string::npos ? Language::kCuda : Language::kCpp;
  return read;
}

bool is_language_word(string_view line) {
  const std::string word = lower(trimmed(line));
  return is_among(word, kCppWords) || is_among(word, kCudaWords) || is_among(word, kPythonWords);
}

std::string file_named_alone(string_view line) {
  const std::string file = file_among(line);
  if (file.empty()) return "";
  std::string rest = lower(line);
  rest.erase(rest.find(lower(file)), file.size());
  for (const string_view word : {"filename", "file", "name", "path"})
    if (const std::size_t at = rest.find(word); at != std::string::npos)
      rest.erase(at, word.size());
  const bool alone =
      std::none_of(rest.begin(), rest.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return alone ? file : "";
}

bool has_code(string_view text) {
  for (string_view line : lines_of(text)) {
    line = trimmed(line);
    const bool directive =
        line.starts_with("#include") || line.starts_with("#pragma") || line.starts_with("#define");
    const bool comment = line.starts_with("//") || (line.starts_with('#') && !directive);
    if (!line.empty() && !comment && !leaves_out(line)) return true;
  }
  return false;
}

bool defines_native(string_view text) {
  constexpr string_view kName = "kbench_forward";
  for (std::size_t at = text.find(kName); at != string_view::npos; at = text.find(kName, at + 1))
    if (is_native_definition(text, at)) return true;
  return false;
}

bool defines_python(string_view text) {
  const auto lines = lines_of(text);
  return std::any_of(lines.begin(), lines.end(), [](string_view line) {
    return defines_class(line, "ModelNew") || assigns(line, "ModelNew");
  });
}

bool is_like_a_kernel(string_view text) {
  if (contains(text, "__global__") || contains(text, "@triton.jit")) return true;
  const auto lines = lines_of(text);
  return std::any_of(lines.begin(), lines.end(),
                     [](string_view line) { return defines_class(line, "Model"); });
}

bool has_cuda_syntax(string_view text) {
  return contains(text, "__global__") || contains(text, "<<<") || contains(text, "cuda_runtime") ||
         contains(text, "cudaStream");
}

bool has_main(string_view text) {
  const auto lines = lines_of(text);
  return std::any_of(lines.begin(), lines.end(), [](string_view line) {
    return begins_with_word(line, "int main") && contains(line, "(");
  });
}

bool is_whole(string_view text, bool is_python) {
  CodeLexer lexer(is_python ? Syntax::kPython : Syntax::kCpp);
  string_view last;
  for (const string_view line : lines_of(text)) {
    if (!lexer.inside_literal() && leaves_out(line)) return false;
    lexer.feed(line);
    if (!trimmed(line).empty()) last = trimmed(line);
  }
  const bool goes_on =
      is_python && !last.empty() && contains(":,\\=+", last.substr(last.size() - 1));
  return !lexer.inside_literal() && lexer.depth() == 0 && !goes_on;
}

std::string code_without_fence(string_view text) {
  const auto lines = lines_of(text);
  if (const auto block = indented_block(lines); !block.empty()) return code_without_fence(block);
  if (defines_python(text)) return python_in(lines);
  if (defines_native(text)) return cpp_in(lines);
  const auto first = std::find_if(lines.begin(), lines.end(),
                                  [](string_view line) { return !trimmed(line).empty(); });
  if (first == lines.end() || !is_like_a_kernel(text)) return "";
  if (begins_python(*first)) return python_in(lines);
  return begins_cpp(*first) ? cpp_in(lines) : "";
}

}  // namespace kbench
