// Shards: parts of one selection of tasks that are measured apart, each by a run of its own, as
// `kbench run --shard i/n --group NAME`. They say so in their configuration, which their chains
// seal; nothing is ever written into them afterwards. So a group is no row anywhere, but what the
// shards of one name are together. A shard that shares its rows in an exchange may be several runs,
// each with the rows that the others have not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"

namespace kbench {

struct Shard {
  std::string group;
  int index = 1;  // counted from 1
  int of = 1;
  // Hash of the whole selection of all shards: ids and contents of the tasks. Shards of another
  // selection belong to another group, whatever its name.
  std::string selection;
};

// Empty for a run that is none, and where what is stored makes no sense.
[[nodiscard]] std::optional<Shard> shard_of(const Run& run);

// Equal for shards of one group and different otherwise; empty for a run that is no shard.
[[nodiscard]] std::string group_key(const Run& run);

// A group as far as its shards are in a database.
struct RunGroup {
  std::string name;
  int of = 1;
  std::vector<Run> shards;            // sorted by index; of equal ones the newest, or all
                                      // where they share their rows in an exchange
  std::vector<int> missing;           // indices
  std::vector<std::string> left_out;  // a sentence for each run that has the name and is no part
};

// The group that `run` is a shard of, out of all runs of a database; empty where it is of none.
// Shards have the same number of shards, selection, device and way of measuring as `run`, which for
// its own index is the one that counts.
[[nodiscard]] std::optional<RunGroup> group_of(const Run& run, const std::vector<Run>& runs);

}  // namespace kbench
