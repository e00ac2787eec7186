// A Python submission's request to torch or Triton to compile something, read from the text by
// which runner/player/kbench_extensions.py knows it. The text comes from a process that runs the
// submission, so every field is checked, and what a compiler is told is written anew.
#pragma once

#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/submission/extension_flags.hpp"
#include "runner/submission/source_files.hpp"

namespace kbench {

enum class ExtensionKind {
  kInline,  // load_inline: texts
  kFiles,   // load: files of the submission, or that it wrote
  kC,       // lines of C by which Triton launches a kernel
};

struct ExtensionRequest {
  ExtensionKind kind = ExtensionKind::kInline;
  std::string name;                // name of the Python module; a C identifier
  bool cuda = false;               // nvcc and the toolkit's libraries are wanted
  ExtensionFlags flags;            // checked
  std::vector<std::string> files;  // kFiles: of the submission's folder, as the user calls them
  // Sources that are not in its folder: texts of an inline one ("main.cpp", "cuda.cu"), files that
  // it wrote, C.
  std::vector<SourceFile> texts;
  std::vector<std::string> includes;  // folders: relative to the submission's, or absolute
  Json inline_options;  // kInline: functions, error_handling, implicit_headers, cpp, cuda
};

// The most that one submission may ask for, and the longest text.
inline constexpr std::size_t kMostExtensions = 16;
inline constexpr std::size_t kMostRequestBytes = 1u << 20;

// `name` is no part of the text: in another process the same sources may have another one.
// Errors: kSubmission.
[[nodiscard]] Result<ExtensionRequest> read_extension_request(const std::string& name,
                                                              const std::string& text);

// The text for a folder of CUDA Agent's, whose sources are `files` ("src/kernels/x.cu"); as its own
// tools compile them.
[[nodiscard]] std::string cuda_agent_request(const std::vector<SourceFile>& files);
inline constexpr const char* kCudaAgentModule = "cuda_extension";

// The key by which both sides know a request; its name is no part of it.
[[nodiscard]] std::string extension_key(const std::string& text);

}  // namespace kbench
