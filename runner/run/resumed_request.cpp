#include "runner/run/resumed_request.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::string options_left_behind(const std::string& began_by, const std::string& resumed_by) {
  const auto has = [](const std::string& command, std::string_view option) {
    const std::string words = command + " ";
    return words.find(fmt::format(" {} ", option)) != words.npos ||
           words.find(fmt::format(" {}=", option)) != words.npos;
  };
  std::vector<std::string_view> found;
  for (const std::string_view option : {"--out", "--html", "--max-fail", "--fail-fast"})
    if (has(began_by, option) && !has(resumed_by, option)) found.push_back(option);
  return fmt::format("{}", fmt::join(found, ", "));
}

RunRequest with_choices_of(RunRequest request, const Run& run) {
  take_choices(configuration_of(run), request);
  return request;
}

RunRequest as_part_of(RunRequest request, const Run& run) {
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
  RunRequest completed = as_part_of(with_choices_of(request, *run), *run);
  take_rerun(configuration_of(*run), completed);
  return completed;
}

}  // namespace kbench
