#include <string>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
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
  auto& tag = add_verb(app, "tag", "Give a stored run a name");
  auto* run = add_value(tag, "RUN", options.run, "", "Start of an id, a tag, latest or latest~N");
  add_value(tag, "NAME", options.name, "", "The new tag");
  add_value(tag, "--remove", options.remove, "NAME", "Take this tag away instead")->excludes(run);
  add_database(tag, options.database);
  add_common(tag, options.common, false);
  return &tag;
}

Result<End> call(const TagOptions& options, const Installation& /*installation*/) {
  const auto done = change(options);
  if (!done) return done.error();
  return good(*done);
}

}  // namespace kbench
