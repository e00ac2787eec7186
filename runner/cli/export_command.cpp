#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/episode_list.hpp"
#include "reports/episode_story.hpp"
#include "reports/reporter.hpp"
#include "reports/write/outputs.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/export_inputs.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/reward/reward.hpp"
#include "runner/store/chain_key.hpp"
#include "runner/store/run_name.hpp"
#include "runner/store/store.hpp"
#include "runner/trajectory/render_episode.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Takes lines as they come, because there may be more of them than memory: standard output, or a
// neighbour of the file, which becomes the file once it is whole.
class LineSink {
 public:
  static Result<LineSink> open(const std::optional<fs::path>& file) {
    LineSink sink;
    if (!file) return Result<LineSink>(std::move(sink));
    sink.file_ = *file;
    std::error_code ignored;
    // A terminal or /dev/null is written to as it is.
    const bool regular = !fs::exists(*file, ignored) || fs::is_regular_file(*file, ignored);
    sink.written_ =
        regular ? fs::path(fmt::format("{}.part-{}", file->string(), ::getpid())) : *file;
    sink.stream_.reset(std::fopen(sink.written_.c_str(), "wbe"));
    if (!sink.stream_) return sink.failed();
    return Result<LineSink>(std::move(sink));
  }

  LineSink(LineSink&&) = default;
  LineSink& operator=(LineSink&&) = delete;
  LineSink(const LineSink&) = delete;
  LineSink& operator=(const LineSink&) = delete;
  ~LineSink() {
    if (stream_ && written_ != file_) ::unlink(written_.c_str());  // it never became whole
  }

  Status write(const std::string& line) {
    std::FILE* const stream = stream_ ? stream_.get() : stdout;
    const bool done = std::fwrite(line.data(), 1, line.size(), stream) == line.size() &&
                      std::fputc('\n', stream) != EOF;
    return done ? Status(Done{}) : Status(failed());
  }

  Status close() {
    if (!stream_) return Done{};  // finish() looks at standard output
    if (std::fflush(stream_.get()) != 0) return failed();
    if (written_ != file_ && ::rename(written_.c_str(), file_.c_str()) != 0) return failed();
    stream_.reset();
    return Done{};
  }

 private:
  struct CloseStream {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };

  LineSink() = default;

  [[nodiscard]] Error failed() const {
    return {ErrorCode::kInfrastructure,
            fmt::format("{} cannot be written: {}",
                        file_.empty() ? "standard output" : file_.string(), std::strerror(errno)),
            "choose another file, or make room for it"};
  }

  fs::path file_;     // empty: standard output
  fs::path written_;  // what is open
  std::unique_ptr<std::FILE, CloseStream> stream_;
};

class Exporter {
 public:
  Exporter(const ExportOptions& options, const Store& store, RewardRule rule)
      : options_(options),
        store_(store),
        rule_(std::move(rule)),
        rows_(store, options.common.trust) {}

  Status prepare() {
    filter_ = options_.filter.value_or(default_rule(options_.kind));
    if (options_.held_out) {
      auto tasks = HeldOutTasks::read(*options_.held_out);
      if (!tasks) return tasks.error();
      held_out_ = std::move(*tasks);
    }
    if (options_.values) {
      auto values = read_values(*options_.values);
      if (!values) return values.error();
      values_ = std::move(*values);
    }
    return choose_runs();
  }

  Status write(LineSink& sink) {
    const auto all = store_.episodes();
    if (!all) return all.error();
    // Oldest first, so that the next export begins with the same lines.
    for (auto one = all->rbegin(); one != all->rend(); ++one) {
      const bool chosen =
          runs_.empty() || std::find(runs_.begin(), runs_.end(), one->head.run_id) != runs_.end();
      if (!chosen) continue;
      if (auto written = write_one(one->head.id, sink); !written) return written;
    }
    return Done{};
  }

  [[nodiscard]] const FilterCounts& counts() const { return counts_; }
  [[nodiscard]] FilterRule filter() const { return filter_; }

 private:
  Status choose_runs() {
    for (const std::string& name : options_.runs) {
      const auto run = find_run_named(store_, name);
      if (!run) return run.error();
      runs_.push_back(run->id);
    }
    return Done{};
  }

  Status write_one(const std::string& id, LineSink& sink) {
    const auto episode = store_.read_episode(id);
    if (!episode) return leave_out(episode.error());
    const auto contents = load_texts(store_, *episode);
    if (!contents) return contents.error();
    const auto row = rows_.find(episode->run_id, last_evaluation(*episode));
    if (!row) return row.error();
    auto line = line_of(*episode, *contents, *row);
    const auto rejection = reject(line.trajectory, filter_);
    if (rejection) {
      counts_.add(rejection);
      return Done{};
    }
    if (auto added = add_values(*episode, line); !added) return added;
    const auto text = render_episode(line, options_.kind);
    if (!text) return leave_out(text.error());
    counts_.add(std::nullopt);
    return sink.write(*text);
  }

  EpisodeLine line_of(const Episode& episode, const Contents& contents, const ResultRow* row) {
    const Reward reward = reward_of_episode(episode, row, rule_);
    return {.trajectory = {.episode = &episode,
                           .contents = &contents,
                           .reward = reward.value,
                           .reward_reason = reward.reason,
                           .flagged = row != nullptr && is_flagged(row->labels),
                           .held_out = held_out_.contains(episode.task)},
            .reward_name = reward.name,
            .state = row != nullptr ? std::string(to_string(row->state)) : "",
            .values = {}};
  }

  Status add_values(const Episode& episode, EpisodeLine& line) const {
    if (!options_.values) return Done{};
    const auto found = values_.find(episode.id);
    if (found == values_.end())
      return Error{ErrorCode::kUsage,
                   fmt::format("{} has no values of episode {}", options_.values->string(),
                               clean_name(episode.id, 80)),
                   "Give values of every episode that is exported, or none."};
    const std::size_t turns = episode.turns.size();
    if (found->second.size() != turns && found->second.size() != turns + 1)
      return Error{ErrorCode::kUsage,
                   fmt::format("{} has {} values of episode {}, which has {} turns",
                               options_.values->string(), found->second.size(),
                               clean_name(episode.id, 80), turns),
                   "Give one for each turn, and perhaps one of what comes after the last."};
    line.values = found->second;
    return Done{};
  }

  // What is damaged costs nobody else anything.
  Status leave_out(const Error& error) {
    if (error.code != ErrorCode::kBadInput) return error;
    counts_.add(Rejection::kDamaged);
    if (options_.common.verbosity >= 0)
      fmt::print(stderr, "left out: {}\n", printable(error.message));
    return Done{};
  }

  const ExportOptions& options_;
  const Store& store_;
  RewardRule rule_;
  RowsOfRuns rows_;
  FilterRule filter_ = FilterRule::kStrict;
  HeldOutTasks held_out_;
  EpisodeValues values_;
  std::vector<std::string> runs_;  // ids; empty: all
  FilterCounts counts_;
};

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
  auto* command = app.add_subcommand("export", "Export episodes as SFT, RFT or PPO data");
  command->footer(help_of("export"));
  add_choice<ExportKind>(
      *command, "KIND", options.kind,
      {{"sft", ExportKind::kSft}, {"rft", ExportKind::kRft}, {"ppo", ExportKind::kPpo}},
      "For what, see below")
      ->required();
  command
      ->add_option_function<std::string>(
          "--output,-o",
          [&options](const std::string& word) {
            if (word != "-") options.out = word;
          },
          "File that gets them, one a line (default: standard output)")
      ->type_name("FILE");
  command
      ->add_option("--run", options.runs,
                   "Start of an id, a tag, latest or latest~N; may be repeated (default: all runs)")
      ->allow_extra_args(false)
      ->type_name("RUN");
  add_choice<FilterRule>(*command, "--filter", options.filter, rule_names(),
                         "Which are taken (default: by KIND)");
  add_reward(*command, options.reward, "What they are worth (default: milestone_sure)");
  add_trust(*command, options.common.trust);
  add_path(*command, "--held-out", options.held_out,
           "Tasks that nobody may be trained on, an id or a glob a line")
      ->type_name("FILE");
  add_path(*command, "--values", options.values,
           "A critic's values for ppo: {\"episode\": ID, \"values\": [...]} a line")
      ->type_name("FILE");
  add_database(*command, options.database);
  add_common(*command, options.common, false);
  return command;
}

int call(const ExportOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  if (auto fine = check_words(options); !fine) return fail(fine.error(), terminal);
  auto rule = find_reward(options.reward);
  if (!rule) return fail(rule.error(), terminal);
  auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return fail(store.error(), terminal);
  if (auto key = read_chain_key(installation.state)) store->use(std::move(*key));
  Exporter exporter(options, *store, std::move(*rule));
  if (auto ready = exporter.prepare(); !ready) return fail(ready.error(), terminal);
  auto sink = LineSink::open(options.out);
  if (!sink) return fail(sink.error(), terminal);
  if (auto written = exporter.write(*sink); !written) return fail(written.error(), terminal);
  const FilterCounts& counts = exporter.counts();
  if (counts.seen == 0)
    return finish(ExitCode::kNothingSelected,
                  fmt::format("{} has no episodes", options.database.string()),
                  options.common.verbosity);
  if (auto closed = sink->close(); !closed) return fail(closed.error(), terminal);
  if (options.common.verbosity >= 0) print_counts(counts);
  return finish(
      ExitCode::kGood,
      fmt::format("{}: {} by the rule {}{}", to_string(options.kind), words(counts),
                  to_string(exporter.filter()),
                  options.out ? fmt::format("; written to {}", options.out->string()) : ""),
      options.common.verbosity);
}

}  // namespace kbench
