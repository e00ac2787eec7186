#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/joined_runs.hpp"
#include "reports/levels.hpp"
#include "reports/model.hpp"
#include "reports/reporter.hpp"
#include "reports/sanitize.hpp"
#include "reports/write/outputs.hpp"
#include "reports/write/page_extras.hpp"
#include "reports/write/site_output.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/reward/reward.hpp"
#include "runner/store/chain_key.hpp"
#include "runner/store/store.hpp"
#include "runner/task/strict_json.hpp"

namespace kbench {
namespace {

// What only some formats can do is refused where no output is in one of them, or one is not.
Status check_formats(const ReportOptions& options) {
  bool rewarded = false;
  for (const OutputRequest& output : options.outputs) {
    rewarded = rewarded || output.reporter->takes_reward;
    if (options.runs.size() > 1 && !output.reporter->takes_several)
      return Error{ErrorCode::kUsage,
                   fmt::format("a report in {} is of one run, and {} are named",
                               output.reporter->name, options.runs.size()),
                   "give --run once; table1 takes several"};
  }
  if (options.reward && !rewarded)
    return Error{ErrorCode::kUsage, "--reward is a field of json and jsonl, and neither is written",
                 fmt::format("kbench report jsonl --reward {}", *options.reward)};
  return Done{};
}

// The page keeps runs apart, and the other formats that take several make one table of them.
Status check_several(const ReportOptions& options) {
  if (options.runs.size() < 2) return Done{};
  if (options.site)
    return Error{ErrorCode::kUsage, "a site is of one run", "give --run once, or leave --site out"};
  const auto is_page = [](const OutputRequest& output) { return output.reporter->name == "html"; };
  const auto pages = std::count_if(options.outputs.begin(), options.outputs.end(), is_page);
  if (pages == 0 || pages == std::ssize(options.outputs)) return Done{};
  return Error{ErrorCode::kUsage,
               "html shows several runs side by side, and another format makes one of them",
               "write them by two commands"};
}

constexpr std::size_t kMostAboutBytes = 64u << 10;

// What the publisher hands in. Errors: kUsage where the file cannot be read.
Result<PageWords> read_words(const ReportOptions& options) {
  if ((options.title || options.about) && !options.site && !writes_page(options.outputs))
    return Error{ErrorCode::kUsage, "--title and --about are of a page, and none is written",
                 "kbench report html --title TEXT -o page.html"};
  PageWords words;
  words.title = sanitize_line(options.title.value_or(""));
  if (!options.about) return words;
  auto text = read_bounded_file(*options.about, kMostAboutBytes);
  if (!text)
    return Error{ErrorCode::kUsage,
                 fmt::format("--about {}: {}", options.about->string(), text.error().message),
                 fmt::format("a text file of at most {} KiB", kMostAboutBytes >> 10)};
  words.about = sanitize_text(*text);
  return words;
}

Result<ReportData> load_runs(const Store& store, const ReportOptions& options) {
  const std::vector<std::string>& names = options.runs;
  if (names.empty()) return load_report(store);
  std::vector<ReportData> runs;
  for (const std::string& name : names) {
    auto data = load_report(store, name);
    if (!data) return data.error();
    runs.push_back(std::move(*data));
  }
  if (!writes_page(options.outputs) || runs.size() == 1) return join_runs(std::move(runs));
  ReportData first = std::move(runs.front());
  std::move(runs.begin() + 1, runs.end(), std::back_inserter(first.beside));
  return first;
}

// Every run of the page, the first one too.
template <class Act>
Status for_each_run(ReportData& data, Act act) {
  if (auto done = act(data); !done) return done;
  for (ReportData& other : data.beside)
    if (auto done = act(other); !done) return done;
  return Done{};
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
  if (const auto fine = check_outputs(options.outputs, options.database); !fine)
    return fail(fine.error(), terminal);
  if (const auto fine = check_formats(options); !fine) return fail(fine.error(), terminal);
  if (const auto fine = check_several(options); !fine) return fail(fine.error(), terminal);
  auto words = read_words(options);
  if (!words) return fail(words.error(), terminal);
  std::optional<RewardRule> reward;
  if (options.reward) {
    auto rule = find_reward(*options.reward);
    if (!rule) return fail(rule.error(), terminal);
    reward = std::move(*rule);
  }
  if (options.site) {
    if (const auto fine = check_site(*options.site); !fine) return fail(fine.error(), terminal);
  }
  auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return fail(store.error(), terminal);
  // Without it, the report says that the chain cannot be checked here.
  if (auto key = read_chain_key(installation.state)) store->use(std::move(*key));
  if (const auto status = complain_without_runs(*store, options.database, options.common))
    return *status;
  auto data = load_runs(*store, options);
  if (!data) return fail(data.error(), terminal);
  const auto chosen = for_each_run(*data, [&](ReportData& one) -> Status {
    one.variants = options.variants;
    one.trust = options.common.trust;
    return keep_levels(one, options.levels);
  });
  if (!chosen) return fail(chosen.error(), terminal);
  data->words = std::move(*words);
  data->reward = std::move(reward);
  // Some formats are rows and nothing else, and cannot say it.
  if (const std::string unfinished = unfinished_words(*data); !unfinished.empty())
    fmt::print(stderr, "{} {}\n", terminal.paint(Color::kYellow, "warning:"), unfinished);
  for (const std::string& row : data->malformed)
    fmt::print(stderr, "{} left out: {}\n", terminal.paint(Color::kYellow, "warning:"),
               sanitize_line(row));
  if (options.site) {
    for (const Evaluation& evaluation : data->evaluations)
      if (const auto fine = check_timed(*find_reporter("html"), evaluation.timed); !fine)
        return fail(fine.error(), terminal);
  }
  if (options.site || writes_page(options.outputs)) {
    const auto added = for_each_run(
        *data, [&](ReportData& one) { return add_page_extras(one, *store, installation.suites); });
    if (!added) return fail(added.error(), terminal);
  }

  if (const auto written = write_outputs(*data, options.outputs, report_style(options.common));
      !written)
    return fail(written.error(), terminal);
  if (options.site) {
    if (const auto written = write_site(*options.site, render_site(*data)); !written)
      return fail(written.error(), terminal);
  }
  std::string files = written_files(options.outputs);
  if (options.site)
    files +=
        fmt::format("{}{}", files.empty() ? "" : ", ", (*options.site / "index.html").string());
  return finish(ExitCode::kGood,
                fmt::format("run {}, {} row{}{}", short_id(data->run), data->evaluations.size(),
                            data->evaluations.size() == 1 ? "" : "s",
                            files.empty() ? "" : ", written to " + files),
                options.common.verbosity);
}

}  // namespace kbench
