#include "runner/store/run_group.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "runner/core/json.hpp"
#include "runner/store/rows/tag.hpp"

namespace kbench {
namespace {

constexpr int kMostShards = 10'000;

// The choices that a run was asked for; null where that is no JSON object.
Json configuration_of(const Run& run) {
  Json configuration = Json::parse(run.configuration, nullptr, /*allow_exceptions=*/false);
  return configuration.is_object() ? configuration : Json();
}

// Comparable rows of two runs need equal choices in all but these: what tells shards apart, where
// things lie, and which of several equal GPUs it was.
std::string first_difference(const Run& a, const Run& b) {
  constexpr std::array kMayDiffer = {"shard", "suite", "submissions", "device_index"};
  Json left = configuration_of(a);
  Json right = configuration_of(b);
  for (const char* name : kMayDiffer) {
    left.erase(name);
    right.erase(name);
  }
  for (const auto& [name, value] : left.items())
    if (!right.contains(name) || right.at(name) != value) return name;
  return right.size() == left.size() ? "" : "configuration";
}

// The space of an exchange in which a run shares its rows, as it says itself; empty where it does
// not. Runs of one shard and space measure what the others have not, so all of them count.
std::string space_of(const Run& run) {
  const Json environment = Json::parse(run.environment, nullptr, /*allow_exceptions=*/false);
  if (!environment.is_object()) return "";
  const auto found = environment.find("exchange");
  return found != environment.end() && found->is_string() ? found->get<std::string>() : "";
}

bool share_rows(const Run& a, const Run& b) {
  return !space_of(a).empty() && space_of(a) == space_of(b);
}

// Why `candidate`, which has the name, is no shard beside `run`; empty where it is one.
std::string why_not(const Run& candidate, const Shard& its, const Run& run, const Shard& own) {
  if (its.of != own.of) return fmt::format("it is one of {}, not of {}", its.of, own.of);
  if (its.selection != own.selection) return "it was selected from other tasks";
  const std::string differs = first_difference(candidate, run);
  if (!differs.empty()) return fmt::format("it has another {}", differs);
  if (its.index == own.index && candidate.id != run.id && !share_rows(candidate, run))
    return fmt::format("{} is shard {} already", short_id(run), own.index);
  return "";
}

// A second run of a shard: beside the first where they share their rows, else the newer one, by
// date, whichever comes first in the list.
void take_another(const Run& candidate, int index, std::vector<Run>& there, RunGroup& group) {
  if (share_rows(candidate, there.front())) {
    there.push_back(candidate);
    std::sort(there.begin(), there.end(), [](const Run& a, const Run& b) {
      return std::pair(a.started_at, a.id) < std::pair(b.started_at, b.id);
    });
    return;
  }
  const bool newer = candidate.started_at > there.front().started_at;
  for (const Run& older : newer ? there : std::vector{candidate})
    group.left_out.push_back(
        fmt::format("run {}: shard {} was measured again", short_id(older), index));
  if (newer) there = {candidate};
}

}  // namespace

std::optional<Shard> shard_of(const Run& run) {
  const Json configuration = configuration_of(run);
  const auto found = configuration.find("shard");
  if (found == configuration.end() || !found->is_object()) return std::nullopt;
  Shard shard;
  try {
    shard.group = found->at("group").get<std::string>();
    shard.index = found->at("index").get<int>();
    shard.of = found->at("of").get<int>();
    shard.selection = found->at("selection").get<std::string>();
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  const bool sound = shard.of >= 1 && shard.of <= kMostShards && shard.index >= 1 &&
                     shard.index <= shard.of && check_tag_name(shard.group).ok();
  return sound ? std::optional(std::move(shard)) : std::nullopt;
}

std::string group_key(const Run& run) {
  const std::optional<Shard> shard = shard_of(run);
  return shard ? fmt::format("{} {} {}", shard->group, shard->of, shard->selection) : "";
}

std::optional<RunGroup> group_of(const Run& run, const std::vector<Run>& runs) {
  const std::optional<Shard> own = shard_of(run);
  if (!own) return std::nullopt;
  RunGroup group{.name = own->group, .of = own->of, .shards = {}, .missing = {}, .left_out = {}};
  std::map<int, std::vector<Run>> shards;
  for (const Run& candidate : runs) {
    const std::optional<Shard> its = shard_of(candidate);
    if (!its || its->group != own->group) continue;
    std::string why = why_not(candidate, *its, run, *own);
    const auto other = shards.find(its->index);
    if (why.empty() && other != shards.end()) {
      take_another(candidate, its->index, other->second, group);
      continue;
    }
    if (why.empty())
      shards.emplace(its->index, std::vector{candidate});
    else
      group.left_out.push_back(fmt::format("run {}: {}", short_id(candidate), why));
  }
  for (int index = 1; index <= own->of; ++index) {
    const auto found = shards.find(index);
    if (found == shards.end())
      group.missing.push_back(index);
    else
      std::move(found->second.begin(), found->second.end(), std::back_inserter(group.shards));
  }
  return group;
}

}  // namespace kbench
