// The formats of a run as one table: name, ending of files, what it is for, how it is made. The
// command line, the help and every caller that writes a report go by it; a new format is a new
// entry here.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/facts/model.hpp"
#include "reports/formats/report_columns.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Facts of the place where a report is written, for some formats.
struct RenderOptions {
  bool colour = false;               // table
  std::size_t columns = 0;           // table: of the terminal; 0: as many as it takes
  std::vector<ReportColumn> chosen;  // table, csv: which are shown; none: the usual ones
  std::string workspace;             // github: the checkout, to which paths are relative
};

struct Reporter {
  std::string_view name;    // "csv"
  std::string_view suffix;  // ".csv": a file of that name is meant so; empty: none is
  std::string_view help;    // purpose of the format, in a few words
  std::string (*render)(const ReportData& data, const RenderOptions& options);
  // The text for the file that GITHUB_STEP_SUMMARY names, at most so many bytes.
  std::string (*step_summary)(const ReportData& data, std::size_t most_bytes) = nullptr;
  std::string_view profile;    // only of runs that were judged by this one; empty: of each
  bool takes_reward = false;   // ReportData::reward
  bool takes_columns = false;  // RenderOptions::chosen
  bool takes_several = false;  // several runs: as one (joined_runs.hpp), the page side by side
  bool one_level = false;      // only of runs of one level: it calls tasks by their number alone
  bool needs_times = false;    // not of runs that were checked only: it ranks, or is made of times
};

[[nodiscard]] std::span<const Reporter> reporters();
// Null where there is none.
[[nodiscard]] const Reporter* find_reporter(std::string_view name);
[[nodiscard]] const Reporter* reporter_of_suffix(const std::filesystem::path& file);

// Whether rows of these levels can be shown together in that format. Errors: kUsage.
[[nodiscard]] Status check_levels(const Reporter& reporter, const std::set<int>& levels);

// Whether rows without times can be shown in that format. Errors: kUsage.
[[nodiscard]] Status check_timed(const Reporter& reporter, bool timed);

// Whether rows judged by `profile` can be shown in that format. Errors: kUsage.
[[nodiscard]] Status check_profile(const Reporter& reporter, const std::string& profile);

}  // namespace kbench
