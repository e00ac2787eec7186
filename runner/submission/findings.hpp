// Looks through a submission's sources for things that a reader of its result wants to know: that
// it makes streams, opens libraries, reads clocks. Findings are labels of the row, never a reason
// to refuse it: an author can hide from a search.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/submission/source_files.hpp"

namespace kbench {

// The text without its comments; strings stay as they are.
[[nodiscard]] std::string without_comments(std::string_view code);

// Labels in a fixed order, each once: "stream", "graph", "thread", "dlopen", "torch", "exception",
// "clock", "cache_policy", "inline_assembly", "system_call", "constructor", "host_callback",
// "embedded_file", "torch_unobserved"; of Python also "tensor_subclass", "player".
[[nodiscard]] std::vector<std::string> find_labels(const std::vector<SourceFile>& files);
// The labels of C++ that a Python submission had compiled as an extension of torch's, which
// includes its headers in any case: without "torch".
[[nodiscard]] std::vector<std::string> find_extension_labels(const std::vector<SourceFile>& files);

}  // namespace kbench
