// A run for GitHub Actions: workflow commands that annotate the sources of failed submissions, and
// the summary of the step. GitHub reads commands from the standard output of a step, shows ten
// errors and ten warnings of it, and takes a summary of up to 1 MiB.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reports/facts/model.hpp"

namespace kbench {

// GitHub refuses a longer one as a whole.
inline constexpr std::size_t kMostSummaryBytes = std::size_t{1} << 20;

// One command on each line: what a nightly run found, ::error for every failure, ::warning for what
// casts doubt on numbers,
// ::notice with the run's summary. Paths are relative to `workspace`, the checkout.
[[nodiscard]] std::string render_github(const ReportData& data, const std::string& workspace);

// Markdown of at most `most_bytes`.
[[nodiscard]] std::string github_summary(const ReportData& data, std::size_t most_bytes);

// A value of a property, and the text of a command, as GitHub's toolkit escapes them; no line of
// theirs can begin a command of its own.
[[nodiscard]] std::string github_property(std::string_view text);
[[nodiscard]] std::string github_message(std::string_view text);

}  // namespace kbench
