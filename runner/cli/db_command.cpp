#include <optional>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/sanitize.hpp"
#include "reports/formats/database_report.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/pool/collector.hpp"
#include "runner/print/exchange_text.hpp"
#include "runner/print/progress.hpp"
#include "runner/store/care/backup.hpp"
#include "runner/store/care/database_check.hpp"
#include "runner/store/care/merge.hpp"
#include "runner/store/care/prune.hpp"
#include "runner/store/care/salvage.hpp"
#include "runner/store/care/vacuum.hpp"
#include "runner/store/chain/chain_key.hpp"
#include "runner/store/rows/stored_profiles.hpp"

namespace kbench {
namespace {

// The chain key of the user who runs this command; without it, chains are not checked.
std::optional<ChainKey> key_of(const Installation& installation) {
  auto key = read_chain_key(installation.state);
  return key ? std::optional(std::move(*key)) : std::nullopt;
}

Result<End> perform_check(const DbOptions& options, const Installation& installation) {
  Progress progress = progress_of(options.common);
  const auto check =
      check_database(options.database, {.key = key_of(installation),
                                        .quick = options.quick,
                                        .progress = counting(progress, "checking runs")});
  progress.end();
  if (!check) return check.error();
  if (options.format == OutputFormat::kJson)
    print_json(check_json(*check, options.database));
  else
    fmt::print("{}", render_check(*check, options.database, output_style(options.common)));
  const std::string words = check_words(*check, options.database);
  if (check->sound()) return good(words);
  return End{ExitCode::kTaskFailed,
             words + " (exit code 1); `kbench db salvage` saves what is whole"};
}

// --- backup, vacuum ---

// A fault of the database is not a fault of the user: exit code and words are those of `check`.
Result<End> found_or_failed(const Error& error) {
  if (error.code != ErrorCode::kBadInput) return error;
  return End{ExitCode::kTaskFailed, fmt::format("{} (exit code 1). {}", error.message, error.hint)};
}

Result<End> perform_backup(const DbOptions& options) {
  const auto bytes = back_up(options.database, options.to);
  if (!bytes) return found_or_failed(bytes.error());
  return good(fmt::format("{} is copied to {}, {}, and the copy is checked",
                          options.database.string(), options.to.string(), size_words(*bytes)));
}

Result<End> perform_vacuum(const DbOptions& options) {
  const auto done = vacuum(options.database);
  if (!done) return found_or_failed(done.error());
  return good(fmt::format("{} took {} and takes {}", options.database.string(),
                          size_words(done->bytes_before), size_words(done->bytes_after)));
}

Result<End> perform_prune(const DbOptions& options, const Installation& installation) {
  const PruneRule rule = keep_runs_of(options.keep_days, options.keep_good, key_of(installation));
  Progress progress = progress_of(options.common);
  const auto verdicts = judge_runs(options.database, rule, {counting(progress, "looking at runs")});
  progress.end();
  if (!verdicts) return verdicts.error();
  const RunsThatGo leaving = runs_that_go(*verdicts);
  const auto profiles = prune_profiles(
      options.database, {.made_before = rule.begun_before,
                         .going_runs = {leaving.run_ids.begin(), leaving.run_ids.end()},
                         .dry_run = options.dry_run});
  if (!profiles) return profiles.error();
  if (options.format == OutputFormat::kJson)
    print_json(prune_json(*verdicts, *profiles, options.dry_run));
  else
    fmt::print("{}", render_prune(*verdicts, output_style(options.common)));
  std::optional<Removed> removed;
  if (!options.dry_run) removed.emplace();
  if (!options.dry_run && !leaving.run_ids.empty()) {
    auto done =
        remove_runs(options.database, leaving.run_ids, {counting(progress, "removing runs")});
    progress.end();
    if (!done) return done.error();
    removed = std::move(*done);
  }
  return good(prune_words(verdicts->size(), *profiles, leaving, removed, options.database));
}

Result<End> perform_salvage(const DbOptions& options, const Installation& installation) {
  const auto salvaged = salvage(options.from, options.to, key_of(installation));
  if (!salvaged) return salvaged.error();
  fmt::print("{}", render_salvaged(*salvaged));
  const bool none = salvaged->saved.empty() && salvaged->profiles == 0;
  const bool all = !none && salvaged->lost.empty() && salvaged->notes.empty();
  return End{all ? ExitCode::kGood : ExitCode::kTaskFailed,
             salvage_words(*salvaged, options.from, options.to)};
}

// Collects from an exchange: looks once, or again and again until Ctrl-C.
Result<End> perform_collect(const DbOptions& options, const Installation& installation) {
  auto exchange = Exchange::open_with_key_of(installation.state, *options.exchange);
  if (!exchange) return exchange.error();
  const auto there = exchange->find_space(options.group);
  const bool may_come = options.watch && !there && there.error().code == ErrorCode::kNotFound;
  if (!there && !may_come) return there.error();
  auto chain = keep_chain_key(installation.state);
  Collector collector(std::move(*exchange), options.group, options.to,
                      chain ? std::optional(std::move(*chain)) : std::nullopt);
  const InterruptGuard guard;
  const auto tell = [&](const CollectedRuns& collected) {
    fmt::print("{}", refused_text(collected));
    if (options.watch) say(options.common, collected_words(collected, options.to));
  };
  const auto collected =
      collector.collect([&] { return !options.watch || guard.interrupted(); }, tell);
  if (!collected) return collected.error();
  return End{collected->refused.empty() ? ExitCode::kGood : ExitCode::kTaskFailed,
             collected_words(*collected, options.to)};
}

Result<End> perform_merge(const DbOptions& options, const Installation& installation) {
  if (options.exchange) return perform_collect(options, installation);
  MergeRequest request;
  request.into = options.to;
  request.from = options.others;
  request.key = key_of(installation);
  request.lint = options.lint;
  request.progress = [](const MergedRun& run) { fmt::print("{}", render_merged(run)); };
  const auto merged = merge_databases(request);
  if (!merged) return merged.error();
  for (const std::string& note : merged->notes) fmt::print("note: {}\n", sanitize_line(note));
  return End{merge_faults(*merged).empty() ? ExitCode::kGood : ExitCode::kTaskFailed,
             merge_words(*merged, options.to)};
}

// Adds an option that has to be given: a path to keep something at, or to take it from.
void add_needed_path(CLI::App& app, const std::string& name, std::filesystem::path& path,
                     const std::string& help) {
  add_value(app, name, path, "", help)->required();
}

void add_prune(CLI::App& prune, DbOptions& options) {
  add_keep_time(prune, options.keep_days, "Runs that began within this time stay")->required();
  prune.add_flag(
      "--keep-good", options.keep_good,
      "Also keep older runs without a fault of kbench or the machine, whose chain holds");
  prune.add_flag_function(
      "--keep-tagged", [](std::int64_t) {}, "Changes nothing: tagged runs always stay");
  prune.add_flag("--dry-run", options.dry_run, "Only say what would go and how much it takes");
}

}  // namespace

CLI::App* add_db(CLI::App& app, DbOptions& options) {
  using What = DbOptions::What;
  auto& db = add_group(app, "db", "Check, back up, prune, salvage or merge databases");
  const auto add = [&](const char* name, What what, const char* help) {
    auto& command = add_form(db, name, options.what, what, help);
    add_common(command, options.common, false);
    return &command;
  };
  auto* check = add("check", What::kCheck, "Say whether a database is sound, and every run in it");
  check->add_flag("--quick", options.quick, "Skip the comparison of tables with their indexes");
  auto* backup = add("backup", What::kBackup, "Copy a database, also while a run writes into it");
  add_needed_path(*backup, "FILE", options.to, "The copy; nothing is overwritten");
  auto* prune = add("prune", What::kPrune, "Remove old runs");
  add_prune(*prune, options);
  auto* vacuum = add("vacuum", What::kVacuum, "Give the disk back what removed runs left free");
  auto* salvage = add("salvage", What::kSalvage, "Save the whole runs of a damaged database");
  add_needed_path(*salvage, "DAMAGED", options.from, "The damaged file; it is only read");
  add_needed_path(*salvage, "OUT", options.to, "The new database; nothing is overwritten");
  auto* merge = add("merge", What::kMerge, "Add the runs of other databases to one");
  add_needed_path(*merge, "INTO", options.to, "Database that takes them; made where it is missing");
  auto* others =
      add_value(*merge, "FROM", options.others, "", "Databases that they are taken from");
  auto* exchange = add_path(*merge, "--exchange", options.exchange, "DIR",
                            "Take the runs of a group in that exchange instead");
  auto* group = add_value(*merge, "--group", options.group, "NAME", "The group of --exchange");
  merge->add_flag("--watch", options.watch, "Go on until Ctrl-C, as runs of the group go on")
      ->needs(exchange);
  exchange->needs(group)->excludes(others);
  group->needs(exchange);
  merge->add_flag("--lint", options.lint,
                  "Also take what lint found there, which decides what counts in a score");
  for (auto* command : {check, backup, prune, vacuum}) add_database(*command, options.database);
  for (auto* command : {check, prune}) add_json(*command, options.format);
  return &db;
}

Result<End> call(const DbOptions& options, const Installation& installation) {
  switch (options.what) {
    case DbOptions::What::kCheck: return perform_check(options, installation);
    case DbOptions::What::kBackup: return perform_backup(options);
    case DbOptions::What::kPrune: return perform_prune(options, installation);
    case DbOptions::What::kVacuum: return perform_vacuum(options);
    case DbOptions::What::kSalvage: return perform_salvage(options, installation);
    case DbOptions::What::kMerge: return perform_merge(options, installation);
  }
  return End{};
}

}  // namespace kbench
