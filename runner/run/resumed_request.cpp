#include "runner/run/resumed_request.hpp"

#include <fmt/format.h>

#include "runner/core/json.hpp"
#include "runner/plan/run_choices.hpp"
#include "runner/store/run_group.hpp"
#include "runner/store/run_name.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

// Null where it is damaged.
Json configuration_of(const Run& run) {
  return Json::parse(run.configuration, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

Result<Run> find_resumed_run(const Store& store, const RunTerms& terms) {
  auto run = find_run_named(store, *terms.resume);
  if (run || run.error().code != ErrorCode::kNotFound) return run;
  std::string hint = run.error().hint;
  if (hint.ends_with('.')) hint.pop_back();
  return Error{
      ErrorCode::kNotFound, fmt::format("{}: {}", terms.database.string(), run.error().message),
      fmt::format("{}{}without --resume a new one is started", hint, hint.empty() ? "" : "; ")};
}

std::string options_left_behind(const Run& run) {
  std::string found;
  for (const std::string_view option : {"--out", "--html", "--max-fail", "--fail-fast"}) {
    const auto place = run.command_line.find(fmt::format(" {}", option));
    if (place == run.command_line.npos) continue;
    const auto end = run.command_line.find_first_of(" =", place + 1);
    if (run.command_line.substr(place + 1, end - place - 1) != option) continue;  // "--output"
    found += fmt::format("{}{}", found.empty() ? "" : ", ", option);
  }
  return found;
}

RunRequest with_choices_of(RunRequest request, const Run& run) {
  take_choices(configuration_of(run), request);
  if (const auto shard = shard_of(run); shard && !request.shard) {
    request.shard = ShardChoice{shard->index, shard->of};
    request.group = shard->group;
  }
  return request;
}

Result<RunRequest> complete_resumed(const RunRequest& request, const RunTerms& terms) {
  if (!terms.resume) return request;
  const auto store = Store::open(terms.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  auto run = find_resumed_run(*store, terms);
  if (!run) return run.error();
  RunRequest completed = with_choices_of(request, *run);
  take_rerun(configuration_of(*run), completed);
  return completed;
}

}  // namespace kbench
