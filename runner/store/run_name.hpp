// The one place that knows how a run is named: "latest" (the newest), "latest~2" (two before it), a
// tag, the group of shards that it is one of (its newest), or the start of an id.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/store/store.hpp"

namespace kbench {

// How many runs before the newest one: 0 of "latest", 2 of "latest~2"; empty of any other word.
[[nodiscard]] std::optional<int> steps_before_latest(std::string_view name);

// The run of that name. "latest~N" counts among the runs that `among` accepts (all without it),
// newest first, and all shards of a group as one; other names find any run. A whole id comes before
// a tag of that name. Errors: kUsage for the start of several ids, which are listed, or for an
// empty name; kNotFound, with the nearest tag where one was misspelt.
[[nodiscard]] Result<Run> find_run_named(const Store& store, const std::string& name,
                                         const std::function<bool(const Run&)>& among = {});

}  // namespace kbench
