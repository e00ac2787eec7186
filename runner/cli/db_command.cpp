#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/run_facts.hpp"
#include "reports/run_list.hpp"
#include "reports/sanitize.hpp"
#include "reports/text_table.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/progress.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/store/backup.hpp"
#include "runner/store/chain_key.hpp"
#include "runner/store/database_check.hpp"
#include "runner/store/merge.hpp"
#include "runner/store/prune.hpp"
#include "runner/store/salvage.hpp"
#include "runner/store/vacuum.hpp"

namespace kbench {
namespace {

constexpr int kSchemaVersion = 1;  // of the JSON below
// How long an unfinished run is taken for one that is running, or that somebody resumes.
constexpr int kDaysUnfinished = 7;

std::string size_words(std::uint64_t bytes) {
  constexpr std::array kUnits = {"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return fmt::format("{:.{}f} {}", size, size < 10 ? 1 : 0, kUnits[unit]);
}

std::string count_words(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string short_name(const std::string& run_id) {
  constexpr std::size_t kShown = 12;
  return sanitize_line(run_id.substr(0, kShown));
}

// UTC, RFC 3339, as runs are dated.
std::string days_ago(int days) {
  const auto then = std::chrono::system_clock::now() - std::chrono::hours(24) * days;
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(then)));
}

// Of whom this is run by; without it, chains are not checked.
std::optional<ChainKey> key_of(const Installation& installation) {
  auto key = read_chain_key(installation.state);
  return key ? std::optional(std::move(*key)) : std::nullopt;
}

// What takes long says how far it is.
class Counted {
 public:
  Counted(const CommonOptions& common, std::string phase)
      : progress_(stderr, inspect_terminal(STDERR_FILENO, common.color), common.verbosity),
        phase_(std::move(phase)) {}

  void operator()(std::size_t done, std::size_t all) {
    if (done == 0) progress_.begin(phase_, std::vector<double>(all, 1.0));
    progress_.item(done, "");
    progress_.tick();
  }
  void end() { progress_.end(); }

 private:
  Progress progress_;
  std::string phase_;
};

// --- check ---

Json check_json(const DatabaseCheck& check, const std::filesystem::path& file) {
  Json runs = Json::array();
  for (const CheckedRun& run : check.runs)
    runs.push_back({{"id", run.run.id},
                    {"started_at", run.run.started_at},
                    {"rows", run.rows},
                    {"episodes", run.episodes},
                    {"states", run.states},
                    {"chain", to_string(run.chain.state)},
                    {"chain_message", run.chain.message},
                    {"wrong", run.wrong}});
  return {{"schema_version", kSchemaVersion},
          {"file", file.string()},
          {"bytes", check.bytes},
          {"schema", check.schema},
          {"newest_schema", check.newest_schema},
          {"sound", check.sound()},
          {"wrong", check.wrong},
          {"runs", std::move(runs)}};
}

std::string check_table(const DatabaseCheck& check, const TableStyle& style) {
  Column id{.heading = "Run"};
  Column date{.heading = "Date (UTC)", .importance = 1};
  Column rows{.heading = "Rows", .kind = Column::Kind::kNumber, .importance = 2};
  Column chain{.heading = "Chain", .importance = 3};
  Column found{.heading = "Found"};
  for (const CheckedRun& run : check.runs) {
    const bool sound = run.wrong.empty();
    id.cells.push_back({short_name(run.run.id), {}});
    date.cells.push_back({sanitize_line(minute_of(run.run.started_at)), {}});
    rows.cells.push_back({fmt::format("{}", run.rows), {}});
    chain.cells.push_back({std::string(to_string(run.chain.state)), {}});
    found.cells.push_back(
        {sound ? std::string("sound") : "WRONG: " + count_words(run.wrong.size(), "finding"),
         sound ? std::nullopt : std::optional(Tone::kBad)});
  }
  return render_table(
      {std::move(id), std::move(date), std::move(rows), std::move(chain), std::move(found)}, style);
}

void print_check(const DatabaseCheck& check, const DbOptions& options) {
  fmt::print("{}: {}, schema {} of {}\n", printable(options.database.string()),
             size_words(check.bytes), check.schema, check.newest_schema);
  for (const std::string& sentence : check.wrong)
    fmt::print("WRONG: {}\n", sanitize_line(sentence));
  if (!check.runs.empty()) fmt::print("{}", check_table(check, output_style(options.common)));
  for (const CheckedRun& run : check.runs)
    for (const std::string& sentence : run.wrong)
      fmt::print("{}: {}\n", short_name(run.run.id), sanitize_line(sentence));
}

// Sound is what is as a database has to be. Whether a row was changed is for its chain to tell.
std::string chain_caution(const DatabaseCheck& check) {
  std::size_t unknown = 0;
  for (const CheckedRun& run : check.runs)
    unknown += run.chain.state == ChainFinding::State::kHolds ? 0u : 1u;
  if (unknown == 0) return "";
  return fmt::format("; nobody can tell here whether the rows of {} were changed",
                     count_words(unknown, "run"));
}

Result<int> perform_check(const DbOptions& options, const Installation& installation) {
  Counted counted(options.common, "checking runs");
  const auto check =
      check_database(options.database,
                     {.key = key_of(installation),
                      .quick = options.quick,
                      .progress = [&](std::size_t done, std::size_t all) { counted(done, all); }});
  counted.end();
  if (!check) return check.error();
  if (options.format == OutputFormat::kJson)
    print_json(check_json(*check, options.database));
  else
    print_check(*check, options);
  const auto runs = count_words(check->runs.size(), "run");
  if (check->sound())
    return finish(ExitCode::kGood,
                  fmt::format("{} is sound, with {}{}", options.database.string(), runs,
                              chain_caution(*check)),
                  options.common.verbosity);
  const auto bad = std::count_if(check->runs.begin(), check->runs.end(),
                                 [](const CheckedRun& run) { return !run.wrong.empty(); });
  return finish(ExitCode::kTaskFailed,
                fmt::format("{} is not sound: {} in the file, {} of {} (exit code 1); `kbench db "
                            "salvage` saves what is whole",
                            options.database.string(), count_words(check->wrong.size(), "finding"),
                            bad, runs),
                options.common.verbosity);
}

// --- backup, vacuum ---

// What is wrong with a database is no fault of whoever asked, and is told as `check` does.
Result<int> found_or_failed(const Error& error, const CommonOptions& common) {
  if (error.code != ErrorCode::kBadInput) return error;
  return finish(ExitCode::kTaskFailed,
                fmt::format("{} (exit code 1). {}", error.message, error.hint), common.verbosity);
}

Result<int> perform_backup(const DbOptions& options) {
  const auto bytes = back_up(options.database, options.to);
  if (!bytes) return found_or_failed(bytes.error(), options.common);
  return finish(ExitCode::kGood,
                fmt::format("{} is copied to {}, {}, and the copy is checked",
                            options.database.string(), options.to.string(), size_words(*bytes)),
                options.common.verbosity);
}

Result<int> perform_vacuum(const DbOptions& options) {
  const auto done = vacuum(options.database);
  if (!done) return found_or_failed(done.error(), options.common);
  return finish(ExitCode::kGood,
                fmt::format("{} took {} and takes {}", options.database.string(),
                            size_words(done->bytes_before), size_words(done->bytes_after)),
                options.common.verbosity);
}

// --- prune ---

std::string prune_table(const std::vector<PruneVerdict>& verdicts, const TableStyle& style) {
  Column what{.heading = "What"};
  Column id{.heading = "Run"};
  Column date{.heading = "Date (UTC)", .importance = 3};
  Column rows{.heading = "Rows", .kind = Column::Kind::kNumber, .importance = 1};
  Column size{.heading = "About", .kind = Column::Kind::kNumber, .importance = 2};
  Column why{.heading = "Because"};
  for (const PruneVerdict& verdict : verdicts) {
    what.cells.push_back({verdict.goes ? "goes" : "stays",
                          verdict.goes ? std::optional(Tone::kCaution) : std::nullopt});
    id.cells.push_back({short_name(verdict.run.id), {}});
    date.cells.push_back({sanitize_line(minute_of(verdict.run.started_at)), {}});
    rows.cells.push_back({fmt::format("{}", verdict.rows), {}});
    size.cells.push_back({verdict.bytes ? size_words(*verdict.bytes) : std::string("–"), {}});
    why.cells.push_back({sanitize_line(verdict.why), {}});
  }
  return render_table({std::move(what), std::move(id), std::move(date), std::move(rows),
                       std::move(size), std::move(why)},
                      style);
}

Json prune_json(const std::vector<PruneVerdict>& verdicts, bool dry_run) {
  Json runs = Json::array();
  for (const PruneVerdict& verdict : verdicts)
    runs.push_back({{"id", verdict.run.id},
                    {"started_at", verdict.run.started_at},
                    {"rows", verdict.rows},
                    {"goes", verdict.goes},
                    {"why", verdict.why},
                    {"bytes", verdict.bytes ? Json(*verdict.bytes) : Json()}});
  return {{"schema_version", kSchemaVersion}, {"dry_run", dry_run}, {"runs", std::move(runs)}};
}

struct Going {
  std::vector<std::string> run_ids;
  std::uint64_t bytes = 0;  // about
};

Going going(const std::vector<PruneVerdict>& verdicts) {
  Going going;
  for (const PruneVerdict& verdict : verdicts) {
    if (!verdict.goes) continue;
    going.run_ids.push_back(verdict.run.id);
    going.bytes += verdict.bytes.value_or(0);
  }
  return going;
}

Result<int> perform_prune(const DbOptions& options, const Installation& installation) {
  PruneRule rule;
  rule.begun_before = days_ago(options.keep_days);
  rule.keep_good = options.keep_good;
  rule.key = key_of(installation);
  rule.unfinished_since = days_ago(kDaysUnfinished);
  Counted judging(options.common, "looking at runs");
  const auto verdicts = judge_runs(
      options.database, rule, {[&](std::size_t done, std::size_t all) { judging(done, all); }});
  judging.end();
  if (!verdicts) return verdicts.error();
  if (options.format == OutputFormat::kJson)
    print_json(prune_json(*verdicts, options.dry_run));
  else
    fmt::print("{}", prune_table(*verdicts, output_style(options.common)));
  const Going leaving = going(*verdicts);
  const std::string runs = count_words(verdicts->size(), "run");
  if (options.dry_run) {
    return finish(ExitCode::kGood,
                  fmt::format("{} of {} would go, about {}; nothing was removed",
                              leaving.run_ids.size(), runs, size_words(leaving.bytes)),
                  options.common.verbosity);
  }
  if (leaving.run_ids.empty())
    return finish(ExitCode::kGood, fmt::format("0 of {} removed", runs), options.common.verbosity);
  Counted removing(options.common, "removing runs");
  const auto removed =
      remove_runs(options.database, leaving.run_ids,
                  {[&](std::size_t done, std::size_t all) { removing(done, all); }});
  removing.end();
  if (!removed) return removed.error();
  return finish(
      ExitCode::kGood,
      fmt::format("{} of {} removed; {} are free in {} for runs to come, and `kbench db "
                  "vacuum` gives them back",
                  removed->runs, runs, size_words(removed->bytes), options.database.string()),
      options.common.verbosity);
}

// --- salvage, merge ---

void print_lines(const char* label, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences)
    fmt::print("{}: {}\n", label, sanitize_line(sentence));
}

void print_salvaged(const Salvaged& salvaged) {
  print_lines("mended", salvaged.mended);
  for (const SavedRun& run : salvaged.saved)
    fmt::print("saved   {}  {}  {}, {}: {}\n", short_name(run.run.id),
               sanitize_line(minute_of(run.run.started_at)), count_words(run.rows, "row"),
               to_string(run.chain.state), sanitize_line(run.chain.message));
  for (const LostRun& run : salvaged.lost)
    fmt::print("lost    {}  {}  {}\n", short_name(run.id), sanitize_line(minute_of(run.started_at)),
               sanitize_line(run.why));
  print_lines("lost", salvaged.notes);
}

Result<int> perform_salvage(const DbOptions& options, const Installation& installation) {
  const auto salvaged = salvage(options.from, options.to, key_of(installation));
  if (!salvaged) return salvaged.error();
  print_salvaged(*salvaged);
  if (salvaged->saved.empty())
    return finish(ExitCode::kTaskFailed,
                  fmt::format("{}: no run in it is whole, {} lost, and {} was not made (exit code "
                              "1); restore a `kbench db backup`; `sqlite3 FILE .recover` may show "
                              "loose rows",
                              options.from.string(), salvaged->lost.size(), options.to.string()),
                  options.common.verbosity);
  const bool all = salvaged->lost.empty() && salvaged->notes.empty();
  return finish(
      all ? ExitCode::kGood : ExitCode::kTaskFailed,
      fmt::format("{} saved in {}, {} lost{}", count_words(salvaged->saved.size(), "run"),
                  options.to.string(), salvaged->lost.size(), all ? "" : " (exit code 1)"),
      options.common.verbosity);
}

const char* to_words(MergedRun::State state) {
  switch (state) {
    case MergedRun::State::kAdded: return "added  ";
    case MergedRun::State::kThere: return "there  ";
    case MergedRun::State::kRefused: return "REFUSED";
  }
  return "REFUSED";
}

void print_merged(const MergedRun& run) {
  std::string more;
  if (run.state == MergedRun::State::kAdded) more = fmt::format("  {}", to_string(run.chain.state));
  if (run.state == MergedRun::State::kRefused) more = "  " + sanitize_line(run.why);
  fmt::print("{}  {}  {}  from {}{}\n", to_words(run.state), short_name(run.run.id),
             sanitize_line(minute_of(run.run.started_at)), printable(run.from.string()), more);
  print_lines("damaged", run.damaged);
}

Result<int> perform_merge(const DbOptions& options, const Installation& installation) {
  MergeRequest request;
  request.into = options.to;
  request.from = options.others;
  request.key = key_of(installation);
  request.lint = options.lint;
  request.progress = print_merged;
  const auto merged = merge_databases(request);
  if (!merged) return merged.error();
  print_lines("note", merged->notes);
  const auto count = [&](MergedRun::State state) {
    return static_cast<std::size_t>(
        std::count_if(merged->runs.begin(), merged->runs.end(),
                      [&](const MergedRun& run) { return run.state == state; }));
  };
  const std::size_t refused = count(MergedRun::State::kRefused);
  std::size_t damaged = 0;
  for (const MergedRun& run : merged->runs) damaged += run.damaged.size();
  const auto changed = std::count_if(
      merged->runs.begin(), merged->runs.end(),
      [](const MergedRun& run) { return run.chain.state == ChainFinding::State::kChanged; });
  std::string bad = refused == 0 ? "" : fmt::format(", {} refused", refused);
  if (changed > 0) bad += fmt::format(", {} changed since they were measured", changed);
  if (damaged > 0) bad += fmt::format(", {} damaged", count_words(damaged, "source"));
  if (!bad.empty()) bad += " (exit code 1)";
  return finish(bad.empty() ? ExitCode::kGood : ExitCode::kTaskFailed,
                fmt::format("{} added to {}, {} there already{}",
                            count_words(count(MergedRun::State::kAdded), "run"),
                            options.to.string(), count(MergedRun::State::kThere), bad),
                options.common.verbosity);
}

Result<int> perform(const DbOptions& options, const Installation& installation) {
  switch (options.action) {
    case DbOptions::Action::kCheck: return perform_check(options, installation);
    case DbOptions::Action::kBackup: return perform_backup(options);
    case DbOptions::Action::kPrune: return perform_prune(options, installation);
    case DbOptions::Action::kVacuum: return perform_vacuum(options);
    case DbOptions::Action::kSalvage: return perform_salvage(options, installation);
    case DbOptions::Action::kMerge: return perform_merge(options, installation);
  }
  return Error{ErrorCode::kUsage, "no such command", ""};
}

// "90d" or "12w" as days. Errors: kUsage.
Result<int> parse_age(std::string_view word) {
  constexpr int kMostDays = 100'000;
  int number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const std::string_view unit = word.substr(static_cast<std::size_t>(end - word.data()));
  const int days = unit == "w" ? 7 : 1;
  if (error == std::errc() && number >= 0 && number <= kMostDays / days &&
      (unit == "d" || unit == "w"))
    return number * days;
  return Error{ErrorCode::kUsage,
               fmt::format("\"{}\" is no time to keep runs for", word.substr(0, 40)),
               "say 90d for days or 12w for weeks"};
}

// Where to keep, what to take: paths that must be there.
void add_needed_path(CLI::App& app, const std::string& name, std::filesystem::path& path,
                     const std::string& help) {
  app.add_option(name, path, help)->required()->type_name("");
}

void add_prune(CLI::App& prune, DbOptions& options) {
  prune
      .add_option_function<std::string>(
          "--keep",
          [&options](const std::string& word) {
            const auto days = parse_age(word);
            if (!days) throw CLI::ValidationError("--keep", days.error().message);
            options.keep_days = *days;
          },
          "Runs that began within this time stay: 90d, or 12w for weeks")
      ->required()
      ->type_name("TIME");
  prune.add_flag("--keep-good", options.keep_good,
                 "Keep older ones that nothing but submissions failed in and whose chain holds");
  prune.add_flag_function(
      "--keep-tagged", [](std::int64_t) {}, "Tagged runs stay, as they do without it");
  prune.add_flag("--dry-run", options.dry_run, "Say what would go and how much it takes, only");
}

}  // namespace

CLI::App* add_db(CLI::App& app, DbOptions& options) {
  using Action = DbOptions::Action;
  auto* db = app.add_subcommand("db", "Check, back up, prune, salvage or merge databases");
  db->require_subcommand(1);
  db->footer(help_of("db"));
  const auto add = [&](const char* name, Action action, const char* help) {
    auto* command = db->add_subcommand(name, help);
    command->callback([&options, action] { options.action = action; });
    command->footer(help_of("db"));
    add_common(*command, options.common, false);
    return command;
  };
  auto* check =
      add("check", Action::kCheck, "Say whether a database is sound, and every run in it");
  check->add_flag("--quick", options.quick, "Without comparing tables with their indexes");
  auto* backup = add("backup", Action::kBackup, "Copy a database, also while a run writes into it");
  add_needed_path(*backup, "FILE", options.to, "The copy; nothing is overwritten");
  auto* prune = add("prune", Action::kPrune, "Remove old runs");
  add_prune(*prune, options);
  auto* vacuum = add("vacuum", Action::kVacuum, "Give the disk back what removed runs left free");
  auto* salvage = add("salvage", Action::kSalvage, "Save the whole runs of a damaged database");
  add_needed_path(*salvage, "DAMAGED", options.from, "The damaged file; it is only read");
  add_needed_path(*salvage, "OUT", options.to, "The new database; nothing is overwritten");
  auto* merge = add("merge", Action::kMerge, "Add the runs of other databases to one");
  add_needed_path(*merge, "INTO", options.to, "Database that takes them; made where it is missing");
  merge->add_option("FROM", options.others, "Databases that they are taken from")
      ->required()
      ->type_name("");
  merge->add_flag("--lint", options.lint,
                  "Take what lint found there, too: it decides what counts in a score");
  for (auto* command : {check, backup, prune, vacuum}) add_database(*command, options.database);
  for (auto* command : {check, prune}) add_json(*command, options.format);
  return db;
}

int call(const DbOptions& options, const Installation& installation) {
  const auto status = perform(options, installation);
  if (status) return *status;
  return fail(status.error(), inspect_terminal(STDERR_FILENO, options.common.color));
}

}  // namespace kbench
