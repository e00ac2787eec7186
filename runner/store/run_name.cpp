#include "runner/store/run_name.hpp"

#include <charconv>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/suggest.hpp"
#include "runner/store/rows/tag.hpp"
#include "runner/store/run_group.hpp"

namespace kbench {
namespace {

constexpr std::string_view kLatest = "latest";
constexpr std::size_t kShownOfAName = 80;

Result<Run> nth_newest(const Store& store, int steps, const std::string& name,
                       const std::function<bool(const Run&)>& among) {
  Result<std::vector<Run>> runs = store.runs();
  if (!runs) return runs.error();
  if (runs->empty()) {
    return Error{ErrorCode::kNotFound, "the database holds no run yet", "Start one: `kbench run`."};
  }
  int before = 0;
  std::set<std::string> groups;  // groups that were counted
  for (Run& run : *runs) {
    if (run.configuration == kStatesOnly || (among && !among(run))) continue;
    const std::string group = group_key(run);
    if (!group.empty() && !groups.insert(group).second) continue;
    if (before++ == steps) return std::move(run);
  }
  return Error{ErrorCode::kNotFound,
               fmt::format("there is no run \"{}\": {} {}{}", name, before,
                           before == 1 ? "is stored" : "are stored", among ? " of its device" : ""),
               "`kbench runs` lists them"};
}

Result<std::optional<Run>> newest_of_group(const Store& store, const std::string& name) {
  if (!check_tag_name(name)) return std::optional<Run>();
  Result<std::vector<Run>> runs = store.runs();
  if (!runs) return runs.error();
  for (Run& run : *runs) {
    const auto shard = shard_of(run);
    if (shard && shard->group == name) return std::optional(std::move(run));
  }
  return std::optional<Run>();
}

Error unknown(const std::string& name, const std::vector<Tag>& tags) {
  std::vector<std::string> names{std::string(kLatest)};
  for (const Tag& tag : tags) names.push_back(tag.name);
  const auto guess = nearest(name, names);
  return {ErrorCode::kNotFound,
          fmt::format("no run begins with \"{}\", and no tag is called so",
                      name.substr(0, kShownOfAName)),
          guess ? fmt::format("did you mean \"{}\"?", *guess)
                : std::string("`kbench runs` lists them; \"latest\" is the newest")};
}

Result<Run> tagged(const Store& store, const Tag& tag) {
  Result<std::vector<Run>> runs = store.runs();
  if (!runs) return runs.error();
  for (Run& run : *runs)
    if (run.id == tag.run_id) return std::move(run);
  return Error{ErrorCode::kNotFound,
               fmt::format("the tag \"{}\" names the run {}, which is not there any more", tag.name,
                           tag.run_id.substr(0, kShownOfAName)),
               fmt::format("`kbench tag --remove {}` takes the tag away, too.", tag.name)};
}

}  // namespace

std::optional<int> steps_before_latest(std::string_view name) {
  if (!name.starts_with(kLatest)) return std::nullopt;
  std::string_view rest = name.substr(kLatest.size());
  if (rest.empty()) return 0;
  if (!rest.starts_with('~')) return std::nullopt;
  rest.remove_prefix(1);
  int steps = 0;
  const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), steps);
  const bool whole = failure == std::errc() && end == rest.data() + rest.size();
  return whole && steps >= 0 ? std::optional(steps) : std::nullopt;
}

Result<Run> find_run_named(const Store& store, const std::string& name,
                           const std::function<bool(const Run&)>& among) {
  if (name.empty()) {
    return Error{ErrorCode::kUsage, "no run has an empty name",
                 "`kbench runs` lists them; \"latest\" is the newest"};
  }
  if (const auto steps = steps_before_latest(name)) return nth_newest(store, *steps, name, among);
  Result<std::optional<Run>> run = store.find_run(name);
  // A tag never takes the place of an id: a writer of the file may write any tag.
  if (run && *run && (*run)->id == name) return std::move(**run);
  const Result<std::vector<Tag>> tags = store.tags();
  if (!tags) return tags.error();
  for (const Tag& tag : *tags)
    if (tag.name == name) return tagged(store, tag);
  Result<std::optional<Run>> shard = newest_of_group(store, name);
  if (!shard) return shard.error();
  if (*shard) return std::move(**shard);
  if (!run) return run.error();
  if (!*run) return unknown(name, *tags);
  return std::move(**run);
}

}  // namespace kbench
