#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/sanitize.hpp"
#include "reports/write/report_session.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/reward/reward.hpp"

namespace kbench {
namespace {

ReportRequest request_of(const ReportOptions& options, std::optional<RewardRule> reward) {
  return {options.database,     options.runs,      options.levels,  options.variants,
          options.common.trust, std::move(reward), options.outputs, options.site,
          options.title,        options.about};
}

// Whatever the format, and before anything else.
void warn_of_changed_rows(const ReportData& data, const Terminal& terminal) {
  if (data.chain.state == ChainFinding::State::kChanged)
    fmt::print(stderr,
               "{} the rows of run {} are not as they were stored, and none of them counts: {}\n",
               terminal.paint(Color::kYellow, "warning:"), short_id(data.run),
               sanitize_line(data.chain.message));
  for (const ReportData& other : data.beside) warn_of_changed_rows(other, terminal);
}

Result<int> report(const Store& store, const ReportRequest& request, const ReportOptions& options,
                   const Installation& installation) {
  const Terminal terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  const auto data = load_report_of(store, request, installation.suites);
  if (!data) return data.error();
  warn_of_changed_rows(*data, terminal);
  // Some formats are rows and nothing else, and cannot say it.
  if (const std::string unfinished = unfinished_words(*data); !unfinished.empty())
    fmt::print(stderr, "{} {}\n", terminal.paint(Color::kYellow, "warning:"), unfinished);
  for (const std::string& row : data->malformed)
    fmt::print(stderr, "{} left out: {}\n", terminal.paint(Color::kYellow, "warning:"),
               sanitize_line(row));
  if (auto written = write_report(*data, request, report_style(options.common)); !written)
    return written.error();
  const std::string files = files_of(request);
  return finish(ExitCode::kGood,
                fmt::format("run {}, {} row{}{}", short_id(data->run), data->evaluations.size(),
                            data->evaluations.size() == 1 ? "" : "s",
                            files.empty() ? "" : ", written to " + files),
                options.common.verbosity);
}

}  // namespace

CLI::App* add_report(CLI::App& app, ReportOptions& options, OutputWords& words) {
  auto* report = app.add_subcommand("report", "Show stored results");
  report->footer(help_of("report"));
  add_word(*report, "FORMAT", words.format, format_names(), "How, see below (default: table)");
  add_outputs(*report, words);
  add_path(*report, "--site", words.site,
           "Write html as many files, an index and one for each task, into this folder")
      ->type_name("DIR");
  report->add_option("--title", options.title, "Headline of the page and title of its window")
      ->type_name("TEXT");
  add_path(*report, "--about", options.about,
           "Markdown file that says what the page is about; its text stands below the headline")
      ->type_name("FILE.md");
  add_levels(*report, options.levels);
  add_variants(*report, options.variants);
  add_trust(*report, options.common.trust);
  add_database(*report, options.database);
  report
      ->add_option("--run", options.runs,
                   "Start of an id, a tag, latest or latest~N (default: newest); html "
                   "and table1 take several")
      ->allow_extra_args(false)
      ->type_name("RUN");
  add_reward(*report, options.reward, "Reward of each row, in json and jsonl; see below");
  report
      ->add_option("--output,-o", words.format_file, "Where FORMAT goes (default: standard output)")
      ->type_name("FILE");
  add_wide(*report, options.common);
  add_common(*report, options.common, false);
  return report;
}

int call(const ReportOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  std::optional<RewardRule> reward;
  if (options.reward) {
    auto rule = find_reward(*options.reward);
    if (!rule) return fail(rule.error(), terminal);
    reward = std::move(*rule);
  }
  const ReportRequest request = request_of(options, std::move(reward));
  if (const auto fine = check_report(request); !fine) return fail(fine.error(), terminal);
  return with_runs(options.database, options.common, installation, [&](const Store& store) {
    return report(store, request, options, installation);
  });
}

}  // namespace kbench
