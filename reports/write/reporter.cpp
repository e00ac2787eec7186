#include "reports/write/reporter.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"
#include "reports/formats/console_report.hpp"
#include "reports/formats/csv_report.hpp"
#include "reports/formats/github_report.hpp"
#include "reports/formats/google_benchmark_report.hpp"
#include "reports/formats/json_report.hpp"
#include "reports/formats/junit_report.hpp"
#include "reports/formats/kernelbench_report.hpp"
#include "reports/formats/markdown_report.hpp"
#include "reports/formats/result_table.hpp"
#include "reports/formats/table1.hpp"
#include "reports/page/html_report.hpp"

namespace kbench {
namespace {

using Data = const ReportData&;
using Options = const RenderOptions&;

constexpr std::array<Reporter, 11> kReporters{{
    {.name = "table",
     .suffix = ".txt",
     .help = "aligned columns for a terminal",
     .render =
         [](Data data, Options options) {
           if (!options.chosen.empty()) return render_chosen(data, options.chosen, options.colour);
           return render_console(data, {.colour = options.colour, .columns = options.columns});
         },
     .takes_columns = true},
    {.name = "json",
     .suffix = ".json",
     .help = "one object with every field of every row, for programs",
     .render = [](Data data, Options) { return render_json(data); },
     .takes_reward = true},
    {.name = "jsonl",
     .suffix = ".jsonl",
     .help = "one row a line, each with its run's id, for training and big data",
     .render = [](Data data, Options) { return render_json_lines(data); },
     .takes_reward = true},
    {.name = "csv",
     .suffix = ".csv",
     .help = "one row a record, for spreadsheets and data frames",
     .render = [](Data data, Options options) { return render_csv(data, options.chosen); },
     .takes_columns = true},
    {"md", ".md", "a table for a pull request or an issue",
     [](Data data, Options) { return render_markdown(data); }},
    {.name = "html",
     .suffix = ".html",
     .help = "one self-contained page, for people",
     .render = [](Data data, Options) { return render_html(data); },
     .takes_several = true,
     .needs_times = true},
    {"junit", ".xml", "a test case for each task and submission, for CI servers",
     [](Data data, Options) { return render_junit(data); }},
    {"github", "", "annotations and step summary of GitHub Actions",
     [](Data data, Options options) { return render_github(data, options.workspace); },
     github_summary},
    {.name = "google-benchmark",
     .suffix = "",
     .help = "as Google Benchmark writes it, for its compare.py",
     .render = [](Data data, Options) { return render_google_benchmark(data); },
     .needs_times = true},
    {.name = "kernelbench",
     .suffix = "",
     .help = "eval_results.json as KernelBench writes it, of one level",
     .render = [](Data data, Options) { return render_kernelbench(data); },
     .one_level = true,
     .needs_times = true},
    {.name = "table1",
     .suffix = "",
     .help = "rates and means as in CUDA Agent's Table 1; needs a run with --profile cuda-agent",
     .render = [](Data data, Options) { return render_table1(data); },
     .profile = "cuda-agent",
     .takes_several = true,
     .needs_times = true},
}};

}  // namespace

std::span<const Reporter> reporters() { return kReporters; }

const Reporter* find_reporter(std::string_view name) {
  const auto* found = std::find_if(kReporters.begin(), kReporters.end(),
                                   [name](const Reporter& one) { return one.name == name; });
  return found == kReporters.end() ? nullptr : found;
}

const Reporter* reporter_of_suffix(const std::filesystem::path& file) {
  const std::string suffix = file.extension().string();
  const auto* found = std::find_if(kReporters.begin(), kReporters.end(), [&](const Reporter& one) {
    return !suffix.empty() && one.suffix == suffix;
  });
  return found == kReporters.end() ? nullptr : found;
}

Status check_levels(const Reporter& reporter, const std::set<int>& levels) {
  if (!reporter.one_level || levels.size() <= 1) return Done{};
  return Error{ErrorCode::kUsage,
               fmt::format("{} is of one level, and this run has {}", reporter.name,
                           fmt::join(levels, ", ")),
               fmt::format("name one level: kbench report {} --level N", reporter.name)};
}

Status check_timed(const Reporter& reporter, bool timed) {
  if (timed || !reporter.needs_times) return Done{};
  std::vector<std::string_view> others;
  for (const Reporter& one : kReporters)
    if (!one.needs_times) others.push_back(one.name);
  return Error{
      ErrorCode::kUsage,
      fmt::format("{} shows times, and nothing was timed (--checks-only)", reporter.name),
      fmt::format("the states of its rows, without scores, are in {}; times come from a run "
                  "without --checks-only",
                  fmt::join(others, ", "))};
}

Status check_profile(const Reporter& reporter, const std::string& profile) {
  if (reporter.profile.empty() || profile == reporter.profile) return Done{};
  return Error{ErrorCode::kUsage,
               fmt::format("{} is of runs judged by the profile {}, and this one is by {}",
                           reporter.name, reporter.profile, sanitize_line(profile)),
               fmt::format("kbench run --profile {}, on a suite imported with --mode eval",
                           reporter.profile)};
}

}  // namespace kbench
