// The component "analyzer": reads a kernel without running it. Loop nests and what lies in them, by
// a reading that survives a sign that was left out and names its line; and, where a clang-tidy is
// there, what that finds in the kernel's own files.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/feedback/command_report.hpp"
#include "runner/feedback/loop_nests.hpp"
#include "runner/feedback/probe_build.hpp"

namespace kbench {

inline constexpr std::chrono::seconds kAnalyzerPatience{60};

// Loops of each source, and signs that seem to be missing. Names and texts are the kernel's,
// cleaned and bounded. Pure.
[[nodiscard]] std::string nests_text(const std::vector<SourceFile>& files);

// Findings that clang-tidy printed of the kernel's own files: "relu.cpp:12: words [check]", each
// once. Those of headers and compile errors are not among them: headers do not matter here, and the
// component "error" tells of compile errors. Pure.
[[nodiscard]] std::vector<std::string> tidy_findings(std::string_view printed);

// Errors: kInfrastructure, the sandbox, or a file of ours.
[[nodiscard]] Result<CommandReport> analyzer_report(
    const ProbePlace& place, const ProbedKernel& kernel,
    std::chrono::milliseconds patience = kAnalyzerPatience);

}  // namespace kbench
