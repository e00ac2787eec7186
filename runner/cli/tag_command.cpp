#include <unistd.h>

#include <string>

#include <fmt/format.h>

#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/store/tagging.hpp"

namespace kbench {
namespace {

Result<std::string> change(const TagOptions& options) {
  if (options.remove) {
    if (auto removed = untag(options.database, *options.remove); !removed) return removed.error();
    return fmt::format("no run is called {} any more", *options.remove);
  }
  const auto run = tag_run(options.database, options.run, options.name);
  if (!run) return run.error();
  return fmt::format("run {} is called {}", short_id(*run), options.name);
}

}  // namespace

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

int call(const TagOptions& options, const Installation& /*installation*/) {
  const auto done = change(options);
  if (!done) return fail(done.error(), inspect_terminal(STDERR_FILENO, options.common.color));
  return finish(ExitCode::kGood, *done, options.common.verbosity);
}

}  // namespace kbench
