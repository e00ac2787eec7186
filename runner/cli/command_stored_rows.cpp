#include "runner/cli/command_stored_rows.hpp"

#include "runner/cli/command_help.hpp"

namespace kbench {
namespace {

void add_row_choice(CLI::App& app, RowChoice& row) {
  app.add_option("RUN", row.run, "Start of an id, a tag, latest or latest~N")
      ->required()
      ->type_name("");
  add_database(app, row.database, "SQLite database that holds the run (default: kbench.sqlite)");
  app.add_option("--task", row.task, "Id of the row's task (level1/019_relu)")
      ->required()
      ->type_name("ID");
}

void add_submission_choice(CLI::App& app, RowChoice& row) {
  app.add_option("--variant", row.variant, "Its variant (default: the one without a name)")
      ->type_name("NAME");
  app.add_option("--submission", row.submission, "Its file, where agent and variant have several")
      ->type_name("NAME");
}

}  // namespace

CLI::App* add_runs(CLI::App& app, RunsOptions& options) {
  auto* runs = app.add_subcommand("runs", "List the stored runs");
  runs->footer(help_of("runs"));
  add_database(*runs, options.database);
  add_part_of_device(*runs, options.device, "all");
  add_json(*runs, options.format);
  add_wide(*runs, options.common);
  add_common(*runs, options.common, false);
  return runs;
}

CLI::App* add_tag(CLI::App& app, TagOptions& options) {
  auto* tag = app.add_subcommand("tag", "Give a stored run a name");
  tag->footer(help_of("tag"));
  auto* run = tag->add_option("RUN", options.run, "Start of an id, a tag, latest or latest~N")
                  ->type_name("");
  tag->add_option("NAME", options.name, "The new tag")->type_name("");
  tag->add_option("--remove", options.remove, "Take this tag away instead")
      ->type_name("NAME")
      ->excludes(run);
  add_database(*tag, options.database);
  add_common(*tag, options.common, false);
  return tag;
}

CLI::App* add_sources(CLI::App& app, SourcesOptions& options) {
  auto* sources = app.add_subcommand("sources", "Write the files that a stored row was made from");
  sources->footer(help_of("sources"));
  add_row_choice(*sources, options.row);
  sources->add_option("--agent", options.row.agent, "Who submitted")->required()->type_name("NAME");
  add_submission_choice(*sources, options.row);
  sources->add_option("--out", options.out, "Folder: an empty one, or a new one")
      ->required()
      ->type_name("DIR");
  add_common(*sources, options.common, false);
  return sources;
}

CLI::App* add_reproduce(CLI::App& app, ReproduceOptions& options, OutputWords& words) {
  auto* reproduce = app.add_subcommand("reproduce", "Evaluate a stored row again");
  reproduce->footer(help_of("reproduce"));
  add_row_choice(*reproduce, options.row);
  reproduce->add_option("--agent", options.row.agent, "Who submitted (default: nobody)")
      ->type_name("NAME");
  add_submission_choice(*reproduce, options.row);
  reproduce
      ->add_option("--into", options.into,
                   "SQLite database that gets the result (default: kbench.sqlite)")
      ->type_name("FILE");
  add_outputs(*reproduce, words);
  add_html(*reproduce, words, "--into");
  add_common(*reproduce, options.common, true);
  return reproduce;
}

}  // namespace kbench
