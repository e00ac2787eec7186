// `kbench run --shard 2/4`: one of several parts of the tasks that were selected.
#pragma once

#include <string_view>

#include "runner/core/result.hpp"

namespace kbench {

struct ShardChoice {
  int index = 1;  // from 1
  int of = 1;
};

// "2/4". Errors: kUsage.
[[nodiscard]] Result<ShardChoice> parse_shard(std::string_view word);

}  // namespace kbench
