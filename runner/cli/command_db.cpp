#include "runner/cli/command_db.hpp"

#include "runner/cli/command_help.hpp"

namespace kbench {
namespace {

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

}  // namespace kbench
