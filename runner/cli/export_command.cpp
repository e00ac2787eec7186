#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/write/outputs.hpp"
#include "reports/write/reporter.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/episode/episode_export.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/line_file.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

Status check_words(const ExportOptions& options) {
  if (options.values && options.kind != ExportKind::kPpo)
    return Error{ErrorCode::kUsage, "--values make targets for a critic, which only ppo exports",
                 "kbench export ppo --values FILE"};
  if (!options.out) return Done{};
  const Reporter as_report{.name = to_string(options.kind), .suffix = {}, .help = {}, .render = {}};
  for (const auto& input : {options.held_out, options.values})
    if (auto fine = check_outputs({OutputRequest{&as_report, options.out, "--output"}},
                                  options.database, input);
        !fine)
      return fine;
  return Done{};
}

void print_counts(const FilterCounts& counts) {
  for (const Rejection rejection : rejections())
    if (const auto found = counts.rejected.find(rejection); found != counts.rejected.end())
      fmt::print(stderr, "rejected {:>6}  {}\n", found->second, to_string(rejection));
}

std::vector<std::pair<std::string, FilterRule>> rule_names() {
  std::vector<std::pair<std::string, FilterRule>> names;
  for (const FilterRule rule : filter_rules()) names.emplace_back(to_string(rule), rule);
  return names;
}

}  // namespace

CLI::App* add_export(CLI::App& app, ExportOptions& options) {
  auto& command = add_verb(app, "export", "Export episodes as SFT, RFT or PPO data");
  add_choice<ExportKind>(
      command, "KIND", options.kind,
      {{"sft", ExportKind::kSft}, {"rft", ExportKind::kRft}, {"ppo", ExportKind::kPpo}},
      "Kind of training data, see below")
      ->required();
  command
      .add_option_function<std::string>(
          "--output,-o",
          [&options](const std::string& word) {
            if (word != "-") options.out = word;
          },
          "File that gets them, one per line (default: standard output)")
      ->type_name("FILE");
  add_many(command, "--run", options.runs, "RUN",
           "Start of an id, a tag, latest or latest~N; may be repeated (default: all runs)");
  add_choice<FilterRule>(command, "--filter", options.filter, rule_names(),
                         "Filter of episodes, see below (default: by KIND)");
  add_reward(command, options.reward, "Reward of an episode (default: milestone_sure)");
  add_trust(command, options.common.trust);
  add_path(command, "--held-out", options.held_out, "FILE",
           "Tasks that nobody may be trained on, an id or a glob a line");
  add_path(command, "--values", options.values, "FILE",
           "A critic's values for ppo: {\"episode\": ID, \"values\": [...]} a line");
  add_database(command, options.database);
  add_common(command, options.common, false);
  return &command;
}

Result<End> call(const ExportOptions& options, const Installation& installation) {
  if (auto fine = check_words(options); !fine) return fine.error();
  auto rule = find_reward(options.reward);
  if (!rule) return rule.error();
  const auto store = open_with_key(options.database, Store::Mode::kReadOnly, installation.state);
  if (!store) return store.error();
  auto exporter =
      EpisodeExporter::prepare(*store,
                               {options.kind, options.runs, options.filter, std::move(*rule),
                                options.common.trust, options.held_out, options.values},
                               [&](const std::string& why) {
                                 if (options.common.verbosity >= 0)
                                   fmt::print(stderr, "left out: {}\n", printable(why));
                               });
  if (!exporter) return exporter.error();
  auto lines = LineFile::open(options.out);
  if (!lines) return lines.error();
  const auto written = exporter->write([&](const std::string& line) { return lines->write(line); });
  if (!written) return written.error();
  const FilterCounts& counts = exporter->counts();
  if (counts.seen == 0)
    return Error{ErrorCode::kNotFound, fmt::format("{} has no episodes", options.database.string()),
                 "`kbench agent run` stores one for each task"};
  if (auto closed = lines->close(); !closed) return closed.error();
  if (options.common.verbosity >= 0) print_counts(counts);
  return good(
      fmt::format("{}: {} by the rule {}{}", to_string(options.kind), words(counts),
                  to_string(exporter->filter()),
                  options.out ? fmt::format("; written to {}", options.out->string()) : ""));
}

}  // namespace kbench
