#include "runner/answer/answer_code.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "runner/answer/blocks.hpp"
#include "runner/answer/spoken_text.hpp"
#include "runner/answer/words.hpp"
#include "runner/core/json.hpp"
#include "runner/core/lines.hpp"

namespace kbench {
namespace {

using Files = std::map<std::string, std::string>;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr const char* kManifest = "submission.json";

// How much a block is like the kernel. The last one of equal rank is the kernel.
enum class Rank {
  kNever,
  kNoLanguage,        // code, as far as anybody knows
  kLanguage,          // code in a kernel's language
  kLikeAKernel,       // a module under another name, or a kernel without the function
  kCalledOther,       // defines the function, and its fence says that it is text or shell
  kForAnotherDevice,  // defines it, in CUDA or Triton, where there is a CPU
  kPart,              // defines it, and was cut off or leaves parts out
  kKernel,
};

struct Piece {
  std::string text;
  Rank rank = Rank::kNever;
  bool is_python = false;
  std::string file;  // the fence names it
  std::string near;  // the line before it, or its first one, names it
};

bool is_diff(const CodeBlock& block) {
  return block.fence.language == Language::kDiff || block.text.starts_with("@@ ") ||
         block.text.find("\n@@ ") != std::string::npos;
}

bool is_python(const CodeBlock& block) {
  const bool native = defines_native(block.text);
  const bool python = defines_python(block.text);
  if (native != python) return python;
  if (block.fence.language != Language::kUnknown) return block.fence.language == Language::kPython;
  return python || (!native && is_like_a_kernel(block.text) &&
                    block.text.find("__global__") == std::string::npos);
}

// An import that is tried only, and therefore indented, leaves a way for the CPU.
bool is_for_a_gpu(const std::string& text, bool python) {
  if (!python) return has_cuda_syntax(text);
  return text.starts_with("import triton") || text.find("\nimport triton") != std::string::npos;
}

Rank rank_of(const CodeBlock& block, bool python, std::string_view device) {
  if (is_diff(block) || !has_code(block.text)) return Rank::kNever;
  const bool defines = python ? defines_python(block.text) : defines_native(block.text);
  const bool other = block.fence.language == Language::kOther;
  if (defines && other) return Rank::kCalledOther;
  if (other) return Rank::kNever;
  if (defines && device == "cpu" && is_for_a_gpu(block.text, python))
    return Rank::kForAnotherDevice;
  if (defines) return is_whole(block.text, python) ? Rank::kKernel : Rank::kPart;
  if (is_like_a_kernel(block.text)) return Rank::kLikeAKernel;
  return block.fence.language == Language::kUnknown ? Rank::kNoLanguage : Rank::kLanguage;
}

// The text without what is no code before and behind it: a mark, a cell's magic word, the end of a
// turn.
std::string cleaned(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.starts_with("%%")) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const std::string_view ended = without_end_tokens(text);
  const bool had_end = ended.size() < trimmed(text).size();
  if (!had_end) return std::string(text);
  return std::string(text.substr(0, static_cast<std::size_t>(ended.end() - text.begin()))) + "\n";
}

Piece piece_of(CodeBlock block, std::string_view device) {
  const std::string magic = first_line(block.text);
  if (block.fence.language == Language::kUnknown && is_language_word(magic))
    block.text.erase(0, magic.size() + 1);
  block.text = cleaned(block.text);
  // A shell that writes the file writes it between other lines.
  if (block.fence.language == Language::kOther)
    if (std::string code = code_without_fence(block.text); !code.empty())
      block.text = std::move(code);
  Piece piece;
  piece.is_python = is_python(block);
  piece.rank = rank_of(block, piece.is_python, device);
  piece.file = block.fence.file;
  piece.near = file_named_alone(block.heading);
  if (piece.near.empty() &&
      (magic.starts_with("//") || magic.starts_with('#') || magic.starts_with("%%")))
    piece.near = file_named_alone(magic.substr(magic.find_last_of(" \t") + 1));
  piece.text = std::move(block.text);
  return piece;
}

std::string usual_name(const Piece& piece, const CodeBlock& block, std::string_view device) {
  if (piece.is_python) return "kernel.py";
  const Language language = block.fence.language;
  if (language == Language::kCpp || (language == Language::kCuda && device == "cpu"))
    // A kernel for a GPU is C++ at a first look, and the other way round.
    return has_cuda_syntax(piece.text) && (device == "cuda" || language == Language::kCuda)
               ? "kernel.cu"
               : "kernel.cpp";
  if (language == Language::kCuda) return "kernel.cu";
  return device == "cuda" ? "kernel.cu" : "kernel.cpp";
}

std::string stem_of(std::string_view file) {
  file.remove_prefix(file.rfind('/') + 1);
  return std::string(file.substr(0, file.rfind('.')));
}

// Whether code includes, loads or imports the file.
bool needs(const std::string& code, const std::string& file) {
  const std::string base = file.substr(file.rfind('/') + 1);
  for (const char* quote : {"\"", "'"})
    if (code.find(base + quote) != std::string::npos) return true;
  if (!file.ends_with(".py")) return false;
  const std::string stem = stem_of(file);
  return code.find("import " + stem) != std::string::npos ||
         code.find("from " + stem + " ") != std::string::npos;
}

// The last blocks that name a file, by name. An answer with more names than kMostNames is no honest
// one.
std::map<std::string, std::size_t> named_pieces(const std::vector<Piece>& pieces) {
  constexpr std::size_t kMostNames = 64;
  std::map<std::string, std::size_t> named;
  for (std::size_t i = pieces.size(); i > 0 && named.size() < kMostNames; --i) {
    const Piece& piece = pieces[i - 1];
    const std::string& name = piece.file.empty() ? piece.near : piece.file;
    if (!name.empty() && name != "task.h" && name != "kbench.h") named.emplace(name, i - 1);
  }
  return named;
}

void add_needed(const std::vector<Piece>& pieces, std::size_t kernel, Files& files) {
  const auto named = named_pieces(pieces);
  std::vector<std::string> looked_at{pieces[kernel].text};
  while (!looked_at.empty()) {
    const std::string code = std::move(looked_at.back());
    looked_at.pop_back();
    for (const auto& [name, i] : named) {
      if (i == kernel || files.contains(name) || !needs(code, name)) continue;
      files[name] = pieces[i].text;
      looked_at.push_back(pieces[i].text);
    }
  }
}

void add_named(const std::vector<Piece>& pieces, Files& files) {
  for (const Piece& piece : pieces) {
    const bool is_a_program = piece.rank != Rank::kKernel && has_main(piece.text);
    if (!piece.file.empty() && !is_a_program) files[piece.file] = piece.text;
  }
}

void add_manifest(const std::string& entry, bool python, Files& files) {
  if (!python || files.size() < 2 || files.contains(kManifest)) return;
  const Json manifest = {{"schema", "kbench-submission/1"}, {"kind", "python"}, {"entry", entry}};
  files[kManifest] = manifest.dump(1) + "\n";
}

Files files_of(const std::vector<CodeBlock>& blocks, std::string_view device) {
  std::vector<Piece> pieces;
  std::size_t kernel = 0;
  for (const CodeBlock& block : blocks) {
    pieces.push_back(piece_of(block, device));
    if (pieces.back().rank >= pieces[kernel].rank) kernel = pieces.size() - 1;
  }
  if (pieces.empty() || pieces[kernel].rank == Rank::kNever) return {};
  const Piece& chosen = pieces[kernel];
  Files files;
  if (!chosen.file.empty()) add_named(pieces, files);
  const std::string name =
      chosen.file.empty() ? usual_name(chosen, blocks[kernel], device) : chosen.file;
  files[name] = chosen.text;
  add_needed(pieces, kernel, files);
  add_manifest(name, chosen.is_python, files);
  return files;
}

bool has_kernel(const std::vector<CodeBlock>& blocks) {
  return std::any_of(blocks.begin(), blocks.end(), [](const CodeBlock& block) {
    return defines_native(block.text) || defines_python(block.text);
  });
}

}  // namespace

Files files_in_answer(std::string_view answer, std::string_view device) {
  const std::string said = spoken_text(answer);
  ReadAnswer read = read_blocks(said);
  // The kernel may stand outside of all blocks: these show how to build or call it then, or stand
  // in its comments.
  const bool is_outside = !has_kernel(read.blocks) && !code_without_fence(read.outside).empty();
  if (is_outside) read.blocks.push_back({{}, code_without_fence(said), ""});
  return files_of(read.blocks, device);
}

Files files_of_code(std::string_view code, std::string_view device) {
  auto files = files_in_answer(code, device);
  if (!files.empty() || trimmed(code).empty()) return files;
  const CodeBlock all{{}, std::string(code), ""};
  const Piece piece = piece_of(all, device);
  return {{usual_name(piece, all, device), std::string(code)}};
}

}  // namespace kbench
