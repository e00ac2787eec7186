#include <unistd.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/suggest.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/store/run_name.hpp"

namespace kbench {
namespace {

// The tag that was meant, where there is none of that name.
Error with_suggestion(Error error, const Store& store, const std::string& name) {
  const auto tags = store.tags();
  if (error.code != ErrorCode::kNotFound || !tags) return error;
  std::vector<std::string> names;
  for (const Tag& tag : *tags) names.push_back(tag.name);
  if (const auto guess = nearest(name, names))
    error.hint = fmt::format("did you mean \"{}\"?", *guess);
  return error;
}

Result<std::string> change(const TagOptions& options, const Run* run) {
  auto store = Store::open(options.database, Store::Mode::kReadWrite);
  if (!store) return store.error();
  if (run == nullptr) {
    if (const auto removed = store->remove_tag(*options.remove); !removed)
      return with_suggestion(removed.error(), *store, *options.remove);
    return fmt::format("no run is called {} any more", *options.remove);
  }
  if (const auto put = store->put(Tag{options.name, run->id, utc_now()}); !put) return put.error();
  return fmt::format("run {} is called {}", short_id(*run), options.name);
}

// By reading: writing would make a database where there is none, and make worse what is damaged. In
// the run that gets a name every value is looked at. Closed when it returns, so that whoever writes
// then is alone with the file.
Result<std::optional<Run>> find_sound(const TagOptions& options) {
  const auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  if (const auto whole = store->check_pages(); !whole) return whole.error();
  if (options.remove) return std::optional<Run>();
  auto run = find_run_named(*store, options.run);
  if (!run) return run.error();
  if (const auto rows = store->evaluations(run->id); !rows) return rows.error();
  return std::optional(std::move(*run));
}

Result<std::string> tag(const TagOptions& options) {
  const auto run = find_sound(options);
  if (!run) return run.error();
  return change(options, *run ? &**run : nullptr);
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
  const auto done = tag(options);
  if (!done) return fail(done.error(), inspect_terminal(STDERR_FILENO, options.common.color));
  return finish(ExitCode::kGood, *done, options.common.verbosity);
}

}  // namespace kbench
