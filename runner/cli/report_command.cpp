#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/facts/run_words.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/write/report_session.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/reward/reward.hpp"

namespace kbench {
namespace {

// Warns in every format, and before anything else is printed.
void warn_of_changed_rows(const ReportData& data, const CommonOptions& common) {
  if (data.chain.state == ChainFinding::State::kChanged)
    warn(common,
         fmt::format("the rows of run {} are not as they were stored, and none of them counts: {}",
                     short_id(data.run), sanitize_line(data.chain.message)));
  for (const ReportData& other : data.beside) warn_of_changed_rows(other, common);
}

Result<End> report(const Store& store, const ReportRequest& request, const ReportOptions& options,
                   const Installation& installation) {
  const auto data = load_report_of(store, request, installation.suites);
  if (!data) return data.error();
  warn_of_changed_rows(*data, options.common);
  // Some formats are rows and nothing else, and cannot say it.
  if (const std::string unfinished = unfinished_words(*data); !unfinished.empty())
    warn(options.common, unfinished);
  for (const std::string& row : malformed_rows(*data))
    warn(options.common, "left out: " + sanitize_line(row));
  if (auto written = write_report(*data, request, report_style(options.common)); !written)
    return written.error();
  const std::string files = files_of(request);
  return good(which_runs(*data) + (files.empty() ? "" : ", written to " + files));
}

}  // namespace

CLI::App* add_report(CLI::App& app, ReportOptions& options) {
  auto& report = add_verb(app, "report", "Show stored results");
  add_word(report, "FORMAT", options.words.format, format_names(),
           "Format, see below (default: table)");
  report
      .add_flag_function(
          "--json", [&options](std::int64_t) { options.words.format = "json"; },
          "The same as FORMAT json")
      ->excludes(report.get_option("FORMAT"));
  add_outputs(report, options.words);
  add_path(report, "--site", options.words.site, "DIR",
           "Split the html report over several files in DIR: an index, and one for each task");
  add_value(report, "--title", options.title, "TEXT",
            "Headline of the page and title of its window");
  add_path(report, "--about", options.about, "FILE.md",
           "Markdown file that says what the page is about; its text stands below the headline");
  add_levels(report, options.levels);
  add_variants(report, options.variants);
  add_trust(report, options.common.trust);
  add_database(report, options.database);
  add_many(report, "--run", options.runs, "RUN",
           "Start of an id, a tag, latest or latest~N (default: newest); html "
           "and table1 take several");
  add_reward(report, options.reward_name, "Reward of each row, in json and jsonl; see below");
  add_value(report, "--output,-o", options.words.format_file, "FILE",
            "File for the report in FORMAT (default: standard output)");
  add_columns(report, options.columns,
              "Columns of table and csv, in this order, by csv's names (default: the usual ones)");
  add_wide(report, options.common);
  add_common(report, options.common, false);
  return &report;
}

Result<End> call(const ReportOptions& options, const Installation& installation) {
  ReportRequest request = options;
  request.trust = options.common.trust;
  request.site = options.words.site;
  if (options.reward_name) {
    auto rule = find_reward(*options.reward_name);
    if (!rule) return rule.error();
    request.reward = std::move(*rule);
  }
  if (const auto fine = check_report(request); !fine) return fine.error();
  return with_runs(options.database, installation, [&](const Store& store) {
    return report(store, request, options, installation);
  });
}

}  // namespace kbench
